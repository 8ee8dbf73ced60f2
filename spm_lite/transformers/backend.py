"""A backend: it stands where a `tokenizers.Tokenizer` stood in a tokenizer of transformers, and our engine encodes.

It keeps a snapshot of the original. What may change the original makes the snapshot old, and the next call takes a new
one. What our engine does not give exactly, the original does: the snapshot holds it.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from spm_lite.arguments import as_num_threads
from spm_lite.errors import SpmLiteError
from spm_lite.transformers.call_report import Report
from spm_lite.transformers.layouts import Settings, kept_sizes, windows
from spm_lite.transformers.lazy_encoding import Asked, LazyEncoding, Source, plain_encodings
from spm_lite.transformers.snapshot import SHARED, Snapshot, plain_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spm_lite.transformers.layouts import Layout
    from spm_lite.transformers.token_spans import TokenSpans

COMPONENTS = ("model", "normalizer", "pre_tokenizer", "post_processor", "decoder")
OPTIONS_OF_MODELS = (
    "dropout", "unk_token", "unk_id", "continuing_subword_prefix", "end_of_word_suffix", "fuse_unk", "byte_fallback",
    "ignore_merges", "max_input_chars_per_word",
)  # fmt: skip
FIXED = {"Lowercase", "NFC", "NFD", "NFKC", "NFKD", "Nmt", "Precompiled", "StripAccents"}  # nothing of them can be set
LOOKS = {  # methods that change nothing
    "get_vocab", "get_vocab_size", "get_added_tokens_decoder", "id_to_token", "token_to_id",
}  # fmt: skip
ENCODED, DECODED = "encoded", "decoded"
OTHER_TEXT = "a text that does not meet a condition"
LATER = "offsets or words of a text, which only tokenizers knows"
OTHER_CUT = "truncation or special tokens that only tokenizers does"
LONG = 1 << 16  # characters of a text that several threads encode
SAMPLE = 100  # with check="sample" the first so many texts are compared,
SAMPLE_STEP = 256  # and then one of so many
OFF = ("0", "false", "no", "off", "n", "f")  # values of TOKENIZERS_PARALLELISM


class Backend:
    """Takes the place of a `tokenizers.Tokenizer`.

    Args:
        text: the JSON of the original.
        check: "always" compares the ids of all texts with the original, "sample" those of some; None: of none.
        tokenizer: the original itself, if only this backend uses it from now on.
        original: the same, if others use it too; None: there is none.
        settings: truncation and padding; None: as the JSON says.
        snapshot: of the same JSON, if there is one.
    """

    def __init__(
        self, text: str, check: str | None = None, tokenizer: Any = None, settings: Any = None,
        snapshot: Snapshot | None = None, original: Any = None,
    ) -> None:  # fmt: skip
        put = partial(object.__setattr__, self)
        put("_lock", threading.RLock())
        put("_check", check)
        put("_working", None)  # the original, where others may change it
        put("_seen", {})  # component -> its state, of those that others hold
        put("_calls", Counter())
        put("_n_texts", 0)
        put("_snapshot", snapshot or Snapshot(text, tokenizer, original=original))
        put("_settings", settings)
        if settings is None:
            source = self._snapshot.tokenizer
            put("_settings", Settings(source.post_processor))
            self._settings.copy_from(source)
        SHARED.add(self)

    def renew_in_child(self) -> None:
        """Free the lock in a forked child, which has not the thread that may hold it."""
        self._lock._at_fork_reinit()

    # What a call of transformers sets, and reads back.

    @property
    def truncation(self) -> dict[str, Any] | None:
        return self._settings.small.truncation  # type: ignore[no-any-return]

    @property
    def padding(self) -> dict[str, Any] | None:
        return self._settings.small.padding  # type: ignore[no-any-return]

    @property
    def encode_special_tokens(self) -> bool:
        return self._settings.small.encode_special_tokens  # type: ignore[no-any-return]

    def enable_truncation(self, max_length: int, **options: Any) -> None:
        """As of the original."""
        self._current()
        self._settings.truncate({"max_length": max_length, **options})

    def no_truncation(self) -> None:
        """As of the original."""
        self._settings.truncate(None)

    def enable_padding(self, **options: Any) -> None:
        """As of the original."""
        self._settings.pad(options)

    def no_padding(self) -> None:
        """As of the original."""
        self._settings.pad(None)

    def num_special_tokens_to_add(self, is_pair: bool) -> int:
        """As of the original."""
        self._current()
        return self._settings.small.num_special_tokens_to_add(is_pair)  # type: ignore[no-any-return]

    # Texts to ids.

    def encode(
        self, sequence: Any, pair: Any = None, is_pretokenized: bool = False, add_special_tokens: bool = True
    ) -> Any:
        """The Encoding of one text, or of a pair."""
        one = sequence if pair is None else (sequence, pair)
        snapshot = self._current()
        found = self._native(snapshot, [one], is_pretokenized, add_special_tokens)
        if found is not None:
            return found[0]
        with snapshot.lock:
            self._settings.copy_to(snapshot.tokenizer)
            return snapshot.tokenizer.encode(sequence, pair, is_pretokenized, add_special_tokens)

    def encode_batch(self, input: Any, is_pretokenized: bool = False, add_special_tokens: bool = True) -> Any:
        """The Encoding of each text, or of each pair."""
        snapshot = self._current()
        found = None
        if type(input) is list and len(input) == 1 and type(input[0]) is str and not is_pretokenized:
            found = self._one(snapshot, input, add_special_tokens)
        if found is None:
            found = self._native(snapshot, input, is_pretokenized, add_special_tokens)
        if found is not None:
            return found
        return snapshot.encode(input, is_pretokenized, add_special_tokens, self._settings)

    encode_batch_fast = encode_batch

    def _one(self, snapshot: Snapshot, inputs: list[str], has_special: bool) -> list[Any] | None:
        """The same as `_native` for a plain call with one text, in less time; None: the call is not plain."""
        settings = self._settings
        layout = settings.layouts[False, has_special]
        is_plain = settings.truncation is None and settings.padding is None and layout is not None
        if not is_plain or snapshot.native is None or self._check is not None or len(inputs[0]) >= LONG:
            return None
        if snapshot.has_conditions or settings.small.encode_special_tokens:
            return None
        try:
            ids = snapshot.native.encode(inputs[0])
        except SpmLiteError:  # `_native` counts it
            return None
        self._calls[ENCODED] += 1
        return plain_encodings([ids], inputs, layout, Call(snapshot, None, False, has_special, self._calls))

    def _native(self, snapshot: Snapshot, inputs: Any, is_pretokenized: bool, has_special: bool) -> list[Any] | None:
        """The results of our engine, and of the original for texts of conditions; None: the original gives all."""
        reason = ""
        texts = texts_of(inputs, is_pretokenized)
        if snapshot.native is None:
            reason = "the tokenizer is not read"
        elif self.encode_special_tokens:
            reason = "split_special_tokens: special tokens of texts are text"
        elif texts is None:
            reason = "an input that is neither a text nor a pair"
        if reason or texts is None or snapshot.native is None:
            self._calls[reason] += 1
            return None
        others = set()
        if snapshot.has_conditions:
            try:
                others = {i for i, text in enumerate(texts) if not snapshot.is_exact(text)}
            except UnicodeError as error:  # of a lone surrogate, which the original refuses in its own words
                self._calls[f"a text that is refused: {error}"[:200]] += 1
                return None
        try:
            ids: list[Any] = encode_all(snapshot.native, texts)
        except SpmLiteError as error:
            self._calls[f"a text that is refused: {error}"[:200]] += 1
            return None
        if self._check is not None:
            self._compare(snapshot, texts, ids, others)
        for i in others:
            ids[i] = None
        return self._assemble(snapshot, inputs, ids, is_pretokenized, has_special)

    def _assemble(
        self, snapshot: Snapshot, inputs: Sequence[Any], ids: list[Any], is_pretokenized: bool, has_special: bool
    ) -> list[Any]:
        """The results: texts and special tokens put together, cut and padded.

        ids: of each text, or of each word; None: the original encodes the text.
        """
        truncation, padding = self.truncation, self.padding
        layouts = [self._settings.layouts[is_pair, has_special] for is_pair in (False, True)]
        call = Call(snapshot, truncation, is_pretokenized, has_special, self._calls)
        if layouts[False] is not None and truncation is None and padding is None and is_plain(inputs, ids):
            self._calls[ENCODED] += len(ids)
            return plain_encodings(ids, inputs, layouts[False], call)
        found: list[Any] = []
        at = 0
        for one in inputs:
            is_pair = is_pair_of(one, is_pretokenized)
            layout = layouts[is_pair]
            parts = list(one) if is_pair else [one]
            if is_pretokenized:
                sizes = [len(words) for words in parts]
                groups = [ids[at : at + sizes[0]], *([ids[at + sizes[0] : at + sum(sizes)]] if is_pair else [])]
                at += sum(sizes)
                lists: list[Any] = [None if None in group else list(chain.from_iterable(group)) for group in groups]
            else:
                lists = groups = ids[at : at + len(parts)]
                at += len(parts)
            made = None
            if layout is not None and None not in lists:
                sources = tuple(Source(part, group) for part, group in zip(parts, groups, strict=True))
                made = assembled(layout, lists, is_pair, truncation, call, one, sources)
                self._calls[ENCODED if made is not None else OTHER_CUT] += 1
            else:
                self._calls[OTHER_TEXT if layout is not None else OTHER_CUT] += 1
            found.append(call.ask(one) if made is None else made)
        if padding is not None:
            pad_all(found, padding)
        return found

    def _compare(self, snapshot: Snapshot, texts: Sequence[str], ids: list[list[int]], others: set[int]) -> None:
        """Raise AssertionError if the original gives other ids for a text. others: texts that it encodes anyway."""
        for i, (text, own) in enumerate(zip(texts, ids, strict=True)):
            if i in others:
                continue
            number = self._n_texts
            object.__setattr__(self, "_n_texts", number + 1)
            if self._check == "sample" and number >= SAMPLE and number % SAMPLE_STEP:
                continue
            with snapshot.lock:
                original = snapshot.tokenizer
                original.no_truncation()
                original.no_padding()
                original.encode_special_tokens = False
                theirs = original.encode(text, add_special_tokens=False).ids
            if theirs != own:
                at = next((i for i, pair in enumerate(zip(theirs, own, strict=False)) if pair[0] != pair[1]), 0)
                raise AssertionError(
                    f"check={self._check!r}: spm_lite and tokenizers give other ids for the text {text[:200]!r}: from "
                    f"token {at} on, {own[at : at + 8]} and {theirs[at : at + 8]}. Please report it"
                )

    @property
    def refusal(self) -> str:
        """Why our engine does not read the tokenizer, or ""."""
        return self._current().refusal

    def report(self) -> Report:
        """What this backend did so far."""
        snapshot = self._current()
        others = {reason: n for reason, n in self._calls.items() if reason not in (ENCODED, DECODED)}
        return Report(
            "tokenizers" if snapshot.native is None else "spm_lite", snapshot.refusal, tuple(snapshot.conditions),
            self._calls[ENCODED], self._calls[DECODED], others,
        )  # fmt: skip

    # Ids to text.

    def decode(self, ids: Any, skip_special_tokens: bool = True) -> str:
        """The text of ids."""
        snapshot = self._current()
        if snapshot.decoding is not None and isinstance(ids, (list, tuple)):
            text = snapshot.decoding.decode(ids, skip_special_tokens)
            if text is not None:
                self._calls[DECODED] += 1
                return text
        self._calls["ids whose text depends on the decoder of tokenizers"] += 1
        with snapshot.lock:
            return snapshot.tokenizer.decode(ids, skip_special_tokens=skip_special_tokens)  # type: ignore[no-any-return]

    def decode_batch(self, sequences: Any, skip_special_tokens: bool = True) -> list[str]:
        """The text of each list of ids."""
        return [self.decode(ids, skip_special_tokens) for ids in sequences]

    def post_process(self, encoding: Any, pair: Any = None, add_special_tokens: bool = True) -> Any:
        """As of the original."""
        snapshot = self._current()
        own = [one.as_encoding() if isinstance(one, LazyEncoding) else one for one in (encoding, pair)]
        with snapshot.lock:
            self._settings.copy_to(snapshot.tokenizer)
            return snapshot.tokenizer.post_process(own[0], own[1], add_special_tokens)

    # The original, for the rest.

    @property
    def original(self) -> Any:
        """A `tokenizers.Tokenizer` that gives the same, for programs that take no other class. Do not change it."""
        snapshot = self._current()
        with snapshot.lock:
            self._settings.copy_to(snapshot.tokenizer)
            return snapshot.tokenizer

    def _current(self) -> Snapshot:
        """The snapshot; a new one if the original was changed since the last one."""
        if self._working is not None:
            with self._lock:
                if self._working is not None and self._is_changed():
                    self._renew()
        return self._snapshot  # type: ignore[no-any-return]

    def _is_changed(self) -> bool:
        return any(state_of(getattr(self._working, name), name) != state for name, state in self._seen.items())

    def _renew(self) -> None:
        """Take a new snapshot of the original that was changed."""
        original = self._working
        refusal = ""
        try:
            with plain_settings(original):
                text = original.to_str()
        except Exception as error:  # of a component in Python, which has no JSON
            text, refusal = self._snapshot.text, str(error)
        found = Snapshot(text, original, refusal) if refusal else Snapshot(text, original=original)
        object.__setattr__(self, "_snapshot", found)
        self._settings.set_post_processor(original.post_processor)
        for name in self._seen:
            self._seen[name] = state_of(getattr(original, name), name)

    def _own(self) -> Any:
        """The original, for a caller that may change it."""
        with self._lock:
            self._current()
            if self._working is None:
                object.__setattr__(self, "_working", self._snapshot.take())
            self._settings.copy_to(self._working)
            return self._working

    def _changing(self, name: str, *args: Any, **options: Any) -> Any:
        """Call a method that changes the original."""
        with self._lock:
            original = self._own()
            try:
                return getattr(original, name)(*args, **options)
            finally:
                self._settings.copy_from(original)
                self._renew()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in COMPONENTS:
            with self._lock:
                found = getattr(self._own(), name)
                self._seen[name] = state_of(found, name)
                return found
        if name in LOOKS:
            return getattr(self._current().tokenizer, name)
        with self._lock:
            found = getattr(self._current().tokenizer, name)
        return partial(self._changing, name) if callable(found) else found

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "encode_special_tokens":
            self._settings.small.encode_special_tokens = value
            return
        if callable(getattr(Backend, name, None)):  # a method of the caller's, which may call this one
            object.__setattr__(self, name, value)
            return
        with self._lock:
            if not hasattr(type(self._snapshot.tokenizer), name):  # a note of the caller's, such as a cache
                object.__setattr__(self, name, value)
                return
            original = self._own()
            setattr(original, name, value)
            if name in COMPONENTS:
                self._seen[name] = None
            self._renew()

    def to_str(self, pretty: bool = False) -> str:
        """The JSON of the original, with truncation and padding as they are set."""
        snapshot = self._current()
        with snapshot.lock:
            self._settings.copy_to(snapshot.tokenizer)
            return snapshot.tokenizer.to_str(pretty)  # type: ignore[no-any-return]

    def save(self, path: Any, pretty: bool = True) -> None:
        """Write the JSON of the original, with truncation and padding as they are set."""
        snapshot = self._current()
        with snapshot.lock:
            self._settings.copy_to(snapshot.tokenizer)
            snapshot.tokenizer.save(path, pretty)

    def __reduce__(self) -> Any:
        return Backend, (self.to_str(), self._check)

    def __deepcopy__(self, memo: Any) -> Backend:
        """A copy with the same snapshot, which does not change."""
        snapshot = self._current()
        if snapshot.is_live:  # a copy has what the JSON says, as of the original
            return Backend(self.to_str(), self._check)
        settings = Settings(self._settings.small.post_processor)
        settings.truncate(self.truncation)
        settings.pad(self.padding)
        settings.small.encode_special_tokens = self.encode_special_tokens
        return Backend(snapshot.text, self._check, settings=settings, snapshot=snapshot)

    def __copy__(self) -> Backend:
        return self.__deepcopy__(None)

    def __repr__(self) -> str:
        return f"Backend({self._current().tokenizer!r:.200})"


def state_of(component: Any, name: str) -> Any:
    """What tells whether a component was changed."""
    if component is None or name == "model":
        return (type(component), *(getattr(component, option, None) for option in OPTIONS_OF_MODELS))
    if type(component).__name__ in FIXED:
        return type(component)
    if type(component).__name__ == "Sequence" and hasattr(component, "__getitem__"):
        return [state_of(step, "") for step in component]
    try:
        return component.__getstate__()
    except Exception:  # of a component in Python, which has no JSON: `Snapshot` says so
        return id(component)


def texts_of(inputs: Any, is_pretokenized: bool) -> list[str] | None:
    """All texts, or all words, of the inputs of a call, in order; None: some are of another kind."""
    if not isinstance(inputs, (list, tuple)):
        return None
    found: list[Any] = []
    for one in inputs:
        if is_pretokenized:
            for words in one if is_pair_of(one, True) else [one]:
                if not isinstance(words, (list, tuple)):
                    return None
                found += words
        elif type(one) is str:
            found.append(one)
        elif is_pair_of(one, False):
            found += one
        else:
            return None
    return found if all(type(text) is str for text in found) else None


def is_pair_of(one: Any, is_pretokenized: bool) -> bool:
    """Whether an input is a pair of texts, or of lists of words."""
    if type(one) is str or not isinstance(one, (list, tuple)) or len(one) != 2:
        return False
    return not is_pretokenized or all(isinstance(part, (list, tuple)) for part in one)


def encode_all(native: Any, texts: Sequence[str]) -> list[list[int]]:
    """The ids of each text."""
    if len(texts) == 1 and len(texts[0]) < LONG:
        return [native.encode(texts[0])]
    threads = 1 if os.environ.get("TOKENIZERS_PARALLELISM", "").lower() in OFF else as_num_threads(None)
    return native.encode_lists(texts, num_threads=threads)  # type: ignore[no-any-return]


def is_plain(inputs: Sequence[Any], ids: Sequence[Any]) -> bool:
    """Whether all inputs are single texts that our engine encoded. ids: of each text, or of each word."""
    return len(inputs) == len(ids) and type(inputs[0] if inputs else "") is str and None not in ids and is_texts(inputs)


def is_texts(inputs: Sequence[Any]) -> bool:
    """Whether all inputs are single texts."""
    return all(type(one) is str for one in inputs)


def assembled(
    layout: Layout, lists: list[list[int]], is_pair: bool, truncation: Any, call: Call, one: Any,
    sources: tuple[Source, ...],
) -> LazyEncoding | None:  # fmt: skip
    """The result of one text, or of a pair; None: only the original knows it. lists: the ids of each text."""
    first, second = lists[0], (lists[1] if is_pair else [])
    begins, asked = (0, 0), Asked()
    overflowing: list[LazyEncoding] | tuple[()] | None = ()
    if truncation is not None:
        limit = truncation["max_length"] - layout.n_special
        is_left, stride = truncation["direction"] == "left", truncation["stride"]
        sizes = len(first), len(second)
        if sum(sizes) > limit:
            if limit <= stride:
                return None
            kept = kept_sizes(sizes[0], sizes[1] if is_pair else None, limit, truncation["strategy"])
            if kept is None or (is_pair and 0 in kept):
                return None
            if any(left < size and left <= stride for left, size in zip(kept, sizes, strict=True)):
                return None  # tokenizers refuses that
            if is_pair:
                overflowing = None
            else:
                overflowing = []
                for i, (begin, end) in enumerate(windows(sizes[0], kept[0], stride, is_left)[1:]):
                    ids = layout.before + first[begin:end] + layout.after
                    part = LazyEncoding(
                        ids, layout, end - begin, 0, False, call, one, (), i, sources, (begin, 0), asked
                    )
                    overflowing.append(part)
            if is_left:
                begins = sizes[0] - kept[0], sizes[1] - kept[1]
            first = first[sizes[0] - kept[0] :] if is_left else first[: kept[0]]
            second = second[sizes[1] - kept[1] :] if is_left else second[: kept[1]]
    ids = layout.before + first
    if is_pair:
        ids += layout.middle + second
    ids += layout.after
    return LazyEncoding(
        ids, layout, len(first), len(second), is_pair, call, one, overflowing, -1, sources, begins, asked
    )


def pad_all(encodings: list[Any], padding: dict[str, Any]) -> None:
    """Pad all results, and the parts that truncation took off, to one length."""
    length = padding["length"]
    if length is None:
        length = max(map(len, encodings), default=0)
    multiple = padding["pad_to_multiple_of"]
    if multiple:
        length = -(-length // multiple) * multiple
    for one in encodings:
        if isinstance(one, LazyEncoding):
            one.fill_up(length, padding)
        else:
            pad_original(one, length, padding)


class Call(NamedTuple):
    """What a call asked for: enough to ask the original for the rest of a result."""

    snapshot: Snapshot
    truncation: dict[str, Any] | None
    is_pretokenized: bool
    has_special: bool
    counts: Counter[str]  # of the backend

    def ask_later(self, one: Any, length: int, padding: Any) -> Any:
        """The same as `ask`, for a result that our engine gave before; the report counts it."""
        self.counts[LATER] += 1
        return self.ask(one, length, padding)

    def ask(self, one: Any, length: int = -1, padding: Any = None) -> Any:
        """The Encoding of the original for one input. length: it is padded to this; -1: it is not."""
        with self.snapshot.lock:
            original = self.snapshot.tokenizer
            if self.truncation is not None:
                original.enable_truncation(**self.truncation)
            elif original.truncation is not None:
                original.no_truncation()
            if original.padding is not None:
                original.no_padding()
            if original.encode_special_tokens:
                original.encode_special_tokens = False
            found = original.encode_batch(
                [one], is_pretokenized=self.is_pretokenized, add_special_tokens=self.has_special
            )[0]
        if length >= 0:
            pad_original(found, length, padding)
        return found

    def tokens_of(self, ids: list[int], is_found: bool) -> list[str] | None:
        """The tokens of ids; None: only the original knows them. is_found: each token is found in the text."""
        return self.snapshot.tokens_of(ids, is_found)

    def spans(self) -> TokenSpans | None:
        """What finds tokens in a text; None: only the original knows where they are."""
        return self.snapshot.spans


def pad_original(encoding: Any, length: int, padding: dict[str, Any]) -> None:
    """Pad an Encoding of the original in place. length: in tokens."""
    encoding.pad(length, **{name: padding[name] for name in ("direction", "pad_id", "pad_type_id", "pad_token")})
