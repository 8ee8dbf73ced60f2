from typing import final

@final
class PathList: ...

@final
class Agenda: ...
