from typing import final

@final
class AStar: ...
