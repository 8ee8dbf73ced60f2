from collections.abc import Iterable

from spm_lite.encode.encoder import Encoder

class SingleCalls:
    _encoder: Encoder
    def encode(
        self,
        text: str | bytes,
        *,
        bos: bool = False,
        eos: bool = False,
        prefix_space: bool | None = None,
        allow_special: Iterable[str | bytes] = (),
        user_defined: bool = True,
        errors: str = "strict",
    ) -> list[int]: ...
    def count(self, text: str | bytes, *, prefix_space: bool | None = None, user_defined: bool = True) -> int: ...
