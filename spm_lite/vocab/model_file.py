"""Model reader: model bytes, parsed by `model_parser`, -> checked vocabulary and settings."""

from __future__ import annotations

from math import isfinite

from spm_lite._typing import TYPE_CHECKING
from spm_lite.errors import ModelError
from spm_lite.kinds import (
    BEHAVIORS,
    CONTROL,
    FAMILY_NAMES,
    MODEL_TYPE_NAMES,
    MODEL_TYPES,
    NORMAL,
    UNKNOWN,
    USER_DEFINED,
)
from spm_lite.normalize.rules.strict import ESCAPE, are_strict
from spm_lite.vocab.model_parser import read_fields

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from spm_lite.specs import NormalizerSpec, TrainerSpec
    from spm_lite.vocab.model_parser import Settings
    from spm_lite.vocab.vocab import Vocab

FORMAT_VERSION = 4  # the highest version that can be read
SENTENCEPIECE_VERSION = 1  # of a file whose pieces stand where SentencePiece has them
DOUBLE = 8  # bytes of a number in double precision
FAMILY_VERSION = 2  # of a file whose pieces stand in our extension
PATTERN_VERSION = 3  # of a file with a split pattern: readers that do not know it would give other ids
TEXT_VERSION = 4  # of a file that changes or cuts texts as SentencePiece cannot: its pieces stand in our extension
CLEANUP_VERSION = 3  # of a file whose decoded text is cleaned up: others would give other texts
CUT_TYPES = ("unigram", "bpe", "word", "wordpiece", "byte_bpe")  # types of models whose texts splits may cut
TEXT_FIELDS = (
    "unicode_form",
    "steps",
    "prefix_each_text",
    "prefix_unless_space",
)  # of a NormalizerSpec, in our extension
SPACE_MARK = "\u2581".encode()
SPACE_TYPES = (NORMAL, USER_DEFINED)  # types of pieces that encoding can give


class ModelFile:
    """The content of a model file, checked except for the normalization rules; immutable, but specs are read on demand.

    data: the bytes as read; saving an unchanged model gives them back. strict: the model is lossless in the original
    library's encoder too, because rules escape U+2581. special_ids: ids of the pieces for unknown, beginning of text,
    end of text, padding; -1: none.
    """

    __slots__ = ("_specs", "data", "settings", "special_ids", "strict", "vocab")

    def __init__(self, data: bytes, vocab: Vocab, settings: Settings) -> None:
        self.data = data
        self.vocab = vocab
        self.settings = settings
        self.special_ids: tuple[int, int, int, int] = vocab.special_ids(*settings.special_names)
        self.strict = settings.lossless and are_strict(settings.normalizer, settings.denormalizer)
        self._specs: tuple[TrainerSpec, NormalizerSpec, NormalizerSpec | None] | None = None

    @property
    def model_type(self) -> str:
        """A key of MODEL_TYPES or FAMILIES."""
        return model_type_of(self.settings)

    @property
    def has_own_pieces(self) -> bool:
        """Whether the pieces stand in our extension, so that sentencepiece refuses the file."""
        return self.settings.n_own > 0

    @property
    def lossless(self) -> bool:
        """Whether decoding gives back every text; stored in spm_lite's extension."""
        return self.settings.lossless

    @property
    def trainer(self) -> TrainerSpec:
        """The training settings in the file. Here and below, ill-formed bytes in strings become U+FFFD."""
        return self.specs()[0]

    @property
    def normalizer(self) -> NormalizerSpec:
        """How text is changed before segmentation."""
        return self.specs()[1]

    @property
    def denormalizer(self) -> NormalizerSpec | None:
        """How text is changed after decoding; None: not at all."""
        return self.specs()[2]

    @property
    def conditions(self) -> tuple[str, ...]:
        """What a text must meet to get the ids of the file of another format that the model was read from."""
        if not self.settings.has_extension:
            return ()
        from spm_lite.vocab.messages import extension_of

        return tuple(extension_of(self.message()).conditions)

    def specs(self) -> tuple[TrainerSpec, NormalizerSpec, NormalizerSpec | None]:
        """All three specs, read on the first call: encoding and decoding do not need them."""
        if self._specs is None:
            from spm_lite.vocab.spec_messages import specs_of

            found = self.settings.normalizer
            own = {name: getattr(found, name) for name in TEXT_FIELDS}
            self._specs = specs_of(self.message(), self.model_type, self.lossless, own)
        return self._specs

    def message(self) -> Any:
        """The whole model as a new ModelProto, unknown fields included, to edit and serialize.

        Raises ModelError if protobuf is in pure Python and a string of the model is not UTF-8.

        >>> message = model.message()
        >>> message.pieces[5].type = message.SentencePiece.UNUSED
        >>> edited = read_model(message.SerializeToString(deterministic=True), "edited")
        """
        from spm_lite.vocab.messages import read_message

        return read_message("ModelProto", self.data)


