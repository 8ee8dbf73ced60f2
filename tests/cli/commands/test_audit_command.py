"""`spm-lite audit`: the report, its files, requirements and mistakes."""

import json
import pathlib
import re
from pathlib import Path

import pytest

import spm_lite
from spm_lite.cli.main import main

LINES = "".join(f"line {n} of a small text\n" for n in range(300))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "en.txt").write_text(LINES)
    return tmp_path


def test_report_page_and_json(run, folder, bpe_model):
    done = run(
        "audit", bpe_model, f"other={bpe_model}", "--text", "en=en.txt", "--html", "r.html", "--json", "r.json",
        "--require", "size>10", "--orders", "none",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert b"What is broken" in done.stdout
    assert b"Bytes per token" in done.stdout
    assert "<h2>What is broken" in (folder / "r.html").read_text(encoding="utf-8")
    data = json.loads((folder / "r.json").read_bytes())
    assert list(data["tokenizers"]) == ["m", "other"]
    done = run("audit", bpe_model, "--text", "en=en.txt", "--orders", "none", "--baseline", "r.json")
    assert b"Nothing has moved" in done.stdout
    done = run("audit", bpe_model, "--json", "-")
    assert json.loads(done.stdout)["format"] == 1
    done = run("audit", bpe_model, "--html", "-")
    assert done.stdout.startswith(b"<!doctype html>")
    assert done.stdout.rstrip().endswith(b"</html>")
    assert not (folder / "-").exists()


def test_a_mixture(run, folder, bpe_model):
    (folder / "de.txt").write_text("ein kleiner Text\n" * 300)
    texts = ("audit", bpe_model, "--text", "en=en.txt", "de=de.txt", "--orders", "none")
    done = run(
        *texts, "--weight", "en=2", "--weight", "de=1e0", "--require", "mixture.bytes_per_token>99", "--json", "r"
    )
    assert done.returncode == 1
    assert b"m, mixture: bytes_per_token is" in done.stderr
    assert b"\nMixture\n" in done.stdout
    assert run(*texts, "--weight", "en=2", "de=1", "--json", "-").stdout == (folder / "r").read_bytes()
    shares = json.loads((folder / "r").read_bytes())["mixture"]["shares"]
    assert shares == {"en": 2 / 3, "de": 1 / 3}


def test_words(run, folder, bpe_model):
    (folder / "words.txt").write_text("line\n\nsmall\nlinesmall\n")
    done = run("audit", bpe_model, "--text", "en=en.txt", "--words", "en=words.txt", "--json", "r.json")
    assert done.returncode == 0, done.stderr
    row = json.loads((folder / "r.json").read_bytes())["corpus"]["en"]["m"]["single_token_words"]
    assert row["k"] == 3
    (folder / "empty.txt").write_text("\n")
    done = run("audit", bpe_model, "--text", "en=en.txt", "--words", "en=empty.txt")
    assert b"empty.txt" in done.stderr and b"write one in each line" in done.stderr
    done = run("audit", bpe_model, "--text", "en=en.txt", "--words", "de=words.txt")
    assert b"words names the text 'de'" in done.stderr


def test_a_requirement_that_is_not_met(run, folder, bpe_model):
    done = run("audit", bpe_model, "--require", "size<10", "--require", "unreachable<=0")
    assert done.returncode == 1
    assert b"m: size is 1500, but size<10 is required" in done.stderr


def test_a_requirement_of_an_unknown_name_loses_no_report(run, folder, bpe_model):
    done = run("audit", bpe_model, "--require", "other:size<10", "--json", "r.json")
    assert done.returncode == 2
    assert b"other" in done.stderr
    assert b"What is broken" in done.stdout
    assert json.loads((folder / "r.json").read_bytes())["format"] == 1


def test_names_that_are_not_utf_8_make_a_baseline(run, folder, bpe_model):
    arguments = ("audit", f"\udcff={bpe_model}", "--text", "\udcff=en.txt", "--orders", "none")
    assert run(*arguments, "--json", "r.json").returncode == 0
    assert b"Nothing has moved" in run(*arguments, "--baseline", "r.json").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{m}", "--require", "sise<10"], b"did you mean 'size'"),
        (["{m}", "--text", "en.txt"], b"not of the form NAME=VALUE"),
        (["{m}", "--text", "en=no.txt"], b"no.txt"),
        (["{m}", "--text", "en=-"], b"not standard input"),
        (["{m}", "{m}"], b"two models are named m"),
        ([], b"name at least one model"),
        (["no.model"], b"no.model"),
        (["{m}", "--orders", "x"], b"not a list of 1, 2 and 3"),
        (["{m}", "--reference", "en"], b"reference"),
        (["{m}", "--text", "en=en.txt", "--weight", "en=1"], b"--weight is for two or more texts, not 1"),
        (["{m}", "--text", "en=en.txt", "de=en.txt", "--weight", "en=1"], b"'de' has no weight"),
        (["{m}", "--text", "en=no.txt", "--weight", "en=1", "en=2"], b"--weight en is given twice"),
        (["{m}", "--text", "en=no.txt", "--weight", "en=x"], b"'x' is not a number"),
        (["{m}", "--text", "en=no.txt", "--weight", "en"], b"not of the form NAME=VALUE"),
        (["{m}", "--text", "en=en.txt", "--html", "en.txt"], b"would replace the input"),
        (["{m}", "--baseline", "en.txt"], b"not an audit"),
        (["{m}", "--require", "size<"], b"not of the form"),
        (["{m}", "--html", "same", "--json", "same"], b"one would replace the other"),
        (["{m}", "--html", "same", "--json", "./same"], b"one would replace the other"),
        (["{m}", "--html", "-", "--json", "/dev/stdout"], b"one would replace the other"),
        (["{m}", "--text", "en=.", "--html", "en.txt"], b"would replace the input"),
        (["{m}", "--text", "en=e*.txt", "--json", "en.txt"], b"would replace the input"),
        # A file that could not be written is named before any work: the text is not looked for.
        (["{m}", "--text", "en=no.txt", "--html", "none/r.html"], b"cannot write none/r.html"),
        (["{m}", "--text", "en=no.txt", "--json", "."], b"it is a folder"),
        (["n" * 300 + "={m}", "--text", "en=no.txt"], b"no.txt"),
    ],
)
def test_mistakes(run, folder, bpe_model, arguments, message):
    done = run("audit", *(word.replace("{m}", str(bpe_model)) for word in arguments))
    assert done.returncode in (1, 2)
    assert message in done.stderr


