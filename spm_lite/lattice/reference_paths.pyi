from typing import final

from spm_lite.base.structures.random import Random
from spm_lite.encode.encoded_text import EncodedText
from spm_lite.encode.encoder import Encoder

@final
class PathScratch: ...

@final
class ReferencePaths:
    def __new__(cls, encoder: Encoder) -> ReferencePaths: ...
    @property
    def can_list(self) -> bool: ...
    @property
    def can_sample(self) -> bool: ...
    def nbest_limited(self, text: str | bytes, n: int, timeout_ms: int) -> list[tuple[EncodedText, float]]: ...
    def nbest_ids(self, text: str | bytes, n: int, timeout_ms: int) -> list[list[int]]: ...
    def sample_limited(
        self, text: str | bytes, nbest_size: int, alpha: float, random: Random, timeout_ms: int
    ) -> EncodedText: ...
    def sample_ids(
        self, text: str | bytes, nbest_size: int, alpha: float, random: Random, timeout_ms: int
    ) -> list[int]: ...
    def sample_scored(
        self,
        text: str | bytes,
        n_samples: int,
        alpha: float,
        without_replacement: bool,
        include_best: bool,
        random: Random,
    ) -> list[tuple[EncodedText, float]]: ...
    def entropy(self, text: str | bytes, alpha: float) -> float: ...
