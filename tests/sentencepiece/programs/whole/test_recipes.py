"""Recipes written for the original programs: its documentation's command lines, espnet's, fairseq's, Marian's."""

import shutil
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("sentencepiece")

import sentencepiece

LINE = "the hello cat sat on the mat."


@pytest.mark.slow
def test_end_to_end(shell):
    """The example of its README: train, pieces, ids, and back."""
    shell("spm_train --input=corpus.txt --model_prefix=m --vocab_size=24 2> log")
    theirs = sentencepiece.SentencePieceProcessor(model_file="m.model")
    pieces, ids = theirs.encode(LINE, out_type=str), theirs.encode(LINE)
    assert shell(f'echo "{LINE}" | spm_encode --model=m.model').decode() == " ".join(pieces) + "\n"
    shown_ids = " ".join(map(str, ids))
    assert shell(f'echo "{LINE}" | spm_encode --model=m.model --output_format=id').decode() == shown_ids + "\n"
    decoded = shell(f'echo "{shown_ids}" | spm_decode --model=m.model --input_format=id').decode()
    assert decoded == theirs.decode(ids) + "\n"
    shell("spm_export_vocab --model=m.model --output=v; cmp v m.vocab")
    assert b"Saving model: m.model" in Path("log").read_bytes()


@pytest.mark.slow
def test_subword_regularization_and_nbest(shell):
    shell("spm_train --input=corpus.txt --model_prefix=m --vocab_size=24 --quiet")
    shell("spm_encode --model=m.model --output_format=sample_piece --nbest_size=-1 --alpha=0.5 < corpus.txt > drawn")
    shell("spm_decode --model=m.model --input_format=piece < drawn > back; diff back corpus.txt")
    found = shell("head -1 corpus.txt | spm_encode --model=m.model --output_format=nbest_id --nbest_size=10")
    theirs = sentencepiece.SentencePieceProcessor(model_file="m.model")
    rows = theirs.nbest_encode(Path("corpus.txt").read_text().splitlines()[0], nbest_size=10)
    assert found.decode() == "".join(" ".join(map(str, row)) + "\n" for row in rows)


@pytest.mark.slow
def test_vocabulary_restriction(shell):
    """As the README has it: one model for two languages, each restricted to the pieces of its own text."""
    shell("head -40 corpus.txt > L1; tail -40 corpus.txt > L2; cat L1 L2 > train")
    shell("spm_train --input=train --model_prefix=spm --vocab_size=40 --model_type=bpe --quiet")
    shell("""
        spm_encode --model=spm.model --generate_vocabulary < L1 > v1
        spm_encode --model=spm.model --vocabulary=v1 --vocabulary_threshold=20 < L1 > L1.spm
        spm_decode --model=spm.model < L1.spm | diff - L1""")
    allowed = {line.split("\t")[0] for line in Path("v1").read_text().splitlines() if int(line.split("\t")[1]) >= 20}
    used = {piece for piece in Path("L1.spm").read_text().split() if len(piece) > 1}
    assert used and used <= allowed


def test_espnet(shell):
    """Its recipes make a dictionary of the pieces in the text."""
    found = shell("""
        spm_train --input=corpus.txt --vocab_size=50 --model_type=bpe --model_prefix=bpe \
            --input_sentence_size=100000000 --character_coverage=1.0 --user_defined_symbols="$(echo '<a> <b>' | tr ' ' ',')" 2> log
        spm_encode --model=bpe.model --output_format=piece < corpus.txt | tr ' ' '\\n' | LC_ALL=C sort | uniq |
            awk -v offset=2 '{print $0 " " NR+offset}'""")  # noqa: E501
    theirs = sentencepiece.SentencePieceProcessor(model_file="bpe.model")
    lines = Path("corpus.txt").read_text().splitlines()
    pieces = sorted({piece for line in lines for piece in theirs.encode(line, out_type=str)}, key=str.encode)
    assert found.decode() == "".join(f"{piece} {number}\n" for number, piece in enumerate(pieces, 3))
    assert theirs.piece_to_id("<b>") == 4


def test_fairseq(shell):
    """Its scripts call the trainer with one text of flags; other recipes of it call the program with the same."""
    flags = (
        "--input=corpus.txt,corpus.txt --model_prefix=theirs --vocab_size=45 --character_coverage=1.0 --model_type=bpe"
    )
    sentencepiece.SentencePieceTrainer.Train(flags + " --minloglevel=2")
    shell(f"spm_train {flags.replace('=theirs', '=ours')} --minloglevel 2; cmp ours.vocab theirs.vocab")
    shell("spm_encode --model ours.model --extra_options=bos:eos --output_format=id < corpus.txt > ids")
    processor = sentencepiece.SentencePieceProcessor(model_file="theirs.model", add_bos=True, add_eos=True)
    rows = processor.encode(Path("corpus.txt").read_text().splitlines())
    assert Path("ids").read_text() == "".join(" ".join(map(str, row)) + "\n" for row in rows)


@pytest.mark.slow
def test_marian(shell):
    """Its examples redefine the special pieces and read pipes."""
    shell("""
        spm_train --bos_id=-1 --eos_id=0 --unk_id=1 --model_prefix=m --vocab_size=40 --hard_vocab_limit=false \
            --input=<(cat corpus.txt) --max_sentence_length=16384 --train_extremely_large_corpus=true 2> log
        cat corpus.txt | spm_encode --model m.model | spm_decode --model m.model | cmp - corpus.txt""")
    assert Path("m.vocab").read_text().startswith("</s>\t0\n<unk>\t0\n")


def original(program: str) -> str | None:
    """The path of sentencepiece's own program; None: it is not installed."""
    for folder in ("/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"):
        path = shutil.which(f"spm_{program}", path=folder)
        if path and b"spm_lite" not in subprocess.run([path, "--version"], capture_output=True).stdout:
            return path
    return None


FLAGS = [
    ("encode", "--model=MODEL"), ("encode", "--model MODEL --output_format id"),
    ("encode", "--model=MODEL --extra_options=reverse"), ("encode", "--model=MODEL --extra_options=bos:eos:reverse"),
    ("encode", "--model=MODEL --generate_vocabulary"), ("normalize", "--model=MODEL"),
    ("normalize", "--model=MODEL --use_internal_normalization=true"),
    ("normalize", "--model=MODEL --remove_extra_whitespaces=false"),
    ("export_vocab", "--model=MODEL"), ("export_vocab", "--model=MODEL --output_format=syms"),
    ("decode", "--model=MODEL"), ("decode", "--model=MODEL --extra_options=reverse"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("program", "flags"), FLAGS, ids=str)
def test_beside_the_original_programs(program, flags, model, run):
    """Where a system has them, of any version: these results are the same in all."""
    theirs = original(program)
    if theirs is None:
        pytest.skip("sentencepiece's programs are not installed")
    arguments = flags.replace("MODEL", model).split()
    data = Path("text.txt").read_bytes()
    expected = subprocess.run([theirs, *arguments], input=data, capture_output=True)
    done = run(program, *arguments, data=data)
    assert (done.stdout, done.returncode) == (expected.stdout, expected.returncode)
