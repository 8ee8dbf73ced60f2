"""What more pieces gain and change: models extended by NTREX, as in the page "Change a vocabulary"; and the time.

    python tools/bench/extension.py [--models llama2.model t5_base.model] [--pieces 2000]
    python tools/bench/extension.py --time FILE [--repeat 65]
    python tools/bench/extension.py --peer

Needs the shared test data. Lines 1 to 1,500 are learned from, and the tokens of the last 497 are counted. `--time`
trains BPE on a file and extends it by the same, both read `--repeat` times, and compares the seconds. `--peer` extends
byte-level BPE of English by 8,000 pieces from 1.5 MB, here and with the package bpe-continue: tokens, CPU seconds, and
pieces that their own text does not give.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import spm_lite
from spm_lite.tokenizer.lone_pieces import LonePieces

DATA = Path(os.environ.get("SPM_LITE_TEST_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
N_TRAIN = 1500
SCRIPTS = {"amh": "Ethiopic", "khm": "Khmer", "tha": "Thai"}
OTHERS = ("eng", "deu", "rus", "jpn")
PEER_TEXTS = {"hin": "hi-commonvoice.txt", "tha": "th-wisesight-social.txt", "deu": "de-commonvoice.txt"}
PEER_BYTES = 1_500_000


def lines_of(language: str) -> list[str]:
    """The sentences of NTREX in one language."""
    text = (DATA / "corpora" / "parallel" / f"ntrex.{language}.tsv").read_text(encoding="utf-8")
    return [line.partition("\t")[2] for line in text.splitlines() if "\t" in line]


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """What a call returns, and its seconds."""
    begin = time.perf_counter()
    found = call()
    return found, time.perf_counter() - begin


def show_gains(models: list[str], n: int) -> None:
    """Write a row for each model, language and `only`."""
    others = {language: lines_of(language) for language in OTHERS}
    print(f"model language only before after seconds {' '.join(OTHERS)} (changed lines of {len(others['eng']):,})")
    for model in models:
        tok = spm_lite.load(DATA / "models" / model)
        for language, script in SCRIPTS.items():
            lines = lines_of(language)
            for only in (None, script):
                extended, seconds = timed(
                    lambda tok=tok, lines=lines, only=only: tok.extend(lines[:N_TRAIN], n, only=only)
                )
                made = extended.tokenizer
                counts = [int(one.count_batch(lines[N_TRAIN:]).sum()) for one in (tok, made)]
                pairs = [(tok.encode_lists(some), made.encode_lists(some)) for some in others.values()]
                changed = [sum(a != b for a, b in zip(*pair, strict=True)) for pair in pairs]
                print(model, language, only, *counts, f"{seconds:.2f}", *changed, flush=True)


def show_time(file: Path, repeat: int, n: int) -> None:
    """Write the seconds of a training, and of an extension by the same text."""

    def texts() -> Iterator[bytes]:
        for _ in range(repeat):
            with file.open("rb") as lines:
                yield from lines

    tok, seconds = timed(lambda: spm_lite.train(texts(), model_type="bpe", vocab_size=32_000))
    print(f"train {seconds:.1f} s")
    _, more = timed(lambda: tok.extend(texts(), n))
    print(f"extend {more:.1f} s, {more / seconds:.2f} times as long")


def cpu_of(call: Callable[[], Any]) -> tuple[Any, float]:
    """What a call returns, and the CPU seconds of all its threads."""
    begin = time.process_time()
    found = call()
    return found, time.process_time() - begin


def show_peer() -> None:
    """Write a row for each of three languages."""
    from bpe_continue import continue_training
    from tokenizers import Tokenizer

    english = lines_of_file("en-novels.txt") + lines_of_file("en-botchan.txt") + lines_of_file("en-commonvoice.txt")
    english = english[:120_000] + lines_of("eng")[:N_TRAIN]
    base = spm_lite.train(english, model_type="byte_bpe", vocab_size=16_000, split_pattern="qwen3.5")
    print("language before; bpe-continue: tokens, CPU seconds, shadowed; spm_lite: the same")
    for language, name in PEER_TEXTS.items():
        lines = lines_of(language)
        texts, size = lines[:N_TRAIN], sum(len(line.encode()) for line in lines[:N_TRAIN])
        for line in lines_of_file(name):
            if size > PEER_BYTES:
                break
            texts.append(line)
            size += len(line.encode())
        with tempfile.TemporaryDirectory() as folder:
            file, json_file = str(Path(folder) / "new.txt"), str(Path(folder) / "base.json")
            Path(file).write_text("\n".join(texts) + "\n", encoding="utf-8")
            base.save(json_file, format="tokenizer.json")
            other = Tokenizer.from_file(json_file)
            options = {"files": [file], "vocab_size": 24_000, "show_progress": False}
            theirs, their_time = cpu_of(lambda other=other, given=options: continue_training(other, **given))
            made, our_time = cpu_of(lambda file=file: base.extend([file], 8000, min_count=1).tokenizer)
        before, ours = (int(tok.count_batch(lines[N_TRAIN:]).sum()) for tok in (base, made))
        their_tokens = sum(len(theirs.encode(line, add_special_tokens=False).ids) for line in lines[N_TRAIN:])
        dead = sum(piece_id >= base.vocab_size for piece_id in LonePieces(made).dead())
        shown = f"{their_time:.2f} {shadowed(theirs, base.vocab_size)}; {ours} {our_time:.2f} {dead}"
        print(f"{language} {before}; {their_tokens} {shown}", flush=True)


def lines_of_file(name: str) -> list[str]:
    """The lines of a corpus that are not empty."""
    return [line for line in (DATA / "corpora" / name).read_text(encoding="utf-8").splitlines() if line]


def shadowed(tok: Any, first: int) -> int:
    """How many pieces of a tokenizer of `tokenizers` from an id on their own bytes do not give."""
    from tokenizers import Tokenizer

    parts = ("pre_tokenizer", "normalizer", "post_processor", "decoder")
    bare = Tokenizer.from_str(json.dumps(json.loads(tok.to_str()) | dict.fromkeys(parts) | {"added_tokens": []}))
    new = [piece for piece, piece_id in tok.get_vocab().items() if piece_id >= first]
    return sum(len(bare.encode(piece, add_special_tokens=False).ids) != 1 for piece in new)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="+", default=["llama2.model", "t5_base.model"])
    parser.add_argument("--pieces", type=int, default=2000)
    parser.add_argument("--time", type=Path)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--peer", action="store_true")
    options = parser.parse_args()
    if options.peer:
        show_peer()
    elif options.time is None:
        show_gains(options.models, options.pieces)
    else:
        show_time(options.time, options.repeat, options.pieces)


if __name__ == "__main__":
    main()
