"""A snapshot: what the original tokenizer is at one time, read by our engine; it never changes afterwards."""

from __future__ import annotations

import json
import os
import threading
from contextlib import contextmanager
from copy import deepcopy
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from spm_lite.errors import SpmLiteError
from spm_lite.formats.hugging_face.read_tokenizer import model_of_parts
from spm_lite.formats.proof.conditions import REFUSALS, Findings
from spm_lite.texts.id_lists import PausedGc
from spm_lite.tokenizer.tokenizer import Tokenizer
from spm_lite.transformers.decode_kinds import Decoding, find_decoding
from spm_lite.transformers.span_kinds import find_spans

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from spm_lite.transformers.token_spans import TokenSpans

PARTS_OF_CALLS = ("truncation", "padding", "post_processor")  # the backend does their work
MOST_PROBES = 1000  # added tokens that are tried one by one
OTHER_THAN_JSON = (
    "added tokens have other flags than its JSON says: they were added again, or the normalizer was changed after them"
)
PIPELINE = ("normalizer", "pre_tokenizer", "added_tokens")  # what `span_kinds` looks at
INEXACT = ("metaspace", "near ties")  # values of `allow` that would change ids of usual texts


SHARED: WeakSet[Any] = WeakSet()  # what threads share, and a forked child uses on


def renew_all() -> None:
    """Let a forked child begin with free locks."""
    for one in list(SHARED):
        one.renew_in_child()


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(after_in_child=renew_all)


