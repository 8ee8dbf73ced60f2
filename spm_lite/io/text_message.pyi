from spm_lite.segment.decoded import DecodedText
from spm_lite.segment.encoded import EncodedText

def write_text(
    text: bytes,
    pieces: list[bytes],
    ids: list[int],
    surfaces: list[bytes | None] | list[bytes],
    offsets: list[tuple[int, int]],
    score: float | None = None,
) -> bytes: ...
def write_encoded(encoded: EncodedText, score: float | None = None) -> bytes: ...
def write_decoded(decoded: DecodedText) -> bytes: ...
def write_nbest(texts: list[bytes]) -> bytes: ...
