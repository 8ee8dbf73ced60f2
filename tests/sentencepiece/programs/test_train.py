"""spm_train beside sentencepiece's trainer, which gets every option that the program records."""

from pathlib import Path

import pytest

pytest.importorskip("sentencepiece")

import sentencepiece
from oracle.trained_twins import comparable

from spm_lite.sentencepiece.programs.train import EXPERIMENTS, RECORDED, RETIRED, main

SOFT = "--hard_vocab_limit=false"


def trained(*flags):
    """Model and vocabulary of the program."""
    assert main(["--input=corpus.txt", "--model_prefix=m", "--quiet", *flags]) == 0
    return Path("m.model").read_bytes(), Path("m.vocab").read_bytes()


def trained_by_theirs(**options):
    """Model and vocabulary of sentencepiece; as its program does, the model records all options."""
    given = {flag.name: flag.default for flag in RECORDED if flag.name != "denormalization_rule_tsv"}
    given |= {"input": "corpus.txt", "model_prefix": "m", "minloglevel": 2, **options}
    sentencepiece.SentencePieceTrainer.train(**given)
    return Path("m.model").read_bytes(), Path("m.vocab").read_bytes()


def assert_same(ours, theirs):
    assert ours[1] == theirs[1]
    is_same = comparable(ours[0]) == comparable(theirs[0])
    assert is_same  # too long to be shown


CASES = [
    ([SOFT], {"hard_vocab_limit": False}),
    (["--vocab_size=40", "--model_type=BPE"], {"vocab_size": 40, "model_type": "bpe"}),
    (["--vocab_size", "40", "-model_type", "char"], {"vocab_size": 40, "model_type": "char"}),
    (["--model_type=word", "--use_all_vocab"], {"model_type": "word", "use_all_vocab": True}),
    (
        [SOFT, "--num_threads=3", "--noadd_dummy_prefix",
         "--normalization_rule_name=nfkc_cf", "--character_coverage=1"],
        {"hard_vocab_limit": False, "num_threads": 3, "add_dummy_prefix": False, "normalization_rule_name": "nfkc_cf",
         "character_coverage": 1.0},
    ),
    (
        ["--bos_id=-1", "--eos_id=0", "--unk_id=5", "--pad_id=3", "--vocab_size=310",
         "--byte_fallback", "--model_type=bpe"],
        {"bos_id": -1, "eos_id": 0, "unk_id": 5, "pad_id": 3, "vocab_size": 310, "byte_fallback": True,
         "model_type": "bpe"},
    ),
    (
        [SOFT, '--control_symbols=<a>,"b,c"', "--user_defined_symbols=cat", "--required_chars=xyz"],
        {"hard_vocab_limit": False, "control_symbols": ["<a>", "b,c"], "user_defined_symbols": ["cat"],
         "required_chars": "xyz"},
    ),
    (
        [SOFT, "--denormalization_rule_tsv=d.tsv", "--vocabulary_output_piece_score=false", "--split_digits"],
        {"hard_vocab_limit": False, "denormalization_rule_tsv": "d.tsv", "vocabulary_output_piece_score": False,
         "split_digits": True},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("flags", "options"), CASES, ids=lambda case: str(case)[:30])
def test_same_files(flags, options, folder):
    (folder / "d.tsv").write_text("41\t61\n")
    theirs = trained_by_theirs(**options)
    assert_same(trained(*flags), theirs)


def test_several_files_and_counts(folder):
    (folder / "a,b.txt").write_text("the dog sat\n" * 9)
    theirs = trained_by_theirs(input=["corpus.txt", "a,b.txt"], hard_vocab_limit=False)
    assert_same(trained('--input=corpus.txt,"a,b.txt"', SOFT), theirs)
    (folder / "c.tsv").write_text("the cat\t9\nthe mat\t4\n")
    theirs = trained_by_theirs(input="c.tsv", input_format="tsv", hard_vocab_limit=False)
    assert_same(trained("--input=c.tsv", "--input_format=tsv", SOFT), theirs)


def test_symbol_files(folder):
    """Their lines come after the symbols of the flag, as they are; a CR belongs to its symbol."""
    (folder / "c.txt").write_bytes(b"<x>\r\n<y>")
    (folder / "u.txt").write_bytes(b"a,b\nc d\n")
    (folder / "r.txt").write_text("xy\nz\n")
    theirs = trained_by_theirs(
        control_symbols=["<a>", "<x>\r", "<y>"], user_defined_symbols=["a,b", "c d"], required_chars="xyz",
        hard_vocab_limit=False,
    )  # fmt: skip
    flags = ("--control_symbols=<a>", "--control_symbols_file=c.txt", "--user_defined_symbols_file=u.txt",
             "--required_chars=q", "--required_chars_file=r.txt")  # fmt: skip
    assert_same(trained(*flags, SOFT), theirs)


def test_a_file_with_cr(folder):
    """A CR stays in its line, as the original reads it."""
    (folder / "crlf.txt").write_bytes(b"ab ab\r\ncd\r\n" * 9)
    options = {"input": "crlf.txt", "normalization_rule_name": "identity", "hard_vocab_limit": False}
    theirs = trained_by_theirs(**options, model_type="char")
    ours = trained("--input=crlf.txt", "--normalization_rule_name=identity", "--model_type=char", SOFT)
    assert b"\r\t" in ours[1]
    assert_same(ours, theirs)


def test_retired_flags(caplog):
    given = [f"--{flag.name}" if flag.default is False else f"--{flag.name}=1" for flag in RETIRED]
    assert main(["--input=corpus.txt", "--model_prefix=m", SOFT, "--minloglevel=1", *given]) == 0
    assert all(f"--{flag.name} is deprecated and ignored" in caplog.text for flag in RETIRED)


def test_what_is_not_read_is_told(caplog):
    assert main(["--input=corpus.txt", "--model_prefix=m", SOFT, "--minloglevel=1", "more.txt"]) == 0
    assert "more.txt is not read: files are named by --input" in caplog.text


@pytest.mark.parametrize("flag", EXPERIMENTS, ids=lambda flag: flag.name)
def test_experiments_are_refused(flag, fails):
    changed = not flag.default if isinstance(flag.default, bool) else flag.default + 0.5
    words = fails("train", "--input=corpus.txt", "--model_prefix=m", f"--{flag.name}={changed}")
    assert "is not supported" in words
    assert main(["--input=corpus.txt", "--model_prefix=m", SOFT, "--quiet", f"--{flag.name}={flag.default}"]) == 0


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ([], "--input and --model_prefix are missing"),
        (["--input=x"], "--model_prefix is missing"),
        (["--input=nope.txt", "--model_prefix=m"], '"nope.txt": No such file'),
        (["--input=corpus.txt", "--model_prefix=no/m"], "No such file or directory: make the folder 'no'"),
        (["--input=corpus.txt", "--model_prefix=m", "--vocab_size=9999"], "Vocabulary size too high (9999)"),
        (["--input=corpus.txt", "--model_prefix=m", "--model_type=x"], "unknown enumeration value"),
        (["--input=corpus.txt", "--model_prefix=m", "--control_symbols_file=no"], "the file cannot be read"),
        (["--input=corpus.txt", "--model_prefix=m", "--vocab-size=9"], "did you mean --vocab_size?"),
    ],
)
def test_mistakes(flags, words, fails):
    assert words in fails("train", *flags, "--minloglevel=2")
    assert not Path("m.model").exists()
