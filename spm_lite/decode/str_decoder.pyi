from typing import final

@final
class StrDecoder: ...
