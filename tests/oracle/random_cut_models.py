"""Random files tokenizer.json of models of characters whose texts are cut: WordPiece, Unigram, BPE, words."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any

from oracle.random_byte_models import BEHAVIORS, PATTERNS, RULES

CUT_KINDS = ["WordPiece", "Unigram", "BPE", "WordLevel"]
FLAGS = ("normalized", "single_word", "lstrip", "rstrip")
NO_FLAGS = {"special": False, **dict.fromkeys(FLAGS, False)}
LETTERS = ["abc", "aé世", "ab", "a1 "]
STEPS: list[dict[str, Any]] = [
    {"type": "Whitespace"}, {"type": "WhitespaceSplit"}, {"type": "BertPreTokenizer"},
    {"type": "Digits", "individual_digits": True}, {"type": "Digits", "individual_digits": False},
]  # fmt: skip


def cut_model(
    kind: str,
    pieces: list[str],
    steps: list[dict[str, Any]],
    longest: int = 10**6,
    fuse_unk: bool = False,
    normalizers: Sequence[dict[str, Any]] = (),
    added: Sequence[dict[str, Any]] = (),
) -> bytes:
    """A file with some pieces. BPE merges each longer one of its first character or two and the rest, where it can.

    added: of each added token the text, and the flags that are set.
    """
    texts = ["[UNK]", *pieces, *("##" + text for text in pieces if kind == "WordPiece")]
    vocab = {text: i for i, text in enumerate(texts)}
    model: dict[str, Any] = {"type": kind, "unk_token": "[UNK]", "vocab": vocab}
    if kind == "WordPiece":
        model |= {"continuing_subword_prefix": "##", "max_input_chars_per_word": longest}
    elif kind == "Unigram":
        scores = [[text, -1.0 - i * 7 % 5] for i, text in enumerate(texts)]
        model = {"type": kind, "unk_id": 0, "byte_fallback": False, "vocab": scores}
    elif kind == "BPE":
        pairs = [(text[:k], text[k:]) for text in pieces for k in (1, 2) if text[k:]]
        merges = [list(pair) for pair in pairs if set(pair) <= vocab.keys()]
        model |= {"merges": merges, "fuse_unk": fuse_unk, "byte_fallback": False}
    parts = {
        "version": "1.0", "model": model,
        "added_tokens": [{**NO_FLAGS, "id": len(texts) + i, **token} for i, token in enumerate(added)],
        "normalizer": {"type": "Sequence", "normalizers": normalizers} if normalizers else None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": steps},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": False} if kind == "WordPiece" else None,
    }  # fmt: skip
    return json.dumps(parts).encode()


def random_cut_model(
    draw: random.Random, kind: str, added: Sequence[str] = (), normalizers: Sequence[dict[str, Any]] = ()
) -> tuple[bytes, list[str]]:
    """Such a file, and the units of texts that its pieces know. added: texts of tokens, whose flags are drawn."""
    letters = draw.choice(LETTERS)
    pieces = [letter for letter in letters if draw.random() < 0.9]
    pieces += ["".join(draw.choices(letters, k=draw.randrange(1, 5))) for _ in range(draw.randrange(1, 14))]
    steps = [draw.choice([draw.choice(STEPS), random_split(draw)]) for _ in range(draw.choice([1, 1, 2, 3]))]
    tokens = [{"content": text, **{flag: draw.random() < 0.25 for flag in FLAGS}} for text in added]
    longest, fuses = draw.choice([4, 20, 10**6]), draw.random() < 0.5
    data = cut_model(kind, list(dict.fromkeys(pieces)), steps, longest, fuses, normalizers, tokens)
    others = [" ", "  ", "1", "\n", ".", "é", "B", "\u0301", "\u2581"]
    return data, [*letters, *letters, *draw.sample(others, draw.choice([1, 2, len(others)]))]


def random_split(draw: random.Random) -> dict[str, Any]:
    return {
        "type": "Split", "pattern": {"Regex": draw.choice([*PATTERNS, draw.choice([*RULES])])},
        "behavior": draw.choice(BEHAVIORS), "invert": draw.random() < 0.2,
    }  # fmt: skip
