from typing import final

@final
class SpaceCuts: ...
