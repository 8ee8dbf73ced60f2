"""An output that cannot be written is noticed before the work: here the text to work on is damaged too."""

import pytest
from oracle.small_models import small_model

from spm_lite.cli.main import main

COMMANDS = {
    "train": ["train", "bad.gz", "--vocab-size", "300", "-o", "OUT"],
    "encode": ["encode", "-m", "m.model", "bad.gz", "-o", "OUT"],
    **{
        form: ["encode", "-m", "m.model", "bad.gz", "--output-format", form, "-o", "OUT" + ".npy" * (form == "npy")]
        for form in ("bin", "npy", "megatron", "datatrove", "parquet")
    },
    "pieces": ["encode", "-m", "m.model", "bad.gz", "--generate-vocabulary", "-o", "OUT"],
    "decode": ["decode", "-m", "m.model", "bad.gz", "-o", "OUT"],
    "normalize": ["normalize", "-m", "m.model", "bad.gz", "-o", "OUT"],
    "vocab": ["vocab", "m.model", "-o", "OUT"],
    "sweep": ["sweep", "bad.gz", "--sizes", "300", "--save", "OUT"],
    "json": ["audit", "m.model", "--text", "a=bad.gz", "--json", "OUT"],
    "html": ["audit", "m.model", "--text", "a=bad.gz", "--html", "OUT"],
    "edit": ["edit", "extend", "m.model", "bad.gz", "-n", "5", "-o", "OUT"],
    "map": ["edit", "extend", "m.model", "bad.gz", "-n", "5", "--map", "OUT"],
    "convert": ["convert", "m.model", "OUT.json", "--verify", "bad.gz"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_no_such_folder(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.model").write_bytes(small_model("unigram", byte_fallback=True))
    (tmp_path / "bad.gz").write_bytes(b"\x1f\x8b\x08 cut off")
    assert main([argument.replace("OUT", "nofolder/x") for argument in COMMANDS[name]]) == 1
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith("spm-lite: error: cannot write nofolder/x"), error
    assert "No such file or directory" in error


@pytest.mark.parametrize("option", ["--json", "--html"])
def test_a_folder_of_that_name(option, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.model").write_bytes(small_model("unigram", byte_fallback=True))
    (tmp_path / "bad.gz").write_bytes(b"\x1f\x8b\x08 cut off")
    assert main(["audit", "m.model", "--text", "a=bad.gz", option, "."]) == 1
    assert "cannot write .: it is a folder; name a file" in capsys.readouterr().err
