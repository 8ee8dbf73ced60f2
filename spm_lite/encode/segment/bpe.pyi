from typing import final

from spm_lite.encode.segment.segmenter import Scratch, Segmenter

@final
class BpeScratch(Scratch): ...

@final
class BpeSegmenter(Segmenter): ...
