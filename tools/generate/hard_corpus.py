"""Writes spm_lite/evaluation/locks/hard_corpus_1.txt, the texts whose ids every lock holds: a JSON string on each line.

The file is never changed, since locks name it by its number: other texts are a new file with the next number. All texts
are written here, or drawn by a fixed generator from the words here and from the scripts of Unicode.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from tables import ROOT

from spm_lite.base.unicode.ranges import named_ranges
from spm_lite.base.unicode.ranges.script_ranges import RANGES
from spm_lite.printable import safe_json

NAME = "hard_corpus_1.txt"
NEWER = """\
Dogra 11800-1183B
Gunjala_Gondi 11D60-11D65 11D67-11D68 11D6A-11D8E 11DA0-11DA9
Hanifi_Rohingya 10D00-10D27 10D30-10D39
Makasar 11EE0-11EF8
Masaram_Gondi 11D00-11D06 11D0B-11D36 11D50-11D59
Medefaidrin 16E40-16E9A
Nushu 1B170-1B2FB
Old_Sogdian 10F00-10F27
Sogdian 10F30-10F59
Soyombo 11A50-11A83
Zanabazar_Square 11A00-11A47
Elymaic 10FE0-10FF6
Nandinagari 119A0-119A7 119AA-119D7 119DA-119E4
Nyiakeng_Puachue_Hmong 1E100-1E12C 1E140-1E149
Wancho 1E2C0-1E2F9
Chorasmian 10FB0-10FCB
Dives_Akuru 11900-11906 1190C-11913 11918-11935 11950-11959
Khitan_Small_Script 18B00-18CD5
Yezidi 10E80-10EA9
Cypro_Minoan 12F90-12FF2
Old_Uyghur 10F70-10F89
Tangsa 16A70-16ABE 16AC0-16AC9
Toto 1E290-1E2AE
Vithkuqi 10570-1057A 1057C-1058A 10597-105A1
Kawi 11F00-11F10 11F12-11F3A 11F50-11F59
Nag_Mundari 1E4D0-1E4F9
Garay 10D40-10D65
Gurung_Khema 16100-16139
Kirat_Rai 16D40-16D79
Ol_Onal 1E5D0-1E5FA
Sunuwar 11BC0-11BE1
Todhri 105C0-105F3
Tulu_Tigalari 11380-11389 11390-113B5
"""  # scripts of Unicode 10 to 16, which the table of scripts lacks: letters and digits of each

SPACES = (
    " ", "  ", "   ", " " * 17, "\t", "\n", "\r", "\r\n", "\n\n", "\v", "\f", "\x1c", "\x85", "\xa0", "\u1680",
    "\u2003", "\u200b", "\u2028", "\u202f", "\u2060", "\u3000", "\ufeff", "\u2581", "\u2581\u2581", "\u00a0 ",
)  # fmt: skip
SIGNS = (
    "\0", "\x01", "\x1b", "\x7f", "\xad", "\ufffd", "\uffff", "\ue000", "\U000f0000", "\U0010ffff", "e\u0301",
    "e\u0301\u0323", "e\u0323\u0301", "\u1ecd\u0301", "\u0301", "\u0644\u0651\u064e", "\u0644\u064e\u0651",
    "\uff76\uff9e", "\u1112\u1161\u11ab", "\uac00\u11a8", "\u0e01\u0e33", "\u0915\u094d\u0937", "\u0130", "\u1e9e",
    "\u03a3\u03c2", "\u01c5", "\ufb01", "\u2460", "\u00bd", "\u212b", "\uff21\uff41\uff11", "\U0001f30d",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466", "\U0001f44d\U0001f3fd",
    "\u2764\ufe0f\u200d\U0001f525",
    "\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7", "1\ufe0f\u20e3", "\u05d0\u05b7", "\u200d", "\u200f", "\u2019",
    "\u2014",
    "\u2026", "\u20ac", "\u00ab\u00bb", "\u201e\u201c", "\u3002", "\u060c", "\u0964", "\u00df", "\u0133", "\u01f0",
)  # fmt: skip
SENTENCES = (
    "The old baker counted seventeen loaves before the rain began.",
    "Nobody had told her that the bridge would be closed on Thursday.",
    "Having measured everything twice, they finally started building.",
    "It is impossible to understand these instructions without a dictionary.",
    "Researchers have published several interesting observations about northern rivers.",
    "Der alte Müller zählte größere Säcke, während draußen ein Sturm über die Dörfer zog.",
    "Donaudampfschifffahrtsgesellschaften veröffentlichen selten Geschäftsberichte.",
    "Quelqu'un avait laissé la fenêtre ouverte, et l'été entrait jusqu'à l'âtre.",
    "El niño preguntó por qué las montañas parecían más pequeñas que ayer.",
    "As crianças não sabiam onde o avô guardava os pães e as maçãs.",
    "Perché il treno è già partito senza aspettare gli altri passeggeri?",
    "De kinderen vonden een zilveren sleutel onder de bloembak van hun buurvrouw.",
    "Då kom två små båtar över ån, och en älg såg på från ön.",
    "Kaksikymmentäviisi pöllöä istui hiljaa jääpeitteisen järven yllä.",
    "Það var þungt yfir þegar ærnar æddu út á ísinn.",
    "Zażółcona gęś pływała wśród źdźbeł, a żaba śpiewała swoją pieśń.",
    "Příliš žluťoučká řeka tekla městečkem, kde dříve stály mlýny.",
    "Az öreg órásmester tűnődve nézte a félbehagyott szerkezetet.",
    "Când ploaia s-a oprit, țăranii și-au șters mâinile și au râs.",
    "Çocuklar ışıkları söndürüp İstanbul'dan gelen şarkıyı dinlediler.",
    "Những đứa trẻ ngồi dưới gốc cây, nghe bà kể chuyện ngày xưa.",
    "Anak-anak itu mempertanggungjawabkan kebersihan halaman rumahnya.",
    "Watoto walikuwa wakicheza karibu na mto wakati mvua ilipoanza kunyesha.",
    "Старый мельник пересчитал мешки и закрыл ставни, потому что приближалась гроза.",
    "Їхній дід щовечора розповідав казки про ґудзики й бджіл.",
    "Един ден малкото момче намери ключ под стълбите на училището.",
    "Ο γέρος ψαράς έδεσε τη βάρκα του και κοίταξε τα σύννεφα.",
    "Ծերունին հաշվեց իր ոչխարները և նստեց ծառի տակ։",
    "მოხუცმა მეთევზემ ნავი ნაპირზე გამოათრია და ცას ახედა.",
    "הזקן ספר את הכבשים שלו וישב מתחת לעץ הגדול.",
    "جلس الشيخُ تحت الشجرةِ الكبيرةِ وعدَّ خِرافَهُ قبل المطر.",
    "پیرمرد زیر درخت نشست و گوسفندهایش را شمرد؛ باران می‌آمد.",
    "بوڑھے نے درخت کے نیچے بیٹھ کر اپنی بھیڑیں گنیں۔",
    "बूढ़े किसान ने पेड़ के नीचे बैठकर अपनी भेड़ें गिनीं।",
    "বুড়ো কৃষক গাছের নিচে বসে তার ভেড়াগুলো গুনল।",
    "வயதான விவசாயி மரத்தடியில் அமர்ந்து ஆடுகளை எண்ணினார்.",
    "ముసలి రైతు చెట్టు కింద కూర్చుని గొర్రెలను లెక్కపెట్టాడు.",
    "ವೃದ್ಧ ರೈತನು ಮರದ ಕೆಳಗೆ ಕುಳಿತು ಕುರಿಗಳನ್ನು ಎಣಿಸಿದನು.",
    "വൃദ്ധനായ കർഷകൻ മരച്ചുവട്ടിലിരുന്ന് ആടുകളെ എണ്ണി.",
    "ชาวนาเฒ่านั่งนับแกะอยู่ใต้ต้นไม้ใหญ่ก่อนฝนจะตก",
    "ຊາວນາຜູ້ເຖົ້ານັ່ງນັບແກະຢູ່ກ້ອງຕົ້ນໄມ້",
    "ကျေးရွာမှ လူအိုသည် သစ်ပင်အောက်တွင် ထိုင်နေသည်။",
    "កសិករចាស់អង្គុយរាប់ចៀមនៅក្រោមដើមឈើ។",
    "ሽማግሌው ገበሬ ከዛፉ ሥር ተቀምጦ በጎቹን ቆጠረ።",
    "老农坐在大树下数着他的羊，天上的云越来越黑。",
    "老農坐在大樹下數著他的羊，天上的雲越來越黑。",
    "年老いた農夫は大きな木の下に座り、羊を数えながら雨を待っていた。",
    "カタカナとひらがなと漢字がﾊﾝｶｸ文字とまざっている「例」です。",
    "늙은 농부는 큰 나무 아래에 앉아 비가 오기 전에 양을 세었다.",
    "Өвгөн малчин модны доор сууж хонио тоолов.",
)
LISTED = """
    a able about above accept account across act action active actual add address after again against age agree air
    all allow almost alone along already also always among amount analysis ancient and animal another answer any
    appear apply area argue arm around arrive art article ask attack author available away baby back balance ball
    bank base battle beautiful because become before begin behavior believe below best better between beyond big
    bird black blood blue board body book both bottom box boy brain branch break bring brother brown build building
    business but buy call can capital car carbon card care carry case catch cause cell center central century
    certain chair challenge chance change character charge check child choose church circle citizen city claim class
    clear close coast code cold collect color column come comment common community company compare computer concern
    condition connect consider contain continue control cook copy corner cost could count country course court cover
    create crime cross culture current cut dark data daughter day dead deal death decade decide deep default define
    degree demand describe design detail develop device die differ difficult dinner direct discover discuss disease
    distance divide do doctor document dog door down draw dream drive drop during each early earth east easy eat
    economy edge effect effort eight either electric element else empty encode end energy enough enter entire error
    even event ever every evidence exact example except exist expect experience explain express eye face fact factor
    fail fall family far farm fast father fear feature feel field fight figure file fill film final find fine fire
    first fish five floor flow fly follow food foot for force foreign forest forget form forward four free fresh
    friend from front full function future game garden gas general get girl give glass go gold good govern great
    green ground group grow guess gun hair half hand happen hard have he head health hear heart heat heavy help here
    high history hold home hope horse hospital hot hour house how however human hundred idea identify image imagine
    import improve in include increase index individual industry inform input inside instance instead interest
    international into invest iron island issue it item join judge jump just keep key kill kind king kitchen know
    land language large last late laugh law lay lead leader learn least leave left legal less let letter level
    library lie life light like limit line list listen little live local long look lose love low machine main make
    man manage many map mark market matter maximum may mean measure medical meet member memory mention message metal
    method middle might military million mind minute miss model modern moment money month more morning most mother
    mountain mouth move much music must name nation natural near need network never new news next night nine no none
    normal north not note nothing notice now number object observe occur ocean of off offer office often oil old on
    once one only open operate opinion or order organic other our out output outside over own page paint paper
    parent part particular party pass past path pay peace people perform perhaps period person phone physical pick
    picture piece place plan plant play point police policy poor popular position possible power practice prepare
    present president press pretty prevent price print private problem process produce product professional program
    project property protect prove provide public pull push question quick quite radio raise range rate rather reach
    read ready real reason receive recent record red reduce region relate religion remain remember report represent
    require research resource respond rest result return reveal right rise risk river road rock role room rule run
    safe same save say scene school science score sea season seat second section see seem sell send sense separate
    series serious serve set seven several shake share she ship shoot short should show side sign similar simple
    since sing single sister sit site six size skill skin small smile social society soft soldier some song soon
    sort sound source south space speak special specific speech spend sport spring staff stage stand standard star
    start state station stay step still stock stone stop store story strategy street string strong structure student
    study stuff style subject success such suffer suggest summer sun support sure surface system table take talk
    task tax teach team technology tell temperature ten term test text than thank that the their theory there these
    they thing think this those thousand threat three through throw time title to today together tonight too top
    total touch toward town trade train travel treat tree trial trip trouble true trust truth try turn two type
    under understand unit until up update upon use usual valid value various version very victim view village visit
    voice vote wait walk wall want war warm watch water way weapon wear weight well west what when where which while
    white who whole why wide wife will win wind window winter wish with within without woman wonder wood word work
    world worry would write wrong yard year yellow yes yet you young zero zone
