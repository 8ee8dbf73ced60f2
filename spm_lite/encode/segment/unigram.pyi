from typing import final

from spm_lite.encode.segment.segmenter import Scratch, Segmenter

@final
class UnigramScratch(Scratch): ...

@final
class UnigramSegmenter(Segmenter): ...
