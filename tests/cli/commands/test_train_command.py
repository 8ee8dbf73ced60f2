"""`spm-lite train`: files, standard input, options, and mistakes that must not cost time."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import spm_lite
from spm_lite import FileError, Tokenizer
from spm_lite.cli.commands import train_command
from spm_lite.cli.outputs import ModelFiles
from spm_lite.cli.streams import copied, real_files

SMALL = ("--vocab-size", "1500", "--model-prefix", "m")


def test_writes_model_and_vocab_and_reports(run, corpus, tmp_path):
    result = run("train", corpus, *SMALL, "--model-type", "bpe")
    assert (result.returncode, result.stdout) == (0, b"")
    assert b"m.model" in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.model", "m.vocab"]
    tok = Tokenizer.load(tmp_path / "m.model")
    lines = (tmp_path / "m.vocab").read_bytes().split(b"\n")
    assert len(tok) == 1500 == len(lines) - 1
    assert lines[0].startswith(b"<unk>\t")


def test_quiet(run, corpus):
    assert run("train", corpus, *SMALL, "--quiet").stderr == b""


def test_no_vocab(run, corpus, tmp_path):
    assert run("train", corpus, *SMALL, "--no-vocab").returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == ["m.model"]


@pytest.mark.slow
def test_standard_input_gives_the_same_model(run, corpus, demo_text, tmp_path):
    run("train", corpus, *SMALL)
    from_file = (tmp_path / "m.model").read_bytes()
    for files in ([], ["-"]):
        assert run("train", *files, *SMALL, "--num-threads", "1", data=demo_text).returncode == 0
        assert (tmp_path / "m.model").read_bytes() == from_file


@pytest.mark.slow
@pytest.mark.parametrize("model_type", ["unigram", "bpe", "char", "word"])
def test_options_reach_the_model(run, corpus, tmp_path, model_type):
    result = run(
        "train", corpus, "--vocab-size", "1800", "--model-prefix", "m", "--model-type", model_type,
        "--no-hard-vocab-limit", "--control-symbols", "<mask>,<sep>", "--user-defined-symbols", "<user>",
        "--pad-id", "3", "--bos-piece", "<go>", "--split-digits",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    tok = Tokenizer.load(tmp_path / "m.model")
    assert [tok.id_to_piece(i) for i in range(7)] == ["<unk>", "<go>", "</s>", "<pad>", "<mask>", "<sep>", "<user>"]
    assert tok.pad_id == 3
    if model_type != "word":
        assert tok.decode(tok.encode("a <user> of 2024")) == "a <user> of 2024"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["absent.txt", *SMALL], 1, ["absent.txt"]),
        (["{corpus}", "absent.txt", *SMALL], 1, ["absent.txt"]),
        (["absent-*.txt", *SMALL], 1, ["absent-*.txt"]),
        ([".", *SMALL], 1, ["."]),
        (["{corpus}", "--vocab-size", "1500", "--model-prefix", "absent/m"], 1, ["absent/m.model"]),
        (["{corpus}", "--vocab-size", "1500", "--model-prefix", "{corpus}/m"], 1, ["corpus.txt/m.model"]),
        (["{corpus}", "--vocab-size", "90000", "--model-prefix", "m"], 1, ["90000", "with --no-hard-vocab-limit."]),
        (["{corpus}", "--vocab-size", "300", "--model-prefix", "m"], 1, ["300"]),
        (
            ["{corpus}", "--vocab-size", "100", "--model-prefix", "m"],
            1,
            [
                "100 vs",
                "Increase --vocab-size to",
                "or give --no-byte-fallback and --vocab-size",
                "256 byte pieces, 3 special",
            ],
        ),
        (["--vocab-size", "100", "--model-prefix", "m"], 2, ["for any text: 100 vs 260", "--no-byte-fallback"]),
        (["{empty}", *SMALL], 1, ["empty"]),
        (["{corpus}", *SMALL, "--character-coverage", "2"], 2, ["--character-coverage 2.0: must be"]),
        (["{corpus}", *SMALL, "--lossless", "--normalization", "nfkc"], 2, ["--lossless contradicts", "nfkc"]),
        (
            ["{corpus}", "--vocab-size", "all", "--model-prefix", "m"],
            2,
            ["--vocab-size all and --model-type unigram: "],
        ),
        (["{corpus}", *SMALL, "--unk-id", "1500"], 2, ["--unk-id 1500"]),
        (["{corpus}", *SMALL, "--normalization-rule-tsv", "absent.tsv"], 1, ["absent.tsv"]),
    ],
)
def test_mistakes(run, corpus, text_file, tmp_path, arguments, code, words):
    empty = text_file(b"", "empty")
    result = run("train", *[argument.format(corpus=corpus, empty=empty) for argument in arguments])
    error = result.stderr.decode()
    assert result.returncode == code, error
    assert error.startswith("spm-lite: error: ")
    assert error.count("\n") == 1
    assert all(word in error for word in words), error
    assert [path.name for path in tmp_path.iterdir()] == ["empty"]


@pytest.mark.slow
def test_patterns(run, corpus, tmp_path, demo_text):
    run("train", corpus, *SMALL)
    expected = (tmp_path / "m.model").read_bytes()
    cut = demo_text.index(b"\n", 9000) + 1
    (tmp_path / "part-1.txt").write_bytes(demo_text[:cut])
    (tmp_path / "part-2.txt").write_bytes(demo_text[cut:])
    assert run("train", "part-*.txt", *SMALL).returncode == 0
    assert (tmp_path / "m.model").read_bytes() == expected


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_refused_before_training(run, corpus, tmp_path):
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o500)
    result = run("train", corpus, "--vocab-size", "1500", "--model-prefix", folder / "m")
    assert result.returncode == 1
    assert b"closed/m.model" in result.stderr


def test_the_target_is_checked_before_the_corpus_is_read(run):
    result = run("train", "absent.txt", "--vocab-size", "1500", "--model-prefix", "absent/m")
    assert b"absent/m.model" in result.stderr


@pytest.mark.skipif(os.name == "nt", reason="asks POSIX for the limit")
@pytest.mark.parametrize("size", [245, 250, 300])
def test_a_long_name_is_refused_before_training_or_works(run, corpus, tmp_path, size):
    result = run("train", corpus, "--vocab-size", "1500", "--model-prefix", "a" * size, "--no-vocab")
    if size + len(".model") <= os.pathconf(tmp_path, "PC_NAME_MAX"):
        assert result.returncode == 0
        return
    assert (result.returncode, result.stdout) == (1, b"")
    assert f"the name has {size + len('.model')} bytes".encode() in result.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["m.vocab"], "m.vocab"),
        (["./m.vocab"], "./m.vocab"),
        (["m.voc*"], "m.vocab"),
        (["link"], "link"),
        (["{corpus}", "m.model"], "m.model"),
        (["{corpus}", "--control-symbols-file", "m.vocab"], "m.vocab"),
        (["{corpus}", "--normalization-rule-tsv", "m.vocab"], "m.vocab"),
    ],
)
def test_an_input_is_never_replaced(run, corpus, tmp_path, demo_text, arguments, name):
    for output in ("m.vocab", "m.model"):
        (tmp_path / output).write_bytes(demo_text)
    (tmp_path / "link").symlink_to("m.vocab")
    result = run("train", *[argument.format(corpus=corpus) for argument in arguments], *SMALL)
    assert result.returncode == 2
    assert f"would replace the input {name};".encode() in result.stderr
    assert (tmp_path / "m.vocab").read_bytes() == (tmp_path / "m.model").read_bytes() == demo_text


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="named pipes of POSIX")
def test_a_pipe_gives_the_same_model(run, corpus, demo_text, tmp_path):
    """It can be opened and read once only."""
    run("train", corpus, *SMALL)
    from_file = (tmp_path / "m.model").read_bytes()
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["cp", corpus, "pipe"], cwd=tmp_path):
        assert run("train", "pipe", *SMALL).returncode == 0
    assert (tmp_path / "m.model").read_bytes() == from_file
    result = run("train", "pipe", *SMALL, "--checkpoint", "states")
    assert (result.returncode, b"pipes cannot be read again" in result.stderr) == (2, True)


def test_what_is_named_twice_is_read_once(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"one\ntwo")))
    with real_files(["-", "-"]) as paths:
        assert [Path(path).read_bytes() for path in paths] == [b"one\ntwo"] * 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_no_room_for_a_copy(tmp_path):
    source = tmp_path / "source"
    os.mkfifo(source)
    full = pytest.raises(FileError, match=r"cannot keep a copy .* in /dev: No space left on device; name a file")
    with subprocess.Popen(["bash", "-c", "echo text > source"], cwd=tmp_path), full:
        copied(str(source), Path("/dev/full"))


def test_standard_input_is_not_replaced(tmp_path, demo_text):
    path = tmp_path / "m.vocab"
    path.write_bytes(demo_text)
    with path.open("rb") as source:
        command = [sys.executable, "-m", "spm_lite", "train", *SMALL]
        result = subprocess.run(command, cwd=tmp_path, stdin=source, capture_output=True, timeout=500)
    assert result.returncode == 2
    assert b"the input standard input" in result.stderr
    assert path.read_bytes() == demo_text


def test_symbols_in_a_poor_locale(run, corpus, tmp_path):
    env = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    assert run("train", corpus, *SMALL, "--user-defined-symbols", "日本", env=env).returncode == 0
    assert Tokenizer.load(tmp_path / "m.model").id_to_piece(3) == "日本"


@pytest.mark.slow
def test_memory_limit(run, corpus, tmp_path):
    run("train", corpus, *SMALL)
    expected = (tmp_path / "m.model").read_bytes()
    assert run("train", corpus, *SMALL, "--memory-limit", "512MB").returncode == 0
    assert (tmp_path / "m.model").read_bytes() == expected
    result = run("train", corpus, *SMALL, "--memory-limit", "5MB")
    assert result.returncode == 2
    assert b"64000000 bytes ('64MB') is the least" in result.stderr


def test_checkpoint_outlives_a_failed_save(corpus, tmp_path, monkeypatch):
    def fail(files, tok):
        raise OSError("the disk is full")

    call = [str(corpus), *SMALL[:3], str(tmp_path / "m"), "--checkpoint", str(tmp_path / "states"), "--quiet"]
    with monkeypatch.context() as context:
        context.setattr(ModelFiles, "save", fail)
        with pytest.raises(OSError, match="full"):
            train_command.run(*train_command.make_parser().parse(call))
    assert (tmp_path / "states" / "table.counts").exists()
    assert train_command.run(*train_command.make_parser().parse(call)) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.model", "m.vocab"]


def test_symbols_with_line_ends_make_whole_lines(run, corpus, tmp_path):
    (tmp_path / "symbols").write_bytes(b"\xef\xbb\xbf\\x0a\r\n\\x09\\x09\r\n<sep>")
    options = ["--vocab-size", "1500", "--model-type", "bpe", "--model-prefix", "m", "--quiet"]
    assert run("train", corpus, *options, "--user-defined-symbols-file", "symbols").returncode == 0
    tok = spm_lite.Tokenizer.load(tmp_path / "m.model")
    assert [tok.piece_to_id(piece) for piece in ("\n", "\t\t", "<sep>")] == [3, 4, 5]
    assert (tmp_path / "m.vocab").read_bytes().splitlines()[3:6] == [b"\\x0a\t0", b"\\x09\\x09\t0", b"<sep>\t0"]
    assert [piece for piece, _ in spm_lite.read_vocab(tmp_path / "m.vocab")] == list(map(tok.id_to_piece, range(1500)))


def test_options_are_checked_before_standard_input_is_read(tmp_path):
    """The end of the input is not awaited: the pipe stays open."""
    command = [sys.executable, "-m", "spm_lite", "train", "--model-prefix", "m", "--vocab-size", "all"]
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb") as stream, os.fdopen(writer, "wb"):
        done = subprocess.run(command, cwd=tmp_path, stdin=stream, capture_output=True, check=False)
    assert done.returncode == 2
    assert b"--vocab-size all and --model-type unigram: " in done.stderr


def test_the_report_for_programs(run, corpus, tmp_path):
    done = run("train", corpus, *SMALL, "--json", "--quiet")
    assert (done.returncode, done.stderr) == (0, b"")
    report = json.loads(done.stdout)
    tok = spm_lite.Tokenizer.load(tmp_path / "m.model")
    assert (report["vocab_size"], report["files"]) == (tok.vocab_size, [str(corpus)])