def read_model(data: bytes, name: str) -> ModelFile:
    """Read and check the model in `data`. name: a path, say; error messages begin with it.

    Missing specs and fields have the defaults of the message. The spec classes have other defaults. The rules
    of both normalizers are not checked, except in a lossless model. Raises ModelError.
    """
    if not data:
        raise ModelError(
            f"{name}: the model is empty (0 bytes). unk is not defined. A model file holds 1 byte or more: copy it or "
            "download it again"
        )
    try:
        vocab, settings = read_fields(data)
        check_version(settings.format_version)
        finish_vocab(vocab, settings)
        model = ModelFile(data, vocab, settings)
        if vocab.is_bytes:
            check_untouched(model)
        elif model.lossless:
            check_lossless(model)
    except ModelError as error:
        raise ModelError(f"{name}: {error}{seems(data)}") from None
    return model


EXTENSION_TAG, CONDITION_TAG = b"\x82\xb7\x0e", b"\x82\x01"  # field numbers 29552 and 16, of a length and bytes


def with_conditions(data: bytes, sentences: Iterable[str]) -> bytes:
    """The bytes of a model with conditions of its reading; without any, the same bytes.

    They stand in an extension at the end, which parsers join with one that is there already.
    """
    fields = b"".join(CONDITION_TAG + with_size(sentence.encode("utf-8", "replace")) for sentence in sentences)
    return data + EXTENSION_TAG + with_size(fields) if fields else data


def with_size(data: bytes) -> bytes:
    """Bytes after their number, as protobuf writes it."""
    size, number = len(data), bytearray()
    while size >= 0x80:
        number.append(size & 0x7F | 0x80)
        size >>= 7
    return bytes(number) + bytes([size]) + data


def model_type_of(settings: Settings) -> str:
    """The name of a model's type. Raises ModelError for a family that this version does not know."""
    if settings.family == 0:
        return MODEL_TYPE_NAMES[settings.model_type]
    if settings.family not in FAMILY_NAMES:
        raise ModelError(f"the model is of family {settings.family}, which this version of spm_lite does not read")
    return FAMILY_NAMES[settings.family]


def finish_vocab(vocab: Vocab, settings: Settings) -> None:
    """Check the pieces of a model by the rules of its type; give `vocab` its tables of names and its split pattern."""
    model_type = model_type_of(settings)
    n_others = len(vocab) - settings.n_own
    if settings.format_version < FAMILY_VERSION and (settings.family or settings.n_own):
        raise ModelError(
            f"a {model_type} model with pieces in the extension has format version {FAMILY_VERSION}, not "
            f"{settings.format_version}"
        )
    check_text_settings(settings, vocab)
    vocab.set_added(found_tokens(settings, vocab))
    vocab.exact_scores, vocab.scores_restart = settings.exact_scores, settings.scores_restart
    vocab.may_have_empty = settings.format_version >= TEXT_VERSION and settings.n_own > 0
    if settings.family == 0 and settings.n_own and settings.format_version < TEXT_VERSION:
        raise ModelError(f"the extension holds {settings.n_own} pieces, but names no family that they belong to")
    if (settings.family != 0 or settings.n_own) and n_others:
        raise ModelError(f"a {model_type} model has its pieces in the extension, but {n_others} are elsewhere")
    check_splits(settings)
    vocab.splits = tuple([(pattern, BEHAVIORS[number], invert) for pattern, number, invert in settings.splits])
    if model_type == "wordpiece":
        finish_words(vocab, settings)
    elif settings.family:
        vocab.finish_bytes(model_type == "byte" or vocab.merge_list is not None)
        if settings.split_pattern:
            vocab.split_pattern = checked_pattern(settings)
    else:
        vocab.finish(settings.model_type, settings.byte_fallback)
    if vocab.merge_list is not None:
        check_merge_list(vocab, settings, model_type)


def check_merge_list(vocab: Vocab, settings: Settings, model_type: str) -> None:
    """Raise ModelError for a list of merges that is not one of this vocabulary, or in a model of another type."""
    from spm_lite.vocab.merge_list import check_merges

    assert vocab.merge_list is not None
    if model_type not in ("bpe", "byte_bpe"):
        raise ModelError(f"a {model_type} model has a list of merges, which has no meaning there")
    if settings.format_version < TEXT_VERSION or not settings.n_own:
        raise ModelError(
            f"a model with a list of merges has format version {TEXT_VERSION} and its pieces in the extension"
        )
    check_merges(vocab.merge_list, vocab)


