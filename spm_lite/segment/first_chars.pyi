from typing import final

@final
class FirstCharTable: ...
