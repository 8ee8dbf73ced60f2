"""The parts of a loaded model (encoder, decoder and their variants), and how a model file becomes them."""

from __future__ import annotations

from spm_lite._typing import TYPE_CHECKING, final
from spm_lite.arguments import as_flag
from spm_lite.decode.decoder import Decoder
from spm_lite.encode.encoder import Encoder
from spm_lite.encode.segment.segmenter import make_segmenter
from spm_lite.errors import OptionError
from spm_lite.kinds import USER_DEFINED
from spm_lite.normalize.from_settings import copy_normalizer, make_normalizer, plain_normalizer

if TYPE_CHECKING:
    from typing import Any

    from spm_lite.encode.segment.segmenter import Segmenter
    from spm_lite.tokenizer.token_limits import Limits
    from spm_lite.vocab.model_file import ModelFile


@final
class Variants:
    """Encoders and decoders of one model under other options than its own; each is made on first use and kept.

    prefix_space: True or False overrides the model's own setting of the dummy space; None: as the model.
    user_defined=False: user-defined pieces are neither matched nor protected from normalization. Nothing else differs.
    """

    def __init__(self, encoder: Encoder, decoder: Decoder, model_type: str) -> None:
        self._model_type = model_type
        self._encoders = {(encoder.normalizer.add_dummy_prefix, True, True): encoder}
        self._own = encoder
        self._plain: Encoder | None = None
        self._decoders: dict[bool | None, Decoder] = {None: decoder}
        self._limits: dict[Encoder, Limits] = {}
        self._segmenters: dict[tuple[bool, bool], Segmenter] = {(True, True): encoder.segmenter}

    def encoder(self, prefix_space: Any = None, user_defined: Any = True, has_fallback: bool = True) -> Encoder:
        """The encoder with these options. Raises ArgumentTypeError for an option that is not a bool."""
        if prefix_space is None and user_defined is True and has_fallback:
            return self._own
        own = self._own.normalizer
        if self._own.vocab.is_bytes:
            check_no_prefix(prefix_space, self._model_type)
        key = (
            own.add_dummy_prefix if prefix_space is None else as_flag(prefix_space, "prefix_space"),
            as_flag(user_defined, "user_defined") or not (own.protected or self._own.vocab.is_bytes),
            has_fallback or not self._own.vocab.byte_fallback,
        )
        found = self._encoders.get(key)
        return found or self._encoders.setdefault(key, self._new_encoder(*key))

    def _new_encoder(self, prefix_space: bool, user_defined: bool, has_fallback: bool) -> Encoder:
        own = self._own.normalizer
        normalizer = copy_normalizer(own, add_dummy_prefix=prefix_space, keeps_protected=user_defined)
        return Encoder(normalizer, self._segmenter(user_defined, has_fallback), budget=self._own.budget)

    def plain_encoder(self) -> Encoder:
        """The encoder of text that is normalized already, with U+2581 for spaces."""
        own = self._own.normalizer
        if self._plain is None:
            normalizer = plain_normalizer(own)
            self._plain = Encoder(normalizer, self._own.segmenter, budget=self._own.budget)
        return self._plain

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
        for encoder in [*self._encoders.values()]:
            encoder.clear_cache()


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
    normalizer = make_normalizer(
        file.settings.normalizer,
        may_be_compact=vocab.is_well_formed or vocab.is_bytes,
        whitespace_as_suffix=file.settings.treat_whitespace_as_suffix,
        # In WordPiece and in bytes, U+2581 is text like any other.
        lossless=file.lossless or vocab.word_rules is not None or vocab.is_bytes,
        protected=() if vocab.is_bytes else vocab.texts_of_type(USER_DEFINED),
    )
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
    return Decoder(
        vocab,
        file.settings.normalizer.add_dummy_prefix,
        file.settings.normalizer.remove_extra_whitespaces,
        file.settings.unk_surface,
        denormalizer,
    )
