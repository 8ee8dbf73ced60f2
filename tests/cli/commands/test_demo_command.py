"""`spm-lite demo`: what a newcomer sees first."""

import re
import subprocess
import sys
import unicodedata

import pytest

from spm_lite import Tokenizer
from spm_lite.cli.commands import demo_command as demo_module
from spm_lite.cli.commands.demo_command import TextFacts, script_of
from spm_lite.cli.main import main
from spm_lite.cli.tables import cut, text_width, two_rows, visible

FILES = ["bpe.model", "bpe.vocab", "unigram.model", "unigram.vocab"]
SCRIPTS = ["Latin", "Cyrillic", "Greek", "Arabic", "Hebrew", "Devanagari", "Thai", "Japanese", "Chinese", "Korean",
           "Georgian", "Ethiopic", "Code", "Emoji"]  # fmt: skip


@pytest.fixture(scope="module")
def demo_run(tmp_path_factory):
    """The folder and the output of one run on the bundled text."""
    folder = tmp_path_factory.mktemp("demo")
    result = subprocess.run(
        [sys.executable, "-m", "spm_lite", "demo", "-o", "kept"], cwd=folder, capture_output=True, timeout=500
    )
    assert (result.returncode, result.stderr) == (0, b"")
    return folder / "kept", result.stdout.decode()


def test_writes_both_models(demo_run):
    folder, _ = demo_run
    assert sorted(path.name for path in folder.iterdir()) == FILES
    for name in FILES:
        if name.endswith(".model"):
            Tokenizer.load(folder / name)


def test_shows_every_script(demo_run):
    _, output = demo_run
    for script in SCRIPTS:
        assert re.search(rf"^   {script} +\S", output, re.MULTILINE), script
    assert "▁" in output


def test_counts_the_lines_that_came_back(demo_run, demo_text):
    _, output = demo_run
    n_lines = demo_text.count(b"\n")
    assert f"{2 * n_lines:,} of {2 * n_lines:,} came back" in output


def test_tables_keep_to_the_width(demo_run):
    _, output = demo_run
    tables = output[output.index("\n2. ") : output.index("\n3. ")]
    assert max(map(text_width, tables.splitlines())) <= 120


def test_the_three_lines_of_python_make_the_same_model(demo_run, tmp_path):
    folder, output = demo_run
    lines = output[output.index("import spm_lite") :].split("\n")[:3]
    program = "\n".join([*lines, "tok.save('again.model')"])
    result = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", program], cwd=tmp_path, capture_output=True, timeout=500
    )
    assert (result.returncode, result.stderr) == (0, b"")
    assert (tmp_path / "again.model").read_bytes() == (folder / "unigram.model").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize(
    "data",
    [
        b"a",
        b"\n\nab\n",
        b"hello hello hello\nhello world\n",
        "春眠暁を覚えず\n処処啼鳥を聞く\n".encode(),
        b"\xff\0a\n\xc3\n",
        b" " * 100 + b"\n",
        "".join(map(chr, range(0x4E00, 0x5800))).encode(),
    ],
)
def test_small_and_strange_texts(run, text_file, data):
    result = run("demo", text_file(data))
    assert (result.returncode, result.stderr) == (0, b""), result.stderr
    n_lines = len(data.removesuffix(b"\n").split(b"\n"))
    assert f"{2 * n_lines:,} of {2 * n_lines:,} came back" in result.stdout.decode()


@pytest.mark.parametrize("data", [b"", b"\n\n\n"])
def test_no_text(run, text_file, data, tmp_path):
    result = run("demo", text_file(data))
    assert result.returncode == 1
    assert b"no text" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["text.txt"]


def test_a_line_that_does_not_come_back_is_a_failure(monkeypatch, tmp_path, capfd):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo_module, "check_round_trip", lambda paths, toks: ["text:7 (bpe)"])
    assert main(["demo"]) == 1
    output = capfd.readouterr()
    assert "603 of 604" in output.out
    assert output.err.startswith("spm-lite: error: 1 of 604 lines did not come back; the first: text:7 (bpe)")


def test_quiet_and_nothing_kept(run, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    result = run("demo", "--quiet")
    assert (result.returncode, result.stdout, result.stderr) == (0, b"", b"")
    assert [*tmp_path.iterdir()] == []


def test_a_folder_that_cannot_be_made(tmp_path, capfd):
    (tmp_path / "file").touch()
    assert main(["demo", "-o", str(tmp_path / "file" / "inner")]) == 1
    assert "cannot make the folder" in capfd.readouterr().err


def test_demo_text_is_what_it_should_be(demo_text):
    lines = demo_text.decode().split("\n")
    assert lines.pop() == ""
    assert 280 <= len(lines) <= 400
    assert len(set(lines)) == len(lines)
    assert all(line.strip() for line in lines)
    assert demo_text.decode() == unicodedata.normalize("NFC", demo_text.decode())
    found = {script_of(line) for line in lines}
    assert set(SCRIPTS) <= found
    assert sum(script_of(line) in ("Thai", "Japanese", "Chinese") for line in lines) >= 55


def test_vocab_size_grows_with_the_text():
    sizes = []
    for times in (0, 1, 100, 10_000):
        facts = TextFacts()
        facts.add(["hello world"] * times)
        sizes.append(facts.vocab_size())
    assert sizes == sorted(sizes)
    assert sizes[0] >= 260
    assert sizes[-1] <= 9000


def test_width():
    assert text_width("abc") == 3
    assert text_width("日本") == 4
    assert text_width("e\u0301") == 1
    assert cut("日本語", 5) == "日本"
    assert visible("a\tb\x1b[0m\ud800") == "a\\tb\\x1b[0m\\ud800"


def test_two_rows():
    assert two_rows(["▁a", "日本", "c"], [5, 6, 1234], 99) == [("▁a  日本  c", "5   6     1234")]
    assert two_rows(["aaaa", "bbbb"], [1, 2], 9) == [("aaaa", "1"), ("bbbb", "2")]
    assert two_rows([], [], 9) == [("", "")]
