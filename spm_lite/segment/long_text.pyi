from typing import final

from spm_lite.segment.workers import Worker

@final
class TextPart: ...

@final
class LongText: ...

@final
class PartWorker(Worker): ...
