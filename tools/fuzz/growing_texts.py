"""Compare growing texts with the whole text encoded anew, under random edits.

    python tools/fuzz/growing_texts.py MODEL... [--edits N] [--seed N]

MODEL: files or folders for `spm_lite.load`. Edits: append, append of ids, replace, branch; the twin is that of the
tests. Some texts are long, and have points of the encoder every few bytes.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

import numpy as np
from oracle.growing_texts import text_of, try_edits

import spm_lite
from spm_lite.encode.growing_part import GrowingPart
from spm_lite.formats.proof.conditions import REFUSALS


def ids_of(part: GrowingPart) -> list[int]:
    """The ids of a part."""
    return [i for block, n in part.ids() for i in np.frombuffer(block, np.int32, n).tolist()]  # type: ignore[call-overload]


def try_part(tok: spm_lite.Tokenizer, n: int, seed: int) -> None:
    """Edit one text, with points so near one another that each edit meets them."""
    rng = random.Random(seed)
    encoder = tok._variants.encoder()
    part, text = GrowingPart(encoder, rng.choice([1, 8, 64, 512])), ""
    for _ in range(n):
        new = text_of(rng, 40)
        if rng.random() < 0.4 or not text:
            part.append(new)
            text += new
        else:
            begin = rng.randrange(len(text) + 1)
            end = min(len(text), begin + rng.choice([0, 1, 5, 60]))
            part.replace(part.byte_of(begin), part.byte_of(end), new)
            text = text[:begin] + new + text[end:]
        if rng.random() < 0.1:
            part = part.branch()
        assert ids_of(part) == encoder.encode(text), (tok, text)


def main() -> int:
    """Try all models; 1 if any differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--edits", type=int, default=2000, help="of each model")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    wrong = 0
    for name in args.models:
        begin = time.perf_counter()
        tok = spm_lite.load(name, allow=[*REFUSALS])
        resumes = GrowingPart(tok.growing("a")._segments[0].encoder).resumes
        try:
            try_edits(tok, args.edits, args.seed)
            for i in range(max(1, args.edits // 1000)):
                try_part(tok, 100, args.seed + i)
            found = "0 differences"
        except AssertionError as error:
            wrong += 1
            found = f"differs: {error!s:.500}"
        how = "goes on from points" if resumes else "encodes the whole"
        print(f"{name}: {args.edits} edits, {how}, {found}, {time.perf_counter() - begin:.1f} s", flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
