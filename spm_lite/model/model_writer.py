"""Vocabulary and specs -> model bytes."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any

from spm_lite.errors import OptionError
from spm_lite.model import messages, wire
from spm_lite.model.model_file import FORMAT_VERSION
from spm_lite.model.spec_messages import fill_message
from spm_lite.specs import NormalizerSpec, TrainerSpec

Piece = tuple["str | bytes", float, int]  # text, score, type


def write_model(
    pieces: Iterable[Piece],
    trainer: TrainerSpec,
    normalizer: NormalizerSpec,
    denormalizer: NormalizerSpec | None = None,
    lossless: bool = False,
) -> bytes:
    """A model as bytes: the same arguments give the same bytes.

    pieces: in the order of ids; types are those of the message (1 NORMAL ... 6 BYTE). Of the specs, what differs from
    the message's defaults is written, and model_type and vocab_size always.
    Nothing is checked here that reading checks; raises OptionError on a value that a field cannot hold.
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
    if lossless:
        messages.extension_of(message).format_version = FORMAT_VERSION
        messages.extension_of(message).lossless = True
    return join_model(pieces, message)


def join_model(pieces: Iterable[Piece], message: Any) -> bytes:
    """A model as bytes: pieces in the order of ids, and a ModelProto that holds all the rest and none."""
    rest: bytes = message.SerializeToString(deterministic=True)
    return wire.write_pieces(pieces) + rest
