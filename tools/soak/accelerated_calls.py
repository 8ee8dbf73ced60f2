"""Accelerated tokenizers of transformers: threads, forks, pickles, copies, tokens that are added, all as the original.

Threads share one tokenizer, while the main thread forks, pickles and copies it, and changes the copies. Every result is
compared with the original's. Without the package transformers nothing is done.
"""

from __future__ import annotations

import copy
import os
import pickle
import random
import sys
import tempfile
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

from common import Result, corpus, model, run, text

from spm_lite.errors import SpmLiteError

os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
N_THREADS, N_TEXTS, N_STEPS = 3, 24, 12
RIGHT, WRONG = 0, 2
OPTIONS: list[dict[str, Any]] = [
    {}, {"add_special_tokens": False}, {"return_offsets_mapping": True}, {"return_special_tokens_mask": True},
]  # fmt: skip
SETTINGS: list[dict[str, Any]] = [
    {"truncation": True, "max_length": 7}, {"padding": True}, {"padding": "max_length", "max_length": 12},
    {"truncation": True, "max_length": 6, "stride": 2, "return_overflowing_tokens": True},
]  # fmt: skip


class Pair:
    """An original and its accelerated form, which must give the same."""

    def __init__(self, original: Any, fast: Any, texts: list[str]) -> None:
        self.original, self.fast, self.texts = original, fast, texts
        self.expected = [(self.original(texts, **options).data, options) for options in OPTIONS]
        self.decoded = [self.original.decode(ids) for ids in self.expected[0][0]["input_ids"]]

    def is_right(self, rng: random.Random) -> bool:
        """Make a call that any thread may make at any time."""
        data, options = rng.choice(self.expected)
        if rng.random() < 0.5:
            i = rng.randrange(len(self.texts))
            one = self.fast(self.texts[i], **options).data
            own = self.fast.decode(self.expected[0][0]["input_ids"][i])
            return one == {name: values[i] for name, values in data.items()} and own == self.decoded[i]
        return bool(self.fast(self.texts, **options).data == data)


def original_of(rng: random.Random) -> Any:
    """A fast tokenizer of transformers with a small vocabulary."""
    from transformers import AutoTokenizer

    while True:
        with tempfile.TemporaryDirectory() as folder:
            try:
                model(rng, lossless="strict", pad_id=3).to_hf(folder)
            except SpmLiteError:  # a model that transformers does not know, such as one with words
                continue
            return AutoTokenizer.from_pretrained(folder)


def call_on(pair: Pair, result: Result, seed: int, is_over: threading.Event) -> None:
    """What a thread does."""
    rng = random.Random(seed)
    while not is_over.is_set():
        try:
            if not pair.is_right(rng):
                result.lose("a thread's call differs")
        except Exception as error:
            result.lose(f"a thread's call: {type(error).__name__}: {error}")
        result.count(calls=1)


def change(pair: Pair, rng: random.Random, result: Result) -> None:
    """Change a copy as the original is changed, and compare."""
    fast = rng.choice([copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])(pair.fast)
    original = copy.deepcopy(pair.original)
    for _ in range(rng.randrange(1, 4)):
        names = [text(rng, 5).strip() or "x" for _ in range(rng.randrange(1, 3))]
        how = rng.choice(["add", "special", "side", "call"])
        for one in (original, fast):
            if how == "add":
                one.add_tokens(names)
            elif how == "special":
                one.add_special_tokens({"additional_special_tokens": names})
            elif how == "side":
                one.padding_side = one.truncation_side = "left"
        options = rng.choice(SETTINGS)
        if original(pair.texts, **options).data != fast(pair.texts, **options).data:
            result.lose(f"after {how} {names} the results with {options} differ")
        result.count(calls=1)


def fork(pair: Pair, rng: random.Random, result: Result) -> None:
    """Call from a child while threads of this process call."""
    seed = rng.random()
    child = os.fork()
    if child == 0:
        code = WRONG
        try:
            own = random.Random(seed)
            code = RIGHT if all(pair.is_right(own) for _ in range(3)) else WRONG
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.waitstatus_to_exitcode(status) != RIGHT:
        result.lose(f"a child ended with {os.waitstatus_to_exitcode(status)}")
    result.count(calls=3, faults=1)


def collate(pair: Pair, rng: random.Random, result: Result) -> None:
    """Pad a batch as the original does."""
    from spm_lite.transformers import Collator

    texts = rng.choices(pair.texts, k=5)
    expected = pair.original(texts, padding=True, return_tensors="np")
    if Collator(pair.fast, tensors="np")(pair.fast(texts))["input_ids"].tolist() != expected["input_ids"].tolist():
        result.lose(f"a collated batch of {texts!r} differs")
    result.count(calls=1)


def attack(result: Result, rng: random.Random, turns: Iterator[int]) -> None:
    """Make a tokenizer in each round, and use it in all ways at once."""
    if find_spec("transformers") is None:
        return
    from spm_lite.transformers import accelerate

    for _ in turns:
        original = original_of(rng)
        texts = [text(rng) for _ in range(N_TEXTS)] + rng.sample(corpus(rng), 4)
        pair = Pair(original, accelerate(original), texts)
        is_over = threading.Event()
        threads = [
            threading.Thread(target=call_on, args=(pair, result, rng.randrange(1 << 30), is_over))
            for _ in range(N_THREADS)
        ]
        for thread in threads:
            thread.start()
        try:
            for _ in range(N_STEPS):
                rng.choice([change, fork, collate])(pair, rng, result)
        finally:
            is_over.set()
            for thread in threads:
                thread.join()


if __name__ == "__main__":
    sys.exit(run("accelerated_calls", attack, None))
