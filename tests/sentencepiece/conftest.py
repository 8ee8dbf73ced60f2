"""One small model, in the drop-in and in sentencepiece."""

from __future__ import annotations

import pytest
import sentencepiece
from oracle.small_models import small_model

import spm_lite


@pytest.fixture(scope="session")
def model() -> bytes:
    return small_model()


@pytest.fixture
def ours(model: bytes) -> spm_lite.SentencePieceProcessor:
    return spm_lite.SentencePieceProcessor(model_proto=model)


@pytest.fixture
def ref(model: bytes) -> sentencepiece.SentencePieceProcessor:
    return sentencepiece.SentencePieceProcessor(model_proto=model)
