from typing import final

@final
class Sampler: ...
