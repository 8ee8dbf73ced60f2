"""Words in the place of a model: what the message says they are, and what it says to write."""

import argparse

import pytest

import spm_lite
from spm_lite.cli.main import main
from spm_lite.cli.options.mistaken_inputs import not_the_model, text_as_model
from spm_lite.cli.options.parsing import whole_number
from spm_lite.cli.options.source_options import named_value


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    spm_lite.byte_tokenizer().save("m.model")
    (tmp_path / "en.txt").write_text("some text\nof lines\n", encoding="utf-8")
    (tmp_path / "damaged.model").write_bytes(spm_lite.byte_tokenizer().to_bytes()[:-3])
    (tmp_path / "folder").mkdir()


@pytest.mark.parametrize(
    ("command", "words", "typed"),
    [
        ("show", ["hello"], "show m.model hello"),
        ("show", ["hello", "m.model"], "show m.model hello"),
        ("show", ["two words", "m.model"], "show m.model 'two words'"),
        ("encode", ["en.txt"], "encode m.model en.txt"),
        ("encode", ["m.modle", "en.txt"], "encode m.model en.txt"),
        ("encode", ["t5-small", "en.txt"], "encode m.model en.txt"),
        ("inspect", ["en.txt"], "inspect m.model"),
        ("vocab", ["m.modle"], "vocab m.model"),
    ],
)
def test_the_first_word_is_no_model(command, words, typed):
    line = f"spm-lite {typed}" if "'" in typed else f"'spm-lite {typed}'"
    assert f": write {line}" in not_the_model(words[0], command, words[1:])


@pytest.mark.parametrize(
    ("words", "typed"),
    [
        (["encode", "Hello world", "m.model"], "echo 'Hello world' | spm-lite encode m.model"),
        (["encode", "m.model", "Hello world."], "echo 'Hello world.' | spm-lite encode m.model"),
        (["decode", "m.model", "12 13"], "echo '12 13' | spm-lite decode m.model"),
        (["count", "m.model", "en.txt", "it's me"], """echo 'it'"'"'s me' | spm-lite count m.model"""),
        (["encode", "-m", "m.model", "why not?"], "echo 'why not?' | spm-lite encode m.model"),
        (["encode", "some text"], "echo 'some text' | spm-lite encode m.model"),
        (["count", "t5-small", "en.txt", "--column", "body"], "write 'spm-lite count m.model en.txt --column body'"),
        (
            ["encode", "m", "en.txt"],
            "(did you mean m.model?), and the first word names the model: write 'spm-lite encode m.model en.txt'",
        ),
    ],
)
def test_texts_and_names_in_the_place_of_files(words, typed, capfd, tmp_path):
    (tmp_path / "m.vocab").write_text("", encoding="utf-8")
    assert main(words) in (1, 2)
    error = capfd.readouterr().err
    assert typed in error and "cannot read" not in error


def test_a_missing_file_stays_one(capfd):
    assert main(["encode", "m.model", "my text.txt"]) == 1
    assert "cannot read my text.txt" in capfd.readouterr().err
    assert main(["encode", "m.model", "en"]) == 1
    assert "did you mean en.txt?" in capfd.readouterr().err


def test_the_vocab_file_beside_a_model_hides_it_not(tmp_path):
    (tmp_path / "m.vocab").write_text("", encoding="utf-8")
    with pytest.raises(spm_lite.MissingFileError, match=r"did you mean m\.model\?"):
        spm_lite.load("m")


def test_what_may_be_a_model_keeps_its_own_error():
    assert not_the_model("damaged.model", "show", ["a"]) == "" == not_the_model("folder", "show", ["a"])
    assert text_as_model("compare", ["m.model", "missing"]) == ""


def test_a_text_among_the_models():
    assert "compare needs two models: write 'spm-lite compare m.model b.model en.txt'" in text_as_model(
        "compare", ["m.model", "en.txt"]
    )
    assert "write 'spm-lite audit m.model --text en=en.txt'" in text_as_model("audit", ["m.model", "en.txt"])


def test_one_grammar(capfd):
    """The first word is the model unless -m names it; what follows -- is an input."""
    outputs = []
    for words in (
        ["encode", "m.model", "en.txt"], ["encode", "en.txt", "-m", "m.model"], ["encode", "-m", "m.model", "en.txt"],
        ["encode", "--bos=false", "m.model", "--", "en.txt"],
    ):  # fmt: skip
        assert main(words) == 0
        outputs.append(capfd.readouterr().out)
    assert len(set(outputs)) == 1
    assert main(["show", "m.model", "--", "-m"]) == 0
    assert main(["show", "--", "m.model"]) == 2
    assert "no model is named" in capfd.readouterr().err
    for command in ("count", "decode", "normalize", "explain", "inspect", "vocab", "bench", "lock"):
        assert main([command]) == 2
        assert f"'spm-lite {command} m.model'" in capfd.readouterr().err


@pytest.mark.parametrize(("words", "code"), [(["inspect", "gone"], 1), (["count", "en.txt"], 1), (["compare", "a"], 2)])
def test_exit_codes(words, code):
    assert main(words) == code


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("train en.txt --lossless strict", "--lossless strict: write --strict-lossless"),
        ("train en.txt --lossless=strict", "--lossless strict: write --strict-lossless"),
        (
            "count m.model en.txt --eos",
            "unknown option --eos: leave it out; 'count' adds no special token, and 'encode' has",
        ),
        ("convert m.model out --to huggingface", "did you mean transformers?"),
        ("convert m.model out --to Llama.cpp", "did you mean gguf?"),
        ("audit m.model --parallel eng=a,tha=b", "give the option again for each, eng=a and tha=b"),
        ("train --source en=en.txt --weight en=1,de=2", "give the option again for each, en=1 and de=2"),
        (
            "audit m.model --parallel a=en.txt b=one.txt",
            "parallel texts must have the same number of lines: 'a' has 2, ",
        ),
    ],
)
def test_values_that_people_try(typed, words, capfd, tmp_path):
    (tmp_path / "one.txt").write_text("some text\n", encoding="utf-8")
    assert main(typed.split()) == 2
    assert words in capfd.readouterr().err


def test_thousands_and_names_with_commas(tmp_path):
    assert [whole_number(text) for text in ("8,000", "1,000,000", "8_000", "8k")] == [8000, 10**6, 8000, 8000]
    for text in ("8,00", ",000", "8,0000"):
        with pytest.raises(argparse.ArgumentTypeError):
            whole_number(text)
    (tmp_path / "a,b=c").write_text("", encoding="utf-8")
    assert named_value("en=a,b=c") == ("en", "a,b=c")
    assert named_value("en=a,b") == ("en", "a,b")
