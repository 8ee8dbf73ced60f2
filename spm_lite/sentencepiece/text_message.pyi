from spm_lite.decode.decoded_text import DecodedText
from spm_lite.encode.encoded_text import EncodedText

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
