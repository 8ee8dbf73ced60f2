from collections.abc import Iterable

_FAULTS: dict[int, str]

def write_pieces(pieces: Iterable[tuple[str | bytes, float, int]]) -> bytes: ...
