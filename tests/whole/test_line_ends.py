"""Line ends of files from any system: CR LF and a BOM in training and in encoding."""

import pytest

import spm_lite
from spm_lite.errors import OptionError

TEXTS = ["the cat sat", "on the mat", "", "a\rb", "caf\u00e9"] * 20
OPTIONS = {"vocab_size": 300, "hard_vocab_limit": False}
UNIX = ("\n".join(TEXTS) + "\n").encode()
WINDOWS = UNIX.replace(b"\n", b"\r\n")
BOM = b"\xef\xbb\xbf"


@pytest.fixture
def paths(tmp_path):
    for name, data in (("unix", UNIX), ("windows", BOM + WINDOWS), ("open", WINDOWS[:-2])):
        (tmp_path / f"{name}.txt").write_bytes(data)
    return tmp_path


def test_the_same_model_of_both_systems(paths):
    expected = spm_lite.train(paths / "unix.txt", **OPTIONS)
    assert expected == spm_lite.train(TEXTS, **OPTIONS)
    found = spm_lite.train(paths / "windows.txt", **OPTIONS)
    assert found.to_bytes() == expected.to_bytes() == spm_lite.train(paths / "open.txt", **OPTIONS).to_bytes()
    assert "100 lines end in CR LF, a line end; newline='lf' keeps CR as text" in found.report.notes
    assert "1 file begins with a BOM, left out; newline='lf' keeps it" in found.report.notes
    assert expected.report.notes == ()
    both = spm_lite.train([paths / "windows.txt", paths / "unix.txt"], **OPTIONS)
    assert both == spm_lite.train(TEXTS * 2, **OPTIONS)


def test_all_is_text_where_that_is_asked(paths):
    raw = spm_lite.train(paths / "windows.txt", newline="lf", **OPTIONS)
    assert raw == spm_lite.train(iter((BOM + WINDOWS).decode().split("\n")[:-1]), **OPTIONS)
    assert any("CR is kept as text" in note for note in raw.report.notes)
    for options in ({"separator": None},):  # no lines: CR and a BOM are text
        whole = spm_lite.train(paths / "windows.txt", **options, **OPTIONS)
        assert whole == spm_lite.train([BOM + WINDOWS], **options, **OPTIONS)
    original = spm_lite.train(paths / "windows.txt", reference_rules=True, **OPTIONS)
    assert original == spm_lite.train(paths / "windows.txt", reference_rules=True, newline="lf", **OPTIONS)
    with pytest.raises(OptionError, match="newline='crlf': must be one of 'auto'"):
        spm_lite.train(TEXTS, newline="crlf", **OPTIONS)


def test_count_tables_carry_the_rule(paths, tmp_path):
    table = spm_lite.CountTable.count(paths / "windows.txt")
    plain = spm_lite.CountTable.count(paths / "unix.txt", newline="lf")
    assert (table.rules.newline, plain.rules.newline) == ("auto", "lf")
    assert [*table] == [*plain]
    table.save(tmp_path / "t.counts")
    again = spm_lite.CountTable.load(tmp_path / "t.counts")
    assert again.rules.newline == "auto"
    with pytest.raises(OptionError, match=r"newline='auto'.*newline='lf'"):
        spm_lite.train([again, plain], **OPTIONS)
    for counts in (again, plain):
        assert spm_lite.train(counts, **OPTIONS) == spm_lite.train(paths / "unix.txt", **OPTIONS)


def test_encoding_keeps_every_byte_and_warns(paths, tmp_path, caplog):
    tok = spm_lite.train(TEXTS, **OPTIONS)
    tok.encode_files(paths / "windows.txt", tmp_path / "ids.npy")
    assert "lines that end in CR LF" in caplog.text
    caplog.clear()
    tok.encode_files(paths / "unix.txt", tmp_path / "ids.npy")
    spm_lite.train(paths / "windows.txt", **OPTIONS)
    assert caplog.text == ""
