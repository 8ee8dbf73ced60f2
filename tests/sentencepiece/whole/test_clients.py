"""Programs of other people, once with sentencepiece and once with spm_lite under its name: the same results.

Needs the extra `clients`; skipped where those packages are not installed.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from oracle import extras

PROGRAMS = Path(__file__).with_name("clients")


def results(program, package, *arguments):
    command = [sys.executable, str(PROGRAMS / program), package, *map(str, arguments)]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=500, env=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_mistral_common():
    pytest.importorskip("mistral_common")
    ours = results("mistral_common_program.py", "spm_lite")
    assert ours and ours == results("mistral_common_program.py", "sentencepiece")


def test_transformers(shared_data, tmp_path):
    extras.skip_without("transformers")
    paths = []
    for name in ("llama2", "t5_base", "google_test_ja_model"):
        paths.append(tmp_path / name / "tokenizer.model")
        paths[-1].parent.mkdir()
        shutil.copy(shared_data / "models" / f"{name}.model", paths[-1])
        shutil.copy(paths[-1], paths[-1].with_name("spiece.model"))
    ours = results("transformers_program.py", "spm_lite", *paths)
    assert ours == results("transformers_program.py", "sentencepiece", *paths)
