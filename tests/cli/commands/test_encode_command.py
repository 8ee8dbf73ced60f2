"""What `spm-lite encode` writes, and where it reads."""

import errno
import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from spm_lite import Tokenizer
from spm_lite.cli.main import main


def test_ids_and_pieces_are_those_of_the_tokenizer(run, model):
    tok = Tokenizer.load(model)
    lines = ["The river and the bridge", "", "図書館は静かです。", "ห้องสมุดเงียบ"]
    data = "\n".join(lines).encode()
    ids = run("encode", "--model", model, data=data).stdout.decode().split("\n")
    assert ids == [" ".join(map(str, tok.encode(line))) for line in lines]
    pieces = run("encode", "--model", model, "--output-format", "piece", data=data).stdout.decode().split("\n")
    assert pieces == [" ".join(tok.pieces(line)) for line in lines]


def test_bos_and_eos(run, bpe_model):
    result = run("encode", "--model", bpe_model, "--bos", "--eos", data=b"\n\n")
    assert result.stdout == b"1 2\n1 2\n"


@pytest.mark.slow
def test_files_in_order_with_standard_input_between(run, bpe_model, text_file):
    one, two = text_file(b"one", "one"), text_file(b"two", "two")  # neither ends its line
    together = run("encode", one, "--model", bpe_model, "-", two, data=b"mid")
    separate = [run("encode", "--model", bpe_model, data=data).stdout for data in (b"one", b"mid", b"two")]
    assert together.stdout == b"\n".join(separate)


@pytest.mark.slow
def test_patterns(run, bpe_model, text_file):
    text_file(b"two\n", "part-2.txt")
    text_file(b"one", "part-1.txt")
    text_file(b"[x]", "part-[3].txt")  # a name is no pattern where there is such a file
    named = run("encode", "part-1.txt", "part-2.txt", "part-[3].txt", "--model", bpe_model).stdout
    assert run("encode", "part-[0-9].txt", "part-[3].txt", "--model", bpe_model).stdout == named
    assert run("encode", "part-*.txt", "--model", bpe_model).stdout == named
    text_file(named, "part-1.ids")
    assert run("decode", "*.ids", "--model", bpe_model).stdout == b"one\ntwo\n[x]"
    result = run("encode", "part-*", "--model", bpe_model, "--output", "part-out")
    assert result.returncode == 0
    result = run("encode", "part-*", "--model", bpe_model, "--output", "part-out")  # which the pattern matches now
    assert (result.returncode, b"part-out would replace the input part-out" in result.stderr) == (2, True)
    result = run("encode", "part-9*", "--model", bpe_model, "--output", "out")
    assert (result.returncode, b"cannot read part-9*" in result.stderr) == (1, True)


@pytest.mark.slow
def test_a_file_with_the_name_of_standard_input(run, bpe_model, text_file):
    text_file(b"file\n", "-")
    named = run("encode", "./-", "--model", bpe_model, data=b"stream\n").stdout
    assert named == run("encode", "--model", bpe_model, data=b"file\n").stdout
    assert run("encode", "[-]", "--model", bpe_model, data=b"stream\n").stdout == named
    assert run("encode", "-", "--model", bpe_model, data=b"stream\n").stdout != named


@pytest.mark.skipif(not hasattr(os, "symlink") or os.name == "nt", reason="links of POSIX")
def test_why_a_file_cannot_be_opened(run, bpe_model, tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    assert (
        f"cannot read loop: {os.strerror(errno.ELOOP)}".encode() in run("encode", "loop", "--model", bpe_model).stderr
    )


def test_the_same_file_twice(run, bpe_model, text_file):
    one = text_file(b"one")
    once = run("encode", one, "--model", bpe_model).stdout
    assert run("encode", one, one, "--model", bpe_model).stdout == once + b"\n" + once


def test_a_file_named_like_an_option(run, bpe_model, text_file):
    text_file(b"hello\n", "-x")
    assert run("encode", "--model", bpe_model, "--", "-x").stdout == run("encode", "--model", bpe_model, "./-x").stdout


@pytest.mark.slow
def test_output_file_replaces_the_old_one_only_when_complete(run, bpe_model, text_file, tmp_path):
    text_file(b"old", "out")
    result = run("encode", "absent.txt", "--model", bpe_model, "--output", "out")
    assert result.returncode == 1
    assert (tmp_path / "out").read_bytes() == b"old"
    run("encode", "--model", bpe_model, "--output", "out", data=b"new\n")
    assert (tmp_path / "out").read_bytes() == run("encode", "--model", bpe_model, data=b"new\n").stdout
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_output_may_be_the_input(run, bpe_model, text_file):
    path = text_file(b"hello\nworld\n")
    expected = run("encode", path, "--model", bpe_model).stdout
    assert run("encode", path, "--model", bpe_model, "--output", path).returncode == 0
    assert path.read_bytes() == expected


def test_the_model_is_never_replaced(run, bpe_model, text_file):
    model = text_file(Path(bpe_model).read_bytes(), "m.model")
    for command in ("encode", "decode"):
        result = run(command, "--model", model, "--output", "m.model", data=b"1\n")
        assert result.returncode == 2
        assert b"m.model would replace the input" in result.stderr
    assert model.read_bytes() == Path(bpe_model).read_bytes()


@pytest.mark.parametrize("name", ["a" * 255, "日" * 84])
def test_long_names(run, bpe_model, tmp_path, name):
    assert run("encode", "--model", bpe_model, "--output", name, data=b"x\n").returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == [name]
    result = run("encode", "--model", bpe_model, "--output", name + "aaaa", data=b"x\n")
    assert result.returncode == 1
    assert b"bytes, and 255 are allowed" in result.stderr


def test_a_line_is_answered_before_the_next_is_read(bpe_model, tmp_path):
    command = [sys.executable, "-m", "spm_lite", "encode", "--model", bpe_model]
    with subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(b"hello\n")
        process.stdin.flush()
        assert process.stdout.readline().endswith(b"\n")
        process.stdin.close()
        assert process.wait(timeout=500) == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["absent.txt"], ["absent.txt"]),
        (["."], ["."]),
        (["--output", "absent/out"], ["absent/out"]),
        (["--output", "."], ["folder"]),
    ],
)
def test_bad_files(run, bpe_model, arguments, words):
    result = run("encode", "--model", bpe_model, *arguments, data=b"x\n")
    assert result.returncode == 1
    error = result.stderr.decode()
    assert error.startswith("spm-lite: error: ")
    assert error.count("\n") == 1
    assert all(word in error for word in words)


