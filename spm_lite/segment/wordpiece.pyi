from typing import final

from spm_lite.segment.segmenter import Scratch, Segmenter

@final
class WordPieceScratch(Scratch): ...

@final
class WordPieceSegmenter(Segmenter): ...
