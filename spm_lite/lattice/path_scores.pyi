from typing import final

from spm_lite.segment.segmenter import Segmenter

@final
class PathScores:
    def __init__(self, segmenter: Segmenter) -> None: ...
    @property
    def segmenter(self) -> Segmenter: ...
    @property
    def is_merging(self) -> bool: ...
