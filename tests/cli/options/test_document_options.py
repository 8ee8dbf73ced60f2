"""Documents other than lines on the command line, notes on inputs that look like another format, and restrictions."""

import argparse
import gzip
import json
from collections import Counter

import pytest

from spm_lite import Tokenizer
from spm_lite.cli.commands.encode_command import shown_piece
from spm_lite.cli.main import main
from spm_lite.cli.options.document_options import separator

TEXTS = {
    "empty": b"",
    "line ends only": b"\n\n\n\n\n",
    "code": b"def f():\n    return 1\n\n\ndef g():\n\tpass\n",
    "no end": b"one\n\ntwo",
    "records": b"one\0two\n\0\0three\0",
    "backslashes": b"\\x0a \\n\n\\\n\nC:\\x41\\\n",
    "not utf-8": b"\xff\n\xc3\n\n\xe2\x96\n",
    "dos": b"one\r\n\r\ntwo\r\n",
    "line separators": "a\u2028b\x85c\n\n\u2581 d".encode(),
}
WAYS = [
    ["--whole-files"],
    ["--keep-newlines"],
    ["--separator", r"\n\n"],
    ["--separator", r"\0"],
    ["--separator", "one"],
]


def test_separators_as_they_are_typed():
    assert separator(r"\n\r\t\0\\n\x1e") == b"\n\r\t\0\\n\x1e"
    with pytest.raises(argparse.ArgumentTypeError, match="starts no known escape"):
        separator(r"\q")
    assert separator("é") == "é".encode()


@pytest.mark.parametrize("form", ["id", "piece"])
@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_every_byte_comes_back(bpe_model, text_file, way, form):
    for name, data in TEXTS.items():
        text, ids, back = text_file(data, "text"), text_file(b"", "ids"), text_file(b"", "back")
        common = ["--model", bpe_model, "--quiet", *way]
        assert main(["encode", str(text), "--output", str(ids), "--output-format", form, *common]) == 0
        assert main(["decode", str(ids), "--output", str(back), "--input-format", form, *common]) == 0
        assert back.read_bytes() == data, name


@pytest.mark.slow
def test_each_document_is_one_line(run, bpe_model, text_file):
    tok = Tokenizer.load(bpe_model)
    one, two = text_file(b"the river\n\nthe bridge\n", "one"), text_file(b"", "two")
    whole = run("encode", one, two, "--model", bpe_model, "--whole-files", "--bos").stdout
    assert whole == b" ".join(b"%d" % i for i in tok.encode("the river\n\nthe bridge\n", bos=True)) + b"\n1\n"
    parts = run("encode", one, "--model", bpe_model, "--separator", r"\n\n").stdout
    assert parts.decode() == "\n".join(" ".join(map(str, tok.encode(text))) for text in ["the river", "the bridge\n"])
    pieces = run("encode", one, "--model", bpe_model, "--whole-files", "--output-format", "piece").stdout
    assert pieces.decode() == " ".join(map(shown_piece, tok.pieces("the river\n\nthe bridge\n"))) + "\n"


@pytest.mark.slow
@pytest.mark.parametrize("command", ["train", "encode", "decode"])
def test_wrong_options(run, bpe_model, text_file, command):
    rest = ["--vocab-size", "300", "--model-prefix", "n"] if command == "train" else ["--model", bpe_model]
    both = run(command, text_file(b"1 2\n"), *rest, "--separator", ";", "--whole-files")
    assert both.returncode == 2
    assert b"--separator and --whole-files contradict each other: give one of them" in both.stderr
    empty = run(command, text_file(b"1 2\n"), *rest, "--separator", "")
    assert empty.returncode == 2
    assert rb"the separator is empty; give one, such as \n, or --whole-files" in empty.stderr


