"""How long servers take to decode the ids of a model: over the original tokenizer, and over the accelerated one.

    python tools/bench/served_tokens.py TEXTS FILE ...

FILE: a tokenizer.json, or a folder of transformers. TEXTS: a file, of which the first characters are encoded. Needs
transformers. Each row has the best of several runs in one process, in nanoseconds for each id:

    stream     `DecodeStream` of tokenizers, and ours in its place: one id a step
    vllm       a whole `update` and `get_next_output_text` of vLLM's detokenizer with a stop string, if it is installed
    rows       the texts of a step of 256 requests as SGLang asks for them: two short lists of ids for each request
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import tokenizers.decoders
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from spm_lite.transformers import accelerate
from spm_lite.transformers.decode_steps import DecodeSteps, Original
from spm_lite.transformers.sglang_adapter import decode_rows

N_CHARS, N_ROWS, REPEATS = 40_000, 256, 7


def best(call: Callable[[], object], n: int) -> float:
    """Nanoseconds for each of n ids, of the fastest run."""
    times = []
    for _ in range(REPEATS):
        begin = time.perf_counter_ns()
        call()
        times.append(time.perf_counter_ns() - begin)
    return min(times) / n


def stream(kind: Any, backend: Any, ids: list[int]) -> float:
    def run() -> None:
        step = kind(skip_special_tokens=True).step
        for i in ids:
            step(backend, i)

    return best(run, len(ids))


def detokenizer(kind: Any, tokenizer: Any, ids: list[int]) -> float:
    """vLLM's detokenizer with one kind of stream."""
    from vllm.v1.engine.detokenizer import FastIncrementalDetokenizer

    params = SimpleNamespace(
        stop=["\n\nUser:"], min_tokens=0, include_stop_str_in_output=False, skip_special_tokens=True,
        spaces_between_special_tokens=True,
    )  # fmt: skip
    request = SimpleNamespace(request_id="1", prompt_token_ids=ids[:100], sampling_params=params)
    tokenizers.decoders.DecodeStream = kind  # type: ignore[misc]

    def run() -> None:
        made = FastIncrementalDetokenizer(tokenizer, request)
        for i in ids:
            made.update([i], False)
            made.get_next_output_text(False, True)

    return best(run, len(ids))


def rows(tokenizer: Any, ids: list[int], is_ours: bool) -> float:
    """A step of many requests: for each the last id, and the last id with the new one."""
    lists = [ids[k : k + n] for k in range(0, 7 * N_ROWS, 7) for n in (1, 2)]
    flags = [True] * len(lists)

    def original(manager: Any, lists: list[list[int]], skips: list[bool], spaces: list[bool]) -> list[str]:
        return manager.tokenizer.batch_decode(  # type: ignore[no-any-return]
            lists, skip_special_tokens=True, spaces_between_special_tokens=True
        )

    manager = SimpleNamespace(tokenizer=tokenizer)
    if is_ours:
        return best(lambda: decode_rows(original, manager, lists, flags, flags), N_ROWS)
    return best(lambda: original(manager, lists, flags, flags), N_ROWS)


def has_vllm() -> bool:
    try:
        import vllm.v1.engine.detokenizer  # noqa: F401
    except ImportError:
        return False
    return True


def compare(path: str, text: str) -> None:
    """Print the rows of one tokenizer."""
    found = Path(path)
    original = (
        AutoTokenizer.from_pretrained(path) if found.is_dir() else PreTrainedTokenizerFast(tokenizer_file=str(found))
    )
    original.clean_up_tokenization_spaces = False  # as SGLang sets it
    ours = accelerate(original)
    ids = original(text[:N_CHARS], add_special_tokens=False)["input_ids"]
    print(f"\n{path}, {len(ids):,} ids\n{'':10}{'original':>10}{'ours':>10}")
    pairs = {"stream": (stream(Original, original._tokenizer, ids), stream(DecodeSteps, ours._tokenizer, ids))}
    if has_vllm():
        pairs["vllm"] = detokenizer(Original, original, ids), detokenizer(DecodeSteps, ours, ids)
    pairs["rows"] = rows(original, ids, False), rows(ours, ids, True)
    for name, (theirs, own) in pairs.items():
        print(f"{name:10}{theirs:10.0f}{own:10.0f}{theirs / own:9.1f}x", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("texts", help="a file of text")
    parser.add_argument("files", nargs="+", help="tokenizer.json, or a folder of transformers")
    options = parser.parse_args()
    text = Path(options.texts).read_text(encoding="utf-8")
    for path in options.files:
        compare(path, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
