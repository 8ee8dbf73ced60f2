from typing import final

from spm_lite.segment.segmenter import Segmenter

@final
class PieceReach:
    def __init__(self, segmenter: Segmenter) -> None: ...

class PrefixCounts:
    def __init__(self, segmenter: Segmenter, pieces: PieceReach, skips_spaces: bool, escapes_spaces: bool) -> None: ...

@final
class UnigramPrefixes(PrefixCounts): ...

@final
class MergedPrefixes(PrefixCounts): ...

@final
class WordPrefixes(PrefixCounts): ...
