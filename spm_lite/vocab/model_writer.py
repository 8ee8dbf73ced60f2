"""Model writer: pieces and specs -> model bytes."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from operator import itemgetter
from typing import Any

from spm_lite._typing import TYPE_CHECKING
from spm_lite.errors import OptionError
from spm_lite.kinds import BEHAVIORS, CONTROL, FAMILIES, UNKNOWN
from spm_lite.specs import BERT_RULES, AddedToken, NormalizerSpec, TrainerSpec, WordRules
from spm_lite.vocab import messages, wire
from spm_lite.vocab.byte_model_writer import EXTENSION, OWN_PIECES
from spm_lite.vocab.model_file import (
    CLEANUP_VERSION,
    FAMILY_VERSION,
    PATTERN_VERSION,
    SENTENCEPIECE_VERSION,
    TEXT_FIELDS,
    TEXT_VERSION,
)
from spm_lite.vocab.spec_messages import fill_message

if TYPE_CHECKING:
    from spm_lite.vocab.merge_list import MergeList

Piece = tuple["str | bytes", float, int]  # text, score, type


def write_model(
    pieces: Iterable[Piece],
    trainer: TrainerSpec,
    normalizer: NormalizerSpec,
    denormalizer: NormalizerSpec | None = None,
    lossless: bool = False,
    split_pattern: str | None = None,
    cleanup: bool = False,
    added_tokens: Iterable[AddedToken] = (),
    merges: MergeList | None = None,
    exact_scores: bytes = b"",
    scores_restart: bool = False,
    splits: Iterable[tuple[str, str, bool]] = (),
) -> bytes:
    """Serialize a model; equal arguments give equal bytes.

    pieces: in the order of ids, with the message's types (1 NORMAL ... 6 BYTE). A field of a spec is written if it
    differs from the message's default; model_type and vocab_size are always written. cleanup: of decoded text, in a
    wordpiece model. added_tokens: the pieces that are found in texts by rules of their own. merges: of a BPE model
    whose scores do not tell how pieces merge. exact_scores: of a unigram model whose sums are in double precision: the
    doubles of the first pieces. scores_restart: these sums begin anew at each word. splits: (pattern, behavior,
    invert) of each way to cut a text.
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
    pieces, added, splits = [*pieces], [*added_tokens], [*splits]
    texts = text_fields(normalizer, added)
    is_other = (
        normalizer.unicode_form
        or normalizer.steps
        or normalizer.prefix_unless_space
        or any(pieces[token.id][2] not in (CONTROL, UNKNOWN) for token in added)
        or merges is not None
        or exact_scores
        or splits
        or not all(map(itemgetter(0), pieces))
    )
    if exact_scores:
        texts = texts or messages.message_class("Extension")()
        texts.exact_scores = exact_scores
        if scores_restart:
            texts.scores_restart = True
    if merges is not None:
        texts = texts or messages.message_class("Extension")()
        texts.merge_list.MergeFromString(merges.serialize())
        texts.merge_list.SetInParent()
    if splits:
        texts = texts or messages.message_class("Extension")()
        for pattern, behavior, invert in splits:
            texts.splits.add(pattern=pattern, behavior=BEHAVIORS.index(behavior), invert=invert)
    if trainer.model_type in FAMILIES or is_other:
        words = words_of(trainer, normalizer, cleanup) if trainer.model_type == "wordpiece" else None
        version = TEXT_VERSION if is_other else 0
        return family_model(pieces, trainer.model_type, lossless, message, words, split_pattern, texts, version)
    if lossless or texts is not None:
        own = messages.extension_of(message)
        own.format_version = SENTENCEPIECE_VERSION
        if lossless:
            own.lossless = True
        if texts is not None:  # about prompts with special tokens, which SentencePiece does not know
            own.MergeFrom(texts)
    return join_model(pieces, message)


def with_added_tokens(data: bytes, added: list[AddedToken]) -> bytes:
    """The bytes of a model whose pieces stand in our extension, with added tokens; without any, the same bytes.

    They stand in an extension at the end, which parsers join with one that is there already.
    """
    fields = text_fields(NormalizerSpec(), added)
    if fields is None:
        return data
    fields.format_version = TEXT_VERSION
    return data + wire.write_message(EXTENSION, messages.serialize(fields))


def with_steps(data: bytes, steps: list[str]) -> bytes:
    """The bytes of a model of bytes with steps that a text goes through first; without any, the same bytes."""
    if not steps:
        return data
    fields = messages.message_class("Extension")(format_version=TEXT_VERSION, lossless=False, steps=steps)
    return data + wire.write_message(EXTENSION, messages.serialize(fields))


def text_fields(normalizer: NormalizerSpec, added: list[AddedToken]) -> Any:
    """An Extension with what SentencePiece cannot say about texts; None: there is nothing."""
    found = {name: value for name in TEXT_FIELDS if (value := getattr(normalizer, name))}
    if not found and not added:
        return None
    extension = messages.message_class("Extension")(**found)
    for token in added:
        flags = {name: True for name in ("single_word", "lstrip", "rstrip", "normalized") if getattr(token, name)}
        extension.added_tokens.add(id=token.id, **flags)
    return extension


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
    texts: Any = None,
    version: int = 0,
) -> bytes:
    """Serialize a model that SentencePiece must refuse: its pieces stand in our extension.

    message: a ModelProto with the specs. words: the rules of a wordpiece model. split_pattern: of byte-level BPE.
    texts: an Extension with further fields. version: the least of the file.
    """
    head, tail = (messages.message_class("Extension")() for _ in range(2))
    head.format_version = FAMILY_VERSION if split_pattern is None else PATTERN_VERSION
    if words is not None and words.cleanup:
        head.format_version = CLEANUP_VERSION
    head.format_version = max(head.format_version, version)
    if texts is not None:
        tail.MergeFrom(texts)
    head.lossless = lossless
    head.family = FAMILIES.get(model_type, 0)
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
