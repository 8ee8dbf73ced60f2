from typing import final

from spm_lite.encode.segment.segmenter import Scratch, Segmenter
from spm_lite.normalize.normalizer import Normalizer

@final
class WordPieceScratch(Scratch): ...

@final
class WordPieceSegmenter(Segmenter): ...

def words_of(text: bytes, normalizer: Normalizer, segmenter: WordPieceSegmenter) -> list[bytes]: ...
