from typing import final

from spm_lite.segment.segmenter import Segmenter

@final
class PieceBytes:
    def __init__(self, segmenter: Segmenter) -> None: ...

class Prefixes:
    def __init__(self, segmenter: Segmenter, pieces: PieceBytes, skips_spaces: bool, escapes_spaces: bool) -> None: ...

@final
class UnigramPrefixes(Prefixes): ...

@final
class MergedPrefixes(Prefixes): ...

@final
class WordPrefixes(Prefixes): ...
