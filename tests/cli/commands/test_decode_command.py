"""What `spm-lite decode` accepts, and what it says about the rest."""

import pytest


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"5 x 7", ["token 2", "'x'"]),
        (b"5  7", ["token 2", "empty"]),
        (b" 5", ["token 1", "empty"]),
        (b"-1", ["token 1", "'-1'"]),
        (b"1_0", ["token 1", "'1_0'"]),
        (b"5 999999", ["token 2", "999999", "1500"]),
        (b"5 99999999999999999999999", ["token 2", "1500"]),
        ("٥".encode(), ["token 1", "٥"]),
        (b"5\t6", ["token 1"]),
        (b"\xff", ["token 1", "\\xff"]),
    ],
)
def test_bad_ids_are_named(run, bpe_model, text_file, line, words):
    path = text_file(b"5 6\n\n" + line + b"\n7\n", "ids.txt")
    result = run("decode", path, "--model", bpe_model)
    assert result.returncode == 1
    error = result.stderr.decode()
    assert error.startswith("spm-lite: error: ")
    assert error.count("\n") == 1
    assert all(word in error for word in [str(path), "line 3", *words])


def test_bad_pieces_are_named(run, bpe_model):
    result = run("decode", "--model", bpe_model, "--input-format", "piece", data="▁t\n▁t qqqq\n".encode())
    assert result.returncode == 1
    error = result.stderr.decode()
    assert all(word in error for word in ["standard input", "line 2", "token 2", "'qqqq'"])


@pytest.mark.slow
@pytest.mark.long_input
def test_line_numbers_go_on_across_blocks(run, bpe_model, text_file):
    lines = 1_500_000
    path = text_file(b"10 11\n" * lines + b"x\n", "ids.txt")
    result = run("decode", path, "--model", bpe_model, "--output", "out")
    assert f"line {lines + 1}:" in result.stderr.decode()
    assert not path.with_name("out").exists()


def test_dos_line_ends_in_an_id_file(run, bpe_model):
    ids = run("encode", "--model", bpe_model, data=b"one\n\ntwo\n").stdout
    assert run("decode", "--model", bpe_model, data=ids.replace(b"\n", b"\r\n")).stdout == b"one\n\ntwo\n"


@pytest.mark.slow
def test_an_id_file_with_a_byte_order_mark(run, bpe_model):
    ids = run("encode", "--model", bpe_model, data=b"one\ntwo").stdout
    for data in (b"\xef\xbb\xbf" + ids, b"\xef\xbb\xbf" + ids.replace(b"\n", b"\r\n")):
        assert run("decode", "--model", bpe_model, data=data).stdout == b"one\ntwo"
    middle = run("decode", "--model", bpe_model, data=ids.replace(b"\n", b"\n\xef\xbb\xbf"))
    assert middle.returncode == 1 and b"line 2" in middle.stderr


def test_pieces_of_another_model(run, bpe_model, text_file, tmp_path):
    """A note, or an error where bytes would have spelled them; text that no piece covers is no such piece."""
    data = "the quick brown fox Ω\n".encode()
    pieces = run("encode", bpe_model, "--output-format", "piece", data=data).stdout
    corpus = text_file(b"the fox\nquick brown\n" * 50, "small.txt")
    small = str(tmp_path / "small")
    assert (
        run(
            "train", corpus, "--vocab-size", "26", "--no-byte-fallback", "--no-hard-vocab-limit", "-o", small
        ).returncode
        == 0
    )
    own = run("encode", f"{small}.model", "--output-format", "piece", data=data).stdout
    result = run("decode", f"{small}.model", "--input-format", "piece", data=own)
    assert result.stdout == data and b"another model" not in result.stderr
    result = run(
        "decode", f"{small}.model", "--input-format", "piece", data=b"\xe2\x96\x81quick\xe2\x96\x81brown xthe\n"
    )
    assert result.returncode == 0 and b"If another model wrote the pieces, name that one" in result.stderr
    result = run("decode", bpe_model, "--input-format", "piece", data=b"qqqqzz\n" + pieces)
    assert result.returncode == 1 and b"name the model that wrote the pieces" in result.stderr
