from typing import final

@final
class GumbelSearch: ...
