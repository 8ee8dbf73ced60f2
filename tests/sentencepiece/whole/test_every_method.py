"""The program that uses every name runs, and leaves none out."""

import subprocess
import sys
from pathlib import Path

import pytest

import spm_lite

PROGRAM = Path(__file__).with_name("every_method.py")
CLASSES = ["SentencePieceProcessor", "SentencePieceTrainer", "SentencePieceNormalizer"]


@pytest.mark.slow
def test_it_runs(model, tmp_path):
    path = tmp_path / "small.model"
    path.write_bytes(model)
    subprocess.run([sys.executable, str(PROGRAM), str(path)], check=True, timeout=500)


@pytest.mark.parametrize("name", CLASSES)
def test_it_names_everything(name):
    text = PROGRAM.read_text(encoding="utf-8")
    for method in dir(getattr(spm_lite, name)):
        if not method.startswith("_"):
            assert f".{method}(" in text, method
