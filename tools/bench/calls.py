"""What calls of the drop-in cost: beside sentencepiece 0.2.3, and beside the native call that does the same work.

    python tools/bench/calls.py MODEL... [--corpus FILE]

First short texts beside sentencepiece: microseconds a call, the best of several repeats, and the ratio. Then every
method and every shape of input beside the native face: milliseconds, medians, the ratio, and the ratio it may have.
"""

from __future__ import annotations

import argparse
import statistics
import time
import timeit
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import sentencepiece

import spm_lite

TEXT = "I saw a girl with a telescope."
REPEATS = 9
LINES = 20_000
DOCUMENT_CHARACTERS = 6_000_000
CALLS: dict[str, Callable[[Any, list[int], list[str]], Any]] = {
    "encode -> ids": lambda sp, ids, pieces: sp.encode(TEXT),
    "encode -> str": lambda sp, ids, pieces: sp.encode(TEXT, return_type=str),
    "EncodeAsIds": lambda sp, ids, pieces: sp.EncodeAsIds(TEXT),
    "encode, add_eos": lambda sp, ids, pieces: sp.encode(TEXT, add_eos=True),
    "encode -> proto": lambda sp, ids, pieces: sp.encode(TEXT, return_type="proto"),
    "encode -> serialized": lambda sp, ids, pieces: sp.encode(TEXT, return_type="serialized_proto"),
    "encode -> offset_mapping": lambda sp, ids, pieces: sp.encode(TEXT, return_type="offset_mapping"),
    "decode ids": lambda sp, ids, pieces: sp.decode(ids),
    "decode pieces": lambda sp, ids, pieces: sp.decode(pieces),
    "decode one id": lambda sp, ids, pieces: sp.decode(50),
    "decode -> serialized": lambda sp, ids, pieces: sp.decode(ids, return_type="serialized_proto"),
    "id_to_piece": lambda sp, ids, pieces: sp.id_to_piece(50),
    "piece_to_id": lambda sp, ids, pieces: sp.piece_to_id("the"),
    "get_score": lambda sp, ids, pieces: sp.get_score(50),
    "is_control": lambda sp, ids, pieces: sp.is_control(50),
    "id_to_piece, all": lambda sp, ids, pieces: sp.id_to_piece(ids),
    "piece_to_id, all": lambda sp, ids, pieces: sp.piece_to_id(pieces),
    "get_score, all": lambda sp, ids, pieces: sp.get_score(ids),
    "normalize": lambda sp, ids, pieces: sp.normalize(TEXT),
    "normalize with_offsets": lambda sp, ids, pieces: sp.normalize(TEXT, with_offsets=True),
    "encode 1,000 -> ids": lambda sp, ids, pieces: sp.encode([TEXT] * 1000),
    "encode 1,000 -> str": lambda sp, ids, pieces: sp.encode([TEXT] * 1000, return_type=str),
    "decode 1,000 of ids": lambda sp, ids, pieces: sp.decode([ids] * 1000),
    "decode 1,000 of pieces": lambda sp, ids, pieces: sp.decode([pieces] * 1000),
}


class Shape(NamedTuple):
    """A call of the drop-in, the native call that does the same work, and the ratio of times it may have."""

    name: str
    drop_in: Callable[[], Any]
    native: Callable[[], Any]
    bound: float


def best(call: Callable[[], Any], count: int) -> float:
    """Microseconds of one call."""
    return min(timeit.repeat(call, number=count, repeat=REPEATS)) / count * 1e6


def median(call: Callable[[], Any]) -> float:
    """Milliseconds of one call, the median of five after one that warms up; results are freed outside."""
    times = []
    for _ in range(6):
        begin = time.perf_counter()
        result = call()
        times.append((time.perf_counter() - begin) * 1e3)
        del result
    return statistics.median(times[1:])


