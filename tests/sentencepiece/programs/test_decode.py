"""spm_decode beside sentencepiece's processor."""

import pytest

from spm_lite.sentencepiece.programs.decode import ids_of

LINES = ["▁the ▁cat", "▁the  ▁cat s", "", "a b zzz <unk> <s> </s>", "▁ ▁hello", "日本 ▁the\r"]


def test_pieces(model, theirs, made, folder):
    (folder / "p").write_bytes("\n".join(LINES).encode())
    expected = [theirs.decode([token.encode() for token in line.split(" ") if token]) for line in LINES]
    expected = [line if isinstance(line, bytes) else line.encode() for line in expected]
    assert made("decode", f"--model={model}", "p") == b"".join(line + b"\n" for line in expected)
    backwards = [b" ".join(line.encode().split(b" ")[::-1]) for line in LINES]
    (folder / "p").write_bytes(b"\n".join(backwards))
    assert made("decode", f"--model={model}", "--extra_options=reverse", "p") == b"".join(
        line + b"\n" for line in expected
    )


def test_ids(model, theirs, made, folder):
    rows = [theirs.encode(line) for line in (folder / "text.txt").read_bytes().split(b"\n")]
    (folder / "i").write_text("".join(" ".join(map(str, row)) + "\n" for row in rows))
    expected = "".join(theirs.decode(row) + "\n" for row in rows).encode()
    assert made("decode", f"--model={model}", "--input_format=id", "--input=i") == expected
    assert made("decode", f"--model={model}", "--input_format=id", "--extra_options=bos:eos", "i") == expected


@pytest.mark.parametrize(
    ("line", "ids"),
    [
        (b"", []), (b"3", [3]), (b" 3  4 ", [3, 4]), (b"3 x 4\r", [3, 4]), (b"+3 -4 1_0 0x5 6.0", [3, -4]),
        (b"99999999999999999999 7 2147483648", [7]), (b"00012", [12]),
    ],
)  # fmt: skip
def test_what_is_no_id_is_left_out(line, ids):
    assert ids_of(line) == ids


def test_an_id_out_of_range(model, folder, run):
    (folder / "i").write_text("5\n4\n9999\n3\n")
    done = run("decode", f"--model={model}", "--input_format=id", "i")
    assert done.returncode == 1 and done.stdout.count(b"\n") == 2  # the lines before it are written
    assert done.stderr.startswith(b"spm_decode: error: i, line 3: OUT_OF_RANGE: piece id is out of range. It is 9999")


@pytest.mark.parametrize(
    ("flag", "words"), [("--input_format=x", "Unknown input format: x"), ("--output_format=proto", "Unknown output")]
)
def test_mistakes(flag, words, model, fails):
    assert words in fails("decode", f"--model={model}", flag, "text.txt")
    assert "--model is missing" in fails("decode")
