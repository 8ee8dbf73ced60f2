from typing import final

from spm_lite.encode.segment.segmenter import Segmenter

@final
class ByteSegmenter(Segmenter): ...
