"""`encode | decode` gives back every byte."""

import os

import pytest
from oracle.slow import slow_after

TEXTS = {
    "empty": b"",
    "one line end": b"\n",
    "only line ends": b"\n\n\n",
    "no last line end": b"first\nlast",
    "last line end": b"first\nlast\n",
    "dos": b"first\r\nsecond\r\n\r\nlast\r\n",
    "lone cr": b"a\rb\r\r\nc\r",
    "nul": b"\0\na\0b\n\0",
    "spaces": b"  two  three   \n \n   \n\ttab \n",
    "not utf-8": b"\xff\nab\xc3\n\xe2\x96\n\xed\xa0\x80 x\n\xf4\x90\x80\x80",
    "the space sign": "▁ a▁b ▁▁\n".encode(),
    "unseen characters": "𓀀 ꙮ \U0010ffff\n".encode(),
    "special names": b"<s> </s> <unk> <pad> <0x41>\n",
    "controls": bytes(range(32)) + b"\x7f\x85\n",
    "line separators": "a\u2028b\u2029c\x85d\x0be\x0cf\n".encode(),
    "byte order mark": b"\xef\xbb\xbfa\n",
}


@pytest.mark.parametrize("form", ["id", "piece"])
@pytest.mark.parametrize("name", slow_after(3, TEXTS))
def test_every_byte_comes_back(run, model, name, form):
    data = TEXTS[name]
    encoded = run("encode", "--model", model, "--output-format", form, data=data)
    assert encoded.returncode == 0
    assert (b"lines that end in CR LF" in encoded.stderr) == (name == "dos")
    assert encoded.stderr.count(b"\n") == (name == "dos")
    assert encoded.stdout.count(b"\n") == data.count(b"\n")
    decoded = run("decode", "--model", model, "--input-format", form, data=encoded.stdout)
    assert (decoded.returncode, decoded.stderr) == (0, b"")
    assert decoded.stdout == data


def test_demo_text_comes_back_with_marks(run, model, demo_text):
    encoded = run("encode", "--model", model, "--bos", "--eos", "--num-threads", "2", data=demo_text)
    assert all(line.startswith(b"1 ") and line.endswith(b" 2") for line in encoded.stdout.splitlines())
    decoded = run("decode", "--model", model, "--num-threads", "2", data=encoded.stdout)
    assert decoded.stdout == demo_text


def test_random_bytes_come_back(run, bpe_model):
    data = b"-" + os.urandom(200_000)  # no beginning of another format
    encoded = run("encode", "--model", bpe_model, data=data)
    assert run("decode", "--model", bpe_model, data=encoded.stdout).stdout == data


@pytest.mark.slow
def test_a_file_larger_than_a_block_comes_back(run, bpe_model, demo_text, text_file):
    data = demo_text * 180 + b"x" * 5_000_000 + b"\n" + demo_text + b"end"
    path = text_file(data)
    assert run("encode", path, "--model", bpe_model, "--output", "ids.txt").returncode == 0
    assert run("decode", "ids.txt", "--model", bpe_model, "--output", "back.txt").returncode == 0
    assert path.with_name("back.txt").read_bytes() == data


def test_output_does_not_depend_on_the_locale(run, bpe_model, demo_text):
    env = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    pieces = run("encode", "--model", bpe_model, "--output-format", "piece", data=demo_text, env=env)
    assert "▁".encode() in pieces.stdout
    decoded = run("decode", "--model", bpe_model, "--input-format", "piece", data=pieces.stdout, env=env)
    assert decoded.stdout == demo_text


@pytest.mark.slow
@pytest.mark.parametrize("name", ["google_test_model.model", "llama2.model", "albert_30k.model"])
def test_pieces_of_models_of_others(run, shared_data, name):
    """Text that a model does not know stands for itself, so pieces decode to what ids of the original decode to."""
    sentencepiece = pytest.importorskip("sentencepiece")
    path = shared_data / "models" / name
    lines = (shared_data / "corpora" / "ja-commonvoice.txt").read_text(encoding="utf-8").split("\n")[:200]
    original = sentencepiece.SentencePieceProcessor(model_file=str(path))
    pieces = [original.encode(line, out_type=str) for line in lines]
    encoded = run("encode", "--model", path, "--output-format", "piece", data="\n".join(lines).encode())
    assert encoded.stdout.decode().split("\n") == [" ".join(line) for line in pieces]
    decoded = run("decode", "--model", path, "--input-format", "piece", data=encoded.stdout)
    assert decoded.stdout.decode().split("\n") == [original.decode(line) for line in pieces]
