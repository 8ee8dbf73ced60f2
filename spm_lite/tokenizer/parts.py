"""The parts of a loaded model (encoder, decoder and their variants), and how a model file becomes them."""

from __future__ import annotations

from functools import cached_property

from spm_lite._typing import TYPE_CHECKING, final
from spm_lite.arguments import as_flag
from spm_lite.decode.decoder import Decoder
from spm_lite.encode.encoder import Encoder
from spm_lite.encode.segment.segmenter import make_segmenter
from spm_lite.errors import OptionError
from spm_lite.kinds import USER_DEFINED
from spm_lite.normalize.from_settings import (
    copy_normalizer,
    make_normalizer,
    with_tokens,
    without_tokens,
)
from spm_lite.vocab.model_file import found_tokens
from spm_lite.vocab.piece_trie import protected_strings

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from spm_lite.encode.segment.segmenter import Segmenter
    from spm_lite.specs import AddedToken
    from spm_lite.tokenizer.token_limits import Limits
    from spm_lite.vocab.model_file import ModelFile
    from spm_lite.vocab.vocab import Vocab


NO_PREFIX = object()  # as `prefix_space`: the text comes after other text, and gets no dummy space
MOST_PROMPTS = 8  # encoders for different special tokens that are kept


@final
class Variants:
    """Encoders and decoders of one model under other options than its own; each is made on first use and kept.

    prefix_space: True or False overrides the model's own setting of the dummy space; None: as the model.
    user_defined=False: user-defined pieces are neither matched nor protected from normalization. is_part: the text is a
    part of another, in which added tokens are found already. Nothing else differs.
    """

    def __init__(self, encoder: Encoder, decoder: Decoder, file: ModelFile) -> None:
        self._model_type = file.model_type
        self._steps = file.settings.normalizer.steps
        self._encoders = {(encoder.normalizer.add_dummy_prefix, True, True, False): encoder}
        self._own = encoder
        self._prompts: dict[tuple[Encoder, frozenset[tuple[bytes, AddedToken]]], Encoder] = {}
        self._decoders: dict[bool | None, Decoder] = {None: decoder}
        self.chats: dict[str, Any] = {}  # template -> what `chats` knows of its special tokens
        self._limits: dict[Encoder, Limits] = {}
        self._segmenters: dict[tuple[bool, bool], Segmenter] = {(True, True): encoder.segmenter}

    def encoder(
        self, prefix_space: Any = None, user_defined: Any = True, has_fallback: bool = True, is_part: bool = False
    ) -> Encoder:
        """The encoder with these options. Raises ArgumentTypeError for an option that is not a bool."""
        own = self._own.normalizer
        is_part = is_part and bool(own.added or own.later)
        if prefix_space is None and user_defined is True and has_fallback and not is_part:
            return self._own
        has_symbols = own.added or own.later or self._own.vocab.has_type(USER_DEFINED)
        key = (
            own.add_dummy_prefix if prefix_space is None else self._gets_prefix(prefix_space),
            as_flag(user_defined, "user_defined") or not has_symbols,
            has_fallback or not self._own.vocab.byte_fallback,
            is_part,
        )
        found = self._encoders.get(key)
        return found or self._encoders.setdefault(key, self._new_encoder(*key))

    @cached_property
    def _steps_put_space(self) -> bool:
        """Whether the steps of the model put a space, or what stands for one, before a text without a dummy space."""
        if not self._steps:
            return False
        from spm_lite.normalize.component_steps import space_signs  # here, since few models need it

        found = copy_normalizer(self._own.normalizer, add_dummy_prefix=False).normalize(b"a")
        return found.startswith(tuple(sign.encode() for sign in space_signs(self._steps)))

    def _gets_prefix(self, prefix_space: Any) -> bool:
        """Whether a text gets the dummy space under this option. Raises OptionError if the model cannot do so."""
        if prefix_space is NO_PREFIX:
            return False
        wants = as_flag(prefix_space, "prefix_space")
        if self._steps_put_space:
            if not wants:
                raise OptionError(
                    "prefix_space=False: the steps of this model put a space before the first word of every text. "
                    "Leave it out; for ids of a text that continues another one, encode both as one text",
                    remedies=[{"prefix_space": None}, {"prefix_space": True}],
                )
            return bool(self._own.normalizer.add_dummy_prefix)
        if self._own.vocab.is_bytes:
            check_no_prefix(prefix_space, self._model_type)
        return wants

    def _new_encoder(self, prefix_space: bool, user_defined: bool, has_fallback: bool, is_part: bool) -> Encoder:
        own = self._own.normalizer
        changes: dict[str, Any] = {} if user_defined else {"protected": ()}
        if is_part or not user_defined:
            changes |= without_tokens(own)
        normalizer = copy_normalizer(own, add_dummy_prefix=prefix_space, **changes)
        return Encoder(normalizer, self._segmenter(user_defined, has_fallback), budget=self._own.budget)

    def encode_with_tokens(
        self, text: str | bytes, tokens: Mapping[bytes, AddedToken], prefix_space: Any, user_defined: Any
    ) -> list[int]:
        """The ids of a text in which some special pieces are found as added tokens, by name."""
        vocab = self._own.vocab
        ids = self.prompt_encoder(tokens, prefix_space, user_defined).encode(text)
        return [vocab.unknown_index if i == vocab.size else i for i in ids]

    def prompt_encoder(self, tokens: Mapping[bytes, AddedToken], prefix_space: Any, user_defined: Any) -> Encoder:
        """What finds special pieces as added tokens, by name; the id of an unknown piece that it finds is new."""
        encoder, vocab = self.encoder(prefix_space, user_defined, is_part=True), self._own.vocab
        key = encoder, frozenset(tokens.items())
        made = self._prompts.get(key)
        if made is None:
            if len(self._prompts) >= MOST_PROMPTS:
                self._prompts.clear()
            from spm_lite.vocab.derived import with_found

            found = [(name, replace_id(one, vocab)) for name, one in tokens.items()]
            segmenter = make_segmenter(
                with_found(vocab, [one.id for one in tokens.values() if one.id != vocab.unknown_index]),
                self._model_type,
                encoder.normalizer.compact,
            )
            made = Encoder(with_tokens(encoder.normalizer, found), segmenter, budget=self._own.budget)
            self._prompts[key] = made
        return made

    def _segmenter(self, user_defined: bool, has_fallback: bool) -> Segmenter:
        key = user_defined, has_fallback
        if key not in self._segmenters:
            from spm_lite.vocab.derived import without_fallback, without_symbols  # here, since few programs need them

            vocab = self._own.vocab if user_defined else without_symbols(self._own.vocab)
            vocab = vocab if has_fallback else without_fallback(vocab)
            self._segmenters[key] = make_segmenter(vocab, self._model_type, self._own.normalizer.compact)
        return self._segmenters[key]

    def limits(self, prefix_space: Any = None, user_defined: Any = True) -> Limits:
        """The Limits that count and cut texts for the encoder with these options."""
        encoder = self.encoder(prefix_space, user_defined)
        found = self._limits.get(encoder)
        return found or self._limits.setdefault(encoder, self._new_limits(encoder))

    def _new_limits(self, encoder: Encoder) -> Limits:
        from spm_lite.tokenizer.token_limits import Limits

        return Limits(encoder)

    def decoder(self, prefix_space: Any = None) -> Decoder:
        """The decoder that removes a space at the start of a text (True), or not (False), or as the model (None)."""
        key = None if prefix_space is None else as_flag(prefix_space, "prefix_space")
        if self._own.vocab.is_bytes:
            check_no_prefix(prefix_space, self._model_type)
        found = self._decoders.get(key)
        return found or self._decoders.setdefault(key, self._new_decoder(bool(key)))

    def _new_decoder(self, prefix_space: bool) -> Decoder:
        own = self._decoders[None]
        removes_spaces = prefix_space and own.remove_extra_whitespaces
        return Decoder(own.vocab, prefix_space, removes_spaces, own.unk_surface, own.denormalizer)

    def clear_cache(self) -> None:
        for encoder in [*self._encoders.values(), *self._prompts.values()]:
            encoder.clear_cache()


