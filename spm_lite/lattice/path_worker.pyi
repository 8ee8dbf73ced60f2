from typing import final

from spm_lite.encode.shares import TextWorker

@final
class PathWorker(TextWorker): ...
