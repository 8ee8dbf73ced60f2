"""Writes what Lowercase and StripAccents of tokenizers do to characters, as tables of rules.

Usage: python tools/generate/case_rules.py. Needs the package tokenizers 0.23, from which the changes of single
characters are read: it has the case mappings of Unicode 17 and the marks of Unicode 9.
"""

from __future__ import annotations

from bert_rules import RULES
from tokenizers.normalizers import Lowercase, StripAccents


def main() -> None:
    """Generate the files."""
    for name, normalizer in (("lowercase", Lowercase()), ("strip_accents", StripAccents())):
        lines = []
        for code in range(1, 0x110000):
            if 0xD800 <= code < 0xE000:
                continue
            became = normalizer.normalize_str(f"a{chr(code)}b")[1:-1]
            if became != chr(code):
                lines.append(f"{code:X}\t{' '.join(f'{ord(char):X}' for char in became)}\n")
        (RULES / f"{name}.tsv").write_text("".join(lines), encoding="ascii", newline="\n")
        print(f"{name}: {len(lines)} rules")


if __name__ == "__main__":
    main()
