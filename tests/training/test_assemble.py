"""The final order of a vocabulary."""

from typing import Any

import pytest

from spm_lite.errors import TrainingError
from spm_lite.specs import TrainerSpec
from spm_lite.training.assemble import assemble
from spm_lite.training.options.meta_pieces import MetaPiece

META = {0: MetaPiece("<unk>", 2), 2: MetaPiece("<s>", 3)}
LEARNED = [("a", -1.0), ("b", -2.0), ("c", -3.0)]


def texts(meta: dict[int, MetaPiece] = META, learned: list[tuple[str, float]] = LEARNED, **options: Any) -> list[str]:
    return [text for text, _, _ in assemble(meta, learned, TrainerSpec(**{"model_type": "bpe", **options}))]


def test_learned_pieces_fill_the_gaps() -> None:
    assert texts(vocab_size=5) == ["<unk>", "a", "<s>", "b", "c"]
    assert texts(vocab_size=4) == ["<unk>", "a", "<s>", "b"]


def test_soft_limit() -> None:
    assert len(texts(vocab_size=9, hard_vocab_limit=False)) == 5
    assert len(texts(vocab_size=9, model_type="char")) == 5
    assert len(texts(vocab_size=1, model_type="char", use_all_vocab=True)) == 5


def test_too_high() -> None:
    with pytest.raises(TrainingError, match=r"Vocabulary size too high \(9\). Please set it to a value <= 5"):
        texts(vocab_size=9)


def test_hanging_meta_piece() -> None:
    meta = {0: MetaPiece("<unk>", 2), 7: MetaPiece("<pad>", 3)}
    with pytest.raises(TrainingError, match=r"'<pad>' \(7\)"):
        texts(meta, vocab_size=9, hard_vocab_limit=False)


def test_same_text_twice() -> None:
    with pytest.raises(TrainingError, match="<s> is already defined"):
        texts(learned=[("<s>", 0.0)], vocab_size=3)
