"""New pieces of Unigram models: merges of BPE on the new text are the seeds, and EM and pruning choose among them."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from spm_lite.kinds import NORMAL
from spm_lite.training.alphabet import count_characters
from spm_lite.training.bpe.bpe_trainer import BpeTrainer
from spm_lite.training.extension.continued_merges import CHARACTER, NewPiece, Wishes
from spm_lite.training.extension.new_texts import NEW, new_characters, text_test, wanted_scripts
from spm_lite.training.trainer_interface import Alphabet
from spm_lite.training.unigram.unigram_extender import UnigramExtender
from spm_lite.vocab.appended_pieces import float32

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from spm_lite.training.counts.chunk_table import ChunkTable
    from spm_lite.training.extension.model_training import ModelTraining
    from spm_lite.vocab.vocab import Vocab

LEARNED = "piece"  # why a piece is new
SEEDS = 4  # for each new piece
SUPERWORD_SEEDS = 1.5  # the same for pieces that cross spaces: with 4, novels had 1 % more tokens
MORE_MERGES = 4  # times as many, where too few merges may be pieces, or EM leaves too few of them


def learned_pieces(run: ModelTraining, counts: ChunkTable, vocab: Vocab, wishes: Wishes) -> list[NewPiece]:
    """The new pieces in the order of their ids: characters, then by score; fewer if the text has no more."""
    old = {text_in(vocab, i): vocab.score(i) for i in range(len(vocab)) if vocab.type(i) == NORMAL}
    taken = {text_in(vocab, i) for i in range(len(vocab))}
    characters, _ = count_characters(counts)
    known = {text for text in taken if len(text) == 1}
    wanted = wanted_scripts(wishes.only, known, characters, NEW)
    chosen = new_characters(characters, known, wanted, wishes.coverage, wishes.n_new)
    outside = characters.keys() - known - {*chosen}
    inside = Alphabet.from_items((one, count) for one, count in characters.items() if one not in outside)
    may_be_piece = text_test(taken, outside, wanted, False)
    n_seeds = round((SUPERWORD_SEEDS if run.counting.phrases else SEEDS) * (wishes.n_new - len(chosen)))
    while True:
        seeds = seed_pieces(run, counts, inside, n_seeds, may_be_piece)
        made = UnigramExtender().extend(
            counts, old, chosen, seeds, wishes.n_new, characters, num_threads=run.num_threads, progress=run.progress
        )
        if len(made) == wishes.n_new or len(seeds) < n_seeds or n_seeds == 0:
            break
        n_seeds *= MORE_MERGES  # the first merges of frequent words are used by no text
    scores = {text: float32(score) for text, score in made.items()}
    rest = sorted(scores.keys() - {*chosen}, key=lambda text: (-scores[text], text))
    return [NewPiece(text, scores[text], CHARACTER if text in chosen else LEARNED) for text in [*chosen, *rest]]


def text_in(vocab: Vocab, piece_id: int) -> str:
    """A str, with U+FFFD for bytes that are not UTF-8: no such piece occurs in a text."""
    return vocab.text(piece_id).decode("utf-8", "replace")


def seed_pieces(
    run: ModelTraining, counts: ChunkTable, alphabet: Alphabet, n_seeds: int, may_be_piece: Callable[[Any], bool]
) -> list[str]:
    """The first merges of BPE on the text that may be pieces, `n_seeds` at most."""
    spec = dataclasses.replace(run.spec, model_type="bpe")
    n_merges = n_seeds
    while n_merges > 0:
        trainer = BpeTrainer()
        trainer.least = run.spec.min_count
        learned = trainer.learn(
            counts, alphabet, spec, len(alphabet) + n_merges, num_threads=run.num_threads, progress=run.progress
        )
        merges = [str(text) for text, _ in learned[: trainer.figures["merges"]]]
        seeds = [text for text in merges if may_be_piece(text)][:n_seeds]
        if len(seeds) == n_seeds or len(merges) < n_merges:
            return seeds
        n_merges *= MORE_MERGES
    return []
