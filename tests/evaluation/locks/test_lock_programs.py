"""Other programs that give the ids: each is compared with the lock of the file that it reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import spm_lite
from spm_lite.evaluation.locks.lock_programs import PROGRAMS, Other
from spm_lite.formats.proof.partner_programs import FAILED, version_of


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, toks: dict[str, spm_lite.Tokenizer]) -> Path:
    """A file for each program."""
    folder = tmp_path_factory.mktemp("files")
    toks["bpe"].to_hf(folder / "folder")
    toks["bpe"].save(folder / "m.model")
    toks["bpe"].to_gguf(folder / "m.gguf")
    toks["byte_bpe"].to_tiktoken(folder / "m.tiktoken")
    return folder


def needed(program: str) -> None:
    if version_of(PROGRAMS[program][0]) == "?":
        pytest.skip(f"{PROGRAMS[program][0]} is not installed")


@pytest.mark.parametrize(
    ("program", "name", "kind"),
    [
        ("tokenizers", "folder", "bpe"), ("tokenizers", "folder/tokenizer.json", "bpe"),
        ("transformers", "folder", "bpe"),
        ("sentencepiece", "m.model", "bpe"), ("tiktoken", "m.tiktoken", "byte_bpe"), ("llama.cpp", "m.gguf", "bpe"),
    ],
)  # fmt: skip
def test_a_program_gives_the_locked_ids(
    program: str, name: str, kind: str, files: Path, locks: dict[str, spm_lite.Lock]
) -> None:
    needed(program)
    options: Any = {"pattern": " *[^ ]+| +"} if name.endswith("tiktoken") else {}
    lock = spm_lite.lock(spm_lite.load(files / name, **options)) if options else locks[kind]  # it lacks special tokens
    found = lock.check(files / name, program=program, **options)
    assert found.same, str(found)
    assert found.program.startswith(program.partition(".")[0])
    assert all(one.is_known for one in found.differences)


def test_a_program_that_differs_is_named(files: Path, toks: dict[str, spm_lite.Tokenizer]) -> None:
    """The file says the same as the lock, and the program gives other ids all the same."""
    needed("tokenizers")
    lock = spm_lite.lock(toks["bpe"])
    other = Other(files / "folder", (), {})
    side = other.side("tokenizers")
    assert side.special is not None
    assert side.plain(["the <s> cat"]) != side.special(["the <s> cat"])
    assert lock.check(files / "folder", program="tokenizers").same


def test_failures_of_a_program_are_shown(files: Path, locks: dict[str, spm_lite.Lock], monkeypatch: Any) -> None:
    from spm_lite.evaluation.locks import lock_check
    from spm_lite.evaluation.locks.lock_rows import Side

    def fail(texts: list[str]) -> list[str]:
        return [f"{FAILED}Error: no such text" for _ in texts]

    monkeypatch.setattr(Other, "side", lambda self, program: Side("other 1.0", fail, None, lambda many: None))
    found = lock_check.compared(locks["bpe"], files / "m.model", None, None, False, (), {})
    assert not found.same and found.differences[0].other_ids == "Error: no such text"
    assert "here: 'Error: no such text'" in str(found)
    assert "no call that finds special tokens" in " ".join(found.notes)


@pytest.mark.parametrize(
    ("program", "name", "message"),
    [
        ("tokenizer", "m.model", "did you mean tokenizers"),
        ("tokenizers", "m.model", "reads tokenizer.json, and .* is model"),
        ("sentencepiece", "folder", "reads model, and"), ("tiktoken", "m.gguf", "name such a file"),
    ],
)  # fmt: skip
def test_what_a_program_does_not_read(
    program: str, name: str, message: str, files: Path, locks: dict[str, spm_lite.Lock]
) -> None:
    with pytest.raises(spm_lite.OptionError, match=message):
        locks["bpe"].check(files / name, program=program)


def test_arguments(toks: dict[str, spm_lite.Tokenizer], locks: dict[str, spm_lite.Lock], monkeypatch: Any) -> None:
    lock, tok = locks["bpe"], toks["bpe"]
    with pytest.raises(spm_lite.OptionError, match="a Tokenizer was given"):
        lock.check(tok, program="tokenizers")
    with pytest.raises(spm_lite.OptionError, match="pattern is for reading a file"):
        lock.check(tok, pattern="a")
    with pytest.raises(spm_lite.ArgumentTypeError, match="program is int"):
        lock.check(tok, program=1)  # type: ignore[arg-type]
    with pytest.raises(spm_lite.ArgumentTypeError, match="strict"):
        lock.check(tok, strict=2)  # type: ignore[arg-type]
    monkeypatch.setattr("spm_lite.evaluation.locks.lock_programs.module_named", lambda name: None)
    with pytest.raises(spm_lite.OptionError, match="the package xllamacpp is not installed: pip install xllamacpp"):
        lock.check(tok, program="llama.cpp")
