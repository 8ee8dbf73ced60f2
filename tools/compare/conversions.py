"""Compare models with the folders that `to_hf` writes of them, as transformers loads them, over whole corpora.

    python tools/compare/conversions.py --corpus FILE... --models FILE... --trained 60 --hostile 20000 \
        --python ENVIRONMENT/bin/python... [--every N]

Each `--python` is an interpreter with transformers, so several releases are compared in one run; without any, the
package tokenizers of this interpreter reads the files. For each model: the ids of each line of the corpora (or of
every N-th one) and of hostile texts. A model that to_hf refuses is counted with the reason. Where
`.exact`, no text may differ; elsewhere each difference must be of a text that does not meet a reported condition.
What is wrong is shown and counted; the exit status is 1 if anything is.
"""

from __future__ import annotations

import argparse
import pickle
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import IO, Any

from comparison import Comparison, blocks, loaded, parser_of, read_lines, run, trained
from random_texts import hostile

import spm_lite

ALLOW = ("unused", "stranded", "denormalizer")
# Runs in the other interpreter: blocks of texts come in, their ids go out.
WORKER = """
import pickle, sys
out = sys.stdout.buffer
sys.stdout = sys.stderr
folder = sys.argv[1]
try:
    import transformers
    loaded = transformers.AutoTokenizer.from_pretrained(folder)
    name, other = f"transformers {transformers.__version__}", loaded.backend_tokenizer
    other.encode_special_tokens = bool(loaded.split_special_tokens)
    first = lambda texts: loaded(texts, add_special_tokens=False)["input_ids"]
    options = {}
except ImportError:
    import json, tokenizers
    other = tokenizers.Tokenizer.from_file(folder + "/tokenizer.json")
    config = json.load(open(folder + "/tokenizer_config.json", encoding="utf-8"))
    splits = config.get("split_special_tokens", False)  # as transformers does
    options = {}
    if hasattr(tokenizers, "models"):
        other.encode_special_tokens = splits
    else:  # 1.0
        options = {"encode_special_tokens": splits}
    name, first = f"tokenizers {tokenizers.__version__}", None
pickle.dump(name, out), out.flush()
many = lambda texts: [[*found.ids] for found in other.encode_batch(texts, add_special_tokens=False, **options)]
while True:
    try:
        texts = pickle.load(sys.stdin.buffer)
    except EOFError:
        break
    ids = many(texts)
    if first is not None and first(texts[:64]) != ids[:64]:
        raise SystemExit("transformers and its tokenizer differ")
    pickle.dump(ids, out), out.flush()
"""


class Worker:
    """Another interpreter with a folder loaded."""

    def __init__(self, python: str, folder: str) -> None:
        self.process = subprocess.Popen(
            [python, "-W", "ignore", "-c", WORKER, folder],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env={"TOKENIZERS_PARALLELISM": "false", "TRANSFORMERS_VERBOSITY": "error", "HF_HUB_OFFLINE": "1"},
        )  # fmt: skip
        self.stdin: IO[bytes] = self.process.stdin  # type: ignore[assignment]
        self.stdout: IO[bytes] = self.process.stdout  # type: ignore[assignment]
        try:
            self.name: str = pickle.load(self.stdout)
        except EOFError:
            raise SystemExit(f"the packages of {python} do not load what to_hf wrote of this model") from None

    def send(self, texts: list[str]) -> None:
        pickle.dump(texts, self.stdin)
        self.stdin.flush()

    def receive(self) -> list[list[int]]:
        found: list[list[int]] = pickle.load(self.stdout)
        return found

    def close(self) -> None:
        self.stdin.close()
        self.process.wait()
        self.stdout.close()


