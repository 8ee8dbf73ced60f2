"""Random options of a training together with a tiny corpus that brings out their odd sides."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

ALPHABETS = [
    "abc de",
    "aabbc d7,.",
    "あア一二か\u3099 ",
    "a\u0301é\u00a0\u3000Ａ①㍿",
    "ж\u2585\x1f\u2581 \ufffd\0",
    "\u0600\u064b \u200d\U0001f600\U0001f3fd",
    "12３ a가각",
]
VALUES: dict[str, list[Any]] = {  # each option is given in one training of five or so
    "split_by_whitespace": [False],
    "split_by_number": [False],
    "split_by_unicode_script": [False],
    "split_digits": [True],
    "treat_whitespace_as_suffix": [True],
    "allow_whitespace_only_pieces": [True],
    "normalization_rule_name": ["identity", "nfkc", "nfkc_cf", "nmt_nfkc_cf"],
    "add_dummy_prefix": [False],
    "remove_extra_whitespaces": [False],
    "character_coverage": [0.98, 0.99, 1.0],
    "max_sentencepiece_length": [1, 2, 4],
    "max_sentence_length": [10, 20],
    "control_symbols": ["a", "<x>,b", ["c", "\u2581a"], "<s>"],
    "user_defined_symbols": ["a", "ab,b", ["a b"], "\u2581", "</s>", ["Ａ", "é"], "か"],
    "unk_id": [1, 3, 5],
    "bos_id": [-1, 0, 4],
    "eos_id": [-1, 3],
    "pad_id": [3, 2, 7],
    "unk_piece": ["a", "<pad>"],
    "bos_piece": ["b", "<S>"],
    "required_chars": ["z", "ab\u3042", " \0", "é"],
    "pretokenization_delimiter": ["a", "\u2581", "b ", " ", "ab", "\u3000"],
    "use_all_vocab": [True],
    "auto_character_coverage": [True],
    "unk_surface": ["?"],
}
UNIGRAM_VALUES: dict[str, list[Any]] = {
    "num_threads": [1, 2, 3, 100],
    "shrinking_factor": [0.5, 0.6, 0.95],
    "num_sub_iterations": [1, 3, 10],
    "seed_sentencepiece_size": [0, 1, 5, 30],
    "max_sentencepiece_length": [3, 50, 512],
}
PRETOKENIZERS: list[Callable[[str], list[str]]] = [
    list,
    lambda text: [text[:3], text[3:]],
    lambda text: text.replace("b", "b|").split("|"),
]


def random_lines(draw: random.Random) -> list[str | bytes]:
    """A few short lines, some of them more than once, some of them ill-formed."""
    lines: list[str | bytes] = []
    for _ in range(draw.randint(1, 12)):
        alphabet = "".join(draw.sample(ALPHABETS, draw.randint(1, 3)))
        lines.append("".join(draw.choice(alphabet) for _ in range(draw.randint(0, 25))))
    if draw.random() < 0.1:
        lines.append(bytes(draw.randrange(11, 256) for _ in range(5)))
    return lines * draw.randint(1, 3)


def random_training(seed: int, model_type: str = "") -> dict[str, Any]:
    """The keyword arguments of one training, without where the model goes. model_type: by default not Unigram."""
    draw = random.Random(seed)
    lines = random_lines(draw)
    options: dict[str, Any] = {
        "model_type": model_type or draw.choice(["bpe", "bpe", "char", "word"]),
        "vocab_size": draw.randint(4, 60),
        "hard_vocab_limit": draw.random() < 0.25,
    }
    if draw.random() < 0.15:
        options["byte_fallback"] = True
        options["vocab_size"] += 256
    for name, values in VALUES.items():
        if draw.random() < 0.2:
            options[name] = draw.choice(values)
    if draw.random() < 0.15:
        options["pretokenizer"] = draw.choice(PRETOKENIZERS)
    if draw.random() < 0.15:
        options["input_format"] = "tsv"
        lines = [f"{line}\t{draw.randint(1, 5)}" for line in lines if isinstance(line, str)] or ["a\t1"]
    options["sentence_iterator"] = lambda: iter(lines)
    return options


def random_unigram_training(seed: int) -> dict[str, Any]:
    """The keyword arguments of a Unigram training, with its own options and less that makes it fail."""
    options = random_training(seed, "unigram")
    draw = random.Random(-seed)
    for name in ("use_all_vocab", "auto_character_coverage"):
        if draw.random() < 0.95:
            options.pop(name, None)
    if draw.random() < 0.7:
        options["hard_vocab_limit"] = False
        options["vocab_size"] += draw.choice([0, 20, 100])
    for name, values in UNIGRAM_VALUES.items():
        if draw.random() < 0.25:
            options[name] = draw.choice(values)
    return options
