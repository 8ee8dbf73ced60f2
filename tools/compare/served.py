"""Compare how accelerated tokenizers decode ids as they come, as servers do, with tokenizers.

    python tools/compare/served.py [--folders FOLDER] [--strings 2000] [--only NAME...]

Each folder with a tokenizer.json is loaded as PreTrainedTokenizerFast. Ids of texts, with random ids between them, go
through `DecodeStream` of tokenizers and through ours one by one, after prompts of some length: vLLM decodes so. Then
lists of a few ids are decoded as SGLang does it. The line of a folder ends with the share of ids of the texts whose
text, or whose bytes, are looked up.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from typing import Any

from accelerated import texts_of, tokenizer_of
from comparison import Comparison, folders_of, parser_of_folders, run
from tokenizers.decoders import DecodeStream

from spm_lite.transformers import accelerate
from spm_lite.transformers.decode_steps import REFUSED, DecodeSteps
from spm_lite.transformers.fixed_texts import fixed_texts

REPLACEMENT = "\ufffd"
LONGEST = 200  # ids of a text


def steps(kind: Any, tokenizer: Any, prompt: list[int], ids: list[int], skips: bool) -> list[str | None]:
    """What each id gives. After text that a later id changed, a new stream begins, as in vLLM."""
    stream, found = kind(ids=prompt, skip_special_tokens=skips), []
    for i in ids:
        try:
            found.append(stream.step(tokenizer, i))
        except Exception as error:
            if not str(error).startswith(REFUSED):
                raise
            stream = kind(skip_special_tokens=skips)
            found.append(stream.step(tokenizer, i))
    return found


def compare_one(case: Comparison, both: tuple[Any, Any], ids: list[int], rng: random.Random) -> None:
    """Compare the steps of some ids, and the texts of short lists of them. both: the original, and our backend."""
    original, backend = both
    for skips in (False, True):
        at = rng.randrange(len(ids))
        if original.decode(ids[:at], skip_special_tokens=skips).endswith(REPLACEMENT):
            at = 0  # tokenizers gives such a prompt again
        theirs = steps(DecodeStream, original, ids[:at], ids[at:], skips)
        own = steps(DecodeSteps, backend, ids[:at], ids[at:], skips)
        case.counts["steps"] += len(own)
        case.check([f"step {i} of {ids}" for i in range(len(own))], own, theirs, "text")
        texts = fixed_texts(backend._current(), skips)
        for begin in range(0, len(ids) - 6, 7):
            row = ids[begin : begin + rng.randrange(1, 7)]
            found = texts.joined(row)
            if found is not None:
                case.counts["rows"] += 1
                case.check([row], [found], [original.decode(row, skip_special_tokens=skips)], "text")


def comparisons(args: argparse.Namespace) -> Iterator[Comparison]:
    """A case for each folder."""
    for folder in folders_of(args):
        tok = tokenizer_of(folder)
        original, backend = tok._tokenizer, accelerate(tok)._tokenizer
        original.no_padding()
        case = Comparison(folder.name)
        rng = random.Random(args.seed)
        size = original.get_vocab_size(with_added_tokens=True)
        special = sorted(original.get_added_tokens_decoder())
        texts = fixed_texts(backend._current(), True)
        n_ids = n_fixed = 0
        for text in texts_of(folder, args.strings, args.seed):
            ids = original.encode(text).ids[:LONGEST]
            if not ids:
                continue
            n_ids += len(ids)
            n_fixed += sum(texts[i] is not None or texts.part(i) is not None for i in ids)
            compare_one(case, (original, backend), ids, rng)
            others = [rng.randrange(size + 3), *special[:9]]
            mixed = [rng.choice(others) if rng.random() < 0.2 else i for i in ids]
            compare_one(case, (original, backend), mixed, rng)
        case.note = f"{n_fixed / max(n_ids, 1):.1%} of ids are looked up"
        yield case


def main() -> int:
    """Compare, and return the exit status."""
    return run(parser_of_folders(__doc__), comparisons)


if __name__ == "__main__":
    sys.exit(main())
