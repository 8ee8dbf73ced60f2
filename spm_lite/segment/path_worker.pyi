from typing import final

from spm_lite.segment.shares import TextWorker

@final
class PathWorker(TextWorker): ...
