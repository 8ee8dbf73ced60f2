"""New pieces of BPE models: characters first where no byte piece spells them, then continued merges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from spm_lite.kinds import BYTE_LEVEL
from spm_lite.training.alphabet import count_characters
from spm_lite.training.bpe.bpe_extender import BpeExtender
from spm_lite.training.extension.new_texts import ALL, new_characters, text_test, wanted_scripts
from spm_lite.training.trainer_interface import Alphabet
from spm_lite.vocab.appended_pieces import LEAST_RANK, further_ranks, last_rank

if TYPE_CHECKING:
    from collections.abc import Iterable

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
    weight: int = 0  # of a merge: how often it counts


def merged_pieces(
    run: ModelTraining, counts: ChunkTable, vocab: Vocab, wishes: Wishes, floor: int = 0
) -> list[NewPiece]:
    """The new pieces of a BPE model in the order of their ids; fewer than wanted if the text has no more.

    floor: as of `BpeExtender.extend`.
    """
    in_bytes = run.spec.model_type in BYTE_LEVEL
    texts = [vocab.text(i) for i in range(len(vocab))]
    taken: list[Any] = texts if in_bytes else [text.decode("utf-8", "replace") for text in texts]
    chosen: list[str] = []
    outside: set[str] = set()
    if in_bytes:
        alphabet = Alphabet.from_items((chr(byte), 0) for byte in range(256))
        chunks = (text for text, _ in counts.items()) if wishes.only else ()
        wanted = wanted_scripts(wishes.only, characters_of(texts), characters_of(chunks), ALL)
    else:
        characters, _ = count_characters(counts)
        known = {text for text in taken if len(text) == 1}
        wanted = wanted_scripts(wishes.only, known, characters, ALL)
        stays = {} if wishes.protect is None else count_characters(wishes.protect)[0]
        chosen = new_characters(characters, known | stays.keys(), wanted, wishes.coverage, wishes.n_new)
        alphabet = Alphabet.from_items((stays | characters).items())
        outside = (characters.keys() | stays.keys()) - known - {*chosen}
    last = last_rank(vocab)
    merges = BpeExtender().extend(
        counts, alphabet, run.spec, wishes.n_new - len(chosen), vocab, last if last else LEAST_RANK,
        text_test(taken, outside, wanted, in_bytes), wishes.protect, run.progress, floor,
    )  # fmt: skip
    scores = further_ranks(last, len(chosen) + len(merges))
    first = [NewPiece(text, next(scores), CHARACTER) for text in chosen]
    return [*first, *(NewPiece(text, next(scores), MERGE, (left, right), count) for text, left, right, count in merges)]


def characters_of(texts: Iterable[bytes]) -> set[str]:
    """What is UTF-8 in bytes of texts, or of pieces that may be parts of characters."""
    return {character for text in texts for character in text.decode("utf-8", "ignore")}
