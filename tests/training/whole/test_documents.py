"""The ids that encoding gives for a document are those that training counted it with, for every way to end it."""

import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from oracle.slow import slow_after

import spm_lite
from spm_lite.errors import OptionError

CODE = (
    "class A:\n    def f(self):\n        return 1\n\n\ndef main():\n    a = A()\n    print(a.f())\n\n\n"
    "if __name__ == '__main__':\n    main()\n"
)
CONTENTS = [CODE.encode(), CODE.replace("main", "go").encode() + b"\n\n", b"  last line"]
OPTIONS: dict[str, Any] = {"model_type": "bpe", "vocab_size": 5000, "hard_vocab_limit": False}
WAYS = [  # arguments, flags of the commands, the separator
    ({}, [], b"\n"),
    ({"keep_newlines": True}, ["--keep-newlines"], None),
    ({"separator": None}, ["--whole-files"], None),
    ({"separator": "\n\n"}, ["--separator", r"\n\n"], b"\n\n"),
    ({"separator": b"\n\n", "keep_newlines": True}, ["--separator", r"\n\n", "--keep-newlines"], b"\n\n"),
    ({"separator": " "}, ["--separator", " "], b" "),
]
IDS = ["lines", "newlines", "whole", "paragraphs", "both", "words"]


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / f"{i}.py" for i in range(2 * len(CONTENTS))]
    for path, content in zip(paths, CONTENTS * 2, strict=True):
        path.write_bytes(content)
    return paths


def documents(separator: bytes | None) -> list[bytes]:
    if separator is None:
        return CONTENTS * 2
    parts = [content.split(separator) for content in CONTENTS * 2]
    return [part for found in parts for part in (found if found[-1] else found[:-1])]


@pytest.mark.parametrize(("way", "flags", "separator"), WAYS, ids=IDS)
def test_functions_agree(paths: list[Path], way: Any, flags: Any, separator: bytes | None) -> None:
    texts = documents(separator)
    counts = spm_lite.CountTable.count(paths, model_type="bpe", **way)
    assert counts == spm_lite.CountTable.count(texts, model_type="bpe")
    tok = spm_lite.train(paths, **OPTIONS, **way)
    assert tok == spm_lite.train(texts, **OPTIONS) == spm_lite.train(counts, **OPTIONS)
    assert spm_lite.evaluate(tok, paths, **way) == spm_lite.evaluate(tok, texts)
    out = paths[0].parent / "ids"
    assert tok.encode_files(paths, out, **way).documents == len(texts)
    assert out.read_bytes() == tok.encode_batch(texts).ids.astype("<u2").tobytes()


@pytest.mark.parametrize(("way", "flags", "separator"), WAYS, ids=IDS)
def test_chunks_counted_are_the_pieces_encoded(
    paths: list[Path], way: Any, flags: Any, separator: bytes | None
) -> None:
    """In a word model, where every chunk is a piece, encoding gives the chunks that training counted, as often."""
    options: dict[str, Any] = {"model_type": "word", "max_sentencepiece_length": 512, **way}
    tok = spm_lite.train(paths, vocab_size=5000, hard_vocab_limit=False, **options)
    counted = spm_lite.CountTable.count(paths, **options)
    pieces = Counter(piece for text in documents(separator) for piece in tok.pieces(text))
    assert pieces == Counter(dict(counted))


@pytest.mark.slow
@pytest.mark.parametrize(("way", "flags", "separator"), slow_after(3, WAYS, are_rows=True), ids=IDS)
def test_commands_agree(paths: list[Path], way: Any, flags: Any, separator: bytes | None) -> None:
    folder, names = paths[0].parent, [path.name for path in paths]

    def run(*words: str) -> bytes:
        command = [sys.executable, "-m", "spm_lite", *words]
        return subprocess.run(command, cwd=folder, capture_output=True, check=True).stdout

    sizes = ["--model-type", "bpe", "--vocab-size", "5000", "--no-hard-vocab-limit", "--quiet"]
    run("train", *names, "--model-prefix", "m", *sizes, *flags)
    tok = spm_lite.Tokenizer.load(folder / "m.model")
    assert tok == spm_lite.train(paths, **OPTIONS, **way)
    lists = tok.encode_lists(documents(separator))
    lines = run("encode", *names, "--model", "m.model", *flags).decode().split("\n")
    assert lines[: len(lists)] == [" ".join(map(str, ids)) for ids in lists]
    run("encode", *names, "--model", "m.model", "--output-format", "bin", "--output", "m.ids", *flags)
    assert (folder / "m.ids").read_bytes() == tok.encode_batch(documents(separator)).ids.astype("<u2").tobytes()


def test_no_space_before_later_lines(paths: list[Path]) -> None:
    chunks = {text for text, _ in spm_lite.CountTable.count(paths, separator=None)}
    assert not {text for text in chunks if text.startswith(("\u2581def", "\u2581if"))}
    assert "\u2581class" in chunks


def test_refusals(paths: list[Path]) -> None:
    for way in ({"separator": "\n\n"}, {"paragraphs": True}, {"separator": None}):
        with pytest.raises(OptionError, match="input_format='tsv' has a text and its count in each line"):
            spm_lite.train(paths, input_format="tsv", vocab_size=300, **way)
        with pytest.raises(OptionError, match="separator or paragraphs=True and a count table"):
            spm_lite.train(spm_lite.CountTable.count(["a b"]), vocab_size=300, **way)
    with pytest.raises(OptionError, match="the input is texts, and each is one document"):
        spm_lite.evaluate(spm_lite.train(["ab"] * 9, vocab_size=262, model_type="char"), ["a"], separator="|")


def test_texts_keep_their_newlines_everywhere() -> None:
    tok = spm_lite.train(["a\n", "a"] * 9, vocab_size=262, model_type="char", hard_vocab_limit=False)
    assert spm_lite.evaluate(tok, ["a\n"]).tokens == len(tok.encode("a\n")) == 3
