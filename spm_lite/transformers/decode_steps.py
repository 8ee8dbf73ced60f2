"""`DecodeSteps` stands where `tokenizers.decoders.DecodeStream` stood, which takes no tokenizer with our engine inside.

It gives the same text at the same step. A step is a look into a table of fixed texts, or joins bytes of a character.
Where the bytes are no UTF-8, it decodes the last few ids, as the original does.
"""

from __future__ import annotations

from codecs import utf_8_decode
from typing import TYPE_CHECKING, Any

from tokenizers.decoders import DecodeStream as Original

from spm_lite.errors import ModelError
from spm_lite.transformers.backend import Backend
from spm_lite.transformers.decode_kinds import REPLACEMENT
from spm_lite.transformers.fixed_texts import FixedTexts, fixed_texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spm_lite.transformers.snapshot import Snapshot

REFUSED = "Invalid prefix encountered"  # so the message of tokenizers begins, and programs look for that


class DecodeSteps:
    """Text as ids come, held while it ends with U+FFFD, as that may be a part of a character.

    Args:
        ids: of a prompt, which gives no text.
        skip_special_tokens: leave special tokens out.

    >>> from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    >>> names = sorted(pre_tokenizers.ByteLevel.alphabet())
    >>> tok = Tokenizer(models.BPE({name: i for i, name in enumerate(names)}, []))
    >>> tok.decoder = decoders.ByteLevel()
    >>> steps = DecodeSteps()
    >>> [steps.step(Backend(tok.to_str()), i) for i in tok.encode("aé").ids]
    ['a', None, 'é']
    """

    def __init__(self, ids: Sequence[int] | None = None, skip_special_tokens: bool = False) -> None:
        self._skips_special = skip_special_tokens
        self._ids = list(ids or ())  # replaced and never changed: a copy shares it
        self._original: Any = None  # once it is there, it makes all steps
        self._snapshot: Snapshot | None = None
        self._texts: FixedTexts
        self._prefix: str | None = None  # the text of `_ids` that was given; None: the text of all of them
        self._n_given = len(self._ids)  # ids at the start of `_ids` that the next window leaves out
        self._is_whole = False  # whether `_ids` end with a whole character, so that a fixed text follows
        self._held: list[int] = []  # ids after them, while `_is_whole`
        self._bytes = b""  # of these ids

    def step(self, tokenizer: Any, id: int | list[int]) -> str | None:
        """The text that an id makes certain; None: there is none yet.

        Args:
            tokenizer: the backend of an accelerated tokenizer, or a `tokenizers.Tokenizer`.
            id: an id, or several of one step. Ids that the tokenizer lacks add no text.
        Raises:
            ArgumentTypeError: an id is not an integer, is negative, or has more than 32 bits.
            ModelError: a later id changed text that was given before, as bytes that are no UTF-8 may do. The message
                begins as that of tokenizers.
        """
        if not isinstance(tokenizer, Backend):
            if self._original is None:
                self._begin_original()
            return self._original.step(tokenizer, id)  # type: ignore[no-any-return]
        if tokenizer._snapshot is not self._snapshot or tokenizer._working is not None:
            self._take(tokenizer, tokenizer._current())
        if self._original is not None:
            with self._snapshot.lock:  # type: ignore[union-attr]
                return self._original.step(self._snapshot.tokenizer, id)  # type: ignore[no-any-return, union-attr]
        if not self._is_whole or type(id) is not int:
            return self._step_in_window(tokenizer, id if isinstance(id, list) else [id])
        text = self._texts[id]
        if text == "":
            return None
        if text is not None and not self._held:
            self._ids, self._prefix, self._n_given = [id], None, 1
            return text
        return self._step_in_character(tokenizer, id)

    def _step_in_character(self, backend: Backend, id: int) -> str | None:
        """The same as `step`, of an id that may be a part of a character."""
        part = self._texts.part(id)
        if part is not None:
            joined = self._bytes + part
            try:
                text, n_read = utf_8_decode(joined, "strict", False)
            except UnicodeDecodeError:
                return self._step_in_window(backend, [id])
            if n_read < len(joined):
                self._held, self._bytes = [*self._held, id], joined
                return None
            if not text.endswith(REPLACEMENT):
                self._ids, self._prefix, self._held, self._bytes = [*self._held, id], None, [], b""
                self._n_given = len(self._ids)
                return text
        return self._step_in_window(backend, [id])

    def _take(self, backend: Backend, snapshot: Snapshot) -> None:
        """Take the tokenizer as it is now. The first time, leave out ids of the prompt that do not count any more."""
        if snapshot is self._snapshot:
            return
        is_first = self._snapshot is None
        self._snapshot, self._texts = snapshot, fixed_texts(snapshot, self._skips_special)
        if snapshot.decoding is None and self._original is None:
            self._begin_original()
        if not is_first or self._original is not None:
            self._leave_character()
            return
        texts = self._texts
        for k in range(len(self._ids) - 1, -1, -1):
            if texts[self._ids[k]] and not texts.is_byte(self._ids[k]):
                self._ids = self._ids[k:]
                self._n_given = len(self._ids)
                self._is_whole = not any(texts[i] != "" for i in self._ids[1:])
                break
        prompt = "" if self._is_whole else self._decode(backend, self._ids)
        if prompt.endswith(REPLACEMENT):  # within a character, whose bytes still count
            self._prefix, self._n_given = prompt.rstrip(REPLACEMENT), 0

    def _begin_original(self) -> None:
        """Go on with the class of tokenizers: for its own tokenizers, and for decoders that ours does not know."""
        self._original = Original(ids=self._ids, skip_special_tokens=self._skips_special)

    def _step_in_window(self, backend: Backend, ids: list[int]) -> str | None:
        """The same as `step`, from the texts of the last ids before and after these ones."""
        if self._prefix is None:
            self._prefix = self._decode(backend, self._ids)
        elif not self._prefix:  # these ids gave no text yet, and give none any more unless they end within a character
            whole = self._decode(backend, self._ids)
            if not whole.endswith(REPLACEMENT):
                self._prefix, self._n_given = whole, len(self._ids)
        for i in ids:
            self._texts[i]  # raises
        self._leave_character()
        self._ids = [*self._ids, *ids]
        text = self._decode(backend, self._ids)
        if len(text.encode()) <= len(self._prefix.encode()) or text.endswith(REPLACEMENT):
            return None
        if not text.startswith(self._prefix):
            raise ModelError(
                f"{REFUSED}: the text {self._prefix[-40:]!r} was given, and with the id {ids[-1:]} it is "
                f"{text[-40:]!r}: begin a new stream"
            )
        found = text[len(self._prefix) :]
        self._ids = self._ids[self._n_given :]
        self._prefix, self._n_given, self._is_whole = None, len(self._ids), True
        return found

    def _leave_character(self) -> None:
        """Go on with windows: what is held belongs to them."""
        self._ids, self._held, self._bytes, self._is_whole = [*self._ids, *self._held], [], b"", False

    def _decode(self, backend: Backend, ids: list[int]) -> str:
        text = self._texts.joined(ids)
        if text is not None:
            return text
        return Backend.decode(backend, ids, self._skips_special)  # CLIP's class puts another one into the object
