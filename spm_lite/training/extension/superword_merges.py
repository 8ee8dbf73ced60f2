"""New pieces of BPE models that cross spaces: continued merges on the phrases of a text.

Phrases are cut where the tokens around a space are rarer together than a floor. If a merge is rarer than the floor in
the end, the floor was too high: it is lowered, and all is done again. So the merges are those of the whole phrases.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spm_lite.encode.segment.segmenter import make_segmenter
from spm_lite.training.counts.phrase_cutter import PhraseCutter
from spm_lite.training.extension.continued_merges import NewPiece, Wishes, merged_pieces

if TYPE_CHECKING:
    from spm_lite.training.counts.chunk_table import ChunkTable
    from spm_lite.training.extension.model_training import ModelTraining
    from spm_lite.vocab.vocab import Vocab

LOWERED = 4  # a floor that was too high is divided by this
JUNCTIONS = 3  # frequent pairs of tokens at spaces for each new piece, as a first guess: few are left out


def superword_merges(run: ModelTraining, words: ChunkTable, vocab: Vocab, wishes: Wishes) -> list[NewPiece]:
    """The new pieces of a BPE model in the order of their ids; fewer than wanted if the text has no more.

    words: the chunks of the phrases of `run`.
    """
    cutter = PhraseCutter(words, run.counting.cut_rules(), make_segmenter(vocab, run.spec.model_type, False))
    for block in run.phrases:
        cutter.count(block)
    floor = cutter.likely_floor(JUNCTIONS * wishes.n_new)
    while True:
        pieces = merged_pieces(run, cutter.cut(run.phrases, floor), vocab, wishes, floor)
        rarest = min((piece.count for piece in pieces if piece.parts), default=0)
        if floor == 1 or (len(pieces) == wishes.n_new and rarest >= floor):
            return pieces
        floor = max(1, floor // LOWERED)
