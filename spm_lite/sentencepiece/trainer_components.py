"""Objects passed to a training besides its options: sentences, a writer, a pretokenizer, a normalizer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.sentencepiece.call_arguments import OptionRuntimeError, TextRuntimeError, TrainingRuntimeError
from spm_lite.training.pretokenizer import Pretokenizer

OF_NORMALIZER = (  # options that a normalizer object replaces
    "normalization_rule_name",
    "normalization_rule_tsv",
    "add_dummy_prefix",
    "escape_whitespaces",
    "remove_extra_whitespaces",
    "name",
    "precompiled_charsmap",
)


@dataclass(frozen=True)
class Components:
    """The objects of one training; None: not given."""

    sentences: Iterator[bytes] | None = None
    writer: Any = None  # an object with write(bytes)
    pretokenizer: Pretokenizer | None = None
    normalizer_spec: bytes | None = None


def take_components(options: dict[str, Any]) -> Components:
    """Remove the objects from the keyword arguments of a training, and check them.

    Raises ArgumentTypeError if the sentences are not an iterator, AttributeError for a writer or normalizer without its
    method, OptionError for an option that a normalizer replaces.
    """
    iterator = options.pop("sentence_iterator", None)
    reader = options.pop("sentence_reader", None)
    iterator = iterator if reader is None else reader
    writer = options.pop("model_writer", None)
    function = options.pop("pretokenizer", None)
    allow_inconsistent = bool(options.pop("allow_inconsistent_pretokenization", False))
    normalizer = options.pop("normalizer", None)
    if iterator is not None and not hasattr(type(iterator), "__next__"):
        raise ArgumentTypeError(
            f"sentence_iterator is {type(iterator).__name__}, which is not an iterator: give iter(...) of it"
        )
    if writer is not None:
        writer.write  # noqa: B018  # raises AttributeError now, not after the training
    spec = normalizer.serialized_normalizer_spec() if normalizer else None
    for name in OF_NORMALIZER if normalizer else ():
        if name in options:
            raise OptionError(
                f"INVALID_ARGUMENT: Cannot specify both normalizer and normalizer-specific argument: {name}"
            )
    return Components(
        None if iterator is None else sentences_of(iterator),
        writer,
        None if function is None else Pretokenizer(function, allow_inconsistent),
        spec,
    )


def sentences_of(iterator: Iterator[str | bytes]) -> Iterator[bytes]:
    """The items of an iterator as UTF-8, without CR and LF at their ends."""
    while True:
        try:
            item = next(iterator)
        except StopIteration:
            return
        except Exception as error:
            raise TrainingRuntimeError(
                f"INTERNAL: {type(error).__name__}: {error}. The sentence iterator raised it"
            ) from error
        yield sentence_bytes(item)


def sentence_bytes(item: object) -> bytes:
    """One item of a sentence iterator as UTF-8, without CR and LF at its end."""
    if isinstance(item, str):
        try:
            item = item.encode()
        except UnicodeEncodeError as error:
            raise TextRuntimeError(
                f"INTERNAL: a sentence of the iterator holds a lone surrogate at position {error.start}"
            ) from None
    if not isinstance(item, bytes):
        raise OptionRuntimeError(
            f"INVALID_ARGUMENT: Iterator must return str or bytes. It returned {type(item).__name__}"
        )
    return item.rstrip(b"\r\n")
