from typing import final

@final
class Lattice: ...