def is_text_type(vocab: Vocab, piece_id: int) -> bool:
    """Whether a piece is found in texts that allow no special token."""
    return 0 <= piece_id < len(vocab) and vocab.type(piece_id) not in (CONTROL, UNKNOWN)


def found_tokens(settings: Settings, vocab: Vocab) -> list[int]:
    """The ids of the added tokens that are found in all texts."""
    return [piece_id for piece_id, *_ in settings.added_tokens if is_text_type(vocab, piece_id)]


def check_text_settings(settings: Settings, vocab: Vocab) -> None:
    """Raise ModelError for settings of our extension that this version does not know, or that name no piece."""
    normalizer, added = settings.normalizer, settings.added_tokens
    changes = bool(normalizer.unicode_form or normalizer.steps or normalizer.prefix_unless_space)
    needs_reader = changes or bool(found_tokens(settings, vocab)) or bool(settings.exact_scores)
    if settings.exact_scores:
        check_exact_scores(settings, vocab)
    if needs_reader and (settings.format_version < TEXT_VERSION or not settings.n_own):
        raise ModelError(
            f"a model with a form of Unicode, added tokens in texts or a prefix for some texts has format version "
            f"{TEXT_VERSION} and its pieces in the extension"
        )
    if normalizer.steps and normalizer.unicode_form:
        raise ModelError("a form of Unicode beside other steps must be one of them")
    if normalizer.unicode_form:
        from spm_lite.normalize.rules.unicode_form import is_form

        if not is_form(normalizer.unicode_form):
            raise ModelError(f"the form of Unicode {normalizer.unicode_form!r:.60} is not known to this version")
    for piece_id, *_ in added:
        if not 0 <= piece_id < len(vocab):
            raise ModelError(f"an added token has the id {piece_id}, outside the {len(vocab)} pieces")
    if len({one[0] for one in added}) < len(added):
        raise ModelError("an added token is there twice")


def check_exact_scores(settings: Settings, vocab: Vocab) -> None:
    """Raise ModelError for scores in double precision that are damaged, or in a model of another type."""
    if model_type_of(settings) != "unigram":
        raise ModelError(
            f"a {model_type_of(settings)} model has scores in double precision, which are for unigram ones"
        )
    size = len(settings.exact_scores)
    if size % DOUBLE or size // DOUBLE > len(vocab):
        raise ModelError(f"{size} bytes of scores in double precision do not fit the {len(vocab)} pieces")
    if not all(map(isfinite, memoryview(settings.exact_scores).cast("d"))):
        raise ModelError("a score in double precision is not a finite number")


def checked_pattern(settings: Settings) -> str:
    """The split pattern of a model of byte-level BPE. Raises ModelError for one that this version does not know."""
    from spm_lite.vocab.split_pattern_names import RULES

    pattern: str = settings.split_pattern.decode("utf-8", "backslashreplace")
    if model_type_of(settings) != "byte_bpe":
        raise ModelError(
            f"a {model_type_of(settings)} model has a split pattern, {pattern!r:.80}, which has no meaning there"
        )
    if settings.format_version < PATTERN_VERSION:
        raise ModelError(f"a model with a split pattern has format version {PATTERN_VERSION}")
    if pattern not in RULES:
        raise ModelError(f"the split pattern {pattern!r:.200} is not known to this version of spm_lite")
    return pattern


def check_splits(settings: Settings) -> None:
    """Raise ModelError for splits that this version does not know. Their patterns are read when a text is cut."""
    if not settings.splits:
        return
    model_type = model_type_of(settings)
    if model_type not in CUT_TYPES:
        raise ModelError(f"a {model_type} model has splits, which have a meaning only in {', '.join(CUT_TYPES)} models")
    if model_type != "byte_bpe" and (settings.lossless or settings.normalizer.escape_whitespaces):
        raise ModelError(f"a {model_type} model with splits is marked lossless, or spaces become U+2581 in it")
    if settings.split_pattern:
        raise ModelError("a model has both a split pattern and splits: they say twice how a text is cut")
    if settings.format_version < TEXT_VERSION or not settings.n_own:
        raise ModelError(f"a model with splits has format version {TEXT_VERSION}")
    wrong = next((number for _, number, _ in settings.splits if number >= len(BEHAVIORS)), None)
    if wrong is not None:
        raise ModelError(f"a split has the behavior {wrong}, which this version of spm_lite does not know")


