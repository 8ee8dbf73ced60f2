"""Damaged files of texts, a sample of what `tools/fuzz/run.py` tries of each kind; and that its checks find faults."""

import subprocess
import sys
from typing import Any

import pytest
from oracle.repository import ROOT

FOLDER = ROOT / "tools" / "fuzz"
KINDS = ("arrow", "parquet", "csv", "jsonl", "gz", "bz2", "xz", "zst")

pytest.importorskip("pyarrow")
pytest.importorskip("zstandard")


@pytest.fixture(scope="module")
def tool() -> Any:
    if not FOLDER.exists():
        pytest.skip(f"no {FOLDER}: the tests are run without the tools")
    sys.path.insert(0, str(FOLDER))
    try:
        import text_files
    finally:
        sys.path.remove(str(FOLDER))
    return text_files


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_no_call_fails_otherwise_than_by_an_error_of_ours(tool: Any, kind: str, tmp_path: Any) -> None:
    seeds = tmp_path / kind
    seeds.mkdir()
    for name, data in [*tool.seeds(kind)][::9]:
        (seeds / name).write_bytes(data)
    command = [sys.executable, FOLDER / "run.py", kind, tmp_path, "--runs", "50", "--seed", "1"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "50 runs" in done.stdout
    assert ", 0 findings" in done.stdout


def test_texts_from_elsewhere_are_found(tool: Any) -> None:
    packed, text = tool.pack(tool.TEXT, ".gz"), tool.ROWS[1].encode()
    tool.check_texts([text], packed, tool.TEXTS)
    tool.check_texts([b'a "b"\n'], b'text\n"a ""b""\n"\n', tool.TABLE)
    tool.check_texts(["é\n".encode()], b'{"text": "\\u00e9\\n"}', tool.LINES)
    for texts, data, form in (
        ([b"the dog"], packed, tool.TEXTS),
        ([tool.MARK[3:] + tool.MARK], packed, tool.PARQUET),
        ([b"b a"], b'{"text": "a"}', tool.LINES),
    ):
        with pytest.raises(tool.Found):
            tool.check_texts(texts, data, form)


def test_another_error_is_found(tool: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise SystemError("not ours")

    with pytest.raises(SystemError):
        tool.outcome(fail)
    monkeypatch.setattr(tool, "main", lambda arguments: print("error: unexpected KeyError", file=sys.stderr) or 1)
    with pytest.raises(tool.Found, match="ended with 1: error: unexpected KeyError"):
        tool.shell("count")