def replace_id(token: AddedToken, vocab: Vocab) -> AddedToken:
    """The token with the id that `with_found` gives the unknown piece, if it is that."""
    from dataclasses import replace

    return replace(token, id=vocab.size) if token.id == vocab.unknown_index else token


def check_no_prefix(prefix_space: Any, model_type: str) -> None:
    """Raise OptionError if a space is wanted before text whose bytes are the pieces."""
    if prefix_space is not None and as_flag(prefix_space, "prefix_space"):
        raise OptionError(
            f"prefix_space=True: a {model_type} model takes a text as it is, without a space before it. Leave it out, "
            "or write the space into the text",
            remedies=[{"prefix_space": None}, {"prefix_space": False}],
        )


def make_encoder(file: ModelFile, cache_bytes: int) -> Encoder:
    """The encoder of a model, with its normalizer and segmenter. Raises ModelError if its rules are damaged."""
    vocab = file.vocab
    added = {*found_tokens(file.settings, vocab)}
    normalizer = make_normalizer(
        file.settings.normalizer,
        may_be_compact=vocab.is_well_formed or vocab.is_bytes,
        whitespace_as_suffix=file.settings.treat_whitespace_as_suffix,
        # In WordPiece and in bytes, U+2581 is text like any other. So it is where splits cut, and spaces stay.
        lossless=file.lossless or (vocab.word_rules is not None and not vocab.splits) or vocab.is_bytes,
        protected=() if vocab.is_bytes else protected_strings(vocab, with_marks=not file.lossless),
        marks_words=vocab.word_rules is not None and not vocab.splits,
    )
    if added:
        from spm_lite.specs import AddedToken  # here, since few models need it

        tokens = [AddedToken(*one) for one in file.settings.added_tokens if one[0] in added]
        normalizer = with_tokens(normalizer, [(vocab.text(one.id), one) for one in tokens])
    return Encoder(normalizer, make_segmenter(vocab, file.model_type, normalizer.compact), cache_bytes)


def make_decoder(file: ModelFile) -> Decoder:
    """The decoder of a model, with its denormalizer."""
    if file.vocab.word_rules is not None:
        from spm_lite.vocab.derived import as_decoded

        return Decoder(as_decoded(file.vocab), True, False, b"", None)
    vocab = file.vocab
    if vocab.merge_list is not None and vocab.merge_list.is_by_part():
        from spm_lite.vocab.derived import without_affixes

        vocab = without_affixes(vocab)
    spec = file.settings.denormalizer
    denormalizer = None
    if spec is not None and spec.precompiled_charsmap:
        denormalizer = make_normalizer(spec, lossless=file.strict)
    normalizer = file.settings.normalizer
    has_prefix = normalizer.add_dummy_prefix
    if normalizer.steps:
        from spm_lite.normalize.component_steps import adds_space  # here, since few models need it

        has_prefix = has_prefix or adds_space(normalizer.steps)
    return Decoder(
        vocab,
        has_prefix,
        normalizer.remove_extra_whitespaces,
        file.settings.unk_surface,
        denormalizer,
    )
