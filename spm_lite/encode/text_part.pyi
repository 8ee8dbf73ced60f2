from typing import final

@final
class TextPart: ...