@pytest.mark.slow
def test_inputs_of_other_formats(run, bpe_model, text_file):
    rows = "".join(json.dumps({"text": f"the river {i}", "id": i}) + "\n" for i in range(9)).encode()
    path = text_file(rows, "a.jsonl")
    forms = ([], ["--output-format", "bin", "--output", "ids"], ["--generate-vocabulary"])
    for form in forms:
        shown = run("encode", path, "--model", bpe_model, "--as-text", *form)
        assert shown.returncode == 0
        assert shown.stderr.startswith(b"spm-lite: note: ")
        assert b"a.jsonl' looks like JSON lines" in shown.stderr
        assert shown.stderr.count(b"\n") == 1
        assert run("encode", path, "--model", bpe_model, "--as-text", "--quiet", *form).stderr == b""
    packed = gzip.compress(rows)
    plain = run("encode", path, "--model", bpe_model, "--as-text").stdout
    assert run("encode", text_file(packed, "a.gz"), "--model", bpe_model).stdout == plain
    refused = run("encode", text_file(packed[:-9], "cut.gz"), "--model", bpe_model)
    assert refused.returncode == 1
    assert b"cut.gz' is gzip data that is damaged or cut off" in refused.stderr
    texts = "".join(f"the river {i}\n" for i in range(9)).encode()
    ids = run("encode", text_file(texts, "texts"), "--model", bpe_model).stdout
    for found in (path, text_file(packed, "a.jsonl.gz")):
        assert run("encode", found, "--model", bpe_model).stdout == ids
    other = run("encode", path, "--model", bpe_model, "--column", "body")
    assert other.returncode == 2
    assert (
        b"a.jsonl', line 1: there is no field 'body': it has 'text', 'id'. Name it with --column NAME" in other.stderr
    )
    assert run("encode", "--model", bpe_model, data=packed).stdout == plain
    options = ["--vocab-size", "300", "--no-hard-vocab-limit", "--model-prefix", "n"]
    trained = run("train", path, "--input-format", "text", *options)
    assert b"note" in trained.stderr
    assert b"looks like JSON lines" in trained.stderr


@pytest.mark.slow
def test_vocabulary(run, model, demo_text, text_file):
    tok = Tokenizer.load(model)
    text = text_file(demo_text, "text")
    written = run("encode", text, "--model", model, "--generate-vocabulary", "--output", "counts.tsv")
    assert (written.returncode, written.stderr) == (0, b"")
    counts = Counter(i for ids in tok.encode_lists(demo_text.split(b"\n")) for i in ids)
    lines = text.with_name("counts.tsv").read_text(encoding="utf-8").split("\n")[:-1]
    found = [(line.rpartition("\t")[0], int(line.rpartition("\t")[2])) for line in lines]
    assert dict(found) == {shown_piece(tok.id_to_piece(i)): n for i, n in counts.items()}
    assert [n for _, n in found] == sorted(counts.values(), reverse=True)
    restricted = tok.restrict(text.with_name("counts.tsv"), threshold=20)
    words = ["--vocabulary", "counts.tsv", "--vocabulary-threshold", "20"]
    ids = run("encode", text, "--model", model, *words).stdout.decode().split("\n")
    assert ids[:-1] == [" ".join(map(str, ids)) for ids in restricted.encode_lists(demo_text.split(b"\n")[:-1])]
    assert run("decode", "--model", model, data="\n".join(ids).encode()).stdout == demo_text


@pytest.mark.slow
def test_wrong_vocabularies(run, bpe_model, text_file):
    text = text_file(b"text\n", "text")
    Tokenizer.load(bpe_model).save(text.with_name("m.model"), vocab=True)
    scores = run("encode", text, "--model", bpe_model, "--vocabulary", "m.vocab")
    assert scores.returncode == 2
    assert b"m.vocab', line 260: -0 of" in scores.stderr
    assert b"spm-lite encode --generate-vocabulary" in scores.stderr
    missing = run("encode", text, "--model", bpe_model, "--vocabulary", "nowhere")
    assert missing.returncode == 1
    assert b"no file 'nowhere' to read" in missing.stderr
    same = run("encode", text, "--model", bpe_model, "--vocabulary", "m.vocab", "--output", "m.vocab")
    assert b"would replace the input m.vocab" in same.stderr
    both = run("encode", text, "--model", bpe_model, "--generate-vocabulary", "--output-format", "piece")
    assert both.returncode == 2
    assert b"leave out --output-format" in both.stderr
