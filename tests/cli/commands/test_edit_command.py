"""`spm-lite edit`: the report before writing, the model and the map, and wrong uses."""

import json
from pathlib import Path

import pytest

import spm_lite
from spm_lite.cli.main import main

TEXTS = ["the cat sat on the mat", "a cat and a hat", "слово и дело"]
NEW = ["the cats sit on mats", "слова и дела", "новое слово"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    spm_lite.train(TEXTS * 20, model_type="bpe", vocab_size=290, hard_vocab_limit=False).save("m.model")
    Path("new.txt").write_text("\n".join(NEW * 5), encoding="utf-8")
    Path("old.txt").write_text("\n".join(TEXTS), encoding="utf-8")
    return tmp_path


def test_a_report_without_files(folder, capfd) -> None:
    assert main(["edit", "extend", "m.model", "new.txt", "-n", "5", "--text", "old=old.txt", "-q", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    tok = spm_lite.load("m.model")
    more = tok.extend(NEW * 5, 5).tokenizer
    assert found["pieces_after"] == tok.vocab_size + 5
    assert (found["dead_new"], found["dead_old"]) == (0, 0)
    old = found["texts"]["old"]
    assert old["tokens_before"] == sum(tok.count_batch(TEXTS))
    assert old["tokens_after"] == sum(more.count_batch(TEXTS))
    assert old["changed"] == sum(tok.encode(text) != more.encode(text) for text in TEXTS)
    assert [*Path().glob("*")].__len__() == 3


def test_the_model_and_the_map(folder, capfd) -> None:
    arguments = ["edit", "extend", "m.model", "new.txt", "-n", "5", "--only", "Cyrillic", "--held-out", "old.txt"]
    assert main([*arguments, "-o", "more.model", "--map", "id_remap.json", "--protect", "old.txt"]) == 0
    output = capfd.readouterr()
    assert "0 of the new pieces, 0 more of the old ones" in output.out
    assert "5 new pieces: " in output.out
    assert output.err.endswith("wrote more.model and id_remap.json\n")
    more = spm_lite.load("more.model")
    change = spm_lite.VocabMap.from_json(Path("id_remap.json").read_bytes())
    assert change.n_new == more.vocab_size
    assert [more.encode(text) for text in TEXTS] == [spm_lite.load("m.model").encode(text) for text in TEXTS]


def test_files_are_no_texts(folder, capfd, monkeypatch) -> None:
    """Names without an ending, folders, patterns, and standard input."""
    Path("plain").write_bytes(Path("old.txt").read_bytes())
    Path("folder").mkdir()
    Path("folder/a.txt").write_bytes(Path("old.txt").read_bytes())
    arguments = ["edit", "extend", "m.model", "new.txt", "-n", "5", "-q", "--json", "--protect", "plain"]
    assert main([*arguments, "--text", "a=plain", "b=folder", "c=ol*.txt", "--held-out", "plain"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert [one["texts"] for one in found["texts"].values()] == [15, 3, 3, 3]
    assert found["curve"]["0"] == found["texts"]["a"]["tokens_before"]
    more = spm_lite.load("m.model").extend(NEW * 5, 5, protect=TEXTS).tokenizer
    assert found["texts"]["a"]["tokens_after"] == sum(more.count_batch(TEXTS))
    with Path("old.txt").open(encoding="utf-8") as file:
        monkeypatch.setattr("sys.stdin", file)
        assert main([*arguments, "--text", "a=-"]) == 0
    assert json.loads(capfd.readouterr().out)["texts"]["a"]["texts"] == 3


def test_standard_output_is_one_thing(folder, capfdbinary) -> None:
    """The model or the map alone, with the report beside it."""
    arguments = ["edit", "extend", "m.model", "new.txt", "-n", "5", "--quiet"]
    assert main([*arguments, "--json", "-o", "-"]) == 0
    output = capfdbinary.readouterr()
    assert output.out == spm_lite.load("m.model").extend(NEW * 5, 5).tokenizer.to_bytes()
    assert json.loads(output.err)["dead_new"] == 0
    assert main([*arguments[:-1], "--map", "-"]) == 0
    output = capfdbinary.readouterr()
    assert spm_lite.VocabMap.from_json(output.out).n_new == json.loads(output.out)["n_new"]
    assert output.err.startswith(b"pieces  ")


def test_unknown_tokens_are_reported(folder, capfd) -> None:
    """A run of unknown characters is one token, so the tokens alone may look worse than before."""
    spm_lite.train(TEXTS * 20, model_type="bpe", vocab_size=40, byte_fallback=False).save("small.model")
    Path("thai.txt").write_text("ภาษาไทย ภาษา\n" * 20, encoding="utf-8")
    arguments = ["edit", "extend", "small.model", "thai.txt", "-n", "5", "--text", "old=old.txt", "-q"]
    assert main([*arguments, "--json"]) == 0
    found = json.loads(capfd.readouterr().out)["texts"]
    assert found["new text"]["unknown_before"] == 40
    assert found["new text"]["tokens_before"] == 80
    assert found["old"]["unknown_before"] == found["old"]["unknown_after"] == 0
    assert main(arguments[:-1]) == 0
    assert "unknown before" in capfd.readouterr().out
    assert main(["edit", "extend", "m.model", "new.txt", "-n", "5"]) == 0
    assert "unknown before" not in capfd.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "say what to do: extend"),
        (["extnd"], "did you mean extend?"),
        (["add", "m.model"], "takes a MODEL, and pieces or --pieces FILE"),
        (["add", "m.model", "x", "-n", "5"], "--n-new has no part in edit add"),
        (["extend", "m.model", "new.txt", "-n", "5", "--control"], "--control has no part in edit extend"),
        (["add", "m.model", "--pieces", "new.txt", "-o", "new.txt"], "new.txt would replace the input new.txt"),
        (["add", "m.model", "the cat"], "U+2581"),
        (["extend", "m.model"], "takes a MODEL, at least one TEXT, and -n"),
        (["extend", "m.model", "new.txt"], "takes a MODEL, at least one TEXT, and -n"),
        (["extend", "m.model", "new.txt", "-n", "5", "-o", "m.model"], "m.model would replace the input m.model"),
        (["extend", "m.model", "new.txt", "-n", "5", "-o", "a", "--map", "a"], "name the same file"),
        (["extend", "m.model", "-", "-n", "5", "--text", "x=-"], "- is named twice"),
        (["extend", "m.model", "new.txt", "-n", "5", "--text", "new text=old.txt"], "choose another name"),
        (["extend", "m.model", "new.txt", "-n", "5", "--only", "new", "--only", "Thai"], "'new' or 'all' stands alone"),
        (["extend", "m.model", "new.txt", "-n", "5", "--coverage", "0.5"], "--coverage 0.5: must be 0.98..1.0"),
        (["extend", "m.model", "old.txt", "-n", "5", "--only", "new"], "--only all, or name the scripts"),
    ],
)
def test_wrong_uses(folder, capfd, arguments, message) -> None:
    assert main(["edit", *arguments]) == 2
    assert message in capfd.readouterr().err


def test_errors_name_flags(folder, capfd) -> None:
    assert main(["edit", "extend", "m.model", "new.txt", "-n", "5k"]) == 1
    assert "--n-new 5000: the text has only" in capfd.readouterr().err
    assert main(["edit", "extend", "m.model", "new.txt", "-n", "5", "--only", "Cyrilic"]) == 2
    assert "did you mean 'Cyrillic'" in capfd.readouterr().err


@pytest.mark.parametrize("flags", [[], ["--control"]])
def test_added_pieces(folder, capfd, flags) -> None:
    Path("pieces.txt").write_text("<|tool|>\n\u2581mats\n", encoding="utf-8")
    arguments = ["edit", "add", "m.model", "quokka", "--pieces", "pieces.txt", "--text", "new=new.txt", *flags]
    assert main([*arguments, "-o", "more.model", "--map", "map.json"]) == 0
    output = capfd.readouterr().out
    assert f"(new: 3 {'control' if flags else 'user-defined'} pieces)" in output
    tok, more = spm_lite.load("m.model"), spm_lite.load("more.model")
    assert more == tok.add_pieces(["quokka", "<|tool|>", "\u2581mats"], control=bool(flags))
    change = spm_lite.VocabMap.from_json(Path("map.json").read_bytes())
    assert change.grown[tok.vocab_size + 2].old_ids == tuple(tok.encode("mats"))
    assert main([*arguments, "-q", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)["texts"]["new"]
    assert found["changed"] == (0 if flags else 5)
    assert main(["edit", "add", "m.model", "quokka"]) == 0
    assert "pieces" in capfd.readouterr().out
