"""train() as a whole."""

import dataclasses
import os
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import native
from oracle.interrupts import ON_THE_WAY_OUT, interrupt, run, stop

import spm_lite
from spm_lite import CountTable
from spm_lite.errors import ArgumentTypeError, OptionError, TrainingError
from spm_lite.progress.meter import Progress
from spm_lite.training.counting import usable_threads
from spm_lite.training.run import train

TEXTS = [
    "the cat sat on the mat",
    "The  cats, the mats.",
    "\ttabs\r\n\n and 123",
    "日本語のテキスト、日本語",
    "cafe\u0301 \U0001f600",
] * 5
MODEL_TYPES = ["bpe", "char", "unigram", "word"]
LOSSLESS_TYPES = MODEL_TYPES[:3]


def small(model_type: str, texts: Any = TEXTS, **options: Any) -> spm_lite.Tokenizer:
    options = {"vocab_size": 320, "hard_vocab_limit": False, "character_coverage": 1.0, **options}
    return train(texts, model_type=model_type, **options)


@pytest.fixture(scope="module", params=LOSSLESS_TYPES)
def lossless(request: pytest.FixtureRequest) -> spm_lite.Tokenizer:
    return small(request.param, texts=TEXTS)


@settings(max_examples=200, deadline=None)
@given(text=st.text() | st.text("the cat\u2581\n\t\r 日本é\u0301\0\ufeff\ufffd\U0001f600<s>", max_size=30))
def test_lossless(lossless: spm_lite.Tokenizer, text: str) -> None:
    assert lossless.decode(lossless.encode(text)) == text


@settings(max_examples=100, deadline=None)
@given(data=st.binary(max_size=30))
def test_lossless_bytes(lossless: spm_lite.Tokenizer, data: bytes) -> None:
    assert lossless.decode_bytes(lossless.encode(data)) == data


def test_space_mark_is_there(lossless: spm_lite.Tokenizer) -> None:
    assert "\u2581" in lossless
    assert lossless.report.lossless


