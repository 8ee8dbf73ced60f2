from typing import final

from spm_lite.encode.segment.segmenter import Segmenter

@final
class PathScores:
    def __new__(cls, segmenter: Segmenter) -> PathScores: ...
    @property
    def segmenter(self) -> Segmenter: ...
    @property
    def is_merging(self) -> bool: ...
