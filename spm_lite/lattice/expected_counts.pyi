from typing import final

@final
class ExpectedCounter: ...
