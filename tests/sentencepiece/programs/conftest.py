"""A model, a text, and ways to run the programs and what they are compared with."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sentencepiece")

import sentencepiece

from spm_lite.sentencepiece import settings

PROGRAMS = ("train", "encode", "decode", "normalize", "export_vocab")
TEXT = "Hello world\r\n\n  the cat \t sat\u3000on ①\nthe mat\x1fx <s> </s>\nzzz 日本語 zzz\n\ufeffthe 😀👍🏽".encode()
ILL_FORMED = b"a\xff\xfeb\n\xe3\x81\n\x80\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of its own, with a text; the settings of the process as they were afterwards."""
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_bytes(TEXT + b"\n" + ILL_FORMED)
    Path("corpus.txt").write_text("hello world the cat sat\nthe mat on the cat 12\nabc abd abe\n" * 30)
    for name in ("_seeding", "_min_log_level"):
        monkeypatch.setattr(settings, name, getattr(settings, name))
    level = settings.logger().level
    yield tmp_path
    settings.logger().setLevel(level)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A program has a folder, settings and standard streams for itself: threads that share a test would share them."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.thread_unsafe)


def model_of(model_type: str, folder: Path) -> str:
    """The path of a model of a type, made by sentencepiece."""
    path = folder / f"{model_type}.model"
    lines = ["hello world the cat sat", "the mat on the cat 12", "abc abd abe"] * 30
    with path.open("wb") as file:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(lines), model_writer=file, model_type=model_type, vocab_size=60,
            hard_vocab_limit=False, user_defined_symbols=["cat"], minloglevel=2,
        )  # fmt: skip
    return str(path)


@pytest.fixture(scope="session", params=["unigram", "bpe", "char", "word"])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A model of each type."""
    return model_of(request.param, tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="session")
def one_model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A model, where its type does not matter."""
    return model_of("unigram", tmp_path_factory.mktemp("model"))


@pytest.fixture
def theirs(model: str) -> Any:
    """sentencepiece's processor of the model."""
    return sentencepiece.SentencePieceProcessor(model_file=model)


def run_in_process(program: str, *arguments: str) -> int:
    """Run a program here; its exit code."""
    code: int = importlib.import_module(f"spm_lite.sentencepiece.programs.{program}").main(list(arguments))
    return code


@pytest.fixture
def made() -> Callable[..., bytes]:
    """Run a program that must succeed, and give what it writes to --output."""

    def run(program: str, *arguments: str) -> bytes:
        assert run_in_process(program, *arguments, "--output=made") == 0
        return Path("made").read_bytes()

    return run


@pytest.fixture
def fails(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run a program that must fail, and give its one line of error."""

    def run(program: str, *arguments: str) -> str:
        assert run_in_process(program, *arguments) in (1, 2)
        error = capsys.readouterr().err
        assert error.startswith(f"spm_{program}: error: ") and error.count("\n") == 1, error
        return error.removeprefix(f"spm_{program}: error: ").rstrip("\n")

    return run


@pytest.fixture
def run() -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """Starts `spm_*` as a process of its own; bytes in, bytes out."""

    def run(program: str, *arguments: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", f"spm_lite.sentencepiece.programs.{program}", *arguments]
        return subprocess.run(command, input=data, capture_output=True, timeout=500)

    return run


@pytest.fixture
def shell(folder: Path) -> Callable[[str], bytes]:
    """Run a recipe in the shell, with the programs under the names that an installation gives them; its output."""
    names = folder / "bin"
    names.mkdir()
    for program in PROGRAMS:
        script = names / f"spm_{program}"
        module = f"spm_lite.sentencepiece.programs.{program}"
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m {module} "$@"\n')
        script.chmod(0o755)

    def run(recipe: str) -> bytes:
        command = ["bash", "-euo", "pipefail", "-c", f'PATH="{names}:$PATH"\n{recipe}']
        done = subprocess.run(command, capture_output=True, timeout=500)
        assert done.returncode == 0, done.stderr
        return done.stdout

    if shutil.which("bash") is None:
        pytest.skip("no bash")
    return run
