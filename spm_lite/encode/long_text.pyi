from typing import final

@final
class BatchPart: ...

@final
class LongText:
    def __init__(self, chunks: object, source: object, ids: object) -> None: ...
