from typing import final

@final
class PieceUnits: ...
