"""The same training with sentencepiece and with the drop-in."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from typing import Any

import sentencepiece
from oracle.outcomes import outcome

from spm_lite.errors import SpmLiteError
from spm_lite.sentencepiece.standalone_normalizer import SentencePieceNormalizer
from spm_lite.sentencepiece.trainer import SentencePieceTrainer
from spm_lite.vocab.messages import message_class

LINES = ["hello world the cat sat", "the mat on the cat", "abc abd abe 123"] * 20
BUILTINS = (ValueError, TypeError, RuntimeError, AttributeError, OSError)
PAIRS = {
    sentencepiece.SentencePieceTrainer: sentencepiece.SentencePieceNormalizer,
    SentencePieceTrainer: SentencePieceNormalizer,
}


def train_with(trainer: Any, options: Mapping[str, Any]) -> tuple[Any, bytes]:
    """Result and model of one training. Given functions for an iterator or a normalizer are called to make one."""
    model = io.BytesIO()
    given = {"vocab_size": 40, "model_type": "char", "minloglevel": 3, **options}
    if "input" not in given:
        given.setdefault("sentence_iterator", iter(LINES))
    if "model_prefix" not in given:
        given.setdefault("model_writer", model)
    if callable(given.get("sentence_iterator")):
        given["sentence_iterator"] = given["sentence_iterator"]()
    if callable(given.get("normalizer")):
        given["normalizer"] = given["normalizer"](PAIRS[trainer])
    return trainer.train(**given), model.getvalue()


def comparable(data: bytes) -> bytes:
    """A model without what may differ: the placement within compiled rules."""
    message = message_class("ModelProto").FromString(data)
    for spec in (message.normalizer_spec, message.denormalizer_spec):
        if spec.precompiled_charsmap:
            spec.precompiled_charsmap = b"%d bytes" % len(spec.precompiled_charsmap)
    result: bytes = message.SerializeToString(deterministic=True)
    return result


def assert_same_training(options: Mapping[str, Any]) -> None:
    """Both refuse with errors of one kind, or both make the same model."""
    assert_same_end(
        lambda: train_with(SentencePieceTrainer, options),
        lambda: train_with(sentencepiece.SentencePieceTrainer, options),
    )


def assert_same_end(ours: Callable[[], tuple[Any, bytes]], theirs: Callable[[], tuple[Any, bytes]]) -> None:
    expected, got = outcome(theirs), outcome(ours)
    if isinstance(expected, Exception):
        kind = next(kind for kind in BUILTINS if isinstance(expected, kind))
        is_alike = isinstance(got, kind) and (isinstance(got, SpmLiteError) or kind in (AttributeError, OSError))
        assert is_alike, f"{got!r:.300} but {expected!r:.300}"
        return
    assert not isinstance(got, Exception), f"{got!r:.300}"
    assert got[0] is expected[0]
    is_same = comparable(got[1]) == comparable(expected[1])
    assert is_same  # the models are too long to be shown
