"""The decoder of a file: it changes no ids, so only what would change text beyond recognition is refused."""

from __future__ import annotations

from typing import Any

from spm_lite.formats.hugging_face.read_text_parts import TextSettings, flat, plain
from spm_lite.formats.json_file import field, refuse

USUAL = ("Replace", "ByteFallback", "Fuse", "Strip", "Metaspace", "ByteLevel", "WordPiece")


def read_decoder(part: Any, unknown: str | None, settings: TextSettings) -> None:
    """Enter what the unknown piece decodes to. Raises ModelError for a decoder of another kind."""
    from spm_lite.formats.hugging_face.components import escaped

    steps = usual_steps(part)
    if steps and unknown is not None:
        first = plain(steps[0])
        if first.get("pattern") == {"Regex": rf"\A{escaped(unknown)}\z"} and isinstance(steps[0].get("content"), str):
            settings.unk_surface = steps[0]["content"]


def has_cleanup(part: Any) -> bool:
    """Whether the decoder of a WordPiece model cleans up its text. Raises ModelError for a decoder of another kind."""
    words = [step for step in usual_steps(part) if step["type"] == "WordPiece"]
    return any(field(step, "cleanup", bool, "decoder.WordPiece", True) for step in words)


def usual_steps(part: Any) -> list[dict[str, Any]]:
    """The components of a decoder. Raises ModelError for one of another kind."""
    steps = flat(part, "decoder", "decoder")
    for step in steps:
        if step["type"] not in USUAL:
            raise refuse("decoder", f"the component {step['type']}")
    return steps
