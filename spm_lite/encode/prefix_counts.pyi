from typing import final

from spm_lite.encode.segment.segmenter import Segmenter

@final
class PieceReach:
    def __new__(cls, segmenter: Segmenter) -> PieceReach: ...

class PrefixCounts:
    def __new__(
        cls, segmenter: Segmenter, pieces: PieceReach, skips_spaces: bool, escapes_spaces: bool
    ) -> PrefixCounts: ...

@final
class UnigramPrefixes(PrefixCounts): ...

@final
class MergedPrefixes(PrefixCounts): ...

@final
class WordPrefixes(PrefixCounts): ...

@final
class WordPiecePrefixes(PrefixCounts): ...

@final
class PartPrefixes(PrefixCounts): ...
