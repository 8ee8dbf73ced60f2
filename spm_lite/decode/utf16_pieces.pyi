from typing import final

@final
class Utf16Pieces: ...
