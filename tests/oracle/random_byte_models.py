"""Random files tokenizer.json of byte-level BPE: lists of merges of all kinds, and split patterns that cut texts."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from spm_lite.vocab.split_pattern_names import RULES

KINDS = ["scores", "whole", "suffix", "lacking", "odd"]
UNITS = [
    ["a", "B", "'", " ", "\n", "\r", "!", "1"],
    ["a", "A", "的", "\u0301", "'", "s", "L", "l", " "],
    [" ", "\n", "\t", "\u3000", "a", "!"],
    ["é", "ö", "ſ", "'", "r", "e", "V", "E", "\u0301", "א"],
    ["1", "2", " ", "!", "\n", "/"],
    ["a", "b"],
    [" "],
]
PATTERNS = [
    r"\p{N}{1,3}", r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", r"[^\s\p{L}]+|\p{L}+", r"\s+(?!\S)", r"a+", r"'(?:s|l)|\s+",
    r"\p{Lu}+(?=\p{Ll})|\p{L}+", r" ?\S+",
]  # fmt: skip
BEHAVIORS = ["Isolated"] * 6 + ["MergedWithNext", "Contiguous", "MergedWithPrevious", "Removed"]


def byte_alphabet() -> dict[int, str]:
    """The character of each byte in files of byte-level models."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in shown]
    return {byte: chr(byte) for byte in shown} | {byte: chr(256 + i) for i, byte in enumerate(others)}


def random_parts(draw: random.Random, kind: str) -> tuple[dict[str, Any], list[str]]:
    """The parts of a file, and the units of texts that its merges know."""
    alphabet, units = byte_alphabet(), draw.choice(UNITS)
    spelled = ["".join(alphabet[byte] for byte in unit.encode()) for unit in units]
    pieces, merges = dict.fromkeys(alphabet[byte] for byte in range(256)), []
    pool = [sign for unit in spelled for sign in unit]
    for _ in range(draw.randrange(3, 30)):
        pair = (draw.choice(pool), draw.choice(pool))
        if len("".join(pair)) <= 14 and pair not in merges:
            merges.append(pair)
            pool.append("".join(pair))
            pieces["".join(pair)] = None
    if kind == "odd":  # pieces that no merge makes
        pieces |= dict.fromkeys("".join(draw.choices(spelled, k=draw.randrange(2, 9))) for _ in range(6))
    if kind == "lacking":
        used = {sign for pair in merges for text in pair for sign in text}
        for sign in set(draw.choice(spelled)) - used:
            del pieces[sign]
    if kind == "suffix":
        pieces |= dict.fromkeys(f"{text}</w>" for text in [*pieces] if draw.random() < 0.7)
        merges += [
            (left, f"{right}</w>") for left, right in merges
            if f"{right}</w>" in pieces and f"{left}{right}</w>" in pieces
        ]  # fmt: skip
    model = {
        "type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
        "end_of_word_suffix": "</w>" if kind == "suffix" else None, "fuse_unk": False, "byte_fallback": False,
        "ignore_merges": kind == "whole" or (kind in ("odd", "lacking") and draw.random() < 0.5),
        "vocab": {text: i for i, text in enumerate(pieces)}, "merges": [list(pair) for pair in merges],
    }  # fmt: skip
    return {"version": "1.0", "added_tokens": [], "pre_tokenizer": random_splits(draw), "model": model}, units


def random_splits(draw: random.Random) -> dict[str, Any]:
    """A known split pattern, or some others one after the other."""
    if draw.random() < 0.5:
        splits = [(draw.choice([*RULES]), "Isolated", False)]
    else:
        chosen = draw.sample(PATTERNS, draw.randrange(1, 4))
        splits = [(pattern, draw.choice(BEHAVIORS), draw.random() < 0.15) for pattern in chosen]
    steps: list[dict[str, Any]] = [
        {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": inverts}
        for pattern, behavior, inverts in splits
    ]
    regex = len(splits) > 1 and draw.random() < 0.5
    steps.append({"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": regex})
    return {"type": "Sequence", "pretokenizers": steps}


def random_file(draw: random.Random, kind: str, folder: Path) -> tuple[Path, list[str]]:
    """Write such a file; return its path and the units."""
    parts, units = random_parts(draw, kind)
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(parts), encoding="utf-8")
    return path, units


def random_text(draw: random.Random, units: list[str]) -> str:
    """Units in any order, or long runs of a few."""
    if draw.random() < 0.5:
        return "".join(draw.choices(units, k=draw.randrange(1, 60)))
    return "".join(draw.choice(units) * draw.randrange(1, 25) for _ in range(draw.randrange(1, 5)))
