"""The log of a training beside that of sentencepiece, which writes to the standard error of the process."""

import logging
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sentencepiece")

pytestmark = pytest.mark.thread_unsafe  # a terminal, a clock or a folder for itself

LINES = ["hello world the cat sat", "the mat on the cat", "abc abd abe 123 \u00e9"] * 40
PREFIX = re.compile(r"^([IWE])\d{4} \S+ +\d+ [^\]\n]*\] ", re.MULTILINE)
ONLY_THEIRS = re.compile(  # about their implementation
    r"^WARNING: All log|^I (Extracting seed|\[Chunk|Finished processing|Loading (mapping|CharsMap)|Generated norm|"
    r"skipped 0 seed)|^$"
)
TRAIN = """
import sys
import {module} as spm
spm.SentencePieceTrainer.train(model_prefix="m", **{options!r})
"""
SOFT = {"input": "c.txt", "hard_vocab_limit": False, "vocab_size": 60}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("c.txt").write_text("\n".join(LINES) + "\n")
    Path("rules.tsv").write_text("41\t61\n")
    Path("counts.tsv").write_text("the\t9\ncat sat\t4\nmat\t8\n")
    Path("seeds.tsv").write_text("the\t9\nhe\t7\n")
    Path("odd.txt").write_text("a \u2585\n\nabc\n   \n" + "x" * 80 + "\n")
    return tmp_path


def log_of(module: str, options: dict[str, object]) -> str:
    """What a training writes to standard error."""
    program = TRAIN.format(module=module, options=options)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=500)
    assert done.returncode == 0, done.stderr
    return done.stderr.decode()


def messages(log: str) -> list[str]:
    """The lines of a log, with the letters of their levels only."""
    lines = PREFIX.sub(r"\1 ", log).split("\n")
    return [re.sub(r" num_tokens=.*", "", line) for line in lines if not ONLY_THEIRS.search(line)]


CASES = [
    {"num_threads": 3},
    {"model_type": "char", "accept_language": "en"},
    {"model_type": "word", "vocab_size": 14},
    {"byte_fallback": True, "user_defined_symbols": ["foo"], "control_symbols": ["<a>", "b,c"], "vocab_size": 400},
    {"normalization_rule_tsv": "rules.tsv", "denormalization_rule_tsv": "rules.tsv", "model_type": "char"},
    {"input": ["c.txt", "c.txt"], "seed_sentencepieces_file": "seeds.tsv"},
    {"input": "counts.tsv", "input_format": "tsv", "model_type": "char"},
    {"model_type": "char", "character_coverage": 0.98},
    {"input_sentence_size": 101, "shuffle_input_sentence": False, "model_type": "char"},
]


@pytest.mark.parametrize("options", CASES, ids=str)
def test_same_lines(options: dict[str, object]) -> None:
    options = {**SOFT, **options}
    assert messages(log_of("spm_lite", options)) == messages(log_of("sentencepiece", options))


def test_merges() -> None:
    """BPE: without the number of words, which this trainer does not count."""
    options = {**SOFT, "model_type": "bpe", "vocab_size": 8000}
    theirs = [line for line in messages(log_of("sentencepiece", options)) if "Merged" in line or "Completed" in line]
    ours = [line for line in messages(log_of("spm_lite", options)) if "Merged" in line or "Completed" in line]
    assert ours == theirs != []


def test_lines_left_out() -> None:
    log = log_of("spm_lite", {**SOFT, "input": ["c.txt", "odd.txt"], "max_sentence_length": 70, "model_type": "char"})
    found = messages(log)
    assert "W Found too long lines (> 70)." in found and "I Skipped 1 too long sentences." in found
    assert "I Reserved chars are found. Skipped: 1 sentences with U+2585" in found
    theirs = log_of(
        "sentencepiece", {**SOFT, "input": ["c.txt", "odd.txt"], "max_sentence_length": 70, "model_type": "char"}
    )
    counts = [line for line in messages(theirs) if re.match("I (Loaded|all chars|Done|Alphabet|Final)", line)]
    assert [line for line in found if re.match("I (Loaded|all chars|Done|Alphabet|Final)", line)] == counts


def test_sampled_lines() -> None:
    options = {**SOFT, "input_sentence_size": 101, "model_type": "char"}
    assert "I Sampled 101 sentences from 120 sentences." in messages(log_of("spm_lite", options))


@pytest.mark.parametrize("level", [1, 2, 3])
def test_levels(level: int) -> None:
    log = log_of("spm_lite", {**SOFT, "model_type": "char", "minloglevel": level, "accept_language": "en"})
    assert messages(log) == (["W --accept_language is deprecated and ignored."] if level == 1 else [])


def test_a_program_that_handles_the_records() -> None:
    """Its handlers get them, and standard error is left to it."""
    program = TRAIN.format(module="spm_lite", options={**SOFT, "model_type": "char"})
    setting = "import logging\nlogging.basicConfig(level=logging.INFO, format='%(name)s %(levelname)s %(message)s')\n"
    done = subprocess.run([sys.executable, "-c", setting + program], capture_output=True, timeout=500, text=True)
    assert done.stderr.startswith("spm_lite INFO Starts training with : \ntrainer_spec {")
    assert "spm_lite INFO Saving vocabs: m.vocab\n" in done.stderr and "spm_lite]" not in done.stderr


def test_control_characters_of_names_are_escaped() -> None:
    name = "a\x1b[31m.txt"
    Path(name).write_text("ab ab\n" * 9)
    log = log_of("spm_lite", {**SOFT, "input": name, "model_type": "char"})
    assert "Loading corpus: a\\x1b[31m.txt" in log and "\x1b" not in log


def test_a_closed_standard_error() -> None:
    program = "import sys\nsys.stderr = None\n" + TRAIN.format(
        module="spm_lite", options={**SOFT, "model_type": "char"}
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=500)
    assert logging.getLogger("spm_lite") is not None and Path("m.model").exists()