"""
WORDS = LISTED.split()
ENDINGS = ("", "", "", "s", "ed", "ing", "er", "ly", "ness", "ment", "able", "ation", "ist", "'s", "n't", "ful", "ism")
BEGINNINGS = ("", "", "", "", "un", "re", "pre", "over", "inter", "dis", "anti", "micro")
CODE = (
    'def main(argv=None):\n    for i, x in enumerate(argv or []):\n        print(f"{i}: {x!r}")\n    return 0\n',
    '#include <stdio.h>\nint main(void) {\n\tprintf("%d\\n", 0xFF);\n\treturn 0;\n}\n',
    "const f = async (a, ...b) => { await g(a?.b ?? c); return `${a}-${b.length}`; };",
    "SELECT t.id, COUNT(*) AS n FROM trees t LEFT JOIN leaves l ON l.tree_id = t.id WHERE t.age >= 10 GROUP BY 1;",
    '<div class="row" id=\'x1\'><a href="/p?q=1&amp;r=2">T&eacute;l&nbsp;</a><br/></div><!-- end -->',
    '{"a": [1, -2.5e+10, null, true], "b\\u00e9": {"c": "\\n\\t"}}',
    'for f in *.txt; do sed -E \'s/^[[:space:]]+//g\' "$f" | sort -u > "${f%.txt}.out" 2>&1; done',
    'let mut v: Vec<&\'a str> = s.split("::").filter(|p| !p.is_empty()).collect();',
    "if (x != NULL && (*x)->y[i++] <<= 3) { /* TODO(me): fix */ } else if (!z) goto end; // done",
    "\\begin{equation} \\sum_{i=0}^{n} \\frac{x_i^2}{\\sigma} \\leq \\alpha \\end{equation}",
    "| a | b |\n|:--|--:|\n| **x** | `y` |\n\n1. one\n2. two\n   - [link](https://example.org)\n\n```py\npass\n```\n",
    "        indented\n\t\tby tabs\n  \t mixed \n\n\n        end        \n",
    "getHTTPResponseCode snake_case_name SCREAMING_CASE kebab-case-name PascalCase camelCase2x x_y__z XMLHttpRequest",
    "a+b-c*d/e%f**g//h==i!=j<=k>=l<<m>>n&o|p^q~r->s=>t::u..v...w:=x@y",
    "((((a))))[[[[b]]]]{{{{c}}}}<<<<d>>>>;;;;,,,,''''\"\"\"\"",
)
PLACES = (
    "https://www.example.org:8080/path/to/page.html?id=42&lang=en-US#section-3", "http://127.0.0.1/~user/%7Eindex",
    "first.last+tag@mail.example.com", "C:\\Program Files\\App\\file (1).txt",
    "/usr/local/lib/python3.11/site-packages",
    "git@example.org:team/repo.git", "#hashtag @mention RT: lol!!! :-) :'( <3 xD", "ISBN 978-3-16-148410-0",
    "+49 (0)30 123456-78",
    "2001:0db8:85a3::8a2e:0370:7334", "3fa85f64-5717-4562-b3fc-2c963f66afa6", "SGVsbG8sIFdvcmxkIQ==",
)  # fmt: skip
NUMBERS = (
    "0 1 2 10 99 100 123 1000 1234 12345 123456 1234567 12345678 123456789 1234567890",
    "3.14159 -0.5 +7 1e-9 6.02E23 .5 5.",
    "1,000,000.00 1.000.000,00 1 000 000 1'000'000",
    "$5.99 \u20ac10,- \u00a33 \u00a5500 50% 1/2 3\u00d74 5\u00b0C 10\u00b2",
    "2024-02-29T23:59:59.999Z 12/31/99 09:05 AM Q3 FY2025",
    "0x1F 0b1010 0o17 1_000 v1.2.3-rc.4+build.5 1st 2nd 3rd 4th",
    "\u0661\u0662\u0663 \u0967\u0968\u0969 \u0e51\u0e52\u0e53 \uff11\uff12\uff13 \u4e00\u4e8c\u4e09",
    "\u2160\u2161\u2162 \u00bc\u00bd\u00be \u2460\u2461\u2462",
    "MMXXIV xiv IV 007 00000 11111111111111111111", "a1b2c3 A1 1A 1a2B 4x4 R2D2 H2O CO2 B12 7-Zip",
)  # fmt: skip
SHORT_FORMS = (
    "I'm you're he's she'd we'll they've isn't can't won't 'tis 'twas o'clock rock'n'roll y'all",
    "I'M YOU'RE HE'S SHE'D WE'LL THEY'VE ISN'T CAN'T 'TWAS",
    "I\u2019m you\u2019re he\u2019s she\u2019d we\u2019ll they\u2019ve isn\u2019t",
    "l'eau d'abord qu'il aujourd'hui dell'arte 's-Gravenhage",
    "the 's 't 're 've 'm 'll 'd '' ' a'b'c 'quoted' \"x's\"",
    "Mr. Mrs. Dr. e.g. i.e. U.S.A. Ph.D. etc. vs. No. 5 a.m.",
    "well-known twenty-one mother-in-law e-mail co-operate",
    "Wait... what?! No -- yes; (maybe) [sic] {x} <y> \u2013 \u2014 \u201cq\u201d \u2018r\u2019",
    "hELLO wORLD HeLLo WoRLD HELLO WORLD Hello World hello world",
    "McDonald iPhone eBay LaTeX NaCl pH kWh \u00c9COLE \u00e9cole \u00c9cole",
)  # fmt: skip
TURNS = (
    "<s>[INST] {} [/INST] {} </s><s>[INST] {} [/INST]", "[INST] <<SYS>>\n{}\n<</SYS>>\n\n{} [/INST]",
    "<|im_start|>system\n{}<|im_end|>\n<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n",
    "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\n{}<|eot_id|>{}<|end_of_text|>",
    "<bos><start_of_turn>user\n{}<end_of_turn>\n<start_of_turn>model\n{}<eos>", "<|endoftext|>{}<|endoftext|>",
    "<|system|>\n{}<|end|>\n<|user|>\n{}<|end|>\n<|assistant|>\n",
    "<|start|>assistant<|channel|>final<|message|>{}<|return|>",
    "<\uff5cbegin\u2581of\u2581sentence\uff5c><\uff5cUser\uff5c>{}<\uff5cAssistant\uff5c>{}<\uff5cend\u2581of\u2581sentence\uff5c>",
    "[CLS] {} [SEP] {} [SEP] [PAD] [PAD]", "<s>{}</s></s>{}</s><pad><pad>", "{} [MASK] {}", "{}<mask> {}",
    "{} <mask>{}",
    "translate: {} <extra_id_0> {} <extra_id_1> <extra_id_99>", "<fim_prefix>{}<fim_suffix>{}<fim_middle>",
    "<|fim_prefix|>{}<|fim_suffix|>{}<|fim_middle|>", "<think>\n{}\n</think>\n{}",
    "<tool_call>{{\"name\": \"{}\"}}</tool_call>",
    "[AVAILABLE_TOOLS] [{}] [/AVAILABLE_TOOLS][TOOL_CALLS]", "<|user|>{}<|endofturn|>", "<unk>{}<unk> {}",
    "<0x41>{}<0xE2><0x96>",
    "<2de> {} </s>", "[BOS]{}[EOS]", "<|python_tag|>{}<|eom_id|>", "User: {}\n\nAssistant: {}\n\n",
    "### Instruction:\n{}\n\n### Response:\n",
    "<cls>{}<sep>", "<sep>{}<cls>", "<madeupword0000>{}<special>", "\u2581<s>\u2581{} <s> {}",
    "<S>{}</S> <UNK> < s > {} </ s>",
    "<reserved_0><|reserved_special_token_0|><unused0>[unused1]{}",
    "<image>{}<|vision_start|><|image_pad|><|vision_end|>",
)  # fmt: skip
ALPHABETS = (
    "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789",
    " \t\n.,;:!?-_'\"()[]{}<>/\\|@#$%^&*+=~`",
    "\u00e0\u00e1\u00e2\u00e4\u00e7\u00e8\u00e9\u00ea\u00ef\u00f1\u00f6\u00fc\u0153\u0161\u017e\u0142\u0131\u015f",
    "\u0430\u0431\u0432\u0433\u0434\u0435\u0451\u0436\u0438\u0439\u043a\u0410\u0411\u0412\u03b1\u03b2\u03b3\u0394\u03a9",
    "\u7684\u4e00\u662f\u4e0d\u4e86\u4eba\u6211\u5728\u6709\u4ed6\u3042\u3044\u3046\u30a2\u30a4\u30a6\uac00\ub098\ub2e4",
    "\u0300\u0301\u0302\u0308\u0323\u064b\u0651\u093c\u094d\u0e31\u0e49\u200c\u200d\ufe0f",
    " \u2581\u00a0\u3000\u200b",
    "\U0001f600\U0001f30d\U0001f44d\u2764\u2b50\U0001f1e9\U0001f1ea",
)  # fmt: skip
REPEATS = (
    "a", " ", "\n", "\t", ".", "-", "=", "*", "_", "0", "1", "!", "ab", "ha ", "no, ", "=-", "\r\n", "<s>",
    "\u2581", "\u4e00",
    "\U0001f600", "e\u0301", "\u0e01", "\u0301", "  x", "the ", "(", "[]",
)  # fmt: skip


class Draw:
    """Numbers of a linear congruential generator, the same for ever. Source: Knuth's MMIX."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def below(self, n: int) -> int:
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) & (1 << 64) - 1
        return (self.state >> 33) % n

    def of(self, items: Sequence[str]) -> str:
        return items[self.below(len(items))]