class Snapshot:
    """A tokenizer of the package tokenizers, as JSON, and our Tokenizer that gives the same ids.

    Args:
        text: the JSON.
        tokenizer: the original, if nobody else changes it; None: it is made of the JSON when it is needed.
        refusal: why our engine does not encode; the original is then `tokenizer` itself, whatever its JSON says.
        original: what the JSON was made of, which others may change; None: `tokenizer`, or nothing. If it does not do
            what its JSON says, it is used itself, and our engine does not encode.

    Attributes:
        native: our Tokenizer, in which all added tokens are found in all texts; None: the file is not read.
        refusal: why it is not read, or "".
        conditions: the sentences that say which texts the original encodes.
    """

    def __init__(self, text: str, tokenizer: Any = None, refusal: str = "", original: Any = None) -> None:
        self.text = text
        self.refusal = refusal
        self.is_live = bool(refusal)
        self.native: Tokenizer | None = None
        self.conditions: list[str] = []
        self._tests: list[Callable[[str], bool]] = []
        self._tokenizer = tokenizer
        self.lock = threading.RLock()
        self._names: list[str] | None = None
        self._spans: TokenSpans | None = None
        self._has_spans = False
        parts = json.loads(text)
        self.unknown = unknown_of(parts)
        self.added = {token["id"]: token["content"] for token in parts["added_tokens"]}
        self.added_ids = set(self.added)
        self.special_ids = {token["id"] for token in parts["added_tokens"] if token["special"]}
        model = parts["model"]
        self.has_affixes = bool(model.get("end_of_word_suffix") or model.get("continuing_subword_prefix"))
        self.is_unigram = model.get("type") == "Unigram"
        self.normalizer = parts.get("normalizer")
        self.normalized_tokens = {
            token["id"]: token["content"] for token in parts["added_tokens"] if token["normalized"]
        }
        decoder = parts.get("decoder")
        self._pipeline = {name: deepcopy(parts.get(name)) for name in PIPELINE}  # reading changes the parts
        if not refusal:
            try:
                self._read(parts)
            except SpmLiteError as error:
                self.refusal = str(error)
        live = tokenizer if original is None else original
        if self.native is not None and live is not None and not self._agrees_with(live):
            self.refusal, self.native, self.is_live, self._tokenizer = OTHER_THAN_JSON, None, True, live
        self.unknown_id = self._id_of_unknown()
        self.fixed_texts: dict[bool, Any] = {}  # of `fixed_texts.py`
        self.decoding: Decoding | None = None
        if self.native is not None:
            self.decoding = find_decoding(decoder, self)
        SHARED.add(self)

    def renew_in_child(self) -> None:
        """Free the lock in a forked child. A thread that is not there may have locked the original too: it is left."""
        if self.lock.acquire(blocking=False):
            self.lock.release()
            return
        self.lock._at_fork_reinit()  # type: ignore[attr-defined]
        if not self.is_live:
            self._tokenizer = None

    def _read(self, parts: dict[str, Any]) -> None:
        """Read the JSON with all added tokens as tokens that are not special: so texts make all of them."""
        findings = Findings([name for name in REFUSALS if name not in INEXACT])
        self.vocab_size = len(parts["model"]["vocab"])
        for name in PARTS_OF_CALLS:
            parts[name] = None
        if parts["model"].get("type") != "WordPiece":
            parts["decoder"] = None
        for token in parts["added_tokens"]:
            token["special"] = token["special"] and token["content"] == self.unknown
        with PausedGc():
            data = model_of_parts(parts, findings, {})
        for one in findings.conditions:
            self.conditions.append(one.sentence)
            self._tests.append(one.is_met)
        if self.unknown is not None and any(token["special"] for token in parts["added_tokens"]):
            self.conditions.append(f"no text that spells the unknown token {self.unknown!r:.40}")
            self._tests.append(lambda text, unknown=self.unknown: unknown not in text)  # type: ignore[misc]
        self.native = Tokenizer._from_bytes(data, "the tokenizer")

    def _id_of_unknown(self) -> int | None:
        if self.native is None or self.unknown is None:
            return None
        return self.native.piece_to_id(self.unknown) if self.unknown in self.native else None

    def _agrees_with(self, original: Any) -> bool:
        """Whether a tokenizer does what its JSON says with added tokens: their old flags may still count in it."""
        native = self.native
        assert native is not None
        contents = list(self.added.values())
        if not contents:
            return True
        with plain_settings(original):
            for between in ("x", " "):
                joined = between + between.join(contents) + between
                texts = [joined, joined.swapcase(), joined.lower()]
                if not self.is_exact(joined):
                    texts = [between + content + between for content in contents[:MOST_PROBES]]
                for text in filter(self.is_exact, texts):
                    if original.encode(text, add_special_tokens=False).ids != native.encode(text):
                        return False
            plain = between.join(content for i, content in self.added.items() if i not in self.special_ids)
            found = original.encode(plain, add_special_tokens=False).ids
            original.encode_special_tokens = True
            if found != original.encode(plain, add_special_tokens=False).ids:
                return False  # some of them are special in it
            renamed = {i for i, content in self.added.items() if original.id_to_token(i) != content}
            decode = type(original).decode  # a class may have put another method into the object
            return all(
                (decode(original, [i], skip_special_tokens=True) == "") == (i in self.special_ids)
                for i in self.added.keys() - renamed
            )

    def renamed_ids(self) -> set[int]:
        """The ids of added tokens that the original decodes to another text: their normalized form."""
        if self.normalizer is None or not self.normalized_tokens:
            return set()
        name_of = self.tokenizer.id_to_token
        return {i for i, content in self.normalized_tokens.items() if name_of(i) != content}

    @property
    def has_conditions(self) -> bool:
        """Whether some texts are for the original."""
        return bool(self._tests)

    def is_exact(self, text: str) -> bool:
        """Whether our engine gives the ids of the original for a text."""
        for is_met in self._tests:  # noqa: SIM110  this is called for each text
            if not is_met(text):
                return False
        return True

    @property
    def tokenizer(self) -> Any:
        """The original. Nobody may change it, except by `take`."""
        with self.lock:
            if self._tokenizer is None:
                from tokenizers import Tokenizer as Original

                self._tokenizer = Original.from_str(self.text)
            return self._tokenizer

    def take(self) -> Any:
        """The original, for a caller who changes it; a later use of this snapshot makes it again."""
        with self.lock:
            found = self.tokenizer
            if not self.is_live:
                self._tokenizer = None
            return found

    def encode(self, inputs: Sequence[Any], is_pretokenized: bool, has_special: bool, settings: Any) -> list[Any]:
        """The results of the original. settings: of truncation, padding and special tokens."""
        with self.lock:
            found = self.tokenizer
            settings.copy_to(found)
            return found.encode_batch(inputs, is_pretokenized=is_pretokenized, add_special_tokens=has_special)  # type: ignore[no-any-return]

    @property
    def spans(self) -> TokenSpans | None:
        """What finds the tokens of a text in it; None: only the original knows where they are."""
        if not self._has_spans:
            with self.lock:
                if not self._has_spans:
                    self._spans = find_spans(self._pipeline, self)
                    self._has_spans = True
        return self._spans

    @property
    def names(self) -> list[str]:
        """The token of each id, as the original spells it."""
        if self._names is None:
            found = self.tokenizer
            vocab = found.get_vocab(with_added_tokens=True)
            names = [""] * (max(vocab.values(), default=-1) + 1)
            for name, number in vocab.items():
                names[number] = name
            self._names = names
        return self._names

    def tokens_of(self, ids: list[int], is_found: bool = False) -> list[str] | None:
        """The tokens of ids; None: the original may give other strings, which are those of the text.

        is_found: each token is found in the text as it is.
        """
        if not is_found:
            if self.is_unigram and self.unknown_id is not None and self.unknown_id in ids:
                return None
            if not self.added_ids.isdisjoint(ids):
                return None
        names = self.names
        return [names[i] for i in ids]


@contextmanager
def plain_settings(tokenizer: Any) -> Iterator[None]:
    """Without truncation and padding, and with special tokens found in texts; afterwards as before."""
    truncation, padding, as_text = tokenizer.truncation, tokenizer.padding, tokenizer.encode_special_tokens
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = False
    try:
        yield
    finally:
        if truncation is not None:
            tokenizer.enable_truncation(**truncation)
        if padding is not None:
            tokenizer.enable_padding(**padding)
        tokenizer.encode_special_tokens = as_text


def unknown_of(parts: dict[str, Any]) -> str | None:
    """The unknown token of a file."""
    model = parts["model"]
    number = model.get("unk_id")
    if number is not None and 0 <= number < len(model["vocab"]):
        return model["vocab"][number][0]  # type: ignore[no-any-return]
    return model.get("unk_token")  # type: ignore[no-any-return]
