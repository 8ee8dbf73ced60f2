from typing import final

from spm_lite.segment.segmenter import Segmenter

@final
class ByteSegmenter(Segmenter): ...