def comparisons_of(
    name: str, tok: spm_lite.Tokenizer, match_special: bool, args: argparse.Namespace
) -> Iterator[Comparison]:
    """One for each interpreter, which all get the same folder; they work side by side."""
    with tempfile.TemporaryDirectory() as folder:
        case = Comparison(name)
        try:
            conversion = tok.to_hf(folder, overwrite=True, allow=args.allow, match_special=match_special)
        except spm_lite.OptionError as error:
            case.refused(error)
            yield case
            return
        workers = [Worker(python, folder) for python in args.python or [sys.executable]]
        kinds = "; ".join(text.split(",")[0][:50] for text in conversion.conditions)
        allowed = None if conversion.exact else conversion.unmet
        cases = [Comparison(f"{name}, {worker.name}", allowed, kinds or "exact") for worker in workers]
        for block in blocks(chain(hostile(tok, args.hostile, args.seed), read_lines(args.corpus, args.every))):
            for worker in workers:
                worker.send(block)
            ours = tok.encode_lists(block)
            for case, worker in zip(cases, workers, strict=True):
                case.counts["texts"] += len(block)
                case.check(block, ours, worker.receive())
        for worker in workers:
            worker.close()
        yield from cases


def options_of(rng: random.Random) -> dict[str, Any]:
    """Random options of a training."""
    kind = rng.choice(["bpe", "bpe", "unigram", "unigram", "byte_bpe", "wordpiece", "char", "word"])
    found: dict[str, Any] = {"model_type": kind, "vocab_size": rng.choice([400, 800, 2000])}
    flags = ["add_dummy_prefix", "treat_whitespace_as_suffix", "split_digits", "split_by_whitespace"]
    if kind not in ("byte_bpe", "wordpiece"):
        flags += ["byte_fallback", "remove_extra_whitespaces", "split_by_unicode_script", "split_by_number"]
        if rng.random() < 0.4:
            found["normalization"] = rng.choice(["nfkc_rules", "nmt_nfkc", "nfkc_cf", "identity"])
        elif kind != "word" and rng.random() < 0.4:
            found["lossless"] = "strict"
    if kind == "word":
        found["byte_fallback"] = False  # with it tokenizer.json cannot say the model
    if kind == "wordpiece" and rng.random() < 0.6:
        found["normalization"] = rng.choice(["bert_cased", "bert_uncased"])
    found = {flag: rng.random() < 0.5 for flag in flags if rng.random() < 0.25} | found
    if rng.random() < 0.3:
        found["user_defined_symbols"] = ["<sep>", "the", "\u4e16\u754c"][: rng.randrange(1, 4)]
    if rng.random() < 0.3:
        found["control_symbols"] = ["<ctrl>", "[X]"]
    return found


def models(args: argparse.Namespace) -> Iterator[tuple[str, spm_lite.Tokenizer, bool]]:
    """(name, model, match_special) of the files and of random options; sets that the trainer refuses do not count."""
    for name, tok in loaded(args.models):
        yield name, tok, args.match_special
    rng = random.Random(args.seed)
    texts = read_lines(args.corpus, 97)
    done = 0
    while done < args.trained:
        options = options_of(rng)
        shown = ", ".join(f"{key}={value}" for key, value in options.items())
        try:
            for name, tok in trained({shown: options}, texts):
                yield f"trained {done + 1} ({name})", tok, done % 2 == 0
        except spm_lite.SpmLiteError:
            continue
        done += 1


def comparisons(args: argparse.Namespace) -> Iterator[Comparison]:
    """One for each model and interpreter."""
    for name, tok, match_special in models(args):
        yield from comparisons_of(name, tok, match_special, args)


if __name__ == "__main__":
    parser = parser_of(__doc__, needs_corpus=True, trained=0, hostile=20_000, every=1, seed=1)
    parser.add_argument("--models", type=Path, nargs="*", default=[], metavar="FILE")
    parser.add_argument("--python", nargs="*", default=[], help="interpreters with transformers")
    parser.add_argument("--allow", nargs="*", default=ALLOW, help="differences that to_hf may leave")
    parser.add_argument("--match-special", action="store_true", help="of --models; trained ones alternate")
    sys.exit(run(parser, comparisons))
