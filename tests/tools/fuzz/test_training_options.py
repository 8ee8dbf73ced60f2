"""Random options of a training, a sample of what `tools/fuzz/training_options.py` tries; and that it finds faults."""

import importlib.util
from typing import Any

import pytest
from oracle.repository import ROOT
from oracle.slow import slow_after

from spm_lite import OptionError
from spm_lite.training import room

TOOL = ROOT / "tools" / "fuzz" / "training_options.py"
BLOCK = 100


@pytest.fixture(scope="module")
def tool() -> Any:
    if not TOOL.exists():
        pytest.skip(f"no {TOOL}: the tests are run without the tools")
    spec = importlib.util.spec_from_file_location("training_options", TOOL)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize("block", slow_after(1, range(4)))
def test_an_error_before_work_or_a_sound_model(tool: Any, block: int) -> None:
    outcomes = [tool.check_set(number) for number in range(block * BLOCK, (block + 1) * BLOCK)]
    assert outcomes.count("model") > BLOCK // 5
    assert outcomes.count("OptionError") > BLOCK // 5


def test_late_errors_are_found(tool: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*arguments: Any, **options: Any) -> None:
        raise OptionError("too late")

    monkeypatch.setattr("spm_lite.training.steps.assemble", late)
    with pytest.raises(tool.Broken, match="the text was read before OptionError: too late"):
        tool.follow({"vocab_size": 264}, ["ab ab"])


def test_remedies_that_do_not_work_are_found(tool: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    needed = room.pieces_needed
    monkeypatch.setattr(room, "pieces_needed", lambda *arguments: needed(*arguments) - 1)
    with pytest.raises(tool.Broken, match="a remedy led back to TrainingError: Vocabulary size is too small"):
        monkeypatch.setattr(room, "has_room", lambda spec, characters, _: spec.vocab_size >= needed(spec, characters))
        tool.follow({"vocab_size": 260, "hard_vocab_limit": False}, ["ab ab"])


def test_unsound_models_are_found(tool: Any) -> None:
    class Wrong:
        """A model that loses capitals."""

        def __init__(self) -> None:
            self.tok = tool.spm_lite.train(["ab AB"], vocab_size=264, hard_vocab_limit=False)

        def __getattr__(self, name: str) -> Any:
            return getattr(self.tok, name)

        def __len__(self) -> int:
            return len(self.tok)

        def decode(self, ids: list[int]) -> str:
            return str(self.tok.decode(ids)).lower()

    with pytest.raises(tool.Broken, match="not lossless: 'AB' becomes 'ab'"):
        tool.check_model(Wrong(), ["AB"])
