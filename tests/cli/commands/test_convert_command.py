"""`spm-lite convert`: what it writes, its exit codes, and what people and programs read."""

import json
from base64 import b64encode

import pytest
from oracle import partners

import spm_lite
from spm_lite.cli.main import main
from spm_lite.cli.tables import text_width, wrapped


@pytest.fixture
def models(tmp_path, monkeypatch):
    """b.model and u.model in the current folder."""
    monkeypatch.chdir(tmp_path)
    partners.trained("byte_bpe").save("b.model")
    partners.trained("unigram").save("u.model")
    return tmp_path


def test_out_and_in(models, capfd):
    assert main(["convert", "b.model", "b.tiktoken"]) == 0
    out = capfd.readouterr().out
    assert out.startswith("b.tiktoken: tiktoken, written: exact\n")
    assert out.endswith("  split pattern to give with it: ' *[^ ]+| +'\n")
    assert main(["convert", "b.tiktoken", "again.model", "--pattern", " *[^ ]+| +", "-q"]) == 0
    assert capfd.readouterr().out == ""
    tok = spm_lite.Tokenizer.load("b.model")
    assert spm_lite.Tokenizer.load("again.model").encode("the cat") == tok.encode("the cat")
    (models / "c.jinja").write_text("{{ messages }}", encoding="utf-8")
    assert main(["convert", "u.model", "folder", "--chat-template", "c.jinja", "--model-max-length", "8"]) == 0
    assert json.loads((models / "folder/tokenizer_config.json").read_text())["model_max_length"] == 8
    assert (models / "folder/chat_template.jinja").read_text() == "{{ messages }}"


def test_check_writes_nothing(models, capfd):
    (models / "t.txt").write_text("my own text\n", encoding="utf-8")
    before = sorted(models.iterdir())
    assert main(["convert", "u.model", "--check", "--to", "transformers", "--json", "--verify", "t.txt"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert sorted(models.iterdir()) == before
    assert not found["exact"]
    assert not found["is_written"]
    assert found["read"] is None
    assert found["written"]["conditions"]
    assert main(["convert", "u.model", "x.json", "--check"]) == 0
    assert sorted(models.iterdir()) == before


def test_texts_of_a_folder(models, capfd):
    (models / "texts").mkdir()
    (models / "texts/a.txt").write_text("my own text\nand one more\n", encoding="utf-8")
    assert main(["convert", "u.model", "--check", "--to", "transformers", "--json", "--verify", "texts"]) == 0
    found = json.loads(capfd.readouterr().out)["written"]
    assert (found["n_verified"], found["n_verified_differences"]) == (2, 0)
    assert main(["convert", "u.model", "--check", "--to", "transformers", "--verify", "texts"]) == 0
    assert "your 2 texts: all the same" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["u.model"], 2, "two names, the file to read and the one to write: write 'spm-lite convert u.model folder'"),
        (["u.model", "x.json", "y.json"], 2, "'y.json' is one too many"),
        (["u.model", "x.tiktoken"], 2, "byte-level BPE"),
        (["u.model", "x.bin"], 2, "--to"),
        (["u.model", "x.json", "--exact"], 2, "not exact, so nothing is written"),
        (["u.model", "x", "--to", "gtp2"], 2, "did you mean gpt2"),
        (["u.model", "u.model"], 2, "would replace the input"),
        (["u.model", "b.model"], 1, "--overwrite"),
        (["no.model", "x.json"], 1, "No such file"),
        (["u.model", "x.json", "--allow", "all"], 2, "'metaspace'"),
        (["u.model", "x.json", "--verify", "no.txt"], 1, "no.txt"),
        (["u.model", "x.json", "--name", "gpt2"], 2, "--name has no meaning for a file of the format model"),
        (["u.model", "x.json", "--special-token", "a"], 2, "--special-token has no meaning"),
        (["u.model", "x.json", "--no-lowercase"], 2, "--lowercase has no meaning"),
        (
            ["u.model", "x.json", "--padding-side", "left"],
            2,
            "--padding-side has no meaning for the format tokenizer.json",
        ),
        (["u.model", "x.json", "--vocabulary-threshold", "x"], 2, "'x' is not a whole number"),
        (
            ["u.model", "b.model", "--from", "subword-nmt", "--vocabulary", "b.model"],
            2,
            "would replace the input b.model",
        ),
        (["u.model", "x.json", "--from", "subword-nmt", "--vocabulary-threshold", "2"], 2, "--vocabulary-threshold 2"),
        (["u.model", "-"], 2, "not standard input and output: name IN and OUT"),
        (["-", "x.json"], 2, "not standard input and output: name IN and OUT"),
        (["ranks.tiktoken", "x.model"], 2, "give --name NAME of its tokenizer, one of gpt2, r50k_base,"),
        (["ranks.tiktoken", "x.model"], 2, "or --pattern REGEX"),
        (["ranks.tiktoken", "x.model", "--name", "gpt2", "--pattern", "x"], 2, "--pattern x and --name gpt2 both say"),
        (["vocab.txt", "x.model"], 2, "give --lowercase for an uncased vocabulary, --no-lowercase for a cased one"),
    ],
)
def test_errors(arguments, code, message, models, capfd):
    (models / "ranks.tiktoken").write_bytes(b"".join(b64encode(bytes([i])) + b" %d\n" % i for i in range(256)))
    (models / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\na\n")
    before = sorted(models.iterdir())
    assert main(["convert", *arguments]) == code
    out, error = capfd.readouterr()
    assert message in error
    assert error.count("\n") == 1
    assert not out
    assert sorted(models.iterdir()) == before


@pytest.mark.parametrize("width", [40, 80])
def test_width(width, models, capfd, monkeypatch):
    monkeypatch.setattr("spm_lite.cli.commands.convert_command.width_of_output", lambda is_terminal: width)
    assert main(["convert", "u.model", "folder"]) == 0
    assert main(["convert", "--to", "list"]) == 0
    lines = capfd.readouterr().out.split("\n")
    assert max(map(text_width, lines)) <= width
    assert any("no near tie" in line for line in lines)


def test_wrapped_lines_lose_nothing():
    text = "  a  b ccccccccccc \u65e5\u672c\u8a9e\u65e5\u672c\u8a9e d"
    for width in range(6, 40):
        lines = wrapped(text, width, "  ").split("\n")
        assert max(map(text_width, lines)) <= width
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert wrapped(text, 99) == text