def words(draw: Draw, n: int) -> str:
    """Some words, with beginnings and endings, mostly in lower case."""
    found = []
    for _ in range(n):
        word = draw.of(BEGINNINGS) + draw.of(WORDS) + draw.of(ENDINGS)
        found.append(draw.of((word, word, word, word.title(), word.upper(), word + ",")))
    return " ".join(found)


def in_scripts(draw: Draw) -> Iterator[str]:
    """Words of each script: neighbours in the table of characters, and others."""
    for _, ranges in (*named_ranges(RANGES), *named_ranges(NEWER)):
        points = [chr(point) for first, last in ranges for point in range(first, last + 1)]
        parts = []
        for size in (4, 7, 2, 9):
            begin = draw.below(len(points))
            parts.append("".join(points[(begin + k) % len(points)] for k in range(size)))
        parts.append("".join(draw.of(points) for _ in range(8)))
        yield " ".join(parts)


def texts() -> Iterator[str]:
    """All texts, in their order."""
    draw = Draw(1)
    yield ""
    for sign in (*SPACES, *SIGNS):
        yield from (sign, f"a{sign}b", f"the {sign} cat{sign}", f"{sign}{sign}The 1{sign}")
    for left in SPACES:
        yield "x".join(left + right for right in SPACES)
    yield from (*SENTENCES, *CODE, *PLACES, *NUMBERS, *SHORT_FORMS)
    yield from (text.upper() for text in SENTENCES[:28])
    yield from (" ".join(WORDS[begin : begin + 24]) for begin in range(0, len(WORDS), 24))
    yield from ("".join(WORDS[begin + k] for k in range(0, 96, 8)) for begin in range(8))
    yield from (words(draw, 12) for _ in range(90))
    yield from in_scripts(draw)
    for sign in ("\ue000", "\U0010ffff", "\u4e02", "\ud7ff"):  # unknown to most models: rounds the sums of what follows
        yield from (words(draw, draw.below(5)) + sign + unit * (20 + draw.below(60)) for unit in ".-_=*#1a")
    for text in TURNS:
        yield from (text.replace("{}", "Hello there"), text.replace("{}", " why? \n"))
    for unit in REPEATS:
        yield from (unit * (2 + draw.below(7)), unit * (60 + draw.below(80)))
    for _ in range(150):
        some = [draw.of(ALPHABETS) for _ in range(1 + draw.below(3))]
        yield "".join(draw.of(draw.of(some)) for _ in range(4 + draw.below(40)))
    for _ in range(60):
        begins = [(0x20, 0x250, 0x3000, 0x10000)[draw.below(4)] for _ in range(3 + draw.below(14))]
        yield "".join(chr(begin + draw.below(0x200)) for begin in begins)


def content() -> str:
    """The file: equal texts stand in it once."""
    return "".join(safe_json(json.dumps(text, ensure_ascii=False)) + "\n" for text in dict.fromkeys(texts()))


def main() -> None:
    """Generate the file."""
    data = content()
    (ROOT / "spm_lite" / "evaluation" / "locks" / NAME).write_text(data, encoding="utf-8", newline="\n")
    print(f"{NAME}: {data.count(chr(10))} texts, {len(data.encode())} bytes")


if __name__ == "__main__":
    main()
