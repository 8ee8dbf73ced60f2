"""Recipes written for sentencepiece, typed for spm-lite by mistake, or run with the programs of the same names."""

import io
from importlib.metadata import PackageNotFoundError, distribution

import pytest
from oracle.repository import ROOT

import spm_lite
from spm_lite.sentencepiece import SentencePieceProcessor, SentencePieceTrainer

PROGRAMS = ["spm_decode", "spm_encode", "spm_export_vocab", "spm_normalize", "spm_train"]


def test_the_programs_are_installed():
    try:
        points = {point.name: point for point in distribution("spm_lite").entry_points}
    except PackageNotFoundError:
        pytest.skip("spm_lite runs from a folder here, and is not installed")
    assert [name for name in PROGRAMS if name not in points] == []
    assert all(callable(points[name].load()) for name in PROGRAMS)


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        (["--input=en.txt"], "files are named without an option: write en.txt"),
        (["en.txt", "--train_extremely_large_corpus=true"], "leave it out; a text may have any size"),
        (["en.txt", "--extra_options=bos"], "unknown option --extra_options"),
    ],
)
def test_flags_of_the_original(shell, arguments, remedy):
    made = shell("train", *arguments, "-o", "m", "--vocab-size", "300")
    assert made.code == 2
    assert remedy in made.err


def test_extra_options(shell, model):
    made = shell("encode", "-m", model, "--extra_options=bos:eos", data=b"a\n")
    assert made.code == 2
    assert "write --bos --eos" in made.err
    ids = list(map(int, shell("encode", "-m", model, "--bos", "--eos", data=b"a\n").out.split()))
    tok = spm_lite.Tokenizer.load(model)
    assert ids == tok.encode("a", bos=True, eos=True)


def test_underscores_are_read(shell, files, tmp_path):
    made = shell("train", files / "en.txt", "--vocab_size=1800", "--model_prefix=m", "--split_digits=true", "-q")
    assert (made.code, made.err) == (0, "")
    assert (tmp_path / "m.model").exists()


def test_spm_train_and_what_it_logs(shell, files, tmp_path):
    flags = [f"--input={files / 'en.txt'}", "--model_prefix=m", "--vocab_size=1200", "--model_type=bpe"]
    made = shell(*flags, module="spm_lite.sentencepiece.programs.train")
    assert made.code == 0, made.err
    assert "Starts training with" in made.err and "Saving model: m.model" in made.err
    assert shell(*flags, "--minloglevel=1", module="spm_lite.sentencepiece.programs.train").err == ""
    encoded = shell("--model=m.model", data=b"the river\n", module="spm_lite.sentencepiece.programs.encode")
    processor = SentencePieceProcessor(model_file=str(tmp_path / "m.model"))
    assert encoded.out.decode() == " ".join(processor.encode("the river", out_type=str)) + "\n"


def test_the_trainer_logs(files, tmp_path):
    call = {
        "input": str(files / "en.txt"),
        "model_prefix": str(tmp_path / "m"),
        "vocab_size": 1200,
        "model_type": "bpe",
    }
    log = io.StringIO()
    SentencePieceTrainer.train(**call, logstream=log)
    assert "Starts training" in log.getvalue() and "Saving model" in log.getvalue()
    quiet = io.StringIO()
    SentencePieceTrainer.train(**call, logstream=quiet, minloglevel=1)
    assert quiet.getvalue() == ""


def test_repr(files, model):
    assert repr(SentencePieceProcessor(model_file=str(model))) == "<SentencePieceProcessor: unigram, 1,800 pieces>"


def test_the_page_of_migration():
    """It names the calls of the original, the defaults that differ and the programs."""
    page = (ROOT / "docs" / "sentencepiece.md").read_text(encoding="utf-8")
    for word in ["SentencePieceTrainer", "SentencePieceProcessor", "nmt_nfkc", "byte_fallback", *PROGRAMS]:
        assert word in page, word
