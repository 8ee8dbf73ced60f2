"""What one call of the drop-in costs, beside sentencepiece 0.2.3 in the same run: short texts, the usual return types.

    python tools/bench/calls.py MODEL...

Microseconds per call, the best of several repeats (the rest is what else the machine did), and the ratio.
"""

from __future__ import annotations

import argparse
import timeit
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import sentencepiece

import spm_lite

TEXT = "I saw a girl with a telescope."
REPEATS = 9
CALLS: dict[str, Callable[[Any, list[int], list[str]], Any]] = {
    "encode -> ids": lambda sp, ids, pieces: sp.encode(TEXT),
    "encode -> str": lambda sp, ids, pieces: sp.encode(TEXT, return_type=str),
    "EncodeAsIds": lambda sp, ids, pieces: sp.EncodeAsIds(TEXT),
    "encode, add_bos": lambda sp, ids, pieces: sp.encode(TEXT, add_bos=True),
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


def best(call: Callable[[], Any], count: int) -> float:
    """Microseconds of one call."""
    return min(timeit.repeat(call, number=count, repeat=REPEATS)) / count * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", metavar="MODEL")
    for path in parser.parse_args().models:
        theirs = sentencepiece.SentencePieceProcessor(model_file=path)
        ours = spm_lite.SentencePieceProcessor(model_file=path)
        ids, pieces = theirs.encode(TEXT), theirs.encode(TEXT, return_type=str)
        print(f"{Path(path).name:27} spm_lite  sentencepiece  ratio")
        for name, call in CALLS.items():
            count = 20 if "1,000" in name else 3000
            own, other = (best(partial(call, sp, ids, pieces), count) for sp in (ours, theirs))
            print(f"  {name:25} {own:8.2f} {other:14.2f} {other / own:6.2f}")


if __name__ == "__main__":
    main()
