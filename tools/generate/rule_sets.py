"""Writes the named normalization rule sets, spm_lite/normalize/rules/data/, from Unicode 17.0.0.

The sets of the original become compiled rules, *.charsmap. The others become small tables, *.tsv, from which
`rule_sets.table_rules` makes the same rules. The tables leave out Hangul and folded targets: it computes them.

Needs unicodedata2 17.0.1, spm_lite itself (it compiles the rules) and the simple case foldings, which are looked for in
the shared test data: `unicode/casefold-simple-17.0.0.tsv` under SPM_LITE_TEST_DATA, else under ../shared/data.

Usage: python tools/generate/rule_sets.py
"""

import itertools
import sys
from collections.abc import Iterable
from pathlib import Path

import unicodedata2
from tables import DATA, ROOT

from spm_lite.normalize.rules.named_rules import compile_rules
from spm_lite.normalize.rules.rule_sets import KEPT_COMPILED, fold_rules, hangul_rules, table_rules

TARGET = ROOT / "spm_lite" / "normalize" / "rules" / "data"
SIZES = {
    "nfc": 13_675,
    "nfc_cf": 15_173,
    "nfd": 13_253,
    "nfd_cf": 14_381,
    "nfkc": 225_232,
    "nfkc_cf": 226_640,
    "nfkd": 17_086,
    "nfkd_cf": 18_125,
    "nmt_nfkc": 225_276,
    "nmt_nfkc_cf": 226_684,
}

Rules = dict[str, str]

# What the nmt_ sets make of characters that NFKC leaves alone or, U+FF5E, should not touch.
TO_SPACE = "\t\n\f\r\u061c\u1680\u200b\u200c\u200e\u200f\u2028\u2029\u2581\ufeff\ufffd"
DELETED = [*range(0x01, 0x09), 0x0B, *range(0x0E, 0x20), 0x7F, 0x8F, 0x9F]
KEPT = "\uff5e"


def characters() -> Iterable[str]:
    """Every code point but U+0000, surrogates and noncharacters."""
    for point in range(1, 0x110000):
        if not (0xD800 <= point <= 0xDFFF or 0xFDD0 <= point <= 0xFDEF or point & 0xFFFE == 0xFFFE):
            yield chr(point)


def decomposed_rules(form: str) -> Rules:
    """NFD or NFKD of every character."""
    forms = {char: unicodedata2.normalize(form, char) for char in characters()}
    return {char: parts for char, parts in forms.items() if parts != char}


def composed_rules(form: str, decomposed: str) -> Rules:
    """NFC or NFKC of every character, and of every spelling of the characters that have parts.

    decomposed: the form that separates the same parts. Parts that Unicode would sort first, and characters that hold
    some of the parts, are in no source: as in the original.
    """
    rules: Rules = {}
    sources: dict[str, list[str]] = {}  # one decomposed character -> all that decompose to it
    sequences: set[str] = set()  # full decompositions of more than one character
    for char in characters():
        composed = unicodedata2.normalize(form, char)
        if composed != char:
            rules[char] = composed
        parts = unicodedata2.normalize(decomposed, char)
        if len(parts) == 1:
            sources.setdefault(parts, []).append(char)
        else:
            sequences.add(parts)
    for parts in sequences:
        composed = unicodedata2.normalize(form, parts)
        if composed == parts:
            continue
        for spelling in itertools.product(*(sources[part] for part in parts)):
            if "".join(spelling) != composed:
                rules["".join(spelling)] = composed
    return reduce_rules(rules)


def reduce_rules(rules: Rules) -> Rules:
    """Leave out rules whose result the shorter ones that are kept give already."""
    kept = {source: target for source, target in rules.items() if len(source) == 1}
    longest = max(map(len, rules))
    for length in range(2, longest + 1):
        shorter = dict(kept)
        for source, target in rules.items():
            if len(source) == length and apply_rules(shorter, source) != target:
                kept[source] = target
    return kept


