from typing import final

@final
class BatchPart: ...

@final
class LongText:
    def __new__(cls, chunks: object, source: object, ids: object) -> LongText: ...