@pytest.mark.parametrize("model_type", MODEL_TYPES)
def test_same_bytes(model_type: str, tmp_path: Path) -> None:
    """Whatever the threads, the order of the input, and whether it comes from files or from memory."""
    lines = [f"line {i % 50} the cat, {i % 7} 日本{i % 3}" for i in range(3000)]
    (tmp_path / "a.txt").write_text("\n".join(lines[:1000]) + "\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("\n".join(lines[1000:]), encoding="utf-8")
    models = [
        small(model_type, lines, num_threads=1),
        small(model_type, iter(lines), num_threads=2),
        small(model_type, lines[::-1], num_threads=3),
        small(model_type, [line.encode() for line in lines]),
        small(model_type, [tmp_path / "a.txt", tmp_path / "b.txt"]),
        small(model_type, str(tmp_path / "*.txt")),
    ]
    assert len({model.to_bytes() for model in models}) == 1
    assert len({model.report.digest for model in models}) == 1


def test_report(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"abc abc\n\nab\xff\nthis line is too long\n")
    model = train(path, model_type="bpe", vocab_size=264, max_sentence_length=10, num_threads=1)
    report = model.report
    assert isinstance(report, spm_lite.TrainingReport)
    assert (report.lines_read, report.lines_used, report.lines_empty, report.lines_too_long) == (4, 2, 1, 1)
    assert report.files == (str(path),)
    assert report.bytes_read == 35
    assert report.bytes_used == 10
    assert len(report.alphabet) == 4
    assert sum(report.pieces_by_origin.values()) == report.vocab_size
    assert report.pieces_by_origin["meta"] == report.meta_pieces
    assert set(report.peak_memory_after) <= {"count", "alphabet", "learn", "write"}
    assert len(report.data_digest) == len(report.digest) == 64
    assert report.meta_pieces == 259
    assert report.vocab_size == len(model) == 264
    assert set(report.seconds) == {"count", "alphabet", "learn", "write"}
    assert report.figures == {"merges": 1}
    assert "lines: 1 empty, 1 longer than max_sentence_length" in str(report)
    with pytest.raises(dataclasses.FrozenInstanceError):
        report.vocab_size = 3  # type: ignore[misc]


def test_notes() -> None:
    assert "byte_fallback=False" in str(small("bpe", byte_fallback=False).report)


@pytest.mark.parametrize("texts", [[], [""], ["\0"]])
def test_nothing_to_learn_from(texts: list[str]) -> None:
    with pytest.raises(TrainingError, match="the corpus has no"):
        small("bpe", texts, lossless=False, add_dummy_prefix=False)


def test_vocab_size_too_small() -> None:
    with pytest.raises(TrainingError, match=r"262 vs 263. Increase vocab_size to at least 263"):
        train(["abc"], model_type="bpe", vocab_size=262, character_coverage=1.0)


def test_vocab_size_too_large() -> None:
    with pytest.raises(TrainingError, match=r"Vocabulary size too high \(999\). Please set it to a value <= 26\d"):
        train(["abc"], model_type="bpe", vocab_size=999, character_coverage=1.0)


def test_call_arguments() -> None:
    with pytest.raises(OptionError, match="input_format='xml': must be one of 'auto', 'text', 'tsv'"):
        train(TEXTS, vocab_size=300, input_format="xml")
    with pytest.raises(ArgumentTypeError, match="seed"):
        train(TEXTS, vocab_size=300, seed=1.5)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="num_threads=0"):
        train(TEXTS, vocab_size=300, num_threads=0)
    with pytest.raises(ArgumentTypeError, match="progress"):
        train(TEXTS, vocab_size=300, progress=3)  # type: ignore[arg-type]
    with pytest.raises(ArgumentTypeError, match="must take one argument"):
        train(TEXTS, vocab_size=300, progress=lambda phase, done, total: None)  # type: ignore[arg-type, misc]
    with pytest.raises(OptionError, match="did you mean 'vocab_size'"):
        train(TEXTS, vocabulary_size=300)
    assert usable_threads(None) >= 1


def test_numbers_of_numpy() -> None:
    options: dict[str, Any] = {"input_sentence_size": np.int16(200), "num_threads": np.uint8(1), "seed": np.int64(-3)}
    lines = [f"w{i} x" for i in range(500)]
    assert small("bpe", lines, **options) == small("bpe", lines, input_sentence_size=200, seed=-3)
    table = CountTable.count(lines, memory_limit=np.int64(10**9), **options)
    assert table == CountTable.count(lines, input_sentence_size=200, seed=-3) != CountTable.count(lines)


