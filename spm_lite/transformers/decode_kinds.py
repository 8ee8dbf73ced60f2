"""Decoders of the package tokenizers that our decoder can stand for; for all others the original decodes."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from spm_lite.errors import SpmLiteError
from spm_lite.formats.hugging_face.components import replace
from spm_lite.kinds import SPACE

if TYPE_CHECKING:
    from spm_lite.transformers.snapshot import Snapshot

REPLACEMENT = "\ufffd"
BYTE_NAME = re.compile("<0x[0-9A-F]{2}>")
CONTINUES = "##"  # begins a piece of WordPiece that goes on within a word
TO_SPACE = replace(SPACE, " ")
FALLBACK, FUSE = {"type": "ByteFallback"}, {"type": "Fuse"}
BYTE_TYPES = ("byte_bpe", "byte")  # of models whose pieces are bytes
STRIP = {"type": "Strip", "content": " ", "start": 1, "stop": 0}


class Decoding:
    """Ids to text by our engine.

    Args:
        snapshot: of the tokenizer.
        has_bytes: whether byte pieces become bytes.
        start: what happens to the beginning: "" (nothing), "strip" (a space goes) or "metaspace" (all U+2581 of the
            first token go).

    Attributes:
        special_ids: of the tokens that are left out where the caller says so.
    """

    def __init__(self, snapshot: Snapshot, start: str, has_bytes: bool = False) -> None:
        from spm_lite.transformers.id_filter import IdFilter

        self._start = start
        native = snapshot.native
        assert native is not None
        self._piece = native.id_to_piece
        self._size = len(native)
        self._is_word_piece = native.model_type == "wordpiece"
        unsure = [] if snapshot.unknown_id is None else [snapshot.unknown_id]
        if native.model_type not in BYTE_TYPES:
            for name, i in native.get_vocab().items():
                if BYTE_NAME.fullmatch(name) and has_bytes != (native.piece_type(i) == "byte"):
                    unsure.append(i)
        renamed = snapshot.renamed_ids()  # such a special token is not left out either
        self.special_ids = snapshot.special_ids - renamed
        self._filter = IdFilter(self._size, sorted(self.special_ids), [*unsure, *renamed])
        options = {} if native.model_type in (*BYTE_TYPES, "wordpiece") else {"prefix_space": False}
        self._decode: Callable[[list[int]], str] = partial(native.decode, **options)  # type: ignore[arg-type]

    def is_known(self, piece_id: int) -> bool:
        """Whether our decoder decodes an id as the original does."""
        return self._filter.kept([piece_id], False) is not None

    def decode(self, ids: Any, skips_special: bool) -> str | None:
        """The text of ids; None: only the original knows it."""
        kept = self._filter.kept(ids, skips_special)
        if kept is None:
            return None
        if not kept:
            return ""
        if self._is_word_piece and self._piece(kept[0]).startswith(CONTINUES):
            return None  # the original leaves the prefix of the first token where it is
        try:
            if self._start == "metaspace":
                first = self._piece(kept[0]).replace(SPACE, "")
                text = first + self._decode(kept[1:])
            else:
                text = self._decode(kept)
        except SpmLiteError:
            return None
        if REPLACEMENT in text:  # of several ill-formed bytes, which programs show in different ways
            return None
        return text[1:] if self._start == "strip" and text[:1] == " " else text


def find_decoding(part: dict[str, Any] | None, snapshot: Snapshot) -> Decoding | None:
    """The Decoding for the decoder of a file; None: the original decodes."""
    if part is None or snapshot.native is None:
        return None
    kind, model_type = part.get("type"), snapshot.native.model_type
    if snapshot.has_affixes and model_type != "wordpiece":
        return None
    steps = part.get("decoders") if kind == "Sequence" else [part]
    if model_type in BYTE_TYPES:
        return Decoding(snapshot, "") if steps == [part] and kind == "ByteLevel" else None
    if model_type == "wordpiece":
        return Decoding(snapshot, "") if kind == "WordPiece" and part.get("prefix") == CONTINUES else None
    if kind == "Metaspace" and part.get("replacement") == SPACE:
        keeps = part.get("prepend_scheme", "always") == "never" or part.get("add_prefix_space") is False
        return Decoding(snapshot, "" if keeps else "metaspace")
    if steps in ([TO_SPACE, FALLBACK, FUSE, STRIP], [TO_SPACE, FUSE, STRIP]):
        return Decoding(snapshot, "strip", FALLBACK in steps)
    if steps in ([TO_SPACE, FALLBACK, FUSE], [TO_SPACE, FUSE], [TO_SPACE]):
        return Decoding(snapshot, "", FALLBACK in steps)
    return None