def objects_of(tok: spm_lite.Tokenizer, texts: list[str]) -> Any:
    """What an offset mapping holds, made of two spans_batch: ids, pieces, and a tuple of two ints for each piece."""
    tok.spans_batch(texts)
    batch, spans = tok.spans_batch(texts)
    begins, ends = spans.T.tolist() if len(spans) else ([], [])
    return batch.to_lists(), list(zip(begins, ends, strict=True)), [tok.pieces(text) for text in texts]


def messages_of(tok: spm_lite.Tokenizer, texts: list[str], data: list[bytes]) -> Any:
    """Two spans_batch, and messages parsed from their bytes."""
    from spm_lite.vocab.messages import read_message

    tok.spans_batch(texts)
    return tok.spans_batch(texts), [read_message("SentencePieceText", one) for one in data]


def shapes(sp: Any, tok: spm_lite.Tokenizer, document: str, lines: list[str]) -> list[Shape]:
    """Every method and every shape of input."""
    import numpy as np

    ids, one = tok.encode_lists(lines), tok.encode(document)
    arrays, flat = [np.array(row) for row in ids], np.array(one)
    pieces = [tok.pieces(line) for line in lines]
    data = sp.encode(lines, return_type="serialized_proto")
    decode_pieces = tok._decoder.decode_pieces
    batch = tok.encode_batch(lines)
    found = [
        Shape("one document -> ids", lambda: sp.encode(document), lambda: tok.encode(document), 1.5),
        Shape(
            "one document -> numpy",
            lambda: sp.encode(document, return_type="numpy"),
            lambda: tok.encode_batch([document]),
            1.5,
        ),
        Shape(
            "one document -> numpy, reversed",
            lambda: sp.encode(document, return_type="numpy", reverse=True),
            lambda: tok.encode_batch([document]).ids[::-1],
            1.5,
        ),
        Shape("one document -> str", lambda: sp.encode(document, return_type=str), lambda: tok.pieces(document), 1.5),
        Shape(
            "one document -> offsets",
            lambda: sp.encode(document, return_type="offset_mapping"),
            lambda: objects_of(tok, [document]),
            1.0,
        ),
        Shape("list -> ids", lambda: sp.encode(lines), lambda: tok.encode_lists(lines), 1.5),
        Shape(
            "list -> numpy",
            lambda: sp.encode(lines, return_type="numpy"),
            lambda: list(tok.encode_batch(lines)),
            1.5,
        ),
        Shape(
            "list -> str",
            lambda: sp.encode(lines, return_type=str),
            lambda: [tok.pieces(line) for line in lines],
            1.5,
        ),
        Shape(
            "list -> offsets",
            lambda: sp.encode(lines, return_type="offset_mapping"),
            lambda: objects_of(tok, lines),
            1.0,
        ),
        Shape(
            "list -> serialized",
            lambda: sp.encode(lines, return_type="serialized_proto"),
            lambda: (tok.spans_batch(lines), tok.spans_batch(lines)),
            1.0,
        ),
        Shape(
            "list -> proto",
            lambda: sp.encode(lines, return_type="proto"),
            lambda: messages_of(tok, lines, data),
            1.0,
        ),
        Shape("EncodeAsIds, list", lambda: sp.EncodeAsIds(lines), lambda: tok.encode_lists(lines), 1.5),
        Shape(
            "parallel_encode, list",
            lambda: sp.parallel_encode(lines, chunk_len=1000),
            lambda: tok.encode_lists(lines),
            1.5,
        ),
        Shape("decode, list of lists", lambda: sp.decode(ids), lambda: tok.decode_batch(ids), 1.5),
        Shape("decode, list of arrays", lambda: sp.decode(arrays), lambda: tok.decode_batch(arrays), 1.5),
        Shape("decode, one list", lambda: sp.decode(one), lambda: tok.decode(one), 1.5),
        Shape("decode, one array", lambda: sp.decode(flat), lambda: tok.decode(flat), 1.5),
        Shape(
            "decode, lists of pieces",
            lambda: sp.decode(pieces),
            lambda: [decode_pieces(row, False, True) for row in pieces],
            1.5,
        ),
        Shape(
            "decode, list -> bytes",
            lambda: sp.decode(ids, return_type=bytes),
            lambda: [tok.decode_bytes(row) for row in ids],
            1.5,
        ),
        Shape("decode, rows of a batch", lambda: sp.decode(list(batch)), lambda: tok.decode_batch(list(batch)), 1.5),
        Shape("short text -> ids", repeated(lambda: sp.encode(TEXT)), repeated(lambda: tok.encode(TEXT)), 4),
        Shape(
            "short text -> numpy",
            repeated(lambda: sp.encode(TEXT, return_type="numpy")),
            repeated(lambda: tok.encode_batch([TEXT])),
            4,
        ),
        Shape(
            "short text -> str",
            repeated(lambda: sp.encode(TEXT, return_type=str)),
            repeated(lambda: tok.pieces(TEXT)),
            4,
        ),
        Shape(
            "short text -> offsets",
            repeated(lambda: sp.encode(TEXT, return_type="offset_mapping")),
            repeated(lambda: (tok.encode(TEXT), tok.pieces(TEXT), tok.spans(TEXT))),
            4,
        ),
        Shape("short text, normalize", repeated(lambda: sp.normalize(TEXT)), repeated(lambda: tok.normalize(TEXT)), 4),
        Shape("short ids -> text", repeated(lambda: sp.decode(ids[0])), repeated(lambda: tok.decode(ids[0])), 4),
    ]
    if tok.model_type in ("unigram", "bpe"):
        found.append(
            Shape(
                "short text, sampled",
                repeated(lambda: sp.encode(TEXT, enable_sampling=True, nbest_size=-1, alpha=0.1)),
                repeated(lambda: tok.sample(TEXT, alpha=0.1, seed=1)),
                4,
            )
        )
    if tok.model_type == "unigram":
        found.append(
            Shape(
                "short text, n-best",
                repeated(lambda: sp.nbest_encode(TEXT, nbest_size=5)),
                repeated(lambda: tok.nbest(TEXT, 5)),
                4,
            )
        )
    return found


