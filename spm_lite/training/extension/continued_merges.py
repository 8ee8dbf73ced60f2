"""New pieces of BPE models: characters first where no byte piece spells them, then continued merges."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, NamedTuple

from spm_lite.kinds import BYTE_LEVEL
from spm_lite.training.alphabet import count_characters
from spm_lite.training.bpe.bpe_extender import BpeExtender
from spm_lite.training.extension.new_texts import ALL, new_characters, text_test, wanted_scripts
from spm_lite.training.trainer_interface import Alphabet
from spm_lite.vocab.appended_pieces import LEAST_RANK, further_ranks, last_rank

if TYPE_CHECKING:
    from spm_lite.training.counts.chunk_table import ChunkTable
    from spm_lite.training.extension.model_training import ModelTraining
    from spm_lite.vocab.vocab import Vocab

CHARACTER, MERGE = "character", "merge"  # why a piece is new


class Wishes(NamedTuple):
    """What the caller asked of the new pieces, checked."""

    n_new: int
    only: Any
    coverage: float
    protect: ChunkTable | None


class NewPiece(NamedTuple):
    """A piece that a model gets."""

    text: str | bytes
    score: float
    why: str
    parts: tuple[str | bytes, str | bytes] | None = None  # of a merge


def merged_pieces(run: ModelTraining, counts: ChunkTable, vocab: Vocab, wishes: Wishes) -> list[NewPiece]:
    """The new pieces of a BPE model in the order of their ids; fewer than wanted if the text has no more."""
    in_bytes = run.spec.model_type in BYTE_LEVEL
    old = [vocab.text(i) if in_bytes else vocab.text(i).decode("utf-8", "replace") for i in range(len(vocab))]
    if in_bytes:
        alphabet = Alphabet.from_items((chr(byte), 0) for byte in range(256))
        chosen, outside = [], set()
        known = {one for text in old for one in text.decode("utf-8", "ignore")}
        found = {one for text, _ in counts.items() for one in text.decode("utf-8", "ignore")} if wishes.only else set()
        wanted = wanted_scripts(wishes.only, known, found, ALL)
    else:
        characters, _ = count_characters(counts)
        known = {text for text in old if len(text) == 1}
        wanted = wanted_scripts(wishes.only, known, characters, ALL)
        stays = {} if wishes.protect is None else count_characters(wishes.protect)[0]
        chosen = new_characters(characters, known | stays.keys(), wanted, wishes.coverage, wishes.n_new)
        alphabet = Alphabet.from_items((stays | characters).items())
        outside = (characters.keys() | stays.keys()) - known - {*chosen}
    last = last_rank(vocab)
    merges = BpeExtender().extend(
        counts, alphabet, run.spec, wishes.n_new - len(chosen), vocab, last if last else LEAST_RANK,
        text_test(old, outside, wanted, in_bytes), wishes.protect, run.progress,
    )  # fmt: skip
    named = [(text, CHARACTER, None) for text in chosen] + [(text, MERGE, (a, b)) for text, a, b, _ in merges]
    scores = further_ranks(last, len(named))
    return [NewPiece(text, score, why, parts) for (text, why, parts), score in zip(named, scores, strict=True)]
