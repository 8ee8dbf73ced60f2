from typing import final

@final
class ChunkCache: ...
