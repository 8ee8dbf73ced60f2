"""Commands such as show, explain and compare: their output, in pipes and on terminals of every width."""

import json
import shutil
import subprocess
import sys

import pytest
from oracle import extras
from oracle.small_models import small_model
from rich.cells import cell_len

import spm_lite
from spm_lite.cli.command_names import COMMANDS, module_of
from spm_lite.cli.main import main

FITTED = {
    "show",
    "explain",
    "count",
    "compare",
    "bench",
    "audit",
    "sweep",
    "convert",
    "inspect",
    "edit",
}  # no line is too long
TEXTS = ["hello world", "this is  a pen", "", "\u65e5\u672c\u8a9e \U0001f600", "e\u0301 \u202ehidden\x1b[2J\x07"]


@pytest.fixture
def two(tmp_path, monkeypatch):
    """Two models a.model and b.model, and text.txt, in the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.model").write_bytes(small_model("unigram", byte_fallback=True))
    spm_lite.train(TEXTS * 9, model_type="bpe", vocab_size=300, hard_vocab_limit=False).save("b.model")
    (tmp_path / "text.txt").write_text("\n".join(TEXTS * 3) + "\n", encoding="utf-8")
    return tmp_path


def out(capfd, *arguments):
    assert main(list(arguments)) == 0
    return capfd.readouterr().out


def test_normalize(two, capfd):
    text = out(capfd, "normalize", "--rules", "nfkc", "text.txt", "--spaces")
    assert text.split("\n")[4].startswith("\u00e9 ")
    tok = spm_lite.Tokenizer.load("a.model")
    lines = out(capfd, "normalize", "-m", "a.model", "text.txt").split("\n")
    assert lines[:4] == [tok.normalize(text) for text in TEXTS[:4]]
    assert main(["normalize", "-m", "a.model", "text.txt", "-o", "n.txt"]) == 0
    assert (two / "n.txt").read_text(encoding="utf-8").split("\n") == lines


def test_count(two, capfd):
    tok = spm_lite.Tokenizer.load("a.model")
    n_tokens = sum(map(tok.count, TEXTS)) * 3
    (two / "other.txt").write_text("hello\n", encoding="utf-8")
    n_other = tok.count("hello")
    counted = f"{n_tokens}\ttext.txt\n{n_other}\tother.txt\n{n_tokens + n_other}\ttotal\n"
    assert out(capfd, "count", "-m", "a.model", "text.txt", "other.txt") == counted
    assert out(capfd, "count", "-m", "a.model", "other.txt") == f"{n_other}\tother.txt\n"
    found = json.loads(out(capfd, "count", "-m", "a.model", "text.txt", "other.txt", "--json"))
    assert found["files"]["text.txt"]["tokens"] == n_tokens
    assert found["total"] == {"tokens": n_tokens + n_other, "documents": 16, "bytes": found["total"]["bytes"]}
    assert found["total"]["bytes"] == sum(len(text.encode()) for text in TEXTS) * 3 + 5


def test_show(two, capfd, monkeypatch):
    tok = spm_lite.Tokenizer.load("a.model")
    text = out(capfd, "show", "-m", "a.model", "hello world")
    above, below, sizes, *_ = text.split("\n")
    assert above.split()[1:] == tok.pieces("hello world")
    assert [int(word) for word in below.split()[1:]] == tok.encode("hello world")
    assert sum(int(word) for word in sizes.split()[1:]) == 11
    assert text.endswith(f"{tok.count('hello world')} tokens, 11 bytes\n")
    found = json.loads(out(capfd, "show", "-m", "a.model", "hello world", "--json"))
    assert found["ids"] == tok.encode("hello world")
    assert "\x1b" not in out(capfd, "show", "-m", "b.model", TEXTS[4])
    assert "\x1b" in out(capfd, "show", "-m", "b.model", TEXTS[4], "--color", "always")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" not in out(capfd, "show", "-m", "b.model", TEXTS[4], "--color", "never")
    assert out(capfd, "show", "-m", "a.model", "", "--color=never") == "0 tokens, 0 bytes\n"
    assert "only the first 2 tokens" in out(capfd, "show", "-m", "a.model", "hello world there", "--limit", "2")


def test_compare(two, capfd):
    toks = [spm_lite.Tokenizer.load(f"{name}.model") for name in "ab"]
    found = json.loads(out(capfd, "compare", "a.model", "b.model", "text.txt", "--json"))
    for key, tok in zip("ab", toks, strict=True):
        assert found[key]["tokens"] == sum(map(tok.count, TEXTS)) * 3
        assert found[key]["vocab_size"] == len(tok)
    assert found["b"]["documents_lost"] == 0
    assert found["a"]["documents_lost"] > 0  # it merges spaces
    differ = [text for text in TEXTS if toks[0].spans(text) != toks[1].spans(text)]
    assert found["different_documents"] == 3 * len(differ)
    text = out(capfd, "compare", "a.model", "b.model", "text.txt", "--examples", "2")
    assert text.count("text.txt, ") == 2
    assert "fewer tokens" in text
    text = out(capfd, "compare", "b.model", "b.model", "text.txt")
    assert "b.model and b.model need the same number of tokens. 0 of 12 documents" in text


def test_a_long_document_is_shown_around_its_first_difference(two, capfd):
    same = "hello " * 400
    (two / "long.txt").write_text(f"{same}this is  a pen {same}\n", encoding="utf-8")
    text = out(capfd, "compare", "a.model", "b.model", "long.txt")
    assert text.count("...") == 2  # after the part that is shown, in both columns
    assert len(text.split("long.txt, 1")[1]) < 2000
    found = json.loads(out(capfd, "compare", "a.model", "b.model", "long.txt", "--json"))
    assert len(found["examples"][0]["a"]) > 400


def test_explain(two, capfd, monkeypatch):
    tok = spm_lite.Tokenizer.load("b.model")
    assert out(capfd, "explain", "-m", "b.model", "hello") == f"{tok.explain('hello')}\n"
    several = out(capfd, "explain", "-m", "b.model", "hello", "world hello", "--limit", "5")
    assert several == f"{tok.explain('hello')}\n\n{tok.explain('world hello', limit=5)}\n"
    one = out(capfd, "explain", "-m", "a.model", "hello", "--rivals", "1")
    assert one == f"{spm_lite.Tokenizer.load('a.model').explain('hello', rivals=1)}\n"
    assert out(capfd, "explain", "-m", "b.model", "\udcff") == f"{tok.explain(bytes([255]))}\n"
    assert out(capfd, "explain", "-m", "b.model", "hello", "--svg") == tok.explain("hello").svg()
    assert main(["explain", "-m", "b.model", "--svg", "a", "b"]) == 2
    assert "of one TEXT, not of 2" in capfd.readouterr().err
    for name, start in (("steps.svg", "<svg"), ("steps.html", "<!doctype"), ("steps.txt", "BPE")):
        assert out(capfd, "explain", "-m", "b.model", "hello", "-o", name) == ""
        assert (two / name).read_text(encoding="utf-8").startswith(start)
    assert main(["explain", "-m", "b.model", "hello", "-o", "b.model"]) == 2
    assert "would replace the input" in capfd.readouterr().err
    for more in ("-o", "a.png"), ("-o", "a.PDF"), ("--svg", "-o", "a.png"):
        assert main(["explain", "-m", "b.model", "hello", *more]) == 2
        assert f"{more[-1]} ends in neither .svg nor .html: name a file that ends in one" in capfd.readouterr().err
        assert not (two / more[-1]).exists()


def test_words_that_people_try(two, capfd):
    assert main(["why", "-m", "b.model", "hello"]) == 2
    assert "unknown command 'why': write explain" in capfd.readouterr().err
    assert main(["to_hf", "b.model"]) == 2
    assert "write convert" in capfd.readouterr().err
    (two / "texts").mkdir()
    assert main(["audit", "b.model", "texts"]) == 2
    assert "or text as in --text NAME=texts" in capfd.readouterr().err


def test_bench(two, capfd):
    found = json.loads(out(capfd, "bench", "a.model", "text.txt", "--json", "--runs", "1"))
    assert set(found["megabytes_per_second"]) == {"spm_lite", "sentencepiece"}
    assert set(found["megabytes_per_second"]["spm_lite"]) == {"encode cold", "encode warm", "decode"}
    assert "times as fast" in out(capfd, "bench", "a.model", "text.txt", "--runs", "1", "-j1")
    (two / "empty.txt").write_bytes(b"")
    assert main(["bench", "a.model", "empty.txt"]) == 1


@pytest.mark.dev
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell, capfd, tmp_path):
    extras.need("shtab")
    script = out(capfd, "completion", shell)
    assert all(name in script for name in COMMANDS)
    assert "vocab-size" in script
    program = shutil.which(shell)
    if program:  # the shell understands it
        (tmp_path / "script").write_text(script, encoding="utf-8")
        subprocess.run([program, "-n", str(tmp_path / "script")], check=True, timeout=500)


def test_a_default_size_and_name(two, capfd):
    assert main(["train", "text.txt"]) == 0
    output = capfd.readouterr()
    assert "model name text; vocabulary size 8,000, or less for a small text" in output.err
    assert len(spm_lite.Tokenizer.load("text.model")) > 256
    assert main(["train", "text.txt", "-o", "m", "--vocab-size", ".3k"]) == 2
    assert main(["train", "text.txt", "-o", "m", "--vocab-size", "0.3k", "-q", "--no-hard-vocab-limit"]) == 0
    assert len(spm_lite.Tokenizer.load("m.model")) <= 300


def test_every_command_has_a_parser_with_the_common_options():
    for name in COMMANDS:
        options = module_of(name).make_parser()._option_string_actions
        assert {"-q", "--quiet", "-h", "--help"} <= set(options), name


@pytest.mark.dev
@pytest.mark.slow
@pytest.mark.parametrize("columns", [40, 80, 200])
def test_terminals_of_every_width(two, columns):
    extras.need("shtab")
    terminal = pytest.importorskip("oracle.terminal", exc_type=ImportError)
    (two / "many.txt").write_text("\n".join(f"{text} {i}" for i in range(300) for text in TEXTS[:2]), encoding="utf-8")
    runs = (
        ["train", "text.txt", "-o", "n", "--vocab-size", "1k", "--no-hard-vocab-limit"],
        ["encode", "-m", "a.model", "text.txt", "-o", "ids.txt"], ["encode", "-m", "a.model", "text.txt"],
        ["encode", "-m", "a.model", "text.txt", "-o", "ids.bin", "--output-format", "bin"],
        ["encode", "-m", "b.model", "text.txt", "--output-format", "piece"],
        ["decode", "-m", "a.model", "ids.txt", "-o", "back.txt"], ["normalize", "-m", "a.model", "text.txt"],
        ["show", "-m", "b.model", *TEXTS], ["count", "-m", "a.model", "text.txt"], ["vocab", "b.model"],
        ["compare", "a.model", "b.model", "text.txt"], ["bench", "a.model", "text.txt", "--runs", "1"],
        ["explain", "-m", "a.model", TEXTS[0]], ["inspect", "a.model"],
        ["lock", "a.model", "-o", "a.lock"], ["lock", "a.model"], ["check", "a.lock", "a.model"],
        ["audit", "b.model", "--text", "en=many.txt"], ["sweep", "many.txt", "--sizes", "300"],
        ["convert", "b.model", "folder"], ["convert", "--to", "list"],
        ["edit", "add", "a.model", "quokka", "--text", "en=text.txt"],
        ["edit", "extend", "a.model", "many.txt", "-n", "9", "--only", "all", "--text", "old=text.txt"],
        ["shards", "plan", "text.txt", "-m", "b.model", "-o", "shards"], ["shards", "run", "shards/plan.json"],
        ["completion", "bash"], ["demo", "many.txt"], [], ["help"], ["train", "-h"],
    )  # fmt: skip
    assert {name for name, *_ in filter(None, runs)} == {*COMMANDS} - {"play"}  # play has a test of its own
    for arguments in runs:
        seen = terminal.see([sys.executable, "-m", "spm_lite", *arguments], columns, rows=200, cwd=two)
        assert seen.code == (0 if arguments else 2), (arguments, seen.lines)
        if arguments[:1] not in (["normalize"], []):
            assert b"\x1b[2J" not in seen.raw
            assert b"\x07" not in seen.raw
        if arguments and arguments[0] in FITTED:
            assert max(map(cell_len, terminal.whole_lines(seen.raw))) <= columns
            assert b"\r\n" in seen.raw
