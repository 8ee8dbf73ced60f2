"""Model bytes <-> vocabulary and specs."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple, TypeVar

from spm_lite.errors import ModelError, OptionError
from spm_lite.io import messages, wire
from spm_lite.io.foreign import guess_kind
from spm_lite.normalize.strict import ESCAPE, are_strict
from spm_lite.specs import MODEL_TYPES, NORMAL, OWN_FIELDS, USER_DEFINED, NormalizerSpec, TrainerSpec
from spm_lite.vocab.vocab import Vocab

FORMAT_VERSION = 1  # the highest that this version reads, and the one it writes
MODEL_TYPE_NAMES = {number: name for name, number in MODEL_TYPES.items()}
SPACE_MARK = "\u2581".encode()
SPACE_TYPES = (NORMAL, USER_DEFINED)  # what text can become
ALWAYS_WRITTEN = ("model_type", "vocab_size")  # also where the value is the message's default

Spec = TypeVar("Spec", TrainerSpec, NormalizerSpec)
Piece = tuple["str | bytes", float, int]  # text, score, type


class SpecialIds(NamedTuple):
    """The ids of the four special pieces; -1: none."""

    unk: int
    bos: int
    eos: int
    pad: int


@dataclass(frozen=True)
class ModelFile:
    """All that a model file says, checked except for the normalization rules."""

    data: bytes  # as it was read; saving an untouched model gives it back
    vocab: Vocab
    model_type: str  # a key of MODEL_TYPES
    normalizer: NormalizerSpec
    denormalizer: NormalizerSpec | None
    trainer: TrainerSpec
    lossless: bool  # ours: decoding gives back every text
    strict: bool  # and the original library's encoder loses nothing either: U+2581 is escaped by rules
    special_ids: SpecialIds

    def message(self) -> Any:
        """The whole model as a ModelProto of our own, unknown fields included, to edit and serialize.

        Raises ModelError where protobuf is in pure Python and a string of the model is not UTF-8.

        >>> message = model.message()
        >>> message.pieces[5].type = message.SentencePiece.UNUSED
        >>> edited = read_model(message.SerializeToString(deterministic=True), "edited")
        """
        return messages.read_message("ModelProto", self.data)


def read_model(data: bytes, name: str) -> ModelFile:
    """The model in `data`; `name` (a path, say) stands in front of error messages.

    Missing specs and fields have the defaults of the message, which are not those of the specs' classes. The rules
    of both normalizers are handed on unchecked. Raises ModelError.
    """
    if not data:
        raise ModelError(
            f"{name}: the model is empty (0 bytes). unk is not defined. A model file holds 1 byte or more: copy it or "
            "download it again"
        )
    try:
        vocab, rest = wire.read_pieces(data)
        message = parse_rest(rest)
        check_version(message)
        trainer = message.trainer_spec
        vocab.finish(trainer.model_type, trainer.byte_fallback)
        model = ModelFile(
            data=data,
            vocab=vocab,
            model_type=MODEL_TYPE_NAMES[trainer.model_type],
            normalizer=spec_from_message(NormalizerSpec, message.normalizer_spec),
            denormalizer=(
                spec_from_message(NormalizerSpec, message.denormalizer_spec)
                if message.HasField("denormalizer_spec")
                else None
            ),
            trainer=spec_from_message(TrainerSpec, trainer, lossless=is_lossless(message)),
            lossless=is_lossless(message),
            special_ids=special_ids(vocab, trainer),
            strict=False,
        )
        if model.lossless:
            model = replace(model, strict=are_strict(model.normalizer, model.denormalizer))
            check_lossless(model)
    except ModelError as error:
        raise ModelError(f"{name}: {error}{seems(data)}") from None
    return model


def has_space_piece(vocab: Vocab) -> bool:
    """Whether a space in a text can become a piece of its own."""
    space_id = vocab.find_id(SPACE_MARK)
    return space_id >= 0 and vocab.text(space_id) == SPACE_MARK and vocab.type(space_id) in SPACE_TYPES


def seems(data: bytes) -> str:
    """The end of an error message: what kind of file this may be instead."""
    kind = guess_kind(data)
    return f". It looks like {kind}" if kind else ""


def parse_rest(rest: bytes) -> Any:
    """A ModelProto without its pieces."""
    try:
        return messages.message_class("ModelProto").FromString(rest)
    except (messages.decode_error(), UnicodeDecodeError) as error:  # the latter in protobuf's pure Python version
        reason = str(getattr(error, "reason", error)).rstrip(".")
        raise ModelError(f"not a model message: a spec in it cannot be read ({reason}). The file is damaged") from None


def check_version(message: Any) -> None:
    """Refuse a model that needs a newer reader."""
    if messages.has_extension(message):
        version = messages.extension_of(message).format_version
        if version > FORMAT_VERSION:
            raise ModelError(
                f"format version {version} > {FORMAT_VERSION}, the highest that this version of spm_lite reads. "
                "Install a newer one"
            )


def is_lossless(message: Any) -> bool:
    return messages.has_extension(message) and bool(messages.extension_of(message).lossless)


def check_lossless(model: ModelFile) -> None:
    """A model that promises to decode to the very text must not have settings that lose some of it."""
    spec, back = model.normalizer, model.denormalizer
    symbols = b"\0".join(model.vocab.texts_of_type(USER_DEFINED))
    faults = [
        (bool(spec.precompiled_charsmap) and not model.strict, "normalization rules"),
        (back is not None and bool(back.precompiled_charsmap) and not model.strict, "rules for decoded text"),
        (SPACE_MARK in symbols, "a user-defined symbol with U+2581"),
        (model.strict and ESCAPE.encode() in symbols, "a user-defined symbol with U+F0000, which begins an escape"),
        (spec.remove_extra_whitespaces, "remove_extra_whitespaces"),
        (not spec.escape_whitespaces, "spaces that are not escaped"),
        (not model.vocab.byte_fallback, "no byte fallback"),
        (not model.vocab.is_well_formed, "pieces that are not UTF-8"),
        (model.model_type == "word", "whole words as pieces, so that a space within an unknown one is lost"),
        (not has_space_piece(model.vocab), "no piece for a space"),
        (model.trainer.treat_whitespace_as_suffix and spec.add_dummy_prefix, "a space added to the end of a text"),
    ]
    found = [what for is_fault, what in faults if is_fault]
    if found:
        raise ModelError(f"the model is marked lossless but has {', '.join(found)}. Train or save it without the mark")


def special_ids(vocab: Vocab, trainer: Any) -> SpecialIds:
    """The special pieces are found by the names in the trainer spec; the numbers there are a record only."""
    names = (trainer.unk_piece, trainer.bos_piece, trainer.eos_piece, trainer.pad_piece)
    return SpecialIds(*vocab.special_ids(*(as_bytes(name) for name in names)))


def as_bytes(value: str | bytes) -> bytes:
    """A string field's bytes: protobuf gives ill-formed UTF-8 as bytes."""
    return value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value


