from collections.abc import Iterable

from spm_lite.vocab.vocab import Vocab

_FAULTS: dict[int, str]

def read_pieces(data: bytes) -> tuple[Vocab, bytes]: ...
def write_pieces(pieces: Iterable[tuple[str | bytes, float, int]]) -> bytes: ...