@pytest.mark.slow
@pytest.mark.parametrize("content", [None, b"", b"not a model", b"\x0a\xff\xff\xff\xff\x0f", b'{"version": "1.0"}'])
def test_bad_models(run, text_file, content):
    path = "absent.model" if content is None else text_file(content, "bad.model")
    result = run("encode", "--model", path, data=b"x\n")
    assert (result.returncode, result.stdout) == (1, b"")
    error = result.stderr.decode()
    assert error.startswith("spm-lite: error: ")
    assert error.count("\n") == 1
    assert ".model" in error


def test_in_process(capfdbinary, bpe_model, text_file):
    assert main(["encode", str(text_file(b"a b\n")), "--model", bpe_model]) == 0
    assert capfdbinary.readouterr().out.endswith(b"\n")


@pytest.mark.slow
@pytest.mark.parametrize(("form", "out", "index"), [("bin", "ids", "ids.idx"), ("npy", "ids.npy", "ids.offsets.npy")])
def test_arrays(run, model, text_file, tmp_path, form, out, index):
    lines = ["The river and the bridge", "", "図書館は静かです。"]
    one, two = text_file("\n".join(lines).encode(), "one"), text_file(b"last\n", "two")
    command = ["encode", one, "-", two, "--model", model, "--output-format", form, "--output", out, "--bos"]
    result = run(*command, data=b"mid\n")
    assert (result.returncode, result.stdout, result.stderr) == (0, b"", b"")
    if form == "npy":
        ids, offsets = np.load(tmp_path / out), np.load(tmp_path / index)
    else:
        ids, offsets = np.fromfile(tmp_path / out, "<u2"), np.fromfile(tmp_path / index, "<i8")
    assert ids.dtype == np.uint16
    found = [ids[begin:end].tolist() for begin, end in pairwise(offsets)]
    assert found == Tokenizer.load(model).encode_batch([*lines, "mid", "last"], bos=True).to_lists()
    assert run(*command, "--dtype", "uint32", data=b"mid\n").returncode == 0
    assert (tmp_path / out).stat().st_size >= 4 * len(ids)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--output-format", "bin"], "--output-format bin makes files; name the first with --output"),
        (["--output-format", "npy", "--output", "-"], "--output-format npy makes files"),
        (["--output-format", "npy", "--output", "ids"], "the name ids must end in .npy"),
        (["--output-format", "bin", "--output", "ids.npy"], "the name ids.npy must not end in .npy"),
        (["--dtype", "uint16"], "--dtype is for files for programs: --output-format bin or npy or megatron"),
        (["--output-format", "bin", "--output", "text.txt"], "text.txt would replace the input text.txt"),
    ],
)
def test_options_of_arrays(run, bpe_model, text_file, tmp_path, options, message):
    text_file(b"hello\n")
    result = run("encode", "text.txt", "--model", bpe_model, *options)
    assert result.returncode == 2
    assert message in result.stderr.decode()
    assert [path.name for path in tmp_path.iterdir()] == ["text.txt"]


def test_json_has_ids_and_pieces_of_each_document(run, model):
    tok = Tokenizer.load(model)
    lines = ["The river and the bridge", "", "図書館は静かです。", "ห้องสมุดเงียบ", "two  spaces \\ and \x07"]
    data = "\n".join(lines).encode()
    rows = [json.loads(line) for line in run("encode", "--model", model, "--json", data=data).stdout.splitlines()]
    assert [row["ids"] for row in rows] == tok.encode_lists(lines)
    pieces = run("encode", "--model", model, "--output-format", "piece", data=data).stdout.decode().split("\n")
    assert [" ".join(row["pieces"]) for row in rows] == pieces


def test_json_lines_are_complete_and_safe(run, bpe_model):
    done = run("encode", "-m", bpe_model, "--json", "--bos", "--eos", data=b"a\x1b[31m\xff\n\nno end")
    assert done.stdout.endswith(b"}\n")
    assert b"\x1b" not in done.stdout
    tok = Tokenizer.load(bpe_model)
    assert [json.loads(line)["ids"] for line in done.stdout.splitlines()] == tok.encode_lists(
        [b"a\x1b[31m\xff", b"", b"no end"], bos=True, eos=True
    )
    refused = run("encode", "-m", bpe_model, "--json", "--output-format", "piece", data=b"a")
    assert refused.returncode == 2
    assert b"leave out --output-format piece" in refused.stderr