def test_a_map_explains_a_new_size(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    texts = ["the cat sat on the mat", "a cat and a hat"] * 20
    tok = spm_lite.train(texts, model_type="bpe", vocab_size=280)
    more = tok.extend(texts, 3)
    tok.save("old.model")
    more.tokenizer.save("new.model")
    Path("map.json").write_text(more.map.to_json(), encoding="utf-8")
    assert main(["audit", "m=old.model", "--json", "old.json", "-q"]) == 0
    capfd.readouterr()
    arguments = ["audit", "m=new.model", "--baseline", "old.json", "-q"]
    assert main(arguments) == 0
    assert "m: size 280 -> 283" in capfd.readouterr().out
    assert main([*arguments, "--map", "map.json"]) == 0
    told = capfd.readouterr().out
    assert "the ids, as the map says: <VocabMap: 280 old ids, 0 gone, 3 new>" in told
    assert "m: size" not in told
    assert main(["audit", "m=old.model", "--baseline", "old.json", "--map", "map.json"]) == 2
    assert "the map is from 280 ids to 283" in capfd.readouterr().err
    assert main(["audit", "m=new.model", "--map", "map.json"]) == 2
    assert "give --baseline too" in capfd.readouterr().err
    assert main([*arguments, "--map", "old.json"]) == 1
    assert "old.json: the JSON is no map of a vocabulary" in capfd.readouterr().err


@pytest.mark.parametrize("kind", ["prune", "exactly", "replace"])
def test_maps_of_other_changes(kind, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    texts = ["the cat sat on the mat", "a cat and a hat"] * 20
    tok = spm_lite.train(texts, model_type="bpe", vocab_size=280)
    if kind == "replace":
        made = tok.replace(["a dog"] * 9, 2, prune_for=texts[:1])
    else:
        made = tok.prune(272, source=texts[:1], exactly=kind == "exactly")
    tok.save("old.model")
    made.tokenizer.save("new.model")
    Path("map.json").write_text(made.map.to_json(), encoding="utf-8")
    assert main(["audit", "m=old.model", "--json", "old.json", "-q"]) == 0
    assert main(["audit", "m=new.model", "--baseline", "old.json", "--map", "map.json", "-q"]) == 0
    told = capfd.readouterr().out
    assert f"the ids, as the map says: {made.map!r}" in told
    assert "m: size" not in told
    if kind != "replace":
        assert main(["audit", "m=old.model", "--baseline", "old.json", "--map", "map.json", "-q"]) == 2
        assert "the map is from 280 ids to 272" in capfd.readouterr().err


def test_a_table_without_a_header(folder, bpe_model, monkeypatch, capfd):
    """Its error says how to make a text, in the shell and in Python, and both are texts of the audit."""
    monkeypatch.chdir(folder)
    rows = [f"{n}\tThe line number {n} of a small text" for n in range(40)]
    (folder / "x.tsv").write_text("\n".join(rows), encoding="utf-8")
    for more in [], ["--column", "1"]:
        assert main(["audit", bpe_model, "--parallel", "a=x.tsv", "b=x.tsv", *more]) == 2
        error = capfd.readouterr().err
        assert "the file seems to have no header" in error and "cut -f2 x.tsv > texts.txt" in error
        made = re.search(r"or (\[.*\]) in Python", error)[1]
        assert eval(made, {"pathlib": pathlib}) == [row.split("\t")[1].encode() for row in rows]
    assert main(["audit", bpe_model, "--text", "a=x.tsv", "--as-text", "--orders", "none"]) == 0
    note = capfd.readouterr().err
    assert "--input-format csv, --delimiter" in note and "end in .tsv" not in note
    (folder / "x.tsv").write_text("id\ttext\n" + "\n".join(rows), encoding="utf-8")
    assert main(["audit", bpe_model, "--text", "a=x.tsv", "--column", "txt"]) == 2
    assert "Name it with --column NAME" in capfd.readouterr().err
