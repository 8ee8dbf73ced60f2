"""`spm-lite vocab`: the pieces by id, for pipes, for terminals and as JSON."""

import csv
import io
import json

import pytest

import spm_lite
from spm_lite.cli.commands import vocab_command as command
from spm_lite.cli.tables import text_width
from spm_lite.files.text_lines import unescape
from spm_lite.kinds import TYPE_NAMES
from spm_lite.specs import NormalizerSpec, TrainerSpec
from spm_lite.vocab.model_writer import write_model

PLAIN = TrainerSpec(byte_fallback=False, lossless=False)
PIECES = [
    ("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("\n", -1.0, 4), ("a\tb", -1.25, 1), ("\x1b[31m", -2.0, 1), ("\x9b1m", -3.0, 1),
    ("\u202eabc", -4.0, 1), ("می\u200cخو", -5.0, 1), ("\u200d", -6.0, 1), ('"', -7.0, 1), ("\u2028", -8.0, 1),
    ("日本語" * 5, -9.0, 1), ("\\x41", -10.5, 5), ("<0x41>", 0.0, 5), ("▁the", -1e-7, 1),
    ("\x7f", -11.0, 1),
]  # fmt: skip


@pytest.fixture
def odd_model(tmp_path):
    """A model whose pieces no terminal should get as they are."""
    path = tmp_path / "odd.model"
    path.write_bytes(write_model(PIECES, PLAIN, NormalizerSpec()))
    return path


def test_in_a_pipe(run, odd_model):
    result = run("vocab", odd_model)
    assert result.returncode == 0 and result.stderr == b""
    rows = [line.split("\t") for line in result.stdout.decode().splitlines()]
    text = io.StringIO(result.stdout.decode(), newline="")
    assert rows == list(csv.reader(text, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert [row[0] for row in rows] == [str(i) for i in range(len(PIECES))]
    assert [unescape(row[1].encode()).decode() for row in rows] == [text for text, _, _ in PIECES]
    assert [float(row[2]) for row in rows] == [score for _, score, _ in PIECES]
    assert [row[3] for row in rows] == [TYPE_NAMES[kind] for _, _, kind in PIECES]
    assert rows[2][1] == "\\x0a" and rows[6][1] == "\\xe2\\x80\\xaeabc" and rows[7][1] == PIECES[7][0]


def test_json(run, odd_model, tmp_path):
    result = run("vocab", "--json", odd_model)
    assert result.returncode == 0 and result.stdout.count(b"\n") == len(PIECES) + 2
    expected = [{"id": i, "piece": text, "type": TYPE_NAMES[kind]} for i, (text, _, kind) in enumerate(PIECES)]
    found = json.loads(result.stdout)
    tok = spm_lite.Tokenizer.load(odd_model)
    assert [row.pop("score") for row in found] == [tok.score(i) for i in range(len(tok))]
    assert found == expected
    assert not set(result.stdout) & {*range(10), *range(11, 32), *range(127, 256)}  # nothing for a terminal to obey
    assert run("vocab", odd_model, "--json", "--output", "v.json").stdout == b""
    assert (tmp_path / "v.json").read_bytes() == result.stdout


def test_json_of_what_json_lacks(run, tmp_path):
    spec = TrainerSpec(model_type="bpe", byte_fallback=False, lossless=False)
    data = write_model([PIECES[0], ("zz", -1.0, 1), ("y", float("nan"), 1)], spec, NormalizerSpec())
    (tmp_path / "m.model").write_bytes(data.replace(b"zz", b"\xffz"))

    def refuse(name):
        raise AssertionError(name)

    rows = json.loads(run("vocab", "m.model", "--json").stdout, parse_constant=refuse)
    assert rows[1]["piece"] == [255, 122] and rows[2]["score"] is None
    assert run("vocab", "m.model").stdout.splitlines()[1] == b"1\t\\xffz\t-1\tnormal"


@pytest.mark.parametrize("width", [40, 80])
def test_on_a_terminal(odd_model, width):
    lines = list(command.aligned_lines(spm_lite.Tokenizer.load(odd_model), width))
    assert len(lines) == len(PIECES) + 1 and lines[0].split() == ["id", "piece", "score", "type"]
    assert max(map(text_width, lines)) <= width
    assert all(line.replace("\u200c", "").isprintable() for line in lines)
    assert lines[1].split() == ["0", "<unk>", "0", "unknown"]
    assert lines[10].split() == ["9", '"', "-7", "normal"]
    assert ("…" in lines[12]) == (width == 40)
    assert len({text_width(line[: line.rindex("  ")]) for line in lines}) == 1  # one column for the types


def test_a_terminal_gets_columns(odd_model, monkeypatch, capfd):
    monkeypatch.setattr(command, "goes_to_terminal", lambda path: path is None)
    monkeypatch.setenv("COLUMNS", "50")
    assert command.run(*command.make_parser().parse([str(odd_model)])) == 0
    assert capfd.readouterr().out.startswith("id  piece ")


def test_all_pieces_of_a_trained_model(run, model):
    tok = spm_lite.Tokenizer.load(model)
    rows = [line.split("\t") for line in run("vocab", model).stdout.decode().splitlines()]
    assert [unescape(row[1].encode()).decode() for row in rows] == [tok.id_to_piece(i) for i in range(len(tok))]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ([], 2, "no model is named"),
        (["a", "b"], 2, "takes one model, a, and 'b' is named too"),
        (["--jsn", "a"], 2, "did you mean --json?"),
        (["missing.model"], 1, "missing.model"),
        (["m.vocab"], 1, "a vocabulary list"),
        (["m.vocab", "--output", "m.vocab"], 2, "would replace the input"),
    ],
)
def test_mistakes(run, tmp_path, arguments, code, words):
    (tmp_path / "m.vocab").write_bytes(b"<unk>\t0\na\t-1\n")
    result = run("vocab", *arguments)
    assert result.returncode == code and result.stdout == b""
    assert words in result.stderr.decode() and result.stderr.count(b"\n") == 1
