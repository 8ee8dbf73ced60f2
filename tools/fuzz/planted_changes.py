"""Plant changes in tokenizer files, and count how many a lock finds by ids and decoded texts alone.

    python tools/fuzz/planted_changes.py FILE... [--changes N] [--seed N] [--corpus FILE...] [--show]

Each FILE is a model of SentencePiece or a tokenizer.json. It is locked, and checked with N changes: two merges swapped,
a score, a rule of normalization, a flag, a special token, a split pattern, two ids ... At first no part of the lock but
the rows of texts counts: those that are the same for all models, then also those of the locked model. The third share
is of the whole check, as the command makes it: it also compares digests of pieces, scores and settings. A change may
change no ids. So one that no text of the lock shows, no line of the corpus and no random string of pieces, is counted
apart. The exit status is 1 if fewer than 95 of 100 others are found by texts.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import struct
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import spm_lite
from spm_lite.formats.proof.conversion import random_texts
from spm_lite.kinds import CONTROL, NORMAL
from spm_lite.normalize.rules.charsmap import Charsmap
from spm_lite.normalize.rules.compile import compile_blob
from spm_lite.vocab.messages import serialize

Draw = random.Random
SHIPPED = ("hard", "characters")
ENOUGH = 0.95  # of the changes that are there
N_RANDOM = 20_000  # strings of pieces, to see whether a change does anything
FLAGS = ("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces")
PATTERN = r"[^\s]+|\s+"


def two_of(draw: Draw, items: list[Any]) -> tuple[Any, Any]:
    """Two different items."""
    if len(items) < 2:
        raise LookupError
    left, right = draw.sample(items, 2)
    return left, right


def long_pieces(message: Any) -> list[Any]:
    """The pieces that merges make, or that have a score of their own."""
    return [piece for piece in message.pieces if piece.type == NORMAL and len(piece.piece) > 1]


def swap_merges(message: Any, draw: Draw) -> None:
    if message.trainer_spec.model_type != 2:
        raise LookupError
    left, right = two_of(draw, long_pieces(message))
    left.score, right.score = right.score, left.score


def change_score(message: Any, draw: Draw) -> None:
    if message.trainer_spec.model_type != 1:
        raise LookupError
    draw.choice(long_pieces(message)).score += draw.choice((-1, 1)) * draw.uniform(0.5, 4)


def swap_ids(message: Any, draw: Draw) -> None:
    left, right = two_of(draw, long_pieces(message))
    left.piece, right.piece = right.piece, left.piece


def rename_piece(message: Any, draw: Draw) -> None:
    draw.choice(long_pieces(message)).piece += draw.choice("qxz\u00e9")


def rename_special(message: Any, draw: Draw) -> None:
    draw.choice([piece for piece in message.pieces if piece.type == CONTROL]).piece += "x"


def special_kind(message: Any, draw: Draw) -> None:
    draw.choice([piece for piece in message.pieces if piece.type == CONTROL]).type = draw.choice((1, 4))


def drop_or_change_rule(message: Any, draw: Draw) -> None:
    rules = dict(Charsmap(message.normalizer_spec.precompiled_charsmap).decompile())
    size = draw.choice((1, 1, 2, 3))  # nine of ten rules are about three jamo
    source = draw.choice(sorted(source for source in rules if len(source) == size))
    if draw.random() < 0.5:
        del rules[source]
    else:
        rules[source] = rules[source] + "q"
    data = {source.encode(): target.encode() for source, target in rules.items()}
    message.normalizer_spec.precompiled_charsmap = compile_blob(data)


def flip(name: str) -> Callable[[Any, Draw], None]:
    def change(message: Any, draw: Draw) -> None:
        spec = message.normalizer_spec if name in FLAGS else message.trainer_spec
        setattr(spec, name, not getattr(spec, name))

    return change


MODEL_CHANGES: dict[str, Callable[[Any, Draw], None]] = {
    "two merges swapped": swap_merges,
    "a score changed": change_score,
    "two ids swapped": swap_ids,
    "a piece renamed": rename_piece,
    "a special token renamed": rename_special,
    "a special token of another kind": special_kind,
    "a rule of normalization dropped or changed": drop_or_change_rule,
    **{f"{name} flipped": flip(name) for name in (*FLAGS, "byte_fallback", "treat_whitespace_as_suffix")},
}


def json_merges(parts: Any, draw: Draw) -> None:
    merges = parts["model"]["merges"]
    i, k = two_of(draw, [*range(len(merges))])
    merges[i], merges[k] = merges[k], merges[i]


def json_score(parts: Any, draw: Draw) -> None:
    if parts["model"]["type"] != "Unigram":
        raise LookupError
    entry = draw.choice([entry for entry in parts["model"]["vocab"] if len(entry[0]) > 1 and entry[1] < 0])
    entry[1] += draw.choice((-1, 1)) * draw.uniform(0.5, 4)


def json_ids(parts: Any, draw: Draw) -> None:
    vocab = parts["model"]["vocab"]
    added = {token["content"] for token in parts.get("added_tokens") or ()}
    if isinstance(vocab, list):
        left, right = two_of(draw, [i for i, entry in enumerate(vocab) if entry[0] not in added])
        vocab[left][0], vocab[right][0] = vocab[right][0], vocab[left][0]
    else:
        a, b = two_of(draw, [name for name in vocab if name not in added])
        vocab[a], vocab[b] = vocab[b], vocab[a]


def json_added_flag(parts: Any, draw: Draw) -> None:
    token, name = draw.choice(parts["added_tokens"]), draw.choice(("lstrip", "rstrip", "single_word"))
    token[name] = not token[name]


def json_added_drop(parts: Any, draw: Draw) -> None:
    parts["added_tokens"].remove(draw.choice(parts["added_tokens"]))


def json_normalizer(parts: Any, draw: Draw) -> None:
    parts["normalizer"] = None if parts.get("normalizer") else {"type": "NFKC"}


def json_lowercase(parts: Any, draw: Draw) -> None:
    steps = [parts["normalizer"]] if parts.get("normalizer") else []
    parts["normalizer"] = {"type": "Sequence", "normalizers": [*steps, {"type": "Lowercase"}]}


def inner_parts(part: Any) -> Iterator[Any]:
    """A component and the components in it."""
    if isinstance(part, dict):
        yield part
        for value in part.values():
            yield from inner_parts(value)
    elif isinstance(part, list):
        for value in part:
            yield from inner_parts(value)


def json_split(parts: Any, draw: Draw) -> None:
    cuts = [part for part in inner_parts(parts.get("pre_tokenizer")) if part.get("type") in ("Split", "ByteLevel")]
    cut = draw.choice(cuts)
    if cut["type"] == "Split":
        cut["pattern"] = {"Regex": PATTERN}
    else:
        cut["use_regex"] = not cut.get("use_regex", True)


def json_flag(parts: Any, draw: Draw) -> None:
    flags = [
        (part, name) for part in inner_parts([parts["model"], parts.get("normalizer"), parts.get("pre_tokenizer")])
        for name, value in part.items() if isinstance(value, bool)
    ]  # fmt: skip
    part, name = draw.choice(flags)
    part[name] = not part[name]


JSON_CHANGES: dict[str, Callable[[Any, Draw], None]] = {
    "two merges swapped": json_merges,
    "a score changed": json_score,
    "two ids swapped": json_ids,
    "a flag of an added token flipped": json_added_flag,
    "an added token dropped": json_added_drop,
    "the normalizer dropped or set": json_normalizer,
    "lower case": json_lowercase,
    "the split pattern changed": json_split,
    "a flag of a component flipped": json_flag,
}


def changed_files(path: Path, n: int, draw: Draw) -> Iterator[tuple[str, bytes]]:
    """(kind, bytes) of changed files; a change that has no place in this file is another one."""
    data = path.read_bytes()
    is_json = path.suffix == ".json"
    whole = json.loads(data) if is_json else spm_lite.load(path)._file.message()
    changes = JSON_CHANGES if is_json else MODEL_CHANGES
    while n:
        kind = draw.choice(list(changes))
        new = copy.deepcopy(whole)
        try:
            changes[kind](new, draw)
        except (LookupError, KeyError, TypeError):
            continue
        yield kind, json.dumps(new).encode() if is_json else serialize(new)
        n -= 1


class Tally:
    """How many changes of a kind were planted, and by what they were found."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()

    def add(self, kind: str, outcome: str, is_same: bool = False) -> None:
        self.counts[kind, outcome] += 1
        self.counts[kind, REPORTED] += outcome in THERE and not is_same

    def row(self, kinds: list[str], name: str) -> str:
        """A line of the table."""
        shipped, pieces, missed, silent, refused, reported = (
            sum(self.counts[kind, outcome] for kind in kinds) for outcome in (*OUTCOMES, REPORTED)
        )
        there = shipped + pieces + missed
        shares = (shipped / there, (shipped + pieces) / there, reported / there) if there else ()
        share = " ".join(f"{one:6.1%}" for one in shares) or "     -      -      -"
        return f"{name:<44} {there:5} {share} {missed:6} {silent:6} {refused:7}"