def finish_words(vocab: Vocab, settings: Settings) -> None:
    """Check the pieces and rules of a WordPiece model; give `vocab` its rules for words."""
    from spm_lite.specs import WordRules

    prefix, by_char, max_word_length, by_punctuation, bert_words, cleanup = settings.word_rules
    vocab.finish(MODEL_TYPES["word"], False)
    if not vocab.is_well_formed:
        raise ModelError("a piece is not UTF-8, as every piece of a wordpiece model must be")
    added = set(found_tokens(settings, vocab))
    if not added.issuperset(vocab.ids_of_type(USER_DEFINED)):
        raise ModelError("a wordpiece model has user-defined pieces, which have no meaning there")
    if cleanup and settings.format_version < CLEANUP_VERSION:
        raise ModelError(f"a wordpiece model with cleanup has format version {CLEANUP_VERSION}")
    if settings.lossless:
        raise ModelError("the model is marked lossless, but a wordpiece model loses spaces")
    try:
        text = prefix.decode("utf-8")
    except UnicodeDecodeError:
        raise ModelError(f"the prefix of continuation pieces, {prefix!r:.60}, is not UTF-8") from None
    longest = min(max_word_length, 2**31 - 1)
    vocab.word_rules = WordRules(text, by_char, longest, by_punctuation, bert_words, cleanup)


def has_space_piece(vocab: Vocab) -> bool:
    """Whether a single space in a text can become a piece."""
    space_id = vocab.find_id(SPACE_MARK)
    return space_id >= 0 and vocab.text(space_id) == SPACE_MARK and vocab.type(space_id) in SPACE_TYPES


def seems(data: bytes) -> str:
    """The end of an error message: the kind of file that `data` may be instead; "" if unknown."""
    from spm_lite.vocab.other_formats import guess_kind

    kind = guess_kind(data)
    return f". It looks like {kind}" if kind else ""


def check_version(version: int) -> None:
    """Raise ModelError for a model that needs a newer reader."""
    if version > FORMAT_VERSION:
        raise ModelError(
            f"format version {version} > {FORMAT_VERSION}, the highest that this version of spm_lite reads. "
            "Install a newer one"
        )


def check_untouched(model: ModelFile) -> None:
    """Raise ModelError if a model whose pieces are bytes has settings that change the text."""
    spec, back = model.settings.normalizer, model.settings.denormalizer
    has_rules = spec.has_rules
    splits = model.vocab.splits
    may_have_rules = not model.lossless and bool(
        model.vocab.split_pattern is not None or spec.unicode_form or spec.steps or splits
    )
    drops = any(behavior == "Removed" for _, behavior, _ in splits)
    faults = [
        (has_rules and not may_have_rules, "normalization rules"),
        (back is not None and bool(back.precompiled_charsmap), "rules for decoded text"),
        (spec.add_dummy_prefix, "add_dummy_prefix"),
        (spec.remove_extra_whitespaces, "remove_extra_whitespaces"),
        (
            not model.lossless and not ((has_rules and may_have_rules) or drops) and model.vocab.merge_list is None,
            "no mark that it is lossless",
        ),
        (model.lossless and drops, "a mark that it is lossless, and parts of a text that are removed"),
        (model.lossless and loses_bytes(model.vocab), "a mark that it is lossless, but pieces that lose bytes"),
    ]
    found = [what for is_fault, what in faults if is_fault]
    if found:
        raise ModelError(
            f"the pieces of a {model.model_type} model are bytes of the text, but it has {', '.join(found)}"
        )


def loses_bytes(vocab: Vocab) -> bool:
    """Whether a vocabulary of bytes loses some: a byte has no piece, or pieces hold more than bytes of the text."""
    return vocab.lacks_bytes or (vocab.merge_list is not None and vocab.merge_list.is_by_part())


def check_lossless(model: ModelFile) -> None:
    """Raise ModelError if a model is marked lossless but has settings that lose a part of some text."""
    spec, back = model.settings.normalizer, model.settings.denormalizer
    symbols = b"\0".join(model.vocab.texts_of_type(USER_DEFINED)) if model.strict else b""
    faults = [
        (spec.has_rules and not model.strict, "normalization rules"),
        (back is not None and bool(back.precompiled_charsmap) and not model.strict, "rules for decoded text"),
        (model.strict and SPACE_MARK in symbols, "a user-defined symbol with U+2581, which the rules escape"),
        (model.strict and ESCAPE.encode() in symbols, "a user-defined symbol with U+F0000, which begins an escape"),
        (spec.remove_extra_whitespaces, "remove_extra_whitespaces"),
        (not spec.escape_whitespaces, "spaces that are not escaped"),
        (not model.vocab.byte_fallback, "no byte fallback"),
        (not model.vocab.is_well_formed, "pieces that are not UTF-8"),
        (model.model_type == "word", "whole words as pieces, so that a space within an unknown one is lost"),
        (not has_space_piece(model.vocab), "no piece for a space"),
        (model.settings.treat_whitespace_as_suffix and spec.add_dummy_prefix, "a space added to the end of a text"),
    ]
    found = [what for is_fault, what in faults if is_fault]
    if found:
        raise ModelError(f"the model is marked lossless but has {', '.join(found)}. Train or save it without the mark")
