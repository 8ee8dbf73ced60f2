"""Exit codes, one clear line per error, and what happens when somebody stops listening."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from oracle.interrupts import count_checks

import spm_lite
from spm_lite._version import __version__
from spm_lite.cli import main as main_module
from spm_lite.cli.main import COMMANDS, main


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["tran"], ["'tran'", "did you mean train?"]),
        (["--verson"], ["did you mean --version?"]),
        (["-v"], ["unknown option '-v': a command comes first, one of train, "]),
        (["train"], ["--model-prefix", "and --vocab-size", "are missing", "spm-lite train --vocab-size 8000"]),
        (["train", "--vocab-size", "9"], ["--model-prefix", "is missing"]),
        (["train", "-", "--vocab-size", "9"], ["--model-prefix"]),
        (["train", "f", "--vocab-size", "1.k"], ["'1.k' is not a whole number, such as 8000, 8k or 2m"]),
        (["help", "trian"], ["'trian' is not a command; did you mean train?"]),
        (["completion", "tcsh"], ["name one shell, bash, zsh, fish"]),
        (["compare", "a"], ["name two models"]),
        (["bench"], ["no model is named", "'spm-lite bench m.model'"]),
        (["normalize"], ["no model is named", "--rules needs none"]),
        (["normalize", "--rules", "nkfc"], ["did you mean nfkc?"]),
        (["count"], ["no model is named", "'spm-lite count m.model', or with -m"]),
        (["inspect", "a", "-m", "b"], ["takes one model, b, and 'a' is named too"]),
        (["--model_prefix=m", "train"], ["a command comes first"]),
        (["frobnicate"], ["unknown command 'frobnicate' (see"]),
        (["train", "f", "--vocab-sise", "9", "--model-prefix", "m"], ["--vocab-sise", "did you mean --vocab-size?"]),
        (["train", "--vocab_size", "9"], ["--model-prefix"]),
        (["train", "-vocab-size", "9"], ["--model-prefix"]),
        (["train", "f", "--no-byte-falback"], ["did you mean --no-byte-fallback?"]),
        (["train", "f", "--vocab-size", "many", "--model-prefix", "m"], ["--vocab-size", "'many'"]),
        (["train", "f", "--vocab-size", "0", "--model-prefix", "m"], ["--vocab-size", "0 is less than 1"]),
        (["train", "f", "--vocab-size"], ["--vocab-size"]),
        (["train", "f", "--model-type", "bp"], ["--model-type", "bpe"]),
        (["train", "f", "--model-type", "bep"], ["--model-type", "'bep'", "did you mean bpe?"]),
        (["train", "f", "--normalization", "nfck"], ["did you mean nfkc?"]),
        (["train", "f", "--model-type", "x"], ["unigram, bpe, word, char, byte_bpe"]),
        (["train", "f", "--vocab-size", "9", "--model-prefix", ""], ["--model-prefix"]),
        (["train", "f", "--vocab-size", "9", "--model-prefix", "folder/"], ["--model-prefix", "'folder/'"]),
        (["train", "f", "--control-symbols-file", ""], ["--control-symbols-file", "empty"]),
        (["train", "f", "--normalization-rule-tsv", ""], ["--normalization-rule-tsv", "empty"]),
        (["train", "f", "--user-defined-symbols", "a\udcff"], ["--user-defined-symbols", "not UTF-8"]),
        (["encode", "--model", ""], ["--model", "empty"]),
        (["encode", "--model", "m", "--output="], ["--output", "empty"]),
        (["decode", "--model", "m", "--output", ""], ["--output", "empty"]),
        (["decode", "--model", "m", "a", ""], ["input file 2", "empty"]),
        (["encode", "--output-format", "id"], ["no model is named"]),
        (["encode", ""], ["the name of the model is empty"]),
        (["encode", "--", "m.model"], ["no model is named"]),
        (["encode", "--model", "m", "--output-format", "ids"], ["--output-format", "piece"]),
        (["decode", "--model", "m", "--num-threads", "0"], ["--num-threads"]),
        (["demo", "--windth", "9"], ["did you mean --width?"]),
    ],
)
def test_bad_usage(capsys, arguments, words):
    assert main(arguments) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("spm-lite: error: ")
    assert output.err.count("\n") == 1
    assert all(word in output.err for word in words), output.err


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_each_command(capfd, command):
    assert main([command, "--help"]) == 0
    output = capfd.readouterr()
    assert output.out.startswith(f"usage: spm-lite {command} ")
    assert output.err == ""


def test_no_command_shows_the_help(capfd):
    assert main([]) == 2
    assert capfd.readouterr().out.startswith("usage: spm-lite COMMAND")


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "help"])
def test_ways_to_ask_for_help(capfd, command):
    """`help COMMAND` shows what `COMMAND --help` does, and `COMMAND -h` the options that people use most."""
    assert main([command, "--help"]) == 0
    everything = capfd.readouterr().out
    assert main(["help", command]) == 0
    assert capfd.readouterr().out == everything
    assert main([command, "-h"]) == 0
    short = capfd.readouterr().out
    assert short.count("\n  -") <= 12
    assert command != "train" or len(short) < len(everything) / 2


def test_help_and_version(capfd):
    assert main(["-V"]) == 0
    assert capfd.readouterr().out == f"spm-lite {__version__}\n"
    assert main(["--help"]) == 0
    output = capfd.readouterr().out
    assert all(command in output for command in COMMANDS)
    assert main(["--version"]) == 0
    assert capfd.readouterr().out == f"spm-lite {__version__}\n"


def test_help_in_a_poor_locale(run):
    env = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    result = run("train", "--help", env=env)
    assert (result.returncode, result.stderr) == (0, b"")
    assert "▁".encode() in result.stdout


def test_an_unexpected_error_is_one_line(capsys, monkeypatch):
    monkeypatch.delenv("SPM_LITE_TRACEBACK", raising=False)

    def fail(argv):
        raise ZeroDivisionError("division\nby zero")

    monkeypatch.setattr(main_module, "run", fail)
    assert main([]) == 1
    error = capsys.readouterr().err
    assert error.startswith("spm-lite: error: unexpected ZeroDivisionError: division by zero")
    assert error.count("\n") == 1


def test_the_error_of_the_system_names_the_file(capsys, monkeypatch):
    def fail(argv):
        raise OSError(28, "No space left on device", "m.model")

    monkeypatch.setattr(main_module, "run", fail)
    assert main([]) == 1
    assert capsys.readouterr().err == "spm-lite: error: m.model: No space left on device\n"


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_interrupted(bpe_model, tmp_path):
    command = [sys.executable, "-m", "spm_lite", "encode", "--model", bpe_model]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=tmp_path, **pipes) as process:
        process.stdin.write(b"hello\n")
        process.stdin.flush()
        process.stdout.readline()  # it is running
        process.send_signal(signal.SIGINT)
        process.stdin.close()  # a signal just before Python waits for input is heard when some comes, or its end
        assert process.wait(timeout=500) == 130  # and 0 at the end of the input, had it not heard the signal
        assert process.stderr.read() == b"spm-lite: interrupted\n"


@pytest.mark.slow
@pytest.mark.thread_unsafe
def test_interrupted_training_leaves_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = Random(1).choices("abcdefghijklmnop  ", k=400_000)
    Path("text.txt").write_text("\n".join("".join(text[i : i + 40]) for i in range(0, len(text), 40)))
    arguments = ["train", "text.txt", "--vocab-size", "1000", "--num-threads", "1", "--model-prefix", "m", "--quiet"]
    codes = [main(arguments)]  # modules are imported
    n_checks = count_checks(lambda: codes.append(main(arguments)))
    for name in ("m.model", "m.vocab"):
        Path(name).unlink()
    capsys.readouterr()
    for part in (0.1, 0.3, 0.6):  # the rest is writing
        count_checks(lambda: codes.append(main(arguments)), at=int(part * n_checks))
        assert capsys.readouterr().err == "spm-lite: interrupted\n"
        assert [path.name for path in tmp_path.iterdir()] == ["text.txt"]
    assert codes == [0, 0, 130, 130, 130]


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
@pytest.mark.parametrize("command", ["encode", "demo", "train --help"])
def test_a_closed_pipe_is_silent(tmp_path, bpe_model, demo_text, command):
    arguments = command.split()
    if command == "encode":
        (tmp_path / "big.txt").write_bytes(demo_text * 50)
        arguments += ["big.txt", "--model", bpe_model]
    read_end, write_end = os.pipe()
    os.close(read_end)
    process = subprocess.run(
        [sys.executable, "-m", "spm_lite", *arguments],
        stdout=write_end, stderr=subprocess.PIPE, cwd=tmp_path, timeout=500,
    )  # fmt: skip
    os.close(write_end)
    assert process.stderr == b""
    assert process.returncode == 141


def test_nothing_but_errors_on_a_pipe(run, bpe_model):
    result = run("encode", "--model", bpe_model, data=b"x\n")
    assert result.stderr == b""


def test_names_of_files_command_no_terminal(run, tmp_path):
    name = "\x1b[31mred\u202e\x07.txt"
    done = run("train", name, "--vocab-size", "300", "--model-prefix", "m")
    assert done.returncode == 1
    assert b"\\x1b[31mred\\u202e\\x07.txt" in done.stderr
    assert not set(done.stderr) & {0x1B, 0x07}


def test_notes_and_advice_use_the_words_of_the_shell(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    spm_lite.byte_tokenizer().save("m.model")
    (tmp_path / "n.jsonl").write_text('{"text": "a"}\n{"text": null}\n')
    (tmp_path / "en.txt").write_text("a\n" * 9)
    assert main(["count", "m.model", "n.jsonl", "--on-error", "skip"]) == 0
    note = capsys.readouterr().err
    assert "left out (--on-error skip); the first: " in note
    assert note.endswith("is null, not a text\n")  # no advice that is followed already
    assert main(["count", "m.model", "en.txt", "--column", "text"]) == 0
    assert "--column text has no part in it; --input-format names a format" in capsys.readouterr().err
    assert main(["audit", "m.model", "n=m.model", "--text", "en=en.txt", "--orders", "none", "-q"]) == 0
    assert "Leave out --orders none." in capsys.readouterr().out
    assert main(["audit", "m.model", "n=m.model", "-q"]) == 0
    assert "give some as --text en=en.txt." in " ".join(capsys.readouterr().out.split())