def as_str(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode("utf-8", "replace")


def spec_from_message(kind: type[Spec], message: Any, **others: Any) -> Spec:
    """The spec that a message holds; ill-formed bytes in its strings become U+FFFD."""
    values: dict[str, Any] = dict(others)
    for field in fields(kind):
        if field.name in others or field.name in OWN_FIELDS:
            continue
        value = getattr(message, field.name)
        if field.name == "model_type":
            value = MODEL_TYPE_NAMES[value]
        elif isinstance(field.default, float):
            value = shortest(value)
        elif isinstance(field.default, str):
            value = as_str(value)
        elif isinstance(field.default, tuple):
            value = tuple(as_str(entry) for entry in value)
        values[field.name] = value
    return kind(**values)


def shortest(value: float) -> float:
    """The number with the fewest digits that is the same float32: 0.9995, not 0.9994999766."""
    digits = (float(f"{value:.{n}g}") for n in range(1, 10))
    return next((number for number in digits if as_float32(number) == as_float32(value)), value)


def as_float32(value: float) -> bytes:
    return struct.pack("<f", value)


def fill_message(message: Any, spec: TrainerSpec | NormalizerSpec, record: Mapping[str, Any]) -> None:
    """Set the fields where `spec` differs from the message's defaults, and those of `record` in any case."""
    for field in fields(spec):
        value = getattr(spec, field.name)
        if field.name in OWN_FIELDS or value is None:
            continue  # lossless is in our extension; None is "no limit", which the message cannot say
        if field.name == "model_type":
            value = MODEL_TYPES[value]
        if isinstance(value, tuple):
            getattr(message, field.name).extend(value)
        elif field.name in ALWAYS_WRITTEN or differs(message, field.name, value):
            setattr(message, field.name, value)
    for name, value in record.items():
        if name not in message.DESCRIPTOR.fields_by_name:
            raise OptionError(f"{message.DESCRIPTOR.name} has no field {name!r} to record")
        if isinstance(value, (list, tuple)):
            del getattr(message, name)[:]
            getattr(message, name).extend(value)
        else:
            setattr(message, name, value)


def differs(message: Any, name: str, value: Any) -> bool:
    """Whether a value is not the default of an optional field; floats as the field would store them."""
    default = getattr(message, name)
    if isinstance(default, float):
        return as_float32(default) != as_float32(value)
    return bool(default != value)


def write_model(
    pieces: Iterable[Piece],
    trainer: TrainerSpec,
    normalizer: NormalizerSpec,
    denormalizer: NormalizerSpec | None = None,
    lossless: bool = False,
    trainer_record: Mapping[str, Any] | None = None,
    normalizer_record: Mapping[str, Any] | None = None,
) -> bytes:
    """A model as bytes: the same arguments give the same bytes.

    pieces: in the order of ids; types are those of the message (1 NORMAL ... 6 BYTE). Of the specs, what differs from
    the message's defaults is written, and model_type and vocab_size always. The records are fields, by name, that are
    written besides or instead, as programs expect that want to know how a model was made (`input`, `model_prefix`).
    Nothing is checked here that reading checks; raises OptionError on a value that a field cannot hold.
    """
    message = messages.message_class("ModelProto")()
    message.trainer_spec.SetInParent()
    message.normalizer_spec.SetInParent()
    try:
        fill_message(message.trainer_spec, trainer, trainer_record or {})
        fill_message(message.normalizer_spec, normalizer, normalizer_record or {})
        if denormalizer is not None:
            message.denormalizer_spec.SetInParent()
            fill_message(message.denormalizer_spec, denormalizer, {})
    except (TypeError, ValueError, OverflowError, struct.error) as error:
        raise OptionError(f"a setting does not fit into the model: {error}") from error
    if lossless:
        messages.extension_of(message).format_version = FORMAT_VERSION
        messages.extension_of(message).lossless = True
    return join_model(pieces, message)


def join_model(pieces: Iterable[Piece], message: Any) -> bytes:
    """A model as bytes: pieces in the order of ids, and a ModelProto that holds all the rest and none."""
    rest: bytes = message.SerializeToString(deterministic=True)
    return wire.write_pieces(pieces) + rest


def vocab_lines(vocab: Vocab, with_scores: bool = True) -> Iterator[bytes]:
    """The lines of a `.vocab` file, LF included: piece, TAB and its score to six digits (`-1.27081`, `-0`)."""
    for piece_id in range(len(vocab)):
        score = b"\t%s" % format(vocab.score(piece_id), "g").encode() if with_scores else b""
        yield vocab.text(piece_id) + score + b"\n"
