"""Train models with superwords on one file, count the tokens of held-out text, and compare ids with other programs.

    python tools/compare/superwords.py FILE [--vocab-size 32000] [--lines 2000] [--others FILE...] [--only NAME...]

Every 20th line is held out. Each model is compared with the plain model of its type: tokens of the held-out text and of
the other files, seconds of training, superwords. Lines of the held-out text must be decoded to themselves, and have
the same ids in sentencepiece (bpe, unigram) and in tokenizers after `to_hf`. No more pieces may be unreachable than in
the plain model. What differs is counted; the exit status is 1 if anything does.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import spm_lite
from spm_lite.tokenizer.lone_pieces import LonePieces

SETTINGS: dict[str, dict[str, Any]] = {
    "plain": {"superwords": None},
    "0.8": {"superwords": 0.8},
    "0.8 whole words": {"superwords": {"share": 0.8, "whole_words": True}},
    "0.9 punctuation": {"superwords": {"share": 0.9, "inside": "punctuation"}},
    "0.5 punctuation": {"superwords": {"share": 0.5, "inside": "punctuation"}},
}


def differences(tok: spm_lite.Tokenizer, lines: list[str], folder: Path) -> dict[str, int]:
    """How many lines differ in each program, and how many pieces no text gives."""
    ids = tok.encode_lists(lines)
    found = {"decoded": sum(tok.decode(one) != line for one, line in zip(ids, lines, strict=True))}
    if tok.model_type != "byte_bpe":
        import sentencepiece

        theirs = sentencepiece.SentencePieceProcessor(model_proto=tok.to_bytes())
        found["sentencepiece"] = sum(theirs.encode(line) != one for one, line in zip(ids, lines, strict=True))
    from tokenizers import Tokenizer

    tok.to_hf(folder)
    other = Tokenizer.from_file(str(folder / "tokenizer.json"))
    encoded = other.encode_batch(lines, add_special_tokens=False)
    found["tokenizers"] = sum(their.ids != one for their, one in zip(encoded, ids, strict=True))
    lone, vocab = LonePieces(tok), tok._file.vocab
    normal = [i for i in range(tok.vocab_size) if tok.piece_type(i) == "normal"]
    found["unreachable"] = sum(lone.ids(vocab.text(i)) != [i] for i in normal)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--vocab-size", type=int, default=32000)
    parser.add_argument("--lines", type=int, default=2000)
    parser.add_argument("--others", type=Path, nargs="*", default=[])
    parser.add_argument("--only", nargs="*", default=["bpe", "byte_bpe", "unigram"])
    given = parser.parse_args()
    every = given.file.read_text(encoding="utf-8").split("\n")
    held = every[::20]
    counted = {"held-out": held, **{path.name: path.read_text(encoding="utf-8").split("\n") for path in given.others}}
    texts = [line for i, line in enumerate(every) if i % 20]
    lines = [line for line in held if line][: given.lines]
    n_wrong = 0
    for model_type in given.only:
        plain: dict[str, int] = {}
        n_dead = None
        for name, options in SETTINGS.items():
            begin = time.perf_counter()
            tok = spm_lite.train(texts, vocab_size=given.vocab_size, model_type=model_type, **options)
            seconds = time.perf_counter() - begin
            tokens = {title: int(tok.count_batch(text).sum()) for title, text in counted.items()}
            plain = plain or tokens
            with tempfile.TemporaryDirectory() as folder:
                wrong = differences(tok, lines, Path(folder))
            n_dead = wrong["unreachable"] if n_dead is None else n_dead
            wrong["unreachable"] = max(wrong["unreachable"] - n_dead, 0)
            shown = ", ".join(f"{title} {n:,} ({n / plain[title] - 1:+.1%})" for title, n in tokens.items())
            n_superwords = tok.report.pieces_by_origin.get("superwords", 0) if tok.report else 0
            print(f"{model_type} {name}: {shown}; {n_superwords:,} superwords, {seconds:.1f} s; {wrong}", flush=True)
            n_wrong += sum(wrong.values())
    return int(n_wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
