"""Facts of the demo's text: a suitable vocabulary size, and one sample line of each script."""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import dataclass, field

from spm_lite.cli.width import text_width

SPECIAL = 3 + 256 + 1  # <unk> <s> </s>, the bytes, the space
MOST_LEARNED = 8000
GOOD_WIDTHS = (30, 58)  # columns of a line that is good to show
NAMES = {"CJK": "Chinese", "HANGUL": "Korean", "HIRAGANA": "Japanese", "KATAKANA": "Japanese", "THAI": "Thai"}


@dataclass
class TextFacts:
    """Counts, characters and sample lines of the text read so far."""

    n_lines: int = 0
    n_chars: int = 0
    chars: set[str] = field(default_factory=set)
    samples: dict[str, str] = field(default_factory=dict)  # script -> the best line so far

    def add(self, lines: list[str]) -> None:
        """Count lines and characters, and keep a line that is a better sample of its script than the one kept."""
        self.n_lines += len(lines)
        for line in lines:
            self.n_chars += len(line)
            self.chars.update(line)
            if not line.strip():
                continue
            script = script_of(line)
            kept = self.samples.get(script)
            if kept is None or distance(line) < distance(kept):
                self.samples[script] = line

    def vocab_size(self) -> int:
        """Special pieces, every character, and one more piece per 8 characters of text (at least 16, at most 8000)."""
        return SPECIAL + len(self.chars) + min(MOST_LEARNED, max(16, self.n_chars // 8))


def distance(line: str) -> int:
    """Columns by which a line is outside GOOD_WIDTHS; 0 within. Among equal lines the first is kept."""
    width = text_width(line)
    return max(GOOD_WIDTHS[0] - width, width - GOOD_WIDTHS[1], 0)


def script_of(line: str) -> str:
    """The script of most letters of a line. "Japanese" with any kana, "Emoji" and "Code" with three signs of them."""
    kinds: Counter[str] = Counter()
    for char in line:
        category = unicodedata.category(char)
        if category[0] == "L":
            kinds[unicodedata.name(char, "OTHER").partition(" ")[0].partition("-")[0]] += 1
        elif ord(char) >= 0x1F000 or char == "\ufe0f":
            kinds["Emoji"] += 1
        elif char in "{}[]()<>=;_/\\":
            kinds["Code"] += 1
    if kinds["Emoji"] >= 3:
        return "Emoji"
    if kinds["HIRAGANA"] or kinds["KATAKANA"]:
        return "Japanese"
    if kinds["Code"] >= 3:
        return "Code"
    n_signs = kinds.pop("Code", 0)
    kinds.pop("Emoji", 0)
    if not kinds:
        return "Code" if n_signs else "Signs"
    name = kinds.most_common(1)[0][0]
    return NAMES.get(name, name.capitalize())
