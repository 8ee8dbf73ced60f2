from collections.abc import Iterable
from typing import final

from spm_lite.training.bpe.language_merger import LanguageMerger

SPACE: str

@final
class ParityTrainer(LanguageMerger):
    def __init__(
        self,
        window: int = 0,
        alpha: float = 2.0,
        floor: float = 0.0,
        global_merges: int = 0,
        most_tokens: Iterable[float] = (),
    ) -> None: ...
    def outcome(self) -> list[tuple[int, int, bool]]: ...
    def plain_merges(self) -> int: ...
    def forced_at(self) -> int: ...
