"""Flags as sentencepiece's programs read them."""

import pytest

from spm_lite.errors import OptionError
from spm_lite.sentencepiece.programs.flags import UINT32, Arguments, Flag

FLAGS = (
    Flag("name", "x", ""), Flag("size", 8, ""), Flag("seed", 0, "", UINT32), Flag("share", 0.5, ""),
    Flag("hard", True, ""), Flag("soft", False, ""),
)  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "name", "value"),
    [
        (["--name=a=b"], "name", "a=b"),
        (["-name", "-1"], "name", "-1"),
        (["--name="], "name", ""),
        (["--name", ""], "name", ""),
        (["--size=-3"], "size", -3),
        (["--size", "0x10"], "size", 16),
        (["--size= 7 "], "size", 7),
        (["--size=1", "--size=2"], "size", 2),
        (["--seed=4294967295"], "seed", 2**32 - 1),
        (["--share=1e-3"], "share", 0.001),
        (["--soft"], "soft", True),
        (["-nohard"], "hard", False),
        (["--hard=F"], "hard", False),
        (["--hard", "false"], "hard", False),
        (["--soft=1"], "soft", True),
        (["--soft", "a.txt"], "soft", True),
        (["--undefok=a,b", "--a=1", "--nob"], "name", "x"),
    ],
)
def test_values(arguments, name, value):
    assert Arguments(FLAGS, arguments).values[name] == value


def test_files():
    parsed = Arguments(FLAGS, ["a", "--size=1", "b", "-", "--", "--size=2", "--"])
    assert (parsed.files, parsed.values["size"]) == (["a", "b", "-", "--size=2", "--"], 1)


def test_a_switch_before_a_file_of_that_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "false").write_text("")
    assert Arguments(FLAGS, ["--soft", "false"]).files == ["false"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--nmae=x"], "unknown flag --nmae; did you mean --name?"),
        (["--zzz", "--yyy"], "unknown flag --zzz. unknown flag --yyy"),
        (["--size=3x"], "--size=3x: must be a whole number from -2147483648 to 2147483647"),
        (["--size=2147483648"], "must be a whole number"),
        (["--seed=-1"], "must be a whole number from 0 to"),
        (["--share=much"], "--share=much: must be a number"),
        (["--hard=maybe"], "--hard=maybe: must be true or false"),
        (["--nohard=true"], "write --nohard, or --hard=true"),
        (["--size"], "--size lacks its value: write --size=8"),
        (["--noname"], "unknown flag --noname"),
    ],
)
def test_mistakes(arguments, words):
    with pytest.raises(OptionError) as raised:
        Arguments(FLAGS, arguments)
    assert words in str(raised.value)
