"""Ids and types of pieces that are not learned from text."""

from typing import Any

import pytest

from spm_lite.errors import OptionError
from spm_lite.specs import TrainerSpec
from spm_lite.training.options.meta_pieces import place_meta_pieces


def placed(**options: Any) -> dict[int, tuple[str, int]]:
    spec = TrainerSpec(**{"vocab_size": 1000, "byte_fallback": False, **options})
    return {piece_id: (piece.text, piece.type) for piece_id, piece in place_meta_pieces(spec).items()}


def test_defaults() -> None:
    assert placed() == {0: ("<unk>", 2), 1: ("<s>", 3), 2: ("</s>", 3)}


def test_gaps_are_filled() -> None:
    found = placed(unk_id=3, bos_id=0, eos_id=1, pad_id=4, control_symbols=("C1", "C2"), user_defined_symbols=("U1",))
    assert [text for text, _ in found.values()] == ["<s>", "</s>", "C1", "<unk>", "<pad>", "C2", "U1"]
    assert list(found) == list(range(7))


def test_user_defined_bos_keeps_its_id() -> None:
    assert placed(user_defined_symbols=("<s>", "x")) == {
        0: ("<unk>", 2),
        1: ("<s>", 4),
        2: ("</s>", 3),
        3: ("x", 4),
    }


def test_bytes_come_last() -> None:
    found = placed(byte_fallback=True, unk_id=-1, control_symbols=("c",))
    assert found[0] == ("c", 3)
    assert found[3] == ("<0x00>", 6)
    assert found[258] == ("<0xFF>", 6)


def test_word_models_have_symbols_twice() -> None:
    found = placed(model_type="word", user_defined_symbols=("a", "\u2581b"))
    assert [text for text, _ in found.values()] == ["<unk>", "<s>", "</s>", "a", "\u2581a", "\u2581b"]


def test_far_ids_leave_gaps() -> None:
    assert list(placed(pad_id=999)) == [0, 1, 2, 999]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pad_id": 1000}, "pad_id=1000: must be below vocab_size=1000"),
        ({"pad_id": 1}, "pad_id=1 is taken by '<s>'"),
        ({"unk_id": -1}, "<unk> must be defined"),
        ({"control_symbols": ("a", "a")}, "a is already defined. duplicated symbols are not allowed"),
        ({"control_symbols": ("a",), "user_defined_symbols": ("a",)}, "a is already defined"),
        ({"user_defined_symbols": ("<0x41>",), "byte_fallback": True}, "<0x41> is already defined"),
        ({"user_defined_symbols": ("<unk>",)}, "<unk> must not be defined with user_defined_symbols: it is unk_piece"),
        ({"bos_piece": "<unk>"}, "bos_piece='<unk>' is unk_piece as well"),
    ],
)
def test_contradictions(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        placed(**options)