def repeated(call: Callable[[], Any]) -> Callable[[], None]:
    """A thousand calls."""

    def calls() -> None:
        for _ in range(1000):
            call()

    return calls


def compare_short(path: str) -> None:
    """Short texts beside sentencepiece."""
    theirs = sentencepiece.SentencePieceProcessor(model_file=path)
    ours = spm_lite.SentencePieceProcessor(model_file=path)
    ids, pieces = theirs.encode(TEXT), theirs.encode(TEXT, return_type=str)
    print(f"{Path(path).name:27} spm_lite  sentencepiece  ratio")
    for name, call in CALLS.items():
        count = 20 if "1,000" in name else 3000
        own, other = (best(partial(call, sp, ids, pieces), count) for sp in (ours, theirs))
        print(f"  {name:25} {own:8.2f} {other:14.2f} {other / own:6.2f}")


def compare_shapes(path: str, corpus: Path) -> None:
    """Every shape beside the native face."""
    text = corpus.read_text(encoding="utf-8")
    sp, tok = spm_lite.SentencePieceProcessor(model_file=path), spm_lite.Tokenizer.load(path)
    print(f"{Path(path).name:32} drop-in    native  ratio  bound")
    for shape in shapes(sp, tok, text[:DOCUMENT_CHARACTERS], text.split("\n")[:LINES]):
        own, other = median(shape.drop_in), median(shape.native)
        mark = "" if own <= shape.bound * other else "  above"
        print(f"  {shape.name:30} {own:7.1f} {other:9.1f} {own / other:6.2f} {shape.bound:6.1f}{mark}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", metavar="MODEL")
    parser.add_argument("--corpus", type=Path, metavar="FILE", help="UTF-8 text for the second table")
    options = parser.parse_args()
    for path in options.models:
        compare_short(path)
        if options.corpus is not None:
            compare_shapes(path, options.corpus)


if __name__ == "__main__":
    main()
