from typing import final

from spm_lite.segment.workers import Worker

@final
class PartWorker(Worker): ...