def test_tsv_weights(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("ab\t5\nac\t3\n")
    weighted = small("bpe", path, input_format="tsv")
    assert weighted.to_bytes() == small("bpe", ["ab"] * 5 + ["ac"] * 3).to_bytes()


def test_selection() -> None:
    lines = [chr(0x4E00 + i) for i in range(500)]
    options: dict[str, Any] = {"vocab_size": 5000, "input_sentence_size": 101}
    first = small("char", lines, seed=None, **options)
    assert first.report.lines_used == 101
    assert "\u4e64" in first
    assert "\u4e65" not in first
    drawn = small("char", lines, seed=5, **options)
    assert drawn.to_bytes() == small("char", lines, seed=5, **options).to_bytes()
    assert drawn.to_bytes() != small("char", lines, seed=6, **options).to_bytes()
    assert drawn.report.lines_not_selected == 399


def test_keep_newlines(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"a\nb\n")
    assert "\n" in small("char", path, separator=None)
    assert "\n" not in small("char", path)


def test_progress() -> None:
    calls: list[Progress] = []
    small("bpe", progress=calls.append)
    assert calls[0].phase == "count"
    assert {call.phase for call in calls} == {"count", "alphabet", "merges"}
    assert calls[-1].fraction == 1.0
    assert calls[-1].unit == "merges"


def test_progress_of_files(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("\n".join(TEXTS))
    calls: list[Progress] = []
    (tmp_path / "b.txt").write_text("\n".join(TEXTS))
    train([tmp_path / "a.txt", tmp_path / "b.txt"], vocab_size=300, hard_vocab_limit=False, progress=calls.append)
    read = [call for call in calls if call.phase == "count"]
    assert read[-1].fraction == 1.0
    assert read[-1].done == 2 * (tmp_path / "a.txt").stat().st_size


def test_progress_may_stop() -> None:
    def stop(progress: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        small("bpe", progress=stop)


@pytest.mark.long_input
@pytest.mark.thread_unsafe
@pytest.mark.parametrize("model_type", LOSSLESS_TYPES)
def test_ctrl_c(model_type: str) -> None:
    """An interrupt ends the training at once, whatever the phase."""
    phases: dict[str, int] = {}
    pending = native.PendingSignal(0, stop)

    def training(progress: Callable[[Progress], object]) -> None:
        small(model_type, TEXTS * 300, num_threads=1, progress=progress)

    training(lambda state: None)  # modules are imported
    run(lambda: training(lambda state: phases.setdefault(state.phase, pending.n_checks)), pending)
    assert {"count", "alphabet"} <= set(phases)
    for n_checks in phases.values():
        assert (
            interrupt(lambda: training(lambda state: None), n_checks + 9) <= 5 * ON_THE_WAY_OUT
        )  # of 125,000; CPython 3.10 makes 11


def test_train_is_loaded_on_first_use() -> None:
    code = "import sys, spm_lite; assert 'spm_lite.training.run' not in sys.modules; assert spm_lite.train"
    subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        cwd=sys.prefix,
        env={**os.environ, "PYTHONPATH": str(Path(spm_lite.__file__).parent.parent)},
    )


def test_what_no_piece_can_hold_is_reported() -> None:
    texts = [b"abc abc \xff\xfe", "a▁b".encode(), b"x\0y"] * 3
    report = train(iter(texts), vocab_size=270, hard_vocab_limit=False).report
    assert report is not None
    assert (report.ill_formed, report.literal_space_marks, report.nuls) == (6, 3, 3)
    assert "6 ill-formed bytes, 3 literal U+2581, 3 U+0000" in str(report)
    report = train(iter(texts), vocab_size=270, hard_vocab_limit=False, normalization="nmt_nfkc").report
    assert report is not None
    assert (report.ill_formed, report.literal_space_marks, report.nuls) == (6, 0, 3)


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKD"])
@pytest.mark.parametrize("model_type", LOSSLESS_TYPES)
def test_models_with_a_unicode_normalization_form(model_type: str, form: str) -> None:
    """All spellings of a text get the same ids, which decode to its form; by rules, in the original too."""
    spm = pytest.importorskip("sentencepiece")
    lines = ["Tiếng Việt rất đẹp", "Đường phố", "한국어 텍스트", "ﬁn ①"] * 40
    settings = {"vocab_size": 360, "remove_extra_whitespaces": False}
    own = small(model_type, lines, normalization=form.lower(), **settings)
    with pytest.raises(RuntimeError):
        spm.SentencePieceProcessor(model_proto=own.to_bytes())
    tokenizer = small(model_type, lines, normalization=f"{form.lower()}_rules", **settings)
    original = spm.SentencePieceProcessor(model_proto=tokenizer.to_bytes())
    for line in [*lines[:4], "  Ế  ẛ 한 "]:
        ids = tokenizer.encode(unicodedata.normalize("NFC", line))
        assert tokenizer.encode(unicodedata.normalize("NFD", line)) == ids == original.encode(line)
        assert tokenizer.decode(ids) == original.decode(ids) == unicodedata.normalize(form, line)
        ids = own.encode(line)
        assert own.encode(unicodedata.normalize("NFD", line)) == own.encode(unicodedata.normalize("NFC", line)) == ids
        assert own.decode(ids) == unicodedata.normalize(form, line)


@pytest.mark.parametrize("model_type", ["unigram", "bpe", "char"])
def test_suffix_mode_with_an_added_space_is_not_lossless(model_type: str) -> None:
    options: dict[str, Any] = {"model_type": model_type, "vocab_size": 270, "hard_vocab_limit": False}
    tokenizer = train(["a cat sat"] * 9, treat_whitespace_as_suffix=True, **options)
    assert not tokenizer.info.is_lossless
    with pytest.raises(OptionError, match="treat_whitespace_as_suffix"):
        train(["a cat sat"] * 9, treat_whitespace_as_suffix=True, lossless=True, **options)
    tokenizer = train(["a cat sat"] * 9, treat_whitespace_as_suffix=True, add_dummy_prefix=False, **options)
    assert tokenizer.info.is_lossless
    for text in ("cat", " cat ", "  ", ""):
        assert tokenizer.decode(tokenizer.encode(text)) == text


def test_symbols_with_a_space_mark() -> None:
    with pytest.raises(OptionError, match="U\\+2581"):
        train(["ab"] * 9, vocab_size=300, lossless=True, control_symbols=["▁▁"])
    with pytest.raises(OptionError, match="U\\+2581"):
        train(["ab"] * 9, vocab_size=300, lossless=True, user_defined_symbols=["▁"])
    assert not train(["ab"] * 9, vocab_size=300, user_defined_symbols=["▁"], hard_vocab_limit=False).info.is_lossless
    tok = train(["ab"] * 9, vocab_size=300, lossless=True, hard_vocab_limit=False, user_defined_symbols=["▁▁"])
    text = "a  b \u2581\u2581"
    assert tok.pieces(text).count("▁▁") == 1 and tok.decode(tok.encode(text)) == text


@pytest.mark.parametrize("model_type", ["unigram", "bpe", "char", "word"])
def test_frequencies_do_not_overflow(tmp_path: Path, model_type: str) -> None:
    path = tmp_path / "counts.tsv"
    path.write_text("the\t9223372036854775807\ncat\t9223372036854775807\n", encoding="utf-8")
    with pytest.raises(TrainingError, match="2\\^56"):
        train(path, model_type=model_type, vocab_size=300, hard_vocab_limit=False, input_format="tsv")


def test_a_huge_vocab_size_takes_no_memory() -> None:
    tokenizer = train(["ab abc"] * 9, model_type="bpe", vocab_size=10**9, hard_vocab_limit=False)
    assert tokenizer.vocab_size < 300


@pytest.mark.thread_unsafe(reason="other threads open files")
@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="open files cannot be listed")
def test_files_are_closed_where_an_error_ends_reading(tmp_path: Path) -> None:
    """Also while the error, and with it the frames of the call, is held."""
    path = tmp_path / "a.txt"
    path.write_bytes(b"a b c\n" * 2_000_000)
    tokenizer = train(["a b c"], vocab_size=300, model_type="char", hard_vocab_limit=False)

    def stop(progress: Progress) -> None:
        if progress.done:
            raise KeyError(progress.phase)

    with pytest.raises(KeyError) as in_training:
        train(path, vocab_size=300, progress=stop)
    with pytest.raises(OptionError) as in_evaluation:
        spm_lite.evaluate(tokenizer, path, num_threads=0)
    assert in_training.tb is not None
    assert in_evaluation.tb is not None
    opened = [os.path.realpath(link) for link in Path("/proc/self/fd").iterdir()]
    assert str(path) not in opened


@pytest.mark.parametrize("learn", [spm_lite.train, lambda path, **options: spm_lite.sweep(path, [280, 290], **options)])
def test_notes_on_the_input_are_logged_once(learn, tmp_path, caplog):
    path = tmp_path / "page.txt"
    path.write_text("<html><body>\n" + "<p>the mill turns the wheel</p>\n" * 60 + "</body></html>\n", encoding="utf-8")
    options = {"vocab_size": 290} if learn is spm_lite.train else {}
    learn(path, hard_vocab_limit=False, **options)
    (message,) = [record.getMessage() for record in caplog.records]
    assert "looks like HTML" in message
