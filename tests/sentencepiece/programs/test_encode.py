"""spm_encode beside sentencepiece's processor."""

from collections import Counter
from pathlib import Path

import pytest


def lines():
    """The lines of text.txt."""
    return Path("text.txt").read_bytes().removesuffix(b"\n").split(b"\n")


def text_of(rows):
    """Rows of pieces or ids as the program writes them."""
    items = [[item if isinstance(item, bytes) else str(item).encode() for item in row] for row in rows]
    return b"".join(b" ".join(row) + b"\n" for row in items)


@pytest.mark.parametrize(("form", "kind"), [("piece", bytes), ("id", int)])
def test_pieces_and_ids(form, kind, model, theirs, made):
    expected = text_of(theirs.encode(line, return_type=kind) for line in lines())
    assert made("encode", f"--model={model}", f"--output_format={form}", "--input=text.txt") == expected
    assert made("encode", "--model", model, "-output_format", form, "text.txt") == expected


@pytest.mark.parametrize(
    ("options", "flags"),
    [
        ("eos", {"add_eos": True}),
        ("bos:eos", {"add_bos": True, "add_eos": True}),
        ("reverse:bos:eos", {"reverse": True, "add_bos": True, "add_eos": True}),
        ("unk", {"emit_unk_piece": True}),
        ("unk_piece:reverse", {"emit_unk_piece": True, "reverse": True}),
    ],
)
@pytest.mark.parametrize(("form", "kind"), [("piece", bytes), ("id", int)])
def test_extra_options(form, kind, options, flags, model, theirs, made):
    expected = text_of(theirs.encode(line, return_type=kind, **flags) for line in lines())
    arguments = (f"--model={model}", f"--output_format={form}", f"--extra_options={options}", "text.txt")
    assert made("encode", *arguments) == expected


def test_the_order_of_extra_options_counts(model, theirs, made):
    rows = [theirs.encode(line, add_bos=True, add_eos=True)[::-1] for line in lines()]
    arguments = (f"--model={model}", "--output_format=id", "--extra_options=bos:eos:reverse", "text.txt")
    assert made("encode", *arguments) == text_of(rows)


@pytest.mark.parametrize(("form", "kind"), [("nbest_piece", bytes), ("nbest_id", int)])
def test_nbest(form, kind, model, theirs, made, fails):
    arguments = (f"--model={model}", f"--output_format={form}", "--nbest_size=3", "text.txt")
    if "unigram" not in model:
        assert "NBestEncode is not available" in fails("encode", *arguments)
        return
    rows = [row for line in lines() for row in theirs.nbest_encode(line, nbest_size=3, return_type=kind)]
    assert made("encode", *arguments) == text_of(rows)
    framed = [[*row, theirs.eos_id() if kind is int else b"</s>"] for row in rows]
    assert made("encode", *arguments, "--extra_options=eos") == text_of(framed)


def test_samples(model, theirs, made, fails):
    arguments = (f"--model={model}", "--output_format=sample_piece", "--random_seed=5", "corpus.txt")
    if "char" in model or "word" in model:
        assert "SampleEncode is not available" in fails("encode", *arguments)
        return
    best = text_of(theirs.encode(line, return_type=bytes) for line in Path("corpus.txt").read_bytes().splitlines())
    drawn = made("encode", *arguments, "--nbest_size=-1", "--alpha=0.1")
    assert drawn == made("encode", *arguments, "--nbest_size=-1", "--alpha=0.1") != best
    assert drawn.replace(b" ", b"") == best.replace(b" ", b"")
    # One result is the best one; of BPE no merge is left out.
    assert made("encode", *arguments, "--nbest_size=1", *([] if "unigram" in model else ["--alpha=0"])) == best


def test_generated_vocabulary(model, theirs, made):
    counts = Counter(i for line in lines() for i in theirs.encode(line))
    rows = [(theirs.id_to_piece(i).encode(), n) for i, n in counts.items() if i != theirs.unk_id()]
    expected = b"".join(b"%s\t%d\n" % row for row in sorted(rows, key=lambda row: (-row[1], row[0])))
    assert made("encode", f"--model={model}", "--generate_vocabulary", "text.txt") == expected


def test_vocabulary_restriction(model, theirs, made, fails):
    arguments = (f"--model={model}", "--vocabulary=v.txt", "--vocabulary_threshold=3", "corpus.txt")
    Path("v.txt").write_text("▁\t9\n")
    if "char" in model or "word" in model:
        assert "only enabled in subword units" in fails("encode", *arguments)
        return
    pieces = [piece for piece in map(theirs.id_to_piece, range(3, len(theirs))) if len(piece) > 1 and piece != "cat"]
    Path("v.txt").write_text(f"{pieces[0]}\t9\n{pieces[1]}\t2\n")
    found = {piece for piece in made("encode", *arguments).split() if len(piece.decode()) > 1}
    assert pieces[0].encode() in found <= {pieces[0].encode(), b"cat"}


@pytest.mark.slow
def test_streams(model, theirs, run):
    """Several files, standard input, and a last line without its end."""
    Path("a").write_bytes(b"the cat\nsat")
    expected = text_of(theirs.encode(line, return_type=bytes) for line in (b"the cat", b"sat"))
    assert run("encode", f"--model={model}", "a", "a").stdout == expected * 2
    assert run("encode", f"--model={model}", "--input=a", "nowhere").stdout == expected
    assert run("encode", f"--model={model}", data=b"the cat\nsat").stdout == expected
    assert run("encode", f"--model={model}", "-", data=b"the cat\nsat\n").stdout == expected
    assert run("encode", f"--model={model}").stdout == b""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "--model is missing"),
        (["--model=nowhere"], "cannot read nowhere: No such file or directory"),
        (["--model=."], "cannot read .: "),
        (["--model=text.txt"], "text.txt"),
        (["--model=MODEL", "--output_format=proto"], "Unknown output format: proto. The formats are piece, id,"),
        (["--model=MODEL", "--extra_options=bos:x"], 'option "x" is not available'),
        (["--model=MODEL", "nowhere"], "cannot read nowhere: No such file or directory"),
        (["--model=MODEL", "MODEL"], "is a model of SentencePiece, not text"),
        (["--model=MODEL", "text.txt", "--output=no/where"], "cannot write no/where: No such file or directory"),
        (["--model=MODEL", "text.txt", "--output_format=nbest_id", "--nbest_size=513"], "nbest_size <= 512"),
    ],
)
def test_mistakes(arguments, words, one_model, fails):
    assert words in fails("encode", *[argument.replace("MODEL", one_model) for argument in arguments])


@pytest.mark.slow
def test_version_and_help(run):
    assert run("encode", "--version").stdout.startswith(b"sentencepiece 0.2.3 ")
    for program in ("train", "encode", "decode", "normalize", "export_vocab"):
        done = run(program, "--help")
        assert done.returncode == 0 and done.stdout.startswith(b"usage: spm_%s [flags]" % program.encode())
