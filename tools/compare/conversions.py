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
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import spm_lite
from spm_lite.formats.proof.hostile_texts import hostile_texts, random_texts, spelled_texts

ALLOW = ("unused", "stranded", "denormalizer")
BLOCK = 4096  # texts compared at once
SHOWN = 5
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
except ImportError:
    import tokenizers
    other = tokenizers.Tokenizer.from_file(folder + "/tokenizer.json")
    name, first = f"tokenizers {tokenizers.__version__}", None
pickle.dump(name, out), out.flush()
many = lambda texts: [found.ids for found in other.encode_batch(texts, add_special_tokens=False)]
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
        self.name: str = pickle.load(self.stdout)

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


def lines_of(corpora: list[Path], every: int) -> Iterator[str]:
    for path in corpora:
        with path.open(encoding="utf-8", newline="\n") as stream:
            for number, line in enumerate(stream):
                if number % every == 0:
                    yield line.rstrip("\n")


def texts_of(tok: spm_lite.Tokenizer, corpora: list[Path], every: int, n_hostile: int, seed: int) -> Iterator[str]:
    """The hostile texts, then the lines."""
    pieces = [tok.id_to_piece(i) for i in range(len(tok))]
    yield from hostile_texts()
    yield from spelled_texts(pieces[:12])
    yield from random_texts(pieces, n_hostile, seed)
    yield from lines_of(corpora, every)


def blocks(texts: Iterator[str]) -> Iterator[list[str]]:
    block: list[str] = []
    for text in texts:
        block.append(text)
        if len(block) == BLOCK:
            yield block
            block = []
    if block:
        yield block


class Totals:
    """What is counted over all models."""

    def __init__(self) -> None:
        self.n_models = self.n_exact = self.n_refused = self.n_texts = self.n_differences = self.n_wrong = 0

    def __str__(self) -> str:
        return (
            f"{self.n_models} models: {self.n_exact} exact, {self.n_refused} refused; {self.n_texts:,} texts compared, "
            f"{self.n_differences:,} differ, {self.n_wrong} of them without a reported condition"
        )


def compare(name: str, tok: spm_lite.Tokenizer, args: argparse.Namespace, match_special: bool, totals: Totals) -> None:
    """Convert a model, and compare it."""
    start = time.perf_counter()
    totals.n_models += 1
    with tempfile.TemporaryDirectory() as folder:
        try:
            conversion = tok.to_hf(folder, overwrite=True, allow=args.allow, match_special=match_special)
        except spm_lite.OptionError as error:
            totals.n_refused += 1
            print(f"{name}: refused: {error!s:.160}", flush=True)
            return
        totals.n_exact += conversion.exact
        workers = [Worker(python, folder) for python in args.python or [sys.executable]]
        n_texts = 0
        n_differences = [0] * len(workers)
        n_wrong = 0
        for block in blocks(texts_of(tok, args.corpus, args.every, args.hostile, args.seed)):
            for worker in workers:
                worker.send(block)
            ours = tok.encode_lists(block)
            for which, worker in enumerate(workers):
                n_texts += len(block)
                for text, own, other in zip(block, ours, worker.receive(), strict=True):
                    if own == other:
                        continue
                    n_differences[which] += 1
                    if conversion.exact or not conversion.unmet(text):
                        n_wrong += 1
                        if n_wrong <= SHOWN:
                            print(f"WRONG {name}: {worker.name}: {text!r:.300}\n  {own!r:.200}\n  {other!r:.200}")
        for worker in workers:
            worker.close()
    totals.n_texts += n_texts
    totals.n_differences += sum(n_differences)
    totals.n_wrong += n_wrong
    kinds = "exact" if conversion.exact else "; ".join(text.split(",")[0][:50] for text in conversion.conditions)
    found = ", ".join(f"{worker.name}: {n:,}" for worker, n in zip(workers, n_differences, strict=True))
    seconds = time.perf_counter() - start
    print(f"{name}: {n_texts:,} texts, differences {found}, wrong {n_wrong} ({kinds}) {seconds:.0f} s", flush=True)


def options_of(rng: random.Random) -> dict[str, Any]:
    """Random options of a training."""
    kind = rng.choice(["bpe", "bpe", "unigram", "unigram", "byte_bpe", "wordpiece", "char", "word"])
    found: dict[str, Any] = {"model_type": kind, "vocab_size": rng.choice([400, 800, 2000]), "hard_vocab_limit": False}
    flags = ["add_dummy_prefix", "treat_whitespace_as_suffix", "split_digits", "split_by_whitespace"]
    if kind not in ("byte_bpe", "wordpiece"):
        flags += ["byte_fallback", "remove_extra_whitespaces", "split_by_unicode_script", "split_by_number"]
        if rng.random() < 0.4:
            found["normalization"] = rng.choice(["nfkc", "nmt_nfkc", "nfkc_cf", "identity"])
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


def trained(count: int, corpora: list[Path], seed: int) -> Iterator[tuple[str, spm_lite.Tokenizer]]:
    """Models of random options; sets that the trainer refuses do not count."""
    rng = random.Random(seed)
    texts = list(lines_of(corpora, 97))
    done = 0
    while done < count:
        options = options_of(rng)
        try:
            tok = spm_lite.train(texts, **options)
        except spm_lite.SpmLiteError:
            continue
        done += 1
        shown = ", ".join(f"{key}={value}" for key, value in options.items() if key != "hard_vocab_limit")
        yield f"trained {done} ({shown})", tok


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, nargs="+", required=True)
    parser.add_argument("--models", type=Path, nargs="*", default=[])
    parser.add_argument("--trained", type=int, default=0)
    parser.add_argument("--hostile", type=int, default=20_000)
    parser.add_argument("--every", type=int, default=1, help="compare every N-th line")
    parser.add_argument("--python", nargs="*", default=[])
    parser.add_argument("--allow", nargs="*", default=ALLOW)
    parser.add_argument("--match-special", action="store_true", help="of --models; trained ones alternate")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    totals = Totals()
    for path in args.models:
        compare(path.name, spm_lite.Tokenizer.load(path), args, args.match_special, totals)
    for number, (name, tok) in enumerate(trained(args.trained, args.corpus, args.seed)):
        compare(name, tok, args, number % 2 == 0, totals)
    print(totals)
    return int(totals.n_wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
