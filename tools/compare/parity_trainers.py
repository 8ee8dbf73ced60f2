"""Compare training for parity with `ParityBpeTrainer` of tokenizers, and its files with the programs that read them.

    python tools/compare/parity_trainers.py [--vocab-size 32000] [--languages NAME...] [--without-peer]

The texts are those of NTREX, whose line i says the same in all languages. Lines are dealt out: of each five, two are
learned from, one is the dev text, and two are the test, on which all figures are. Byte-level models of both programs
have the same number of merges. "at spaces": text is cut at spaces alone, as the trainer of tokenizers gets it; the
other models of ours are cut by our rules. Figures: tokens and Gini's coefficient against plain training of the same
cut and program; the costliest language against the cheapest; CPU seconds of the call, and as a multiple of the plain
one. Then our models must give the same ids in sentencepiece (bpe) and tokenizers (byte_bpe), and no piece is
unreachable. The exit status is 1 if anything differs.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from comparison import DATA

import spm_lite
from spm_lite.training.balance.inequality import gini, most_to_least

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
SPACES = r" ?[^ ]+| +"
AT_SPACES: dict[str, Any] = {"split_by_unicode_script": False, "split_by_number": False}
WAYS: tuple[dict[str, Any], ...] = (
    {"parity": {"window": 0}},
    {},
    {"parity": {"alpha": 1.5}},
    {"parity": {"floor": 0.25}},
    {"parity": {"global_merges": 8000}},
    {"price": 0.03},
    {"price": 0.02},
    {"price": 0.01},
)
Lines = dict[str, list[str]]


def ntrex(languages: list[str]) -> Lines:
    """The lines of each language of NTREX; []: of all."""
    texts: Lines = {}
    for path in sorted((DATA / "corpora" / "parallel").glob("ntrex.*.tsv")):
        name = path.name.split(".")[1]
        if not languages or name in languages:
            rows = path.read_text(encoding="utf-8").split("\n")
            texts[name] = [row.partition("\t")[2] for row in rows if row]
    return texts


def parts_of(texts: Lines, part: Callable[[int, int], int]) -> tuple[Lines, Lines, Lines]:
    """The lines to learn from, the dev text and the test. part: 0, 1 or 2, for line i of n."""
    return tuple(  # type: ignore[return-value]
        {name: [line for i, line in enumerate(lines) if part(i, len(lines)) == k] for name, lines in texts.items()}
        for k in range(3)
    )


def dealt(languages: list[str]) -> tuple[Lines, Lines, Lines]:
    """NTREX dealt out: of each five lines, two to learn from, one of dev text, and two of the test."""
    return parts_of(ntrex(languages), lambda i, n: (0, 0, 1, 2, 2)[i % 5])


def timed(make: Callable[[], Any]) -> tuple[Any, float]:
    """A result, and the CPU seconds of all threads that it took."""
    begin = time.process_time()
    made = make()
    return made, time.process_time() - begin


def tokens_of(tok: spm_lite.Tokenizer, test: Lines) -> list[int]:
    return [sum(map(len, tok.encode_lists(lines))) for lines in test.values()]


def row(name: str, tokens: list[int], seconds: float, before: list[int], plain: float) -> str:
    fall = (gini(tokens) or 0) / (gini(before) or 1) - 1
    return (
        f"{name:<44} {sum(tokens):>10,} {sum(tokens) / sum(before) - 1:+7.2%}  {gini(tokens):.4f} {fall:+7.1%}  "
        f"{most_to_least(tokens):6.3f}  {seconds:7.2f} s {seconds / plain:6.1f}x"
    )


def ours(title: str, texts: tuple[Lines, Lines, Lines], options: Mapping[str, Any]) -> list[spm_lite.Tokenizer]:
    """Show our models in all ways; return the plain one, and the one of the defaults."""
    learned, dev, test = texts
    plain, plain_seconds = timed(lambda: spm_lite.train(learned, **options))
    before = tokens_of(plain, test)
    print(row(f"{title}, plain", before, plain_seconds, before, plain_seconds), flush=True)
    kept = [plain]
    for way in WAYS:
        call = {**options, **way, "objective": "parity", "parallel": dev}
        tok, seconds = timed(lambda call=call: spm_lite.train(learned, **call))
        asked = ", ".join(
            f"{key} {value}" for key, value in {**way, **way.get("parity", {})}.items() if key != "parity"
        )
        print(row(f"{title}, {asked or 'defaults'}", tokens_of(tok, test), seconds, before, plain_seconds), flush=True)
        if not way:
            kept.append(tok)
    return kept


def theirs(texts: tuple[Lines, Lines, Lines], n_merges: int) -> None:
    """Show the models of tokenizers."""
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

    learned, dev, test = texts

    def new() -> Tokenizer:
        tok = Tokenizer(models.BPE())
        cut = pre_tokenizers.Split(Regex(SPACES), "isolated")
        tok.pre_tokenizer = pre_tokenizers.Sequence([cut, pre_tokenizers.ByteLevel(False, use_regex=False)])
        return tok

    def train_plain() -> Tokenizer:
        tok, letters = new(), pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.BpeTrainer(vocab_size=n_merges + 256, initial_alphabet=letters, show_progress=False)
        tok.train_from_iterator([line for lines in learned.values() for line in lines], trainer)
        return tok

    def train_parity(**options: Any) -> Tokenizer:
        tok, letters = new(), pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.ParityBpeTrainer(
            num_merges=n_merges, initial_alphabet=letters, show_progress=False, **options
        )
        trainer.train_from_iterator(tok, [*learned.values()], [*dev.values()])
        return tok

    def tokens(tok: Tokenizer) -> list[int]:
        return [sum(len(found.ids) for found in tok.encode_batch(lines)) for lines in test.values()]

    plain, plain_seconds = timed(train_plain)
    before = tokens(plain)
    print(row("tokenizers, plain", before, plain_seconds, before, plain_seconds), flush=True)
    for options in ({}, {"variant": "window"}, {"global_merges": 8000}):
        tok, seconds = timed(lambda options=options: train_parity(**options))
        asked = ", ".join(f"{key} {value}" for key, value in options.items())
        print(row(f"tokenizers, {asked or 'base'}", tokens(tok), seconds, before, plain_seconds), flush=True)


def differing(tok: spm_lite.Tokenizer, test: Lines) -> int:
    """Show how many lines have other ids in the program that reads the file, and the unreachable pieces."""
    lines = [line for found in test.values() for line in found]
    with tempfile.TemporaryDirectory() as folder:
        if tok.model_type == "bpe":
            import sentencepiece

            name = "sentencepiece"
            tok.save(Path(folder) / "parity.model")
            program = sentencepiece.SentencePieceProcessor(model_file=str(Path(folder) / "parity.model"))
            found = program.encode(lines)
        else:
            from tokenizers import Tokenizer

            name = "tokenizers"
            tok.to_hf(folder)
            found = [
                one.ids
                for one in Tokenizer.from_file(str(Path(folder) / "tokenizer.json")).encode_batch(
                    lines, add_special_tokens=False
                )
            ]
    n_differ = sum(a != b for a, b in zip(tok.encode_lists(lines), found, strict=True))
    unmet = spm_lite.audit(tok).unmet("unreachable<=0")
    shown = unmet or "no piece is unreachable"
    print(f"{tok.model_type}: {n_differ} of {len(lines):,} lines differ in {name}; {shown}")
    return n_differ + len(unmet)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vocab-size", type=int, default=32_000, metavar="N", help="pieces of each model [32000]")
    parser.add_argument("--languages", nargs="+", default=[], metavar="NAME", help="all of NTREX, unless given")
    parser.add_argument("--without-peer", action="store_true", help="do not train with tokenizers")
    args = parser.parse_args()
    texts = dealt(args.languages)
    print(f"{'test lines':<44} {'tokens':>10} {'':>7}  {'Gini':<6} {'':>7}  max/min      CPU")
    made = []
    for title, options in (("bpe", {}), ("byte_bpe", {}), ("byte_bpe at spaces", AT_SPACES)):
        call = {"vocab_size": args.vocab_size, "model_type": title.split()[0], "num_threads": 1, **options}
        made += ours(title, texts, call)[1:]
    n_special = sum(made[-1].piece_type(i) != "normal" for i in range(len(made[-1])))
    if not args.without_peer:
        theirs(texts, args.vocab_size - 256 - n_special)
    return 1 if sum(differing(tok, texts[2]) for tok in made) else 0


if __name__ == "__main__":
    sys.exit(main())
