from typing import final

@final
class PathList: ...