THERE = ("shipped", "pieces", "missed")
OUTCOMES = (*THERE, "silent", "refused")
REPORTED = "reported"  # by the whole check
HEADER = f"{'change':<44} there corpus +piece  check missed silent refused"


def outcome_of(found: Any, tok: Any, other: Any, texts: list[str]) -> str:
    """By what texts a change is found, or why it is not. found: what the check says."""
    if any(found.differ[suite] for suite in SHIPPED):
        return "shipped"
    if found.differ["pieces"] or found.differ.get("tokens"):
        return "pieces"
    more = [*texts, *random_texts([tok.id_to_piece(i) for i in range(len(tok))], N_RANDOM, 7)]
    ours, theirs = tok.encode_lists(more), other.encode_lists(more)
    return "silent" if ours == theirs and tok.decode_batch(ours) == other.decode_batch(ours) else "missed"


def main(argv: list[str] | None = None) -> int:
    """Plant the changes; 1: too few were found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--changes", type=int, default=20, metavar="N", help="of each file [20]")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    parser.add_argument("--corpus", type=Path, nargs="*", default=[], metavar="FILE", help="lines that show a change")
    parser.add_argument("--show", action="store_true", help="name each change that is not found")
    options = parser.parse_args(argv)
    texts = [line for path in options.corpus for line in path.read_text(encoding="utf-8").split("\n")[::20]]
    draw, tally, kinds = Draw(options.seed), Tally(), dict.fromkeys((*MODEL_CHANGES, *JSON_CHANGES))
    for path in options.files:
        tok = spm_lite.load(path)
        lock = spm_lite.lock(tok)
        for kind, data in changed_files(path, options.changes, draw):
            try:
                other = spm_lite.load(data)
            except (spm_lite.SpmLiteError, struct.error):
                tally.add(kind, "refused")
                continue
            found = lock.check(other)
            outcome = outcome_of(found, tok, other, texts)
            tally.add(kind, outcome, found.same)
            if options.show and outcome in ("missed", "silent"):
                print(f"{path}: {kind}: {outcome}", flush=True)
    print(HEADER)
    for kind in kinds:
        print(tally.row([kind], kind))
    print(tally.row(list(kinds), "all"))
    counts = Counter(outcome for _, outcome in tally.counts.elements())
    return int(counts["missed"] > (1 - ENOUGH) * sum(counts[outcome] for outcome in THERE))


if __name__ == "__main__":
    sys.exit(main())
