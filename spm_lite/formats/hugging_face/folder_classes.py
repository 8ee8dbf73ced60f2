"""What the class of a folder of transformers says about ids: a table of the classes, where the folder has a model file.

The facts are those of the slow classes of transformers 4, with which the models were trained.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spm_lite.errors import ModelError, OptionError
from spm_lite.files.saved_values import FLAG, Maybe, whole
from spm_lite.formats.hugging_face.folder_tokens import Token
from spm_lite.formats.hugging_face.language_codes import (
    M2M100,
    MBART,
    MBART50,
    MUSTC,
    NLLB,
    PLBART,
    PLBART_MULTI,
    WMT21,
)
from spm_lite.formats.json_file import check_form
from spm_lite.formats.proof.conditions import Findings
from spm_lite.formats.vocab_txt import CONFIG, PIECE, read_config

Config = Mapping[str, Any]
FAIRSEQ = {"bos": "<s>", "eos": "</s>", "unk": "<unk>", "sep": "</s>", "pad": "<pad>", "cls": "<s>", "mask": "<mask>"}
NO_MASK = {role: text for role, text in FAIRSEQ.items() if role != "mask"}
OF_T5 = {"eos": "</s>", "unk": "<unk>", "pad": "<pad>"}
OF_BERT = {"bos": "[CLS]", "eos": "[SEP]", "unk": "[UNK]", "sep": "[SEP]", "pad": "[PAD]", "cls": "[CLS]",
           "mask": "[MASK]"}  # fmt: skip
FIRST = ("<s>", "<pad>", "</s>", "<unk>")
SETTINGS = {  # the form of each setting that such classes read
    "legacy?": Maybe(FLAG),
    **dict.fromkeys(("lang_codes?", "language_codes?", "mask_token_sent?"), Maybe(PIECE)),
    **dict.fromkeys(("extra_ids?", "offset?"), Maybe(whole(0, 9999))),
}


@dataclass(frozen=True)
class ClassRule:
    """How a class gives ids to the pieces of a model file.

    roles: "bos" ... -> the usual token. wrapped: roles whose tokens have the flags of the class, whatever other
    settings say; stripping: those that take the white space before them.
    offset: added to the id of a piece. first: texts of the first ids. preset: added tokens of the first ids, as roles
    or texts; is_own: other settings cannot change them. zero_is_unknown: the piece 0 is the unknown one.
    listed: further special tokens; is_extended: those of the settings come beside them.
    has_list: vocab.json gives the ids. needs: a setting -> the value that it must have, if it is there.
    """

    roles: Mapping[str, str]
    wrapped: tuple[str, ...] = ()
    stripping: tuple[str, ...] = ()
    offset: int = 0
    first: tuple[str, ...] = ()
    preset: tuple[str, ...] = ()
    is_own: bool = False
    zero_is_unknown: bool = False
    listed: tuple[str, ...] = ()
    is_extended: bool = False
    has_list: bool = False
    needs: Config = field(default_factory=dict)


def of_fairseq(**others: Any) -> ClassRule:
    """A class that moves ids by one, as XLM-R does."""
    usual = {"roles": FAIRSEQ, "wrapped": ("mask",), "stripping": ("mask",), "first": FIRST}
    return ClassRule(**{**usual, "offset": 1, "zero_is_unknown": True, **others})


PLAIN_LLAMA = {"bos": "<s>", "eos": "</s>", "unk": "<unk>"}
READ = {  # the names stand without their ending Tokenizer or TokenizerFast
    "XLMRoberta": of_fairseq(),
    "LayoutXLM": of_fairseq(),
    "MBart": of_fairseq(listed=MBART, is_extended=True),
    "MBart50": of_fairseq(
        roles={role: text for role, text in FAIRSEQ.items() if role != "bos"}, listed=MBART50, is_extended=True
    ),
    "PLBart": of_fairseq(is_extended=True),
    "XGLM": of_fairseq(
        roles=NO_MASK, wrapped=(), stripping=(), listed=tuple(f"<madeupword{i}>" for i in range(7)), is_extended=True
    ),
    "Nllb": of_fairseq(
        first=(), preset=("bos", "pad", "eos", "unk"), wrapped=("bos", "pad", "eos", "unk", "mask"), listed=NLLB
    ),
    "SeamlessM4T": of_fairseq(
        roles=NO_MASK, wrapped=(), stripping=(), first=(), preset=("pad", "unk", "bos", "eos"),
    ),
    "Camembert": of_fairseq(
        offset=4, first=(), preset=("<s>NOTUSED", "pad", "</s>NOTUSED", "unk", "<unk>NOTUSED"), is_own=True,
        listed=("<s>NOTUSED", "</s>NOTUSED", "<unk>NOTUSED"),
    ),
    "Pegasus": ClassRule({"eos": "</s>", "unk": "<unk>", "pad": "<pad>", "mask": "<mask_2>"}, is_own=True),
    "Marian": ClassRule(OF_T5, has_list=True, needs={"separate_vocabs": False}),
    "M2M100": ClassRule({role: NO_MASK[role] for role in ("bos", "eos", "unk", "sep", "pad")}, has_list=True),
    "Speech2Text": ClassRule(
        {"bos": "<s>", "eos": "</s>", "pad": "<pad>", "unk": "<unk>"}, has_list=True, needs={"do_lower_case": False}
    ),
    "Llama": ClassRule(PLAIN_LLAMA, wrapped=("bos", "eos", "unk", "pad")),
    "Gemma": ClassRule(
        {"unk": "<unk>", "bos": "<bos>", "eos": "<eos>", "pad": "<pad>"}, wrapped=("bos", "eos", "unk", "pad")
    ),
    "T5": ClassRule(OF_T5, wrapped=("eos", "unk", "pad")),
    "MT5": ClassRule(OF_T5, wrapped=("eos", "unk", "pad")),
    "Udop": ClassRule({**OF_T5, "sep": "</s>"}, wrapped=("eos", "unk", "sep", "pad")),
    "Reformer": ClassRule({"eos": "</s>", "unk": "<unk>"}),
    "BigBird": ClassRule(
        {**FAIRSEQ, "sep": "[SEP]", "cls": "[CLS]", "mask": "[MASK]"}, wrapped=tuple(FAIRSEQ), stripping=("mask",)
    ),
    "RemBert": ClassRule(OF_BERT, wrapped=("mask",), stripping=("mask",)),
    "DebertaV2": ClassRule(OF_BERT, wrapped=("unk",), needs={"split_by_punct": False, "do_lower_case": False}),
}  # fmt: skip
REFUSED = {  # name -> why its ids cannot be told
    "Albert": "changes texts before its model file does, and takes numbers before commas apart",
    "XLNet": "changes texts before its model file does, and takes numbers before commas apart",
    "FNet": "changes texts before its model file does, and takes numbers before commas apart",
    "Siglip": "takes punctuation out of texts, and lowercases them",
    "GPTSw3": "changes texts before its model file does",
    "CodeLlama": "reads white space in its own way",
    "BigBirdPegasus": "does not exist in transformers: PegasusTokenizer with offset 0 is meant",
    "Barthez": "gives other ids in its slow and in its fast class, which moves them",
    "Bartpho": "takes its ids from dict.txt",
    "XLMProphetNet": "is not in transformers 5, and reads a file of another name",
    "ErnieM": "is not in transformers 5, and takes its ids from vocab.txt",
    "Cpm": "cuts Chinese text into words first",
    "SpeechT5": "changes numbers to words",
    "BertGeneration": "is not known here",
}
EXTRA = "<extra_id_"  # begins the names of the tokens that T5 has beside its model file
NO_CLASS = (
    "",
    "PreTrained",
    "Tokenizers",
    "TokenizersBackend",
    "SpmLite",
)  # SpmLite: ours, in `transformers.own_class`
TYPES_OF = {  # class -> model types of config.json that mean it, for folders that name no class
    "XLMRoberta": "xlm-roberta xlm-roberta-xl xmod kosmos-2",
    "LayoutXLM": "layoutxlm",
    "MBart": "mbart",
    "MBart50": "mbart50",
    "PLBart": "plbart",
    "XGLM": "xglm",
    "Nllb": "nllb nllb-moe",
    "SeamlessM4T": "seamless_m4t seamless_m4t_v2",
    "Camembert": "camembert",
    "Pegasus": "pegasus pegasus_x bigbird_pegasus",
    "Marian": "marian",
    "M2M100": "m2m_100",
    "Speech2Text": "speech_to_text",
    "Llama": "llama mistral mixtral arcee aria chameleon deepseek_v2 deepseek_v3 diffllama idefics2 idefics3 jamba "
    "jetmoe llama4 llama4_text llava llava_next ministral mistral3 mllama paligemma persimmon phi3 phimoe video_llava "
    "vipllava zamba zamba2",
    "Gemma": "gemma gemma2 gemma3 gemma3_text gemma3n gemma3n_text recurrent_gemma shieldgemma2 t5gemma",
    "T5": "t5 longt5 umt5 switch_transformers musicgen musicgen_melody pix2struct",
    "MT5": "mt5",
    "Udop": "udop",
    "Reformer": "reformer",
    "BigBird": "big_bird",
    "RemBert": "rembert",
    "DebertaV2": "deberta-v2",
    "Albert": "albert nystromformer yoso",
    "XLNet": "xlnet",
    "FNet": "fnet",
    "Siglip": "siglip",
    "GPTSw3": "gpt-sw3",
    "CodeLlama": "code_llama",
    "Barthez": "barthez",
    "Bartpho": "bartpho",
    "GPT2": "gpt2 gpt_neo gptj gpt_bigcode starcoder2 opt dbrx emu3 exaone4 granite granitemoe minimax",
    "Roberta": "roberta roberta-prelayernorm bridgetower clap data2vec-text ibert mra",
    "Bart": "bart",
    "Longformer": "longformer",
    "LED": "led",
    "Deberta": "deberta",
    "Whisper": "whisper",
    "CodeGen": "codegen phi",
    "Qwen2": "qwen2 qwen2_moe qwen2_vl qwen2_5_vl qwen2_audio qwen3 qwen3_moe qwen3_next qwen3_vl colqwen2",
    "CLIP": "clip clipseg owlvit owlv2 xclip",
    "Blenderbot": "blenderbot",
    "BlenderbotSmall": "blenderbot-small",
    "Bert": "bert",
    "DistilBert": "distilbert",
    "Electra": "electra",
    "MobileBert": "mobilebert",
    "MPNet": "mpnet",
    "Funnel": "funnel",
}
OF_MODEL_TYPE = {kind: name for name, kinds in TYPES_OF.items() for kind in kinds.split()}
ENDOFTEXT = "<|endoftext|>"
OF_GPT2 = {"bos": ENDOFTEXT, "eos": ENDOFTEXT, "unk": ENDOFTEXT}
WORDS = {  # roles in folders with a vocab.txt, if they are not those of BERT
    "MPNet": {**FAIRSEQ, "unk": "[UNK]"},
    "Funnel": {"bos": "<s>", "eos": "</s>", "unk": "<unk>", "sep": "<sep>", "pad": "<pad>", "cls": "<cls>",
               "mask": "<mask>"},
}  # fmt: skip
OF_ROBERTA = ("Roberta", "Longformer", "Bart", "LED")
PAIRS: dict[
    str, tuple[str, dict[str, str]]
] = {  # of folders with vocab.json and merges.txt -> the name of their split pattern, the roles
    **dict.fromkeys(("GPT2", "CodeGen", "Whisper"), ("gpt2", OF_GPT2)),
    **dict.fromkeys(OF_ROBERTA, ("gpt2", FAIRSEQ)),
    "Blenderbot": ("gpt2", FAIRSEQ),
    "Deberta": ("gpt2", OF_BERT),
    "Qwen2": ("qwen2", {"unk": ENDOFTEXT, "eos": ENDOFTEXT, "pad": ENDOFTEXT}),
    "CLIP": ("", {"unk": ENDOFTEXT, "bos": "<|startoftext|>", "eos": ENDOFTEXT, "pad": ENDOFTEXT}),
}
CLIP = "CLIP"  # which lowercases text, and whose merges end words with </w>
PREFIXED = ("GPT2", "CodeGen", *OF_ROBERTA, "Blenderbot", "Deberta")  # may put a space before each text
PREFIX = "add_prefix_space"
OTHER_CUTS = {"BlenderbotSmall": "lowercases text, and its merges end words with </w>"}
ADVICE = (
    "Load it in transformers, which writes its tokenizer.json by save_pretrained, and load that. Or load the model "
    "file itself for the ids of sentencepiece"
)


def class_of(place: str, config: Config) -> str:
    """The name of the class of a folder without its ending; "": it names none. config: tokenizer_config.json."""
    beside = read_config(Path(place), "config.json")
    given = config.get("tokenizer_class") or beside.get("tokenizer_class")
    if isinstance(given, str):
        return given.removesuffix("Fast").removesuffix("Tokenizer")
    kind = beside.get("model_type")
    return OF_MODEL_TYPE.get(kind, f"of model_type={kind!r:.40} ") if isinstance(kind, str) else ""


def class_of_pair(path: str | None) -> str:
    """The class of the folder of a vocab.json, without its ending; "": it names none."""
    return "" if path is None else class_of(str(Path(path).parent), read_config(Path(path).parent))


def check_pair(path: str | None, label: str, is_told: bool, findings: Findings) -> str:
    """The class of the folder of a vocab.json with merges.txt. Raises an error for one that is not read.

    label: for messages. is_told: the caller says how texts are cut.
    """
    name = class_of_pair(path)
    if name in OTHER_CUTS:
        raise ModelError(f"{label}: the class {name}Tokenizer {OTHER_CUTS[name]}, which is not read. {ADVICE}")
    prefix = None if path is None else read_config(Path(path).parent).get(PREFIX)
    if prefix and name not in PREFIXED:
        raise ModelError(f"{label}: tokenizer_config.json says {PREFIX}: a space before each text. {ADVICE}")
    if name == "Blenderbot" and prefix is None:
        raise ModelError(
            f"{label}: tokenizer_config.json does not say {PREFIX}, which is false for the class {name}Tokenizer in "
            "transformers 4, and true in 5: write it there"
        )
    if (prefix or name == CLIP) and is_told:
        raise OptionError(f"{label}: the class {name}Tokenizer says how texts are cut: leave out name and pattern")
    if name not in PAIRS and name not in NO_CLASS and not is_told:
        findings.demand(
            "config", f"{label}: the class {name}Tokenizer is not known, and a class may cut texts otherwise. {ADVICE}"
        )
    return name


def changes_texts(name: str, place: str) -> bool:
    """Whether a class of two files, as the settings of its folder say, changes texts before they are cut."""
    return name == CLIP or bool(read_config(Path(place)).get(PREFIX))


def rule_of(place: str, name: str, config: Config, findings: Findings) -> ClassRule | None:
    """The rule of a class; None: its ids are those of the file, or the caller takes them for that.

    Raises ModelError for a class, or a setting of one, that is not read; OptionError for a class that is not known.
    """
    if name in REFUSED:
        raise ModelError(f"{place}: the class {name}Tokenizer {REFUSED[name]}. {ADVICE}")
    rule = READ.get(name)
    has_list = (Path(place) / "vocab.json").is_file()
    if has_list and (rule is None or not rule.has_list):
        raise ModelError(f"{place} holds vocab.json beside a model file, which may decide the ids. {ADVICE}")
    if rule is None:
        if name not in NO_CLASS:
            findings.demand(
                "config", f"{place}: the class {name}Tokenizer is not known, and a class may change ids. {ADVICE}"
            )
        return None
    if rule.has_list and not has_list:
        raise ModelError(f"{place}: the class {name}Tokenizer takes its ids from vocab.json, which is not there")
    check_form(config, SETTINGS, str(Path(place, CONFIG)))
    needs = {**rule.needs, "sp_model_kwargs": {}, "split_special_tokens": False}
    for key, wanted in needs.items():
        if config.get(key) not in (None, wanted):
            raise ModelError(f"{place}: the class {name}Tokenizer with {key}={config[key]!r:.60} is not read. {ADVICE}")
    return rule


def after_pieces(name: str, config: Config, place: str) -> tuple[str, ...]:
    """The texts whose ids come after the pieces, as the class has them."""
    if name in ("XLMRoberta", "LayoutXLM"):
        return ("<mask>",)
    if name == "MBart":
        return (*MBART, "<mask>")
    if name == "MBart50":
        return (*MBART50, "<mask>")
    if name == "XGLM":
        return READ[name].listed
    codes = config.get("language_codes")
    if name == "PLBart" and codes in (None, "base"):
        return (*PLBART, "<mask>")
    if name == "PLBart" and codes == "multi":
        return PLBART_MULTI
    if name == "M2M100" and codes in (None, "m2m100", "wmt21"):
        return tuple(f"__{code}__" for code in (WMT21 if codes == "wmt21" else M2M100))
    if name in ("PLBart", "M2M100"):
        raise ModelError(f"{place}: the class {name}Tokenizer has no language_codes {codes!r:.60}")
    return ()


def listed_tokens(name: str, rule: ClassRule, given: list[Token] | None, config: Config) -> list[Token]:
    """The further special tokens of a class, in their order. given: those of the settings; None: there are none."""
    own = given or []
    if name in ("T5", "MT5"):
        has_extra = any(EXTRA in token.text for token in own)
        return own if has_extra else [*own, *(plain(f"{EXTRA}{i}>") for i in range(extra_ids(config)))]
    if name == "Speech2Text":
        return [*(plain(f"<lang:{code}>") for code in MUSTC if config.get("lang_codes") == "mustc"), *own]
    if name == "Pegasus":
        sentence = config.get("mask_token_sent", "<mask_1>")
        before = [plain(str(sentence))] if sentence is not None else []
        first = own if before and before[0].text in {token.text for token in own} else [*before, *own]
        begin = 2 if given is None else len(first)
        end = offset_of(rule, name, config) - (given is not None)
        return [*first, *(plain(f"<unk_{i}>") for i in range(begin, end))]
    usual = rule.listed
    if name == "PLBart":
        usual = PLBART_MULTI if config.get("language_codes") == "multi" else PLBART
    if given is None:
        return [*map(plain, usual)]
    return [*map(plain, usual), *own] if name in ("MBart", "PLBart") else [*own, *map(plain, usual * rule.is_extended)]


def plain(text: str) -> Token:
    """A special token whose flags nobody says."""
    return Token(text, is_plain=True)


def extra_ids(config: Config) -> int:
    """How many tokens `<extra_id_0>` ... T5 has beside those of its model file."""
    return count_of(config, "extra_ids", 100)


def preset_tokens(
    name: str, rule: ClassRule, roles: Mapping[str, Token | None], given: list[Token] | None, config: Config, n: int
) -> dict[int, Token]:
    """The added tokens whose ids the class tells. given: further tokens of the settings. n: pieces of the file."""
    if name == "Pegasus":
        texts = [str(text_of(roles.get("pad"))), str(text_of(roles.get("eos")))]
        sentence = config.get("mask_token_sent", "<mask_1>")
        texts += [] if sentence is None else [str(sentence), str(text_of(roles.get("mask")))]
        texts += [f"<unk_{i}>" for i in range(2, offset_of(rule, name, config))]
        return {i: Token(text) for i, text in enumerate(texts)}
    if name in ("T5", "MT5"):
        n_extra = extra_ids(config)
        n_listed = n_extra if given is None else sum(EXTRA in token.text for token in given)
        return {n - 1 + n_extra - i: Token(f"{EXTRA}{i}>", lstrip=True, rstrip=True) for i in range(n_listed)}
    found = (roles.get(item) if item in rule.roles else Token(item) for item in rule.preset)
    return {i: token for i, token in enumerate(found) if token is not None}


def text_of(token: Token | None) -> str | None:
    """The text of a token that may be missing."""
    return None if token is None else token.text


def offset_of(rule: ClassRule, name: str, config: Config) -> int:
    """What the class adds to the id of a piece."""
    return count_of(config, "offset", 103) if name == "Pegasus" else rule.offset


def count_of(config: Config, name: str, usual: int) -> int:
    """A number of the settings; null stands for the usual one."""
    given = config.get(name)
    return usual if given is None else int(given)
