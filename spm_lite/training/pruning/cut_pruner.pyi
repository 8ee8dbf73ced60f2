from collections.abc import Iterable, Sequence
from typing import final

from spm_lite.training.pruning.piece_pruner import PiecePruner
from spm_lite.vocab.vocab import Vocab

@final
class CutPruner(PiecePruner):
    def __new__(cls, vocab: Vocab, counts: Sequence[int], may_go: Iterable[int], dead: Iterable[int]) -> CutPruner: ...