def apply_rules(rules: Rules, text: str) -> str:
    """Replace leftmost-longest; a target is not looked at again."""
    out = []
    pos = 0
    while pos < len(text):
        for end in range(len(text), pos, -1):
            if text[pos:end] in rules:
                out.append(rules[text[pos:end]])
                pos = end
                break
        else:
            out.append(text[pos])
            pos += 1
    return "".join(out)


def to_nmt(rules: Rules) -> Rules:
    """More kinds of space, no control characters, and the full-width tilde stays."""
    changed = {**rules, **dict.fromkeys(TO_SPACE, " "), **dict.fromkeys(map(chr, DELETED), "")}
    del changed[KEPT]
    return reduce_rules(changed)


def to_folded(rules: Rules, fold: dict[str, str]) -> Rules:
    """Targets folded, and a rule for each character that has none and folds to another."""
    return reduce_rules(fold_rules(rules, fold))


def read_folding(path: Path) -> dict[str, str]:
    """Simple case folding: character -> folded character.

    The file leaves out characters that NFKC changes. For these, Python's full folding gives the simple one where it is
    one character, in any version. The ligature U+FB05 keeps its case, as in the original's tables, which are older than
    its folding to U+FB06.
    """
    lines = path.read_text(encoding="utf-8").splitlines()
    pairs = [line.split("\t") for line in lines if line and not line.startswith("#")]
    folding = {chr(int(source, 16)): chr(int(target, 16)) for source, target in pairs}
    for char in characters():
        folded = char.casefold()
        if len(folded) == 1 and folded != char and unicodedata2.normalize("NFKC", char) != char:
            folding[char] = folded
    return dict(sorted(folding.items()))


def write_tables(sets: dict[str, Rules], folding: Rules) -> None:
    """Write the tables of the sets that are not kept compiled, and check that they give these sets back."""
    syllables = hangul_rules()
    computed = {*syllables.items(), *((parts, char) for char, parts in syllables.items())}
    compatible = {source: target for source, target in sets["nfkd"].items() if sets["nfd"].get(source) != target}
    for name, rules in {**sets, "nfkd": compatible, "case_folding": folding}.items():
        if not name.endswith("_cf"):
            rest = [rule for rule in rules.items() if rule not in computed]
            lines = [f"{hexadecimal(source)}\t{hexadecimal(target)}\n" for source, target in rest]
            (TARGET / f"{name}.tsv").write_text("".join(lines), encoding="ascii", newline="\n")
            print(f"{name}.tsv: {len(lines)} rules, {sum(map(len, lines))} bytes")
    for name, rules in sets.items():
        if table_rules(name) != rules:
            sys.exit(f"{name}: the table does not give the rules back")


def hexadecimal(text: str) -> str:
    """The code points of a text as a table of rules has them."""
    return " ".join(f"{ord(char):X}" for char in text)


def main() -> None:
    """Write each rule set's table; needs Unicode 17.0.0."""
    if unicodedata2.unidata_version != "17.0.0":
        sys.exit(f"Unicode {unicodedata2.unidata_version} found, 17.0.0 needed: pip install unicodedata2==17.0.1")
    fold = read_folding(DATA / "unicode" / "casefold-simple-17.0.0.tsv")
    sets = {"nfc": composed_rules("NFC", "NFD"), "nfkc": composed_rules("NFKC", "NFKD")}
    sets |= {"nfd": decomposed_rules("NFD"), "nfkd": decomposed_rules("NFKD"), "nmt_nfkc": to_nmt(sets["nfkc"])}
    sets |= {f"{name}_cf": to_folded(rules, fold) for name, rules in sets.items()}
    for name, rules in sets.items():
        if len(rules) != SIZES[name]:
            sys.exit(f"{name}: {len(rules)} rules, {SIZES[name]} expected from Unicode 17.0.0")
    TARGET.mkdir(exist_ok=True)
    write_tables({name: rules for name, rules in sets.items() if name not in KEPT_COMPILED}, fold)
    for name in KEPT_COMPILED:
        rules = sets[name]
        blob = compile_rules(rules)
        (TARGET / f"{name}.charsmap").write_bytes(blob)
        print(f"{name}: {len(rules)} rules, {len(blob)} bytes")


if __name__ == "__main__":
    main()
