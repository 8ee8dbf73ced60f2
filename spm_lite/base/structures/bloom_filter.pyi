from typing import final

@final
class BloomFilter: ...
