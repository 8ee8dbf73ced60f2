"""The named rule sets: what each changes, and the rules of those that are kept as tables.

The rules come from Unicode 17.0.0 (`tools/generate/rule_sets.py`). The sets of the original are kept compiled. The
others are kept as small tables, from which they are compiled when one is named.

A rule looks at one place of a text, so the rules do not sort marks. Every character, and every text in form NFD whose
parts Unicode composes, gets the form that Unicode defines. Marks in another order stay as they are, and so does a mark
after a character that holds other marks already. The original's tables have the same rules. So nfc, nfd, nfkc and nfkd
are forms here (`unicode_form`), which sort marks; each has its rules under a name with _rules.
"""

from __future__ import annotations

from pathlib import Path

from spm_lite.near_names import distance
from spm_lite.normalize.rules.compile import parse_table
from spm_lite.specs import BERT_RULES

DATA = Path(__file__).with_name("data")

_FORMS = {  # name: what it does to a text, the least first
    "nfc": "composes letters and marks (e and U+0301 become é)",
    "nfd": "separates letters and marks (é becomes e and U+0301)",
    "nfkc": "composes letters and marks, and loses variants of characters (① becomes 1, ﬁ becomes fi) and, unless "
    "remove_extra_whitespaces is false, extra spaces",
    "nfkd": "separates letters and marks, and loses variants of characters (① becomes 1, ﬁ becomes fi) and, unless "
    "remove_extra_whitespaces is false, extra spaces",
    "nmt_nfkc": "composes letters and marks, loses variants of characters (① becomes 1, ﬁ becomes fi), drops control "
    "characters, makes line ends and invisible characters spaces and, unless remove_extra_whitespaces is false, loses "
    "extra spaces",
}
UNICODE_FORMS = {"nfc": "NFC", "nfd": "NFD", "nfkc": "NFKC", "nfkd": "NFKD"}  # name -> form of Unicode
RULES = "_rules"  # after the name of a form: its rules, as the original has them
RULE_SETS = {  # name: what it does to a text
    "identity": "changes nothing",
    **_FORMS,
    **{
        f"{name}{RULES}": f"does what {name} does by rules, which sentencepiece reads but which do not sort marks"
        for name in UNICODE_FORMS
    },
    "bert_cased": "drops control characters, makes white space spaces, and loses extra spaces, as BERT does",
    "bert_lowercase": "does what bert_cased does, and loses case (É becomes é), as German models of BERT do",
    "bert_uncased": "does what bert_cased does, and loses case and accents (É becomes e)",
    **{f"{name}_cf": f"{change}. It also loses case (A becomes a)" for name, change in _FORMS.items()},
}
KEPT_COMPILED = ("nfkc", "nfkc_cf", "nmt_nfkc", "nmt_nfkc_cf")
ALSO_COMPILED = ("bert_uncased",)  # kept as tables and compiled: most WordPiece models have these rules
KEEPS_SPACES = ("nfc", "nfd", "nfc_cf", "nfd_cf")  # the others, as in the original, remove extra spaces by default
OVERVIEW = (
    "identity (changes nothing), nfc and nfd (compose or separate letters and marks), nfkc and nfkd (also lose "
    "variants: ① becomes 1, and extra spaces), nmt_nfkc (also drops control characters); the first four with _rules "
    "(for sentencepiece), all five with _cf (also lose case); bert_cased, bert_lowercase, bert_uncased (what BERT does)"
)

# Hangul syllables: a leading consonant, a vowel, and perhaps a trailing consonant.
_SYLLABLE, _LEADING, _VOWEL, _TRAILING = 0xAC00, 0x1100, 0x1161, 0x11A7
_N_VOWELS, _N_TRAILING, _N_SYLLABLES = 21, 28, 11172


def nearest_rule_set(given: str) -> str:
    """The name of a rule set that `given` may be meant to be; "" if none is near.

    Case and signs between the parts do not count. A name is near if it has the same letters in another order, differs
    by one letter in four, or begins with the given ones. Of names equally near, the set that loses least counts.

    >>> [nearest_rule_set(name) for name in ("NFC", "nmt-nfkc", "nfck", "casefolded")]
    ['nfc', 'nmt_nfkc', 'nfkc', '']
    """
    letters = _letters(given)
    for form in (str, sorted):
        for name in RULE_SETS:
            if form(_letters(name)) == form(letters):
                return name
    distances = {name: distance(letters, _letters(name)) for name in RULE_SETS}
    best = min(distances, key=lambda name: distances[name])
    if 4 * distances[best] <= max(len(letters), 4):
        return best
    return next((name for name in RULE_SETS if len(letters) > 1 and _letters(name).startswith(letters)), "")


def _letters(name: str) -> str:
    return "".join(char for char in name[:80].lower() if char.isalnum())


def table_rules(name: str) -> dict[str, str]:
    """The rules of a set that is kept as a table: source -> target.

    >>> rules = table_rules("nfc_cf")
    >>> rules["E\\u0301"], rules["A"], "①" in rules
    ('é', 'a', False)
    """
    if name == "bert_lowercase":  # what is dropped or becomes a space has no case
        return read_table("lowercase") | read_table("bert_cased")
    if name in BERT_RULES:
        return read_table(name) | (hangul_rules() if name == "bert_uncased" else {})
    form = name.removesuffix("_cf")
    rules = read_table("nfd") | read_table("nfkd") if form == "nfkd" else read_table(form)
    syllables = hangul_rules()
    rules |= {parts: char for char, parts in syllables.items()} if form == "nfc" else syllables
    return fold_rules(rules, read_table("case_folding")) if name.endswith("_cf") else rules


def fold_rules(rules: dict[str, str], folding: dict[str, str]) -> dict[str, str]:
    """Rules with folded targets, and a rule for each other character that folds to another."""
    folded = {source: "".join(folding.get(char, char) for char in target) for source, target in rules.items()}
    return {**folding, **folded}


def hangul_rules() -> dict[str, str]:
    """Every Hangul syllable -> its two or three parts (Unicode, section 3.12)."""
    rules = {}
    for number in range(_N_SYLLABLES):
        pair, trailing = divmod(number, _N_TRAILING)
        leading, vowel = divmod(pair, _N_VOWELS)
        parts = chr(_LEADING + leading) + chr(_VOWEL + vowel)
        rules[chr(_SYLLABLE + number)] = parts + chr(_TRAILING + trailing) if trailing else parts
    return rules


def decompositions() -> tuple[dict[str, str], dict[str, str], set[str]]:
    """Character -> its full canonical decomposition; what NFKD makes of others; characters that NFC never composes.

    Hangul syllables are left out: see `hangul_rules`.
    """
    canonical = read_table("nfd")
    alone = {source for source, target in read_table("nfc").items() if len(source) == 1 and target != source}
    return canonical, read_table("nfkd"), alone


def read_table(name: str) -> dict[str, str]:
    """The rules of one table of the package, in hexadecimal code points."""
    return parse_table((DATA / f"{name}.tsv").read_bytes())
