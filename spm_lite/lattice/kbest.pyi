from typing import final

@final
class BestSuffixes: ...
