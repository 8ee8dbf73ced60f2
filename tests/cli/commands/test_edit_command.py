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
        ([], "say what to do: extend, add, prune, replace, merge, rename, claim"),
        (["extnd"], "did you mean extend?"),
        (["add", "m.model"], "takes a MODEL, and pieces or --pieces FILE"),
        (["add", "m.model", "x", "-n", "5"], "not of add"),
        (
            ["extend", "m.model", "new.txt", "-n", "5", "--control"],
            "--control is an option of add, claim, not of extend",
        ),
        (["add", "m.model", "--pieces", "new.txt", "-o", "new.txt"], "new.txt would replace the input new.txt"),
        (["add", "m.model", "the cat"], "U+2581"),
        (["extend", "m.model"], "takes a MODEL, at least one TEXT, and -n"),
        (["extend", "m.model", "new.txt"], "takes a MODEL, at least one TEXT, and -n"),
        (["extend", "m.model", "new.txt", "-n", "5", "--exactly"], "--exactly is an option of prune, not of extend"),
        (["prune", "m.model"], "takes a MODEL, and a TEXT or an option that keeps pieces"),
        (["prune", "m.model", "--scripts", "Latin", "-n", "9"], "--n-new goes by the tokens of a text: name a TEXT"),
        (["prune", "m.model", "new.txt", "--protect", "old.txt"], "--protect is an option of extend, not of prune"),
        (["replace", "m.model", "new.txt", "-n", "5"], "and --prune-for, the text that"),
        (["merge", "m.model", "new.txt", "old.txt"], "takes two models"),
        (["rename", "m.model", "<s>"], "'<s>' is no pair of names: write OLD=NEW"),
        (["rename", "m.model", "<s>=<a>", "<s>=<b>"], "'<s>' is given two new names: leave one out"),
        (["rename", "m.model", "<s>=<a>", "--no-control"], "--control is an option of add, claim, not of rename"),
        (["prune", "m.model", "old.txt", "-o", "old.txt"], "old.txt would replace the input old.txt"),
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


def test_prune(folder, capfd) -> None:
    assert (
        main(["edit", "prune", "m.model", "old.txt", "-n", "285", "-o", "a.model", "--map", "a.json", "--reasons"]) == 0
    )
    output = capfd.readouterr().out
    tok = spm_lite.load("m.model")
    less = tok.prune(285, source=TEXTS)
    assert spm_lite.load("a.model") == less.tokenizer
    assert spm_lite.VocabMap.from_json(Path("a.json").read_bytes()) == less.map
    assert f"-> 285 (gone: {tok.vocab_size - 285})" in output
    assert "source" in output
    assert main(["edit", "prune", "m.model", "--keep-texts", "old.txt", "--json", "--reasons", "-q"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert found["texts"] == {}
    assert {why for _, why in found["reasons"].values()} >= {"special", "byte", "keep_texts"}
    assert main(["edit", "prune", "m.model", "old.txt", "-n", "285", "--json", "-q", "--text", "new=new.txt"]) == 0
    found = json.loads(capfd.readouterr().out)["texts"]
    mapped = [[less.map.new_ids[i] for i in tok.encode(text)] for text in NEW * 5]
    assert found["new"]["changed"] == sum(
        a != b for a, b in zip(mapped, less.tokenizer.encode_lists(NEW * 5), strict=True)
    )
    assert main(["edit", "prune", "m.model", "old.txt", "-n", "285", "--exactly", "-o", "b.model"]) == 0
    exact = tok.prune(285, source=TEXTS, exactly=True).tokenizer
    assert spm_lite.load("b.model") == exact
    assert f"; {len(exact) - 285} unused pieces after the others)" in capfd.readouterr().out
    Path("chat.jinja").write_text("{{ messages }}the cat", encoding="utf-8")
    assert main(["edit", "prune", "m.model", "--keep", "a", "--scripts", "Latin", "--chat-template", "chat.jinja"]) == 0


def test_replace_merge_and_names(folder, capfd) -> None:
    tok = spm_lite.load("m.model")
    assert main(["edit", "replace", "m.model", "new.txt", "-n", "4", "--prune-for", "old.txt", "-o", "a.model"]) == 0
    assert spm_lite.load("a.model") == tok.replace(NEW * 5, 4, prune_for=TEXTS).tokenizer
    assert "prune-for" in capfd.readouterr().out
    assert (
        main(["edit", "merge", "a.model", "m.model", "-o", "b.model", "--only", "Latin", "--only", "Cyrillic", "-q"])
        == 0
    )
    first = spm_lite.load("a.model")
    assert spm_lite.load("b.model") == spm_lite.merge(first, tok, only=["Latin", "Cyrillic"]).tokenizer
    assert main(["edit", "rename", "m.model", "<s>=<unused1>", "-o", "c.model", "-q"]) == 0
    assert main(["edit", "claim", "c.model", "<tool>", "-o", "d.model", "--no-control", "-q"]) == 0
    assert spm_lite.load("d.model").encode("<tool>")[-1:] == [tok.bos_id]


@pytest.mark.parametrize("keys", [[], ["max_words=2,whole_words=true"]])
def test_superwords(tmp_path, keys):
    """New pieces cross spaces, as by the same argument of `extend`."""
    lines = [f"the cat {word} on the mat" for word in ("sat", "ran", "lay", "was", "is")] * 5
    tok = spm_lite.train(lines, vocab_size=290, model_type="bpe", hard_vocab_limit=False)
    tok.save(tmp_path / "m.model")
    (tmp_path / "new.txt").write_text("\n".join(lines))
    files = [str(tmp_path / name) for name in ("m.model", "new.txt")]
    assert (
        main(["edit", "extend", *files, "-n", "3", "--superwords", *keys, "-o", str(tmp_path / "out.model"), "-q"]) == 0
    )
    made = spm_lite.load(tmp_path / "out.model")
    new = [made.id_to_piece(i) for i in range(tok.vocab_size, made.vocab_size)]
    assert len(new) == 3
    assert any("\u2581" in piece[1:] for piece in new)
