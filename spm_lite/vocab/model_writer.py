"""Model writer: pieces and specs -> model bytes.

Byte-level BPE is written without protobuf: importing that takes longer than reading 100,000 pieces.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any

from spm_lite._typing import TYPE_CHECKING
from spm_lite.errors import OptionError
from spm_lite.kinds import FAMILIES, MODEL_TYPES
from spm_lite.specs import BERT_RULES, NormalizerSpec, TrainerSpec, WordRules
from spm_lite.vocab import messages, wire
from spm_lite.vocab.model_file import CLEANUP_VERSION, FAMILY_VERSION, PATTERN_VERSION, SENTENCEPIECE_VERSION
from spm_lite.vocab.spec_messages import fill_message
from spm_lite.vocab.wire import write_fields, write_message

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeAlias

    Setting: TypeAlias = int | str  # a bool is an int
    Field: TypeAlias = tuple[int, int | str | bytes]


OWN_PIECES = 4  # number of the field `pieces` of the extension
EXTENSION = 29552  # number of the extension, which is the last field of a model
TRAINER: dict[str, tuple[int, Setting]] = {  # the fields of the trainer spec that matter here: number, default
    "split_by_whitespace": (22, True),
    "treat_whitespace_as_suffix": (24, False),
    "allow_whitespace_only_pieces": (26, False),
    "unk_id": (40, 0),
    "bos_id": (41, 1),
    "eos_id": (42, 2),
    "pad_id": (43, -1),
    "unk_piece": (45, "<unk>"),
    "bos_piece": (46, "<s>"),
    "eos_piece": (47, "</s>"),
    "pad_piece": (48, "<pad>"),
}


def write_byte_model(
    pieces: bytes, n: int, settings: Mapping[str, Setting], pattern: str | None, rules: tuple[str, bytes] | None
) -> bytes:
    """The bytes that `write_model` gives for such a model.

    pieces: n of them, as `write_pieces` writes them for OWN_PIECES. settings: fields of TRAINER. pattern: the split
    pattern; None: the raw bytes merge. rules: name and charsmap of what changes a text first; None: the model is
    lossless.
    """
    trainer: list[Field] = [(3, MODEL_TYPES["bpe"]), (4, n)]
    trainer += [(TRAINER[name][0], value) for name, value in settings.items() if value != TRAINER[name][1]]
    name, charsmap = rules or ("identity", b"")
    normalizer: list[Field] = [
        (1, name),
        *([(2, charsmap)] if charsmap else []),
        (3, False),
        (4, False),
    ]  # no prefix, spaces stay
    head: list[Field] = [
        (1, FAMILY_VERSION if pattern is None else PATTERN_VERSION),
        (2, rules is None),
        (3, FAMILIES["byte_bpe"]),
    ]
    extension = b"".join((write_fields(head), pieces, write_fields([] if pattern is None else [(10, pattern)])))
    return b"".join(
        (
            write_message(2, write_fields(sorted(trainer))),
            write_message(3, write_fields(normalizer)),
            write_message(EXTENSION, extension),
        )
    )


Piece = tuple["str | bytes", float, int]  # text, score, type


def write_model(
    pieces: Iterable[Piece],
    trainer: TrainerSpec,
    normalizer: NormalizerSpec,
    denormalizer: NormalizerSpec | None = None,
    lossless: bool = False,
    split_pattern: str | None = None,
    cleanup: bool = False,
) -> bytes:
    """Serialize a model; equal arguments give equal bytes.

    pieces: in the order of ids, with the message's types (1 NORMAL ... 6 BYTE). A field of a spec is written if it
    differs from the message's default; model_type and vocab_size are always written. cleanup: of decoded text, in a
    wordpiece model.
    The checks of the reader are not repeated here. Raises OptionError for a value that a field cannot hold.
    """
    message = messages.message_class("ModelProto")()
    message.trainer_spec.SetInParent()
    message.normalizer_spec.SetInParent()
    try:
        fill_message(message.trainer_spec, trainer)
        fill_message(message.normalizer_spec, normalizer)
        if denormalizer is not None:
            message.denormalizer_spec.SetInParent()
            fill_message(message.denormalizer_spec, denormalizer)
    except (TypeError, ValueError, OverflowError, struct.error) as error:
        raise OptionError(f"a setting does not fit into the model: {error}") from error
    if trainer.model_type in FAMILIES:
        words = words_of(trainer, normalizer, cleanup) if trainer.model_type == "wordpiece" else None
        return family_model(pieces, trainer.model_type, lossless, message, words, split_pattern)
    if lossless:
        messages.extension_of(message).format_version = SENTENCEPIECE_VERSION
        messages.extension_of(message).lossless = True
    return join_model(pieces, message)


def words_of(trainer: TrainerSpec, normalizer: NormalizerSpec, cleanup: bool) -> WordRules:
    """The rules of a wordpiece model of these specs."""
    return WordRules(
        trainer.continuation_prefix,
        trainer.unknown == "char",
        trainer.max_word_length,
        trainer.split_by_punctuation,
        normalizer.name in BERT_RULES,
        cleanup,
    )


def family_model(
    pieces: Iterable[Piece],
    model_type: str,
    lossless: bool,
    message: Any,
    words: WordRules | None = None,
    split_pattern: str | None = None,
) -> bytes:
    """Serialize a model of a family that SentencePiece lacks: its pieces stand in our extension.

    message: a ModelProto with the specs. words: the rules of a wordpiece model. split_pattern: of byte-level BPE.
    """
    head, tail = (messages.message_class("Extension")() for _ in range(2))
    head.format_version = FAMILY_VERSION if split_pattern is None else PATTERN_VERSION
    if words is not None and words.cleanup:
        head.format_version = CLEANUP_VERSION
    head.lossless = lossless
    head.family = FAMILIES[model_type]
    if words is not None:
        tail.continuation_prefix = words.continuation_prefix
        tail.unknown_by_char = words.unknown_by_char
        tail.max_word_length = words.max_word_length
        tail.split_by_punctuation = words.split_by_punctuation
        tail.bert_words = words.bert_words
        if words.cleanup:
            tail.cleanup = True
    if split_pattern is not None:
        tail.split_pattern = split_pattern
    # In the order of the fields, as protobuf writes them; there may be many pieces.
    extension = messages.serialize(head) + wire.write_pieces(pieces, OWN_PIECES) + messages.serialize(tail)
    return messages.serialize(message) + wire.write_message(EXTENSION, extension)


def join_model(pieces: Iterable[Piece], message: Any) -> bytes:
    """Serialize a model. pieces: in the order of ids. message: a ModelProto with all other fields and no pieces."""
    return wire.write_pieces(pieces) + messages.serialize(message)
