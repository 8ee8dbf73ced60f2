"""Fixed texts: what an id adds within a text, if nothing around it can change that. Servers decode a few ids at a time.

A text that is given away id by id is then a look into a table. Parts of characters are fixed as bytes. The rest, such
as the unknown token of some decoders, needs `decode` of all ids around it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spm_lite.errors import ArgumentTypeError
from spm_lite.transformers.decode_kinds import BYTE_TYPES, REPLACEMENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spm_lite.transformers.snapshot import Snapshot

END = 1 << 32  # of the ids that tokenizers takes


class FixedTexts(dict[int, str | None]):
    """The text of each id after other text, found on first use; "": it adds none; None: what is around it counts.

    The text of a byte piece counts on text before it that ends with a whole character.

    Args:
        snapshot: of the tokenizer.
        skips_special: special tokens add no text.

    >>> from tokenizers import Tokenizer, decoders, models
    >>> from spm_lite.transformers.snapshot import Snapshot
    >>> tok = Tokenizer(models.WordPiece({"the": 0, "cat": 1, "##s": 2, "?": 3}, unk_token="?"))
    >>> tok.decoder = decoders.WordPiece()
    >>> texts = FixedTexts(Snapshot(tok.to_str(), tok), True)
    >>> texts[1], texts[2], texts.joined([0, 1, 2])
    (' cat', 's', 'the cats')
    """

    def __init__(self, snapshot: Snapshot, skips_special: bool) -> None:
        super().__init__()
        self._decoding = snapshot.decoding
        self._native = snapshot.native
        self._skips_special = skips_special
        self._parts: dict[int, bytes | None] = {}
        self._starts: dict[int, str | None] = {}
        self._has_bytes_only = self._native is not None and self._native.model_type in BYTE_TYPES
        self._before = None if self._decoding is None else self._find_before()

    def _find_before(self) -> tuple[int, str] | None:
        """An id of plain text, and its text at the start of a text."""
        assert self._decoding is not None
        assert self._native is not None
        for i in range(len(self._native)):
            text = self._decoding.decode([i], False)
            if text is not None and text.isascii() and text.isalnum() and not self.is_byte(i):
                return i, text
        return None

    def is_byte(self, piece_id: int) -> bool:
        """Whether an id is a byte of a model whose other pieces are characters."""
        return not self._has_bytes_only and self._native is not None and self._native.piece_type(piece_id) == "byte"

    def __missing__(self, piece_id: int) -> str | None:
        if not isinstance(piece_id, int) or not 0 <= piece_id < END:
            raise ArgumentTypeError(f"the id is {piece_id!r:.40}: must be an integer from 0 to {END - 1}")
        if self._decoding is None or self._native is None or self._before is None:
            return None
        if piece_id >= len(self._native):
            return ""  # as of the original
        text: str | None = None
        if self._skips_special and piece_id in self._decoding.special_ids:
            text = ""
        else:
            before, start = self._before
            whole = self._decoding.decode([before, piece_id], False)
            if whole is not None and whole.startswith(start):
                text = whole[len(start) :] or None
        self[piece_id] = text
        return text

    def part(self, piece_id: int) -> bytes | None:
        """The bytes of an id that may be a part of a character; None: it is none, or they are not known."""
        if piece_id not in self._parts:
            self._parts[piece_id] = self._find_part(piece_id)
        return self._parts[piece_id]

    def _find_part(self, piece_id: int) -> bytes | None:
        if self._decoding is None or self._native is None or not self._decoding.is_known(piece_id):
            return None
        if self.is_byte(piece_id) or (self._has_bytes_only and self[piece_id] is None):
            return self._native.decode_bytes([piece_id])
        return None

    def joined(self, ids: Sequence[int]) -> str | None:
        """The text of ids from the start of a text, as the original decodes it; None: some are not fixed."""
        if self._before is None:
            return None
        texts = [self[i] for i in ids]
        is_start = True
        if None not in texts:
            for k, text in enumerate(texts):
                if text:
                    texts[k] = self._start(ids[k])
                    break
            return None if None in texts else "".join(texts)  # type: ignore[arg-type]
        found, run = [], b""
        for i, text in zip(ids, texts, strict=True):
            part = self.part(i)
            if part is not None:
                run += part
            elif text is None:
                return None
            elif text and not self._has_bytes_only:
                found += [self._run_text(run), self._start(i) if is_start and not run else text]
                run = b""
            elif text:
                run += text.encode()
            is_start = is_start and not text and part is None
        found.append(self._run_text(run))
        return None if None in found else "".join(found)  # type: ignore[arg-type]

    def _run_text(self, run: bytes) -> str | None:
        """The text of bytes that follow each other; None: that counts on where they stand."""
        if self._has_bytes_only:
            return run.decode("utf-8", "replace")  # U+FFFD for each longest part of a character, as in tokenizers
        if run.startswith(b" "):
            return None  # of a text, the decoder may take it away
        try:
            return run.decode()
        except UnicodeDecodeError:
            return REPLACEMENT * len(run)  # and so the whole characters among them, as in tokenizers

    def _start(self, piece_id: int) -> str | None:
        """The text of an id at the start of a text."""
        if piece_id not in self._starts:
            assert self._decoding is not None
            self._starts[piece_id] = self._decoding.decode([piece_id], False)
        return self._starts[piece_id]


def fixed_texts(snapshot: Snapshot, skips_special: bool) -> FixedTexts:
    """The FixedTexts of a snapshot, which keeps them."""
    found = snapshot.fixed_texts.get(skips_special)
    if found is None:
        found = snapshot.fixed_texts[skips_special] = FixedTexts(snapshot, skips_special)
    return found
