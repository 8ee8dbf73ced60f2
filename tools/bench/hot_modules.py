"""Which modules are hot: rows that take over 5 % longer where some are compiled as cold ones. Run `make build` first.

    python tools/bench/hot_modules.py MODULE... [--rows ROW...] [--runs 5]

MODULE is one such as encode/segment/bpe, or a folder such as encode. The modules are compiled with -O1 in one copy of
the package and with -O3 in another. Each row is the median CPU time of fresh processes, which take turns. Modules that
make a row slower stand in hot_modules.txt, which setup.py reads. The exit status is 1 if a row is slower.
"""

from __future__ import annotations

import argparse
import os
import runpy
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("SPM_LITE_TEST_DATA", ROOT.parent / "shared" / "data"))
TEXT = "corpora/en-botchan.txt"
MORE = 1.05  # of the time with hot modules
LEAST = 0.3  # seconds that a row fills with calls

Call = Callable[[], Any]


def loaded(model: str) -> tuple[Any, list[str]]:
    """A model, and lines for it."""
    import spm_lite

    lines = (DATA / TEXT).read_text(encoding="utf-8").split("\n")
    return spm_lite.load(DATA / "models" / model), lines


def method(name: str, model: str, n: int, *arguments: Any) -> Call:
    """A method that takes a text, called with each of n lines."""
    tok, lines = loaded(model)
    return lambda: [getattr(tok, name)(line, *arguments) for line in lines[:n]]


def batch(name: str, model: str) -> Call:
    """A method that takes many texts, with nothing in the cache."""
    tok, lines = loaded(model)

    def call() -> None:
        tok.clear_cache()
        getattr(tok, name)(lines, num_threads=1)

    return call


def decoding(name: str, model: str) -> Call:
    tok, lines = loaded(model)
    ids = tok.encode_lists(lines)
    return lambda: getattr(tok, name)(ids)


def training(model_type: str, **options: Any) -> Call:
    import spm_lite

    lines = (DATA / TEXT).read_text(encoding="utf-8").split("\n")
    return lambda: spm_lite.train(lines, model_type=model_type, num_threads=1, **options)


def loading(model: str) -> Call:
    return lambda: loaded(model)


def extending(model: str) -> Call:
    tok, lines = loaded(model)
    return lambda: tok.extend(lines, 200, only="all")  # T5 knows all scripts of the text


def pruning(model: str) -> Call:
    tok, lines = loaded(model)
    return lambda: tok.prune(5000, source=lines)


KINDS = {"bpe": "llama2.model", "unigram": "t5_base.model"}
ROWS: dict[str, Callable[[], Call]] = {
    f"{what} {kind}": lambda make=make, model=model: make(model)  # type: ignore[misc]
    for kind, model in KINDS.items()
    for what, make in {
        "lists": lambda model: batch("encode_lists", model),
        "arrays": lambda model: batch("encode_batch", model),
        "count": lambda model: batch("count_batch", model),
        "spans": lambda model: batch("spans_batch", model),
        "one call": lambda model: method("encode", model, 1000),
        "nbest": lambda model: method("nbest", model, 50, 5),
        "sample": lambda model: method("sample", model, 200),
        "normalize": lambda model: method("normalize", model, 1000),
        "decode": lambda model: decoding("decode_batch", model),
        "decode spans": lambda model: decoding("decode_spans_batch", model),
        "load": loading,
        "prune": pruning,
        "extend": extending,
    }.items()
} | {
    "train unigram": lambda: training("unigram", vocab_size=4000),
    "train bpe": lambda: training("bpe", vocab_size=4000),
    "train byte_bpe": lambda: training("byte_bpe", vocab_size=4000, split_pattern="qwen3.5"),
    "train wordpiece": lambda: training("wordpiece", vocab_size=4000),
}


def run(row: str) -> None:
    """Print the CPU seconds of one call of a row: the mean of as many as fill LEAST, after the first."""
    call = ROWS[row]()
    call()
    seconds, n = 0.0, 0
    while seconds < LEAST:
        begin = time.process_time()
        call()
        seconds += time.process_time() - begin
        n += 1
    print(seconds / n)


def compiled(names: list[str], folder: Path, hot: bool) -> Path:
    """A copy of the package in which modules are compiled anew."""
    from setuptools import Distribution
    from setuptools.command.build_ext import build_ext

    shutil.copytree(ROOT / "spm_lite", folder / "spm_lite", ignore=shutil.ignore_patterns("*.p[yx][xd]", "__pycache__"))
    settings = runpy.run_path(str(ROOT / "setup.py"))
    begins = tuple(f"spm_lite.{name.strip('/').replace('/', '.')}." for name in names)
    modules = [one for one in settings["extensions"]() if f"{one.name}.".startswith(begins)]
    if not modules:
        raise SystemExit(f"no module is called {', '.join(names)}")
    for one in modules:
        one.sources = [str(ROOT / settings["cpp_of"](one.name))]
        one.extra_compile_args = settings["compile_args"](hot) + one.extra_link_args
    command = build_ext(Distribution({"ext_modules": modules}))
    command.build_lib, command.build_temp, command.force = str(folder), str(folder / "objects"), True
    command.parallel = settings["processes"]()
    command.ensure_finalized()
    command.run()
    return folder


def measure(row: str, folder: Path) -> float:
    """The CPU seconds of a row with the package of a folder, in a process of its own."""
    command = [sys.executable, __file__, "--run", row]
    surroundings = {**os.environ, "PYTHONPATH": str(folder)}
    return float(subprocess.run(command, env=surroundings, cwd=folder, check=True, capture_output=True).stdout)


def main() -> int:
    """1 if a row is slower."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", metavar="MODULE")
    parser.add_argument(
        "--rows", nargs="+", choices=list(ROWS), default=list(ROWS), metavar="ROW", help=", ".join(ROWS)
    )
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--run", choices=ROWS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        run(options.run)
        return 0
    if not options.modules:
        parser.error("name a module or a folder")
    slower = 0
    with tempfile.TemporaryDirectory() as name:
        folders = [compiled(options.modules, Path(name) / kind, kind == "hot") for kind in ("hot", "cold")]
        for row in options.rows:
            seconds = [[measure(row, folder) for folder in folders] for _ in range(options.runs)]
            hot, cold = (statistics.median(pair[k] for pair in seconds) for k in (0, 1))
            slower += cold > hot * MORE
            print(f"{row:20} {hot * 1e3:9.2f} ms {cold / hot:6.3f} {'slower' * (cold > hot * MORE)}", flush=True)
    return int(slower > 0)


if __name__ == "__main__":
    sys.exit(main())
