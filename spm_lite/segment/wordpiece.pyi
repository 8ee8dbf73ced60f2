from typing import final

from spm_lite.normalize.normalizer import Normalizer
from spm_lite.segment.segmenter import Scratch, Segmenter

@final
class WordPieceScratch(Scratch): ...

@final
class WordPieceSegmenter(Segmenter): ...

def words_of(text: bytes, normalizer: Normalizer, segmenter: WordPieceSegmenter) -> list[bytes]: ...
