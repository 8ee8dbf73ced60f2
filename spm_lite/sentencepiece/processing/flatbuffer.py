"""ConvertToFlatbuffer, which sentencepiece has and spm_lite only refuses."""

from __future__ import annotations

from typing import Any, NoReturn

from spm_lite.sentencepiece.error_kinds import StateError


def ConvertToFlatbuffer(*args: Any, **kwargs: Any) -> NoReturn:
    """Raise StateError: spm_lite neither reads nor writes models in FlatBuffers form, which serves another runtime."""
    raise StateError(
        "UNIMPLEMENTED: spm_lite does not write models in FlatBuffers form. The model file itself is the same for "
        "sentencepiece: convert it there, with its ConvertToFlatbuffer"
    )


convert_to_flatbuffer = ConvertToFlatbuffer
