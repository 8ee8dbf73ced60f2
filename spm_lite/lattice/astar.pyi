from typing import final

@final
class Agenda: ...
