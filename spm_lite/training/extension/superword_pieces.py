"""New pieces that cross spaces, from the phrases of a text: continued merges of BPE, or seeds and EM of Unigram.

Phrases are cut where the tokens around a space are rarer together than a floor. If pieces are missing in the end, or a
merge is rarer than the floor, the floor was too high: it is lowered, and all is done again. So the merges are those of
the whole phrases. For Unigram, the rare places that are cut away are left out of EM.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

from spm_lite.encode.segment.segmenter import make_segmenter
from spm_lite.training.counts.phrase_cutter import PhraseCutter
from spm_lite.training.extension.continued_merges import NewPiece, Wishes, merged_pieces
from spm_lite.training.extension.new_texts import ALL
from spm_lite.training.extension.new_unigram_pieces import learned_pieces

if TYPE_CHECKING:
    from spm_lite.training.counts.chunk_table import ChunkTable
    from spm_lite.training.extension.model_training import ModelTraining
    from spm_lite.vocab.vocab import Vocab

# Frequent pairs of tokens at spaces for each new piece, which decide the first floor. On 15 MB of novels, the last of
# 6,400 to 16,000 merges was above it. With half as many for Unigram, texts had 2 % more tokens.
PAIRS_FOR_MERGES, PAIRS_FOR_UNIGRAM = 3, 2
LOWERED = 4  # a floor that was too high is divided by this


def superword_pieces(run: ModelTraining, words: ChunkTable, vocab: Vocab, wishes: Wishes) -> list[NewPiece]:
    """The new pieces in the order of their ids; fewer than wanted if the text has no more.

    words: the chunks of the phrases of `run`.
    """
    model_type = run.counting.spec.model_type
    cutter = PhraseCutter(words, run.counting.cut_rules(), make_segmenter(vocab, model_type, False))
    for block in run.counting.phrases:
        cutter.count(block)

    def parts(floor: int, is_sorted: bool = False) -> ChunkTable:
        with run.counting.new_spill(True, True) or nullcontext() as spill:
            return cutter.cut(run.counting.phrases, floor, is_sorted, spill)

    is_unigram = model_type == "unigram"
    if is_unigram:
        wishes = wishes._replace(only=wishes.only or ALL)
    floor = cutter.likely_floor((PAIRS_FOR_UNIGRAM if is_unigram else PAIRS_FOR_MERGES) * wishes.n_new)
    while True:
        if is_unigram:
            pieces = learned_pieces(run, parts(floor, True), vocab, wishes)
            rarest = floor
        else:
            pieces = merged_pieces(run, parts(floor), vocab, wishes, floor)
            rarest = min((piece.weight for piece in pieces if piece.parts), default=0)
        if floor == 1 or (len(pieces) == wishes.n_new and rarest >= floor):
            return pieces
        floor = max(1, floor // LOWERED)
