from typing import final

@final
class TextShape: ...
