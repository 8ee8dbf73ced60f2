"""The name of a converter that sentencepiece has and spm_lite has not."""

from __future__ import annotations

from typing import Any, NoReturn

from spm_lite.sentencepiece.error_kinds import StateError


def ConvertToFlatbuffer(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises StateError: the FlatBuffers form of a model serves another runtime, which nothing here writes or reads."""
    raise StateError(
        "UNIMPLEMENTED: spm_lite does not write models in FlatBuffers form. The model file itself is the same for "
        "sentencepiece: convert it there, with its ConvertToFlatbuffer"
    )


convert_to_flatbuffer = ConvertToFlatbuffer
