"""Compare what a model makes of texts, and of ids, with what sentencepiece 0.2.3 makes of them.

    python tools/compare/ids.py MODEL... --corpus FILE... --generated 100000 --seed 1 --places --joined

Every line of every corpus and every generated string goes through both, in blocks: ids, pieces, decoded text. With
`--places` also surfaces, offsets in bytes and in code points, and the normalized text with its alignment. Then the
places of pieces in decoded text are compared too, for these ids and random ones. With `--joined` each corpus comes once
more, as one line. The first differences are shown, and all are counted; the exit status is 1 if there are any.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import sentencepiece
from comparison import Comparison, blocks, parser_of, read_lines, run
from random_texts import Generator

from spm_lite import SentencePieceProcessor, Tokenizer

Text = str | bytes


class ModelComparison(Comparison):
    """One model file in both libraries."""

    def __init__(self, path: Path, seed: int, with_places: bool = False) -> None:
        super().__init__(path.name)
        self.tok = Tokenizer.load(path)
        self.ours = SentencePieceProcessor(model_file=str(path))
        self.ref = sentencepiece.SentencePieceProcessor(model_file=str(path))
        self._lacking: set[str] = set()
        self._with_places = with_places
        self._rng = random.Random(seed)

    def run(self, texts: Iterable[Text]) -> None:
        """Compare texts. A lossless model spells U+2581 and ill-formed bytes as they are: those are left out."""
        for block in blocks(texts):
            common = [text for text in block if not self.tok.info.is_lossless or is_common_ground(text)]
            if common:
                self._run_block(common)

    def _run_block(self, texts: list[Text]) -> None:
        batch = self.tok.encode_batch(texts)
        expected = self.ref.encode(texts, out_type=int)
        self.check(texts, batch.to_lists(), expected, "ids")
        self.check(texts, self.tok.encode_lists(texts), expected, "lists of ids")
        data = [text if isinstance(text, bytes) else text.encode() for text in texts]
        self._both("pieces", data, lambda sp: sp.encode(data, return_type=bytes))
        self.check(expected, self.tok.decode_batch(batch), self.ref.decode(expected), "text")
        if self._with_places:
            self._compare_places(texts, data)
            self._compare_decoded(expected)
        self.counts.update(texts=len(texts), bytes=sum(map(len, data)))

    def _compare_places(self, texts: list[Text], data: list[bytes]) -> None:
        """Surfaces and offsets, and the normalized text with its alignment."""
        self._both("surfaces", texts, lambda sp: sp.encode(texts, return_type="serialized_proto"))
        strings = [text for text in texts if isinstance(text, str)]
        self._both("code points", strings, lambda sp: sp.encode(strings, return_type="offset_mapping"))
        self._both("normalized", strings, lambda sp: sp.normalize(strings, with_offsets=True))
        self._both("normalized bytes", data, lambda sp: sp.normalize(data, with_offsets=True))

    def _compare_decoded(self, ids: list[list[int]]) -> None:
        """The places of pieces in decoded text, from ids and from pieces."""
        size = self.tok.vocab_size
        low = min(size, 300)  # where control and byte pieces usually are
        drawn = [[self._rng.randrange(self._rng.choice([low, size])) for _ in row[:40]] for row in ids[::4]]
        rows = [row for row in ids + drawn if row]
        self._both("decoded places", rows, lambda sp: sp.decode(rows, return_type="serialized_proto"))
        self._both("decoded text", rows, lambda sp: sp.decode(rows, return_type=bytes))
        self._both("decoded code points", drawn, lambda sp: [of_decoded(sp, row) for row in drawn])
        pieces = [[self._rng.choice(["a", "\u2581x", "<unk>", self.tok.id_to_piece(i)]) for i in row] for row in drawn]
        pieces = [row for row in pieces if row]
        self._both("decoded pieces", pieces, lambda sp: sp.decode(pieces, return_type="serialized_proto"))

    def _both(self, what: str, inputs: list[Any], call: Callable[[Any], list[Any]]) -> None:
        """Compare a call. If the installed version lacks one of its arguments, that is one difference."""
        if not inputs or what in self._lacking:
            return
        try:
            theirs = call(self.ref)
        except TypeError as error:
            self._lacking.add(what)
            self.differs(f"{what} cannot be compared: {error}")
            return
        self.check(inputs, call(self.ours), theirs, what)


def of_decoded(sp: Any, row: list[int]) -> Any:
    """The offset mapping of ids; or that there is none, because a denormalizer has changed the text."""
    try:
        return sp.decode(row, return_type="offset_mapping")
    except ValueError:
        return ValueError


def is_common_ground(text: Text) -> bool:
    """Whether a lossless model must give the original's ids for this text."""
    try:
        return "\u2581" not in (text if isinstance(text, str) else text.decode())
    except UnicodeDecodeError:
        return False


def comparisons(args: argparse.Namespace) -> Iterator[Comparison]:
    """One for each model."""
    lines = read_lines(args.corpus)
    for path in args.models:
        case = ModelComparison(path, args.seed, args.places)
        if args.joined:
            case.run(" ".join(read_lines([corpus])) for corpus in args.corpus)
        case.run(lines)
        case.run(Generator(case.tok, lines, args.seed).texts(args.generated))
        yield case


if __name__ == "__main__":
    parser = parser_of(__doc__, generated=0, seed=1)
    parser.add_argument("models", type=Path, nargs="+", metavar="MODEL")
    parser.add_argument("--places", action="store_true", help="compare the places of pieces too (slower)")
    parser.add_argument("--joined", action="store_true", help="compare each corpus as one line too")
    sys.exit(run(parser, comparisons))
