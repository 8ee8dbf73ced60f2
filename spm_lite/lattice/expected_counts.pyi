from typing import final

@final
class Expectation: ...
