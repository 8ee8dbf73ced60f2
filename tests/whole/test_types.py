"""What type checkers and editors know of the package: mistakes that they find, and names that they offer."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from oracle import extras

import spm_lite

FOLDER = Path(spm_lite.__file__).parent.parent
PROGRAM = """\
import spm_lite

tok = spm_lite.train(["a"], modle_type="bpe", vocab_size=300)
tok = spm_lite.train(["a"], model_type="bpe", vocab_size="2000")
tok = spm_lite.train(["a"], model_type="bep", vocab_size=300)
tok = spm_lite.train(["a"], model_type="bpe", vocab_size=300, lossless=True, num_threads=2)  # right
table = spm_lite.CountTable.count(["a"], vocab_size=300)
ids: list[int] = tok.encode("a")  # right
tok.encode(["a"])
tok.token_to_id("a")
tok("a")
spm_lite.nothing
report: spm_lite.TrainingReport | None = tok.report  # right
processor = spm_lite.SentencePieceProcessor(model_file="m.model")  # right
shape: str = tok.encode_batch(["a"]).to_padded(pad_id=0).shape
"""
WRONG = {number for number, line in enumerate(PROGRAM.splitlines(), 1) if number > 2 and "# right" not in line}


def reported(command, tmp_path):
    """The lines of PROGRAM that a type checker reports errors in."""
    path = tmp_path / "program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    surroundings = {**os.environ, "NO_COLOR": "1"}
    if FOLDER.name != "site-packages":  # built in place; mypy refuses a folder of installed packages here
        surroundings |= {"MYPYPATH": str(FOLDER), "PYTHONPATH": str(FOLDER)}
    done = subprocess.run(
        [*command, path.name], cwd=tmp_path, env=surroundings, capture_output=True, text=True, timeout=900
    )
    errors = [line for line in done.stdout.splitlines() if "program.py:" in line and "error" in line]
    assert errors, done.stdout + done.stderr
    return {int(line.partition("program.py:")[2].partition(":")[0]) for line in errors}


@pytest.mark.dev
@pytest.mark.slow
def test_mypy_finds_mistakes(tmp_path):
    extras.need("mypy")
    assert reported([sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path)], tmp_path) == WRONG


@pytest.mark.dev
@pytest.mark.slow
def test_basedpyright_finds_mistakes(tmp_path):
    extras.need("basedpyright")
    program = shutil.which("basedpyright", path=str(Path(sys.executable).parent)) or shutil.which("basedpyright")
    assert program is not None
    options = ["--level", "error", "--pythonpath", sys.executable]
    assert reported([program, *options], tmp_path) == WRONG


COMPLETIONS = {
    "tok.": ("encode", "decode", "encode_batch", "report"),
    "tok.report.": ("vocab_size", "digest"),
    "tok.encode_batch(['a']).": ("to_padded", "attention_mask"),
    "tok.nbest('a', 2)[0].": ("ids", "score"),
    "tok.info.": ("cache_used", "split_pattern"),
    "spm_lite.": tuple(name for name in spm_lite.__all__ if name != "__version__"),
}


@pytest.mark.dev
@pytest.mark.slow
@pytest.mark.parametrize("typed", COMPLETIONS)
def test_jedi_completes(typed, tmp_path, monkeypatch):
    jedi = extras.need("jedi")
    # The cache of the home folder is shared: another test's half-written file would end this one.
    monkeypatch.setattr(jedi.settings, "cache_directory", str(tmp_path))
    program = f"import spm_lite\ntok = spm_lite.train(['a'], vocab_size=300)\n{typed}"
    script = jedi.Script(program, project=jedi.Project(FOLDER, smart_sys_path=False, sys_path=[str(FOLDER), *sys.path]))
    names = {found.name for found in script.complete(3, len(typed))}
    assert names >= set(COMPLETIONS[typed])
    assert "token_to_id" not in names


def test_the_stub_names_what_the_package_has():
    stub = (FOLDER / "spm_lite" / "__init__.pyi").read_text(encoding="utf-8")
    scope = {}
    exec(stub, scope)
    assert scope["__all__"] == spm_lite.__all__
    for name, value in scope.items():
        if name not in ("__all__", "__builtins__", "__doc__"):
            assert getattr(spm_lite, name) is value, name
