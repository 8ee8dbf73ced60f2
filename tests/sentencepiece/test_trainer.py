"""SentencePieceTrainer, call for call beside the original: the same models, files and kinds of errors."""

import inspect
import io
import logging
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from oracle.slow import slow_after

pytest.importorskip("sentencepiece")

import sentencepiece
from oracle.outcomes import outcome
from oracle.random_trainings import random_training, random_unigram_training
from oracle.trained_twins import LINES, assert_same_training, comparable, train_with

import spm_lite
from spm_lite.sentencepiece import settings
from spm_lite.sentencepiece.trainer import SentencePieceTrainer
from spm_lite.vocab.messages import message_class
from spm_lite.vocab.vocab_file import BREAKS

Theirs = sentencepiece.SentencePieceTrainer
ALL = {"hard_vocab_limit": False, "vocab_size": 60}


@pytest.fixture(autouse=True)
def as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A folder with a corpus and a table of rules; log levels as they were."""
    monkeypatch.chdir(tmp_path)
    Path("c.txt").write_text("\n".join(LINES) + "\n")
    Path("d.tsv").write_text("41\t61\n")
    monkeypatch.setattr(settings, "_min_log_level", settings.min_log_level())
    level = settings.logger().level
    yield
    settings.logger().setLevel(level)
    sentencepiece.SetMinLogLevel(0)


def test_names() -> None:
    assert SentencePieceTrainer.Train is SentencePieceTrainer.train
    for name in ("train", "Train"):
        ours, theirs = (inspect.signature(getattr(kind, name)) for kind in (SentencePieceTrainer, Theirs))
        assert [(parameter.name, parameter.kind, parameter.default) for parameter in ours.parameters.values()] == [
            (parameter.name, parameter.kind, parameter.default) for parameter in theirs.parameters.values()
        ]


OPTION_VALUES: dict[str, list[Any]] = {
    "vocab_size": ["40", 40.0, "4 0", "", None, "0x28", True, " 40", "+40", "-3", 0, 2**31, [40], b"40", 10**30, 8000],
    "character_coverage": ["1", 1, "abc", "", 0.97, 1.01, 0.98, "inf", "nan", None, "1.0f", " 1.0", "0x1p0", [1.0]],
    "byte_fallback": ["true", "T", "yes", "1", "on", "", " true", "false", "F", "no", "0", None, 2, [], ["true"], 0],
    "hard_vocab_limit": ["False", "FALSE", "No"],
    "model_type": ["CHAR", "chars", "", None, 4, ["char"], "char "],
    "control_symbols": ["a,b", '"a,b",c', '"a""b",c', "a,,b", "a,", "", ",a", ["a", "b"], ["a,b", 'c"d'], ("a", "b")],
    "user_defined_symbols": [None, [], ["a", None], [1], 'a"b', '"ab"x,c', 5, ["a\nb"], [""], '"ab', " a , b ", "a,a"],
    "unk_id": [-1, 2, 40, 39, "x", 1],
    "bos_id": [-1, -2, 2, 3, 0, 1],
    "pad_id": [3, 100],
    "unk_piece": ["", "<s>", "a", None],
    "bos_piece": ["", "</s>"],
    "required_chars": ["xyz", "\u2585", ""],
    "input_sentence_size": [50, 100, 101, -1, 0, 2**63, 2**64],
    "num_threads": [0, 1, 1024, 1025, -1],
    "max_sentence_length": [9, 10, 2**30, 2**30 + 1],
    "max_sentencepiece_length": [0, 1, 512, 513],
    "seed_sentencepiece_size": [0, -1, 1],
    "shrinking_factor": [0.4, 0.5, 0.95, 0.96],
    "num_sub_iterations": [0, 1, 10, 11],
    "input_format": ["text", "tsv", "csv", ""],
    "use_all_vocab": [True],
    "auto_character_coverage": [True],
    "escape_whitespaces": [False, True],
    "normalization_rule_name": ["nfkc", "identity", "", "Bad", "nope", None],
    "name": ["nfkc", ""],
    "normalization_rule_tsv": ["nope.tsv", "d.tsv", ""],
    "denormalization_rule_tsv": ["nope.tsv", "d.tsv", "", None],
    "precompiled_charsmap": [b"abc", "abc", ""],
    "self_test_sample_size": [-1, 5, "x"],
    "accept_language": ["en,ja", ["en"]],
    "mining_sentence_size": [5],
    "training_sentence_size": [5],
    "train_extremely_large_corpus": [True, "x"],
    "enable_differential_privacy": [True],
    "differential_privacy_noise_level": [1.0],
    "differential_privacy_clipping_threshold": [-3],
    "seed_sentencepieces_file": ["nope.tsv", ""],
    "pretokenization_delimiter": ["|", ""],
    "vocabulary_output_piece_score": [False],
    "add_dummy_prefix": [False, "x", None],
    "remove_extra_whitespaces": [False],
    "treat_whitespace_as_suffix": ["true"],
    "split_digits": [True],
    "unk_surface": ["", " a b "],
    "minloglevel": ["x", 3, "", None, 2.0, [3], 2**31, 10**50],
    "model_prefix": ["x/y"],
    "foo": [1],
    "pieces": [1],
    "Vocab_Size": [40],
    "vocab_size ": [40],
    "normalizer_spec": [b""],
    "random_seed": [1],
    "lossless": [True],
}
OPTIONS = [(name, value) for name, values in OPTION_VALUES.items() for value in values]


@pytest.mark.parametrize(("name", "value"), OPTIONS, ids=lambda option: str(option)[:25])
def test_options(name: str, value: Any) -> None:
    assert_same_training({name: value})


@pytest.mark.parametrize("model_type", ["bpe", "word", "unigram"])
@pytest.mark.parametrize(
    "options",
    [
        {"vocab_size": 40},
        {"hard_vocab_limit": False},
        {"unk_id": 12, "hard_vocab_limit": False},
        {"auto_character_coverage": True},
        {"use_all_vocab": True},
        {"pretokenization_delimiter": "a", "hard_vocab_limit": False},
        {"user_defined_symbols": ["the", "x"], "hard_vocab_limit": False},
        {"treat_whitespace_as_suffix": True, "hard_vocab_limit": False},
        {"byte_fallback": True, "vocab_size": 300, "hard_vocab_limit": False},
        {"escape_whitespaces": False},
        {"num_threads": 3, "hard_vocab_limit": False},
    ],
    ids=str,
)
def test_model_types(model_type: str, options: dict[str, Any]) -> None:
    assert_same_training({"model_type": model_type, **options})


def test_defaults() -> None:
    """What was not given is not recorded."""
    assert_same_training({"model_type": "unigram", "sentence_iterator": lambda: iter(LINES), "vocab_size": 22})
    for trainer in (SentencePieceTrainer, Theirs):
        spec = message_class("ModelProto").FromString(train_with(trainer, {"vocab_size": 7})[1]).trainer_spec
        assert [field.name for field, _ in spec.ListFields()] == ["model_type", "vocab_size"]


@pytest.mark.parametrize("model_type", ["char", "word", "bpe"])
def test_same_bytes(model_type: str) -> None:
    """Down to the order of fields."""
    options = {"model_type": model_type, "vocab_size": 12 if model_type == "word" else 21}
    options["normalization_rule_name"] = "identity"
    assert train_with(SentencePieceTrainer, options)[1] == train_with(Theirs, options)[1]


CORPUS_OPTIONS: list[dict[str, Any]] = [
    {"vocab_size": 2000},
    {
        "vocab_size": 3000,
        "byte_fallback": True,
        "normalization_rule_name": "identity",
        "remove_extra_whitespaces": False,
        "user_defined_symbols": ["<sep>", "the"],
        "num_threads": 4,
    },
    {
        "vocab_size": 2500,
        "treat_whitespace_as_suffix": True,
        "split_by_whitespace": False,
        "max_sentence_length": 100,
        "hard_vocab_limit": False,
        "pad_id": 3,
        "required_chars": "\u2603z",
    },
]


@pytest.mark.parametrize("name", slow_after(1, ["en-botchan.txt", "ja-commonvoice.txt", "ar-commonvoice.txt"]))
@pytest.mark.parametrize("model_type", slow_after(2, ["unigram", "bpe", "word", "char"]))
def test_corpora(shared_data: Path, name: str, model_type: str) -> None:
    lines = (shared_data / "corpora" / name).read_bytes().split(b"\n")[:1500]
    Path("part.txt").write_bytes(b"\n".join(lines))
    for options in CORPUS_OPTIONS:
        assert_same_training({"input": "part.txt", "model_type": model_type, **options})


@pytest.mark.slow
@pytest.mark.parametrize("start", slow_after(2, range(0, 600, 50)))
def test_random_options(start: int) -> None:
    for seed in range(start, start + 50):
        assert_same_training(random_training(seed))


@pytest.mark.slow
@pytest.mark.parametrize("start", slow_after(1, range(0, 400, 50)))
def test_random_options_of_unigram(start: int) -> None:
    for seed in range(start, start + 50):
        assert_same_training(random_unigram_training(seed))


@pytest.mark.slow
@pytest.mark.parametrize("n_threads", slow_after(2, [1, 2, 3, 16, 100]))
@pytest.mark.parametrize("split", [True, False])
def test_sums_depend_on_num_threads(shared_data: Path, n_threads: int, split: bool) -> None:
    lines = (shared_data / "corpora/en-tweets.txt").read_bytes().split(b"\n")[:1000]
    options = {"sentence_iterator": lambda: iter(lines), "vocab_size": 700, "split_by_whitespace": split}
    assert_same_training({"model_type": "unigram", "num_threads": n_threads, **options})


@pytest.mark.slow
def test_weighted_lines(shared_data: Path) -> None:
    """Seeds and sums follow the frequencies."""
    lines = (shared_data / "corpora/ko-commonvoice.txt").read_text(encoding="utf-8").split("\n")[:300]
    rows = [f"{line}\t{i * 7919 % 13 + 1}" for i, line in enumerate(lines) if line]
    rows += ["\u3000\t3", "a\t1000000", "ab ab\t77"]
    for options in ({}, {"split_by_whitespace": False}, {"model_type": "bpe"}):
        given = {"input_format": "tsv", "sentence_iterator": lambda: iter(rows), "vocab_size": 900}
        assert_same_training({"model_type": "unigram", "hard_vocab_limit": False, **given, **options})


def test_blank_lines_change_the_order() -> None:
    """The last line takes the place of one without text."""
    lines = ["ab cd", "\u3000", "abc abd", "", "  ", "cd ab abd", "da cab", "\u3000 ", "bad cab dab"] * 3 + ["  "]
    for n_threads in (1, 2, 5):
        given = {"sentence_iterator": lambda: iter(lines), "num_threads": n_threads, "split_by_whitespace": False}
        assert_same_training({"model_type": "unigram", **ALL, **given})
        assert_same_training({"model_type": "unigram", **ALL, **given, "pretokenizer": lambda text: text.split("b")})
        given |= {"pretokenizer": lambda text: [text] if "c" in text else [], **ALL}
        assert_same_training({"model_type": "unigram", "allow_inconsistent_pretokenization": True, **given})


@pytest.mark.parametrize("model_type", ["word", "char"])
@pytest.mark.parametrize("lines", [["ab cd"], ["a", "b"]], ids=str)
@pytest.mark.parametrize(
    "options",
    [
        {"vocab_size": 57, "pad_id": 7},
        {"vocab_size": 57, "pad_id": 5},
        {"vocab_size": 57, "pad_id": 20, "hard_vocab_limit": False},
        {"vocab_size": 7, "pad_id": 7},
        {"vocab_size": 2},
        {"vocab_size": 3},
        {"vocab_size": 4, "control_symbols": "a,b,c"},
    ],
    ids=str,
)
def test_use_all_vocab(model_type: str, lines: list[str], options: dict[str, Any]) -> None:
    given = {"model_type": model_type, "use_all_vocab": True, "sentence_iterator": lambda: iter(lines)}
    assert_same_training({**given, **options})


NORMALIZERS: list[Any] = [
    lambda kind: kind(norm_map=[("a", "b")], add_dummy_prefix=False),
    lambda kind: kind(rule_name="nfkc_cf", escape_whitespaces=True),
    lambda kind: kind(rule_name="identity", remove_extra_whitespaces=False),
    lambda kind: kind(rule_tsv="d.tsv"),
    lambda kind: kind(rule_name="nfkc", escape_whitespaces=False),
    lambda kind: kind(normalizer_spec=message_class("NormalizerSpec")(normalization_rule_tsv="d.tsv")),
    lambda kind: kind(normalizer_spec=message_class("NormalizerSpec")(name="nfkc")),
    lambda kind: kind(normalizer_spec=message_class("NormalizerSpec")(name="zz")),
    5,
    "nfkc",
    None,
    0,
]


@pytest.mark.parametrize(
    "normalizer", NORMALIZERS, ids=lambda normalizer: "" if callable(normalizer) else str(normalizer)
)
def test_normalizer(normalizer: Any) -> None:
    assert_same_training({"normalizer": normalizer, "model_type": "bpe", **ALL})
    assert_same_training({"normalizer": normalizer, "add_dummy_prefix": False})
    assert_same_training({"normalizer": normalizer, "denormalization_rule_tsv": "d.tsv"})


@pytest.mark.parametrize(
    "options",
    [
        {"normalization_rule_tsv": "d.tsv", "normalization_rule_name": "nfkc"},
        {"normalization_rule_tsv": "d.tsv", "precompiled_charsmap": "abc"},
        {"denormalization_rule_tsv": "d.tsv", "normalization_rule_tsv": "d.tsv"},
        *(
            {"normalizer": NORMALIZERS[0], name: value}
            for name, value in {
                "normalization_rule_name": "nfkc",
                "normalization_rule_tsv": "d.tsv",
                "name": "x",
                "precompiled_charsmap": "",
                "remove_extra_whitespaces": True,
            }.items()
        ),
    ],
    ids=" ".join,
)
def test_rules(options: dict[str, Any]) -> None:
    assert_same_training(options)


FUNCTIONS: dict[str, Any] = {
    "characters": list,
    "words": lambda text: text.replace("\u2581", "|\u2581").split("|"),
    "halves": lambda text: (text[: len(text) // 2], text[len(text) // 2 :]),
    "str": lambda text: text,
    "bytes": lambda text: [text.encode()],
    "other": lambda text: ["x"],
    "nothing": lambda text: [],
    "none": lambda text: None,
    "number": lambda text: [text, 5],
    "iterator": lambda text: iter([text]),
    "error": lambda text: text[9999],
    "no function": 5,
    "no pretokenizer": None,
}
ODD_LINES = ["<0x41> a  b\r\n", "", "   ", "x\u2585y", "q<s>\x1f r\0 b ab ab"]


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"allow_inconsistent_pretokenization": True},
        {"user_defined_symbols": ["the", "12"], "split_by_whitespace": False, "treat_whitespace_as_suffix": True},
        {"byte_fallback": True, "vocab_size": 310, "sentence_iterator": lambda: iter(ODD_LINES)},
        {"normalization_rule_name": "identity", "sentence_iterator": lambda: iter(ODD_LINES)},
        {"input_format": "tsv", "sentence_iterator": lambda: iter(["ab cd\t3", "ef\t2"])},
        {"model_type": "unigram"},
        {"model_type": "char"},
        {"max_sentence_length": 17},
        {"pretokenization_delimiter": "|"},
    ],
    ids=lambda options: "-".join(options),
)
def test_pretokenizer(name: str, options: dict[str, Any]) -> None:
    assert_same_training({"model_type": "bpe", **ALL, "pretokenizer": FUNCTIONS[name], **options})


def failing() -> Iterator[str]:
    yield "a b c"
    raise KeyError("x")


ITERATORS: list[Any] = [LINES, tuple(LINES), "abc", None, [], 5, failing] + [
    lambda items=items: iter(items)
    for items in (
        [None],
        [1],
        ["\ud800"],
        [b"\xff a"],
        [bytearray(b"a")],
        [],
        ["  "],
        [""],
        ["ab\nzc\r\n\n", "\r", "x\u2585"],
        ["a\tb"],
    )
]


@pytest.mark.parametrize("iterator", ITERATORS, ids=lambda iterator: repr(iterator)[:20])
@pytest.mark.parametrize("name", ["sentence_iterator", "sentence_reader"])
def test_iterators(iterator: Any, name: str) -> None:
    ends = []
    for trainer in (SentencePieceTrainer, Theirs):
        model = io.BytesIO()
        given = iterator() if callable(iterator) else iterator
        options = {name: given, "model_writer": model, "model_type": "char", "minloglevel": 3}
        ends.append(
            outcome(lambda trainer=trainer, options=options: trainer.train(**options)) or comparable(model.getvalue())
        )
    if isinstance(ends[1], Exception):
        assert isinstance(ends[0], (ValueError, TypeError, RuntimeError))
        assert any(
            isinstance(ends[0], kind) and isinstance(ends[1], kind) for kind in (ValueError, TypeError, RuntimeError)
        )
    else:
        assert ends[0] == ends[1]


def test_error_of_an_iterator() -> None:
    with pytest.raises(RuntimeError, match="INTERNAL: KeyError: 'x'") as error:
        train_with(SentencePieceTrainer, {"sentence_iterator": failing})
    assert isinstance(error.value.__cause__, KeyError)


def test_error_of_a_pretokenizer() -> None:
    with pytest.raises(RuntimeError, match="Pretokenizer failed: KeyError: 'x'") as error:
        train_with(SentencePieceTrainer, {"model_type": "bpe", "pretokenizer": lambda text: {}["x"]})
    assert isinstance(error.value.__cause__, KeyError)


def interrupted() -> Iterator[str]:
    yield "a b c"
    raise KeyboardInterrupt


def test_interrupt_within_an_iterator() -> None:
    with pytest.raises(KeyboardInterrupt):
        train_with(SentencePieceTrainer, {"sentence_iterator": interrupted})


def test_open_files() -> None:
    for mode in ("r", "rb"):
        with Path("c.txt").open(mode) as ours, Path("c.txt").open(mode) as theirs:
            models = [
                comparable(train_with(trainer, {"sentence_iterator": file})[1])
                for trainer, file in ((SentencePieceTrainer, ours), (Theirs, theirs))
            ]
        assert models[0] == models[1]


@pytest.mark.parametrize("model_type", ["bpe", "word", "char"])
@pytest.mark.parametrize(
    "lines",
    [
        ["ab\t3", "cd\t2"],
        ["ab"],
        ["ab\t3\t"],
        ["ab\t0"],
        ["ab\t-1"],
        ["ab\tx"],
        [""],
        ["ab\t 4 "],
        ["ab\t+4"],
        ["ab\t4.0"],
        ["\t4"],
        ["ab\t4", "x\t2"],
        ["ab\t99999999999999999999"],
        ["ab\t1_0"],
        ["ab\t4\n"],
    ],
    ids=repr,
)
def test_tsv(model_type: str, lines: list[str]) -> None:
    options = {"input_format": "tsv", "sentence_iterator": lambda: iter(lines), "model_type": model_type}
    assert_same_training({**ALL, **options})


INPUTS: list[Any] = ["c.txt", ["c.txt"], "c.txt,c.txt", '"c.txt"', "nope", "*.txt", "/tmp", "", "c.txt,", [], None]


@pytest.mark.slow
@pytest.mark.parametrize("source", [*INPUTS, Path("c.txt"), ["c.txt", "nope"], "/dev/null"], ids=repr)
def test_input(source: Any) -> None:
    assert_same_training({"input": source})


@pytest.mark.parametrize(
    "options",
    [
        {"sentence_iterator": None},
        {"input": "c.txt", "sentence_iterator": lambda: iter(LINES)},
        {"model_prefix": "x", "model_writer": io.BytesIO()},
        {"model_prefix": "", "model_writer": None},
        {"model_writer": None},
        {"model_writer": 5},
        {"model_prefix": "no/such/folder/x"},
        {"logstream": 5},
    ],
    ids=" ".join,
)
def test_ways_in_and_out(options: dict[str, Any]) -> None:
    assert_same_training(options)


class FullDisk:
    def write(self, data: bytes) -> None:
        raise OSError("disk full")


def test_error_of_a_writer() -> None:
    with pytest.raises(TypeError, match="string argument expected"):
        train_with(SentencePieceTrainer, {"model_writer": io.StringIO()})
    with pytest.raises(OSError, match="disk full"):
        train_with(SentencePieceTrainer, {"model_writer": FullDisk()})


FLAGS = [
    "--input=c.txt --model_prefix=m --vocab_size=30 --model_type=bpe",
    "input=c.txt model_prefix=m vocab_size=330 model_type=bpe byte_fallback hard_vocab_limit=0",
    "--input=c.txt  --model_prefix=m",
    "--input=c.txt --model_prefix=m ",
    " --input=c.txt",
    "",
    "--input",
    "-input=c.txt",
    "--",
    "--input=c.txt --model_prefix=m --foo=3",
    "--input=c.txt --model_prefix=m --vocab_size=30 --input=d.txt --model_type=char",
    "--input=c.txt --model_prefix=m --model_type=char --vocab_size=9 --vocab_size=x",
    "--input=c.txt --model_prefix=a=b --model_type=char",
    "--input=c.txt\t--model_prefix=m",
    '--input="c.txt" --model_prefix=m --model_type=char --control_symbols="a,b",c',
    "--input=c.txt --model_prefix=m --model_type=char --name=nfkc --normalization_rule_name=nfkc_cf",
    "--input=c.txt --model_prefix=m --model_type=char --vocabulary_output_piece_score=false",
    "--input=c.txt --model_prefix=m --model_type=word --vocab_size=12",
    "--input=c.txt --model_prefix=sub/m --model_type=char",
    "--input=c.txt --model_prefix=nope/m --model_type=char",
    "--input=c.txt --model_prefix=m --model_type=char --sentence_iterator=5",
    "--input=c.txt --model_prefix=m --model_type=char --denormalization_rule_tsv=d.tsv --unk_surface= --unk_piece=U",
    "--input=c.txt --model_prefix=日本 --model_type=char --control_symbols=日",
    "--input=c.txt --model_prefix=m --model_type=char --minloglevel=x",
    "--input=c.txt --model_prefix=m --model_type=char --required_chars=xyz --character_coverage=0.98",
]


@pytest.mark.parametrize("flags", FLAGS)
def test_flags_and_files(flags: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of the same names, with the same content."""
    sentencepiece.SetMinLogLevel(3)
    ends, files = [], []
    for trainer in (SentencePieceTrainer, Theirs):
        folder = tmp_path / trainer.__module__
        (folder / "sub").mkdir(parents=True)
        for name in ("c.txt", "d.tsv"):
            shutil.copy(tmp_path / name, folder)
        monkeypatch.chdir(folder)
        ends.append(outcome(lambda trainer=trainer: trainer.train(flags)))
        files.append(
            {
                str(path.relative_to(folder)): comparable(path.read_bytes())
                if path.suffix == ".model"
                else path.read_bytes()
                for path in sorted(folder.rglob("*.*"))
            }
        )
    assert files[0] == files[1]
    if isinstance(ends[1], Exception):
        assert isinstance(ends[0], ValueError if isinstance(ends[1], ValueError) else RuntimeError)
    else:
        assert ends == [True, True]


def test_keywords_beside_flags_count_for_nothing() -> None:
    flags = "--input=c.txt --model_prefix=m --model_type=char"
    assert SentencePieceTrainer.train(flags, vocab_size="x", foo=3) is True
    assert SentencePieceTrainer.train(arg=flags) is True


@pytest.mark.parametrize("argument", [b"--input=c.txt", 5, {"input": "c.txt"}])
def test_other_arguments_count_for_nothing(argument: Any) -> None:
    with pytest.raises(RuntimeError, match="must be exclusive"):
        SentencePieceTrainer.train(argument)
    SentencePieceTrainer.train(argument, input="c.txt", model_prefix="m", model_type="char")
    assert Path("m.vocab").read_text(encoding="utf-8").startswith("<unk>\t0\n<s>\t0\n</s>\t0\n")


def test_the_model_can_be_used() -> None:
    SentencePieceTrainer.train(input="c.txt", model_prefix=Path("m"), vocab_size=30, model_type="bpe")
    theirs = sentencepiece.SentencePieceProcessor(model_file="m.model")
    assert spm_lite.Tokenizer.load("m.model").encode("the cat") == theirs.encode("the cat")


def test_log_stream() -> None:
    """It gets text or bytes, as it wants, from the level on; it is flushed and stays open."""
    kinds = {"StringIO": io.StringIO, "BytesIO": io.BytesIO}
    for kind in (*kinds, "w+", "w+b"):
        with kinds[kind]() if kind in kinds else Path("log.txt").open(kind) as stream:
            train_with(SentencePieceTrainer, {"minloglevel": 0, "logstream": stream, "accept_language": "en"})
            stream.seek(0)
            text = stream.read()
        text = text.decode() if isinstance(text, bytes) else text
        assert re.search(r"^I\d{4} .* spm_lite\] Starts training with : \ntrainer_spec {\n", text, re.MULTILINE)
        assert re.search(r"^W\d{4} .* spm_lite\] --accept_language is deprecated and ignored\.$", text, re.MULTILINE)
    quiet = io.StringIO()
    train_with(SentencePieceTrainer, {"minloglevel": 2, "logstream": quiet, "accept_language": "en"})
    assert quiet.getvalue() == ""
    with pytest.raises(ValueError, match="closed file"):
        train_with(SentencePieceTrainer, {"logstream": stream})


def test_log_of_a_failure() -> None:
    stream = io.StringIO()
    with pytest.raises(ValueError, match="cannot parse"):
        train_with(SentencePieceTrainer, {"logstream": stream, "vocab_size": "x"})
    assert not stream.closed


def test_logger(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "spm_lite"):
        train_with(SentencePieceTrainer, {"minloglevel": 0})
        assert "Alphabet size=" in caplog.text
        caplog.clear()
        train_with(SentencePieceTrainer, {"minloglevel": 3})
        assert caplog.text == ""
    assert settings.min_log_level() == 3  # after the call, too


SEED_LINES = [
    "the\t50\nhe\t70\n\u2581the\t30\nllo\t3\n\u2581hell\t4\nabc\t5\textra\nbc\t9\n",
    "the\t50\nthe\t60\nt\t9\nt e\t3\ne1\t4\nth\u2585\t3\nzzz\t8\nabcabcabcabcabcabc\t7\nab\t1",
    "the\t50\n\nab\t3\n",
    "the\n",
    "the\tx\n",
    "the\t0\n",
    "the\t-5\n",
    "the\t5.5\n",
    "the\t 5\n",
    "the\t+5\n",
    "the\t5 \n",
    "the\t\n",
    "the\t99999999999999999999\n",
    "the\t9223372036854775807\n",
    "\t5\nab\t5\n",
    "the\t5\r\nab\t5\r\n",
    "",
]


@pytest.mark.parametrize("text", SEED_LINES, ids=lambda text: repr(text)[:20])
@pytest.mark.parametrize("size", [1_000_000, 24, 1], ids=str)
def test_seed_file(text: str, size: int) -> None:
    Path("s.tsv").write_text(text)
    options = {"model_type": "unigram", "seed_sentencepieces_file": "s.tsv", "seed_sentencepiece_size": size}
    assert_same_training({**ALL, **options})


def test_seed_file_that_is_none() -> None:
    Path("folder").mkdir()
    Path("s.tsv").write_bytes(b"\xff\xfeab\t5\nab\t6\na\xe3\x81\t7\n")
    for name in ("nope.tsv", "folder", "s.tsv"):
        assert_same_training({"model_type": "unigram", "seed_sentencepieces_file": name, **ALL})


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"vocab_size": 5000, "model_type": "bpe"}, "Vocabulary size too high (5000). Please set it to a value <= "),
        ({"vocab_size": 9, "model_type": "bpe"}, "Vocabulary size is smaller than required_chars. 9 vs 21."),
        ({"unk_id": -1}, "<unk> must be defined."),
        ({"user_defined_symbols": "a,a"}, "a is already defined. duplicated symbols are not allowed."),
        ({"control_symbols": "<unk>"}, "<unk> must not be defined with --control_symbols and --user_defined_symbols."),
        ({"normalization_rule_name": "zz"}, "No precompiled charsmap is found: zz"),
        ({"foo": 1}, 'unknown field name "foo" in TrainerSpec.'),
        ({"use_all_vocab": True, "model_type": "bpe"}, "--use_all_vocab=true is valid for WORD/CHAR model."),
        ({"auto_character_coverage": True, "model_type": "bpe"}, "requires --byte_fallback=true."),
        ({"vocab_size": "x"}, 'cannot parse "x" as int.'),
        ({"byte_fallback": "x"}, 'cannot parse "x" as bool.'),
        ({"model_type": "x"}, 'unknown enumeration value of "x" as '),
        ({"input": "nope"}, 'NOT_FOUND: "nope": No such file or directory'),
    ],
    ids=str,
)
def test_words_of_errors(options: dict[str, Any], words: str) -> None:
    """What people search for stands in our messages as well."""
    for trainer in (SentencePieceTrainer, Theirs):
        error = outcome(lambda trainer=trainer: train_with(trainer, options))
        assert words in str(error)


def test_a_byte_order_mark_is_no_seed() -> None:
    models = []
    for data in (b"the\t50\nhe\t70\n", b"\xef\xbb\xbfthe\t50\r\nhe\t70"):
        Path("s.tsv").write_bytes(data)
        SentencePieceTrainer.train(
            **ALL, model_type="unigram", seed_sentencepieces_file="s.tsv", input="c.txt", model_prefix="m"
        )
        models.append(spm_lite.Tokenizer.load("m.model"))
    first, second = ([(tok.id_to_piece(i), tok.score(i)) for i in range(len(tok))] for tok in models)
    assert first == second


@pytest.mark.parametrize("symbols", [["\n"], ["\t", "a\n\nb"], ["\u2028", "\r"], ["\x85", '"', "\\x0a"]], ids=repr)
@pytest.mark.parametrize("scores", [True, False])
def test_vocab_with_line_ends(symbols: list[str], scores: bool, caplog: pytest.LogCaptureFixture) -> None:
    """The bytes are sentencepiece's, and a note says that lines are not pieces."""
    options = {
        "input": "c.txt", "vocab_size": 40, "model_type": "bpe", "hard_vocab_limit": False,
        "user_defined_symbols": symbols, "vocabulary_output_piece_score": scores, "minloglevel": 1,
    }  # fmt: skip
    with caplog.at_level(logging.WARNING, "spm_lite"):
        SentencePieceTrainer.train(**options, model_prefix="m")
    Theirs.train(**options, model_prefix="theirs")
    assert Path("m.vocab").read_bytes() == Path("theirs.vocab").read_bytes()
    n_breaking = sum(bool(BREAKS.search(text)) for text in symbols)
    first = next(i for i, text in enumerate(symbols, 3) if BREAKS.search(text))
    assert "m.vocab: its lines do not match the pieces" in caplog.text and f"hold one: {n_breaking}." in caplog.text
    assert f"The first is piece {first}," in caplog.text and "'spm-lite vocab m.model'" in caplog.text


def test_no_note_where_lines_are_pieces(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "spm_lite"):
        SentencePieceTrainer.train(
            input="c.txt", vocab_size=40, model_type="bpe", hard_vocab_limit=False, user_defined_symbols=['"', "\\x41"],
            model_prefix="m", minloglevel=1,
        )  # fmt: skip
    assert "do not match" not in caplog.text


def test_odd_values_and_formats_are_warned_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The result is sentencepiece's; the log says that it is hardly meant."""
    caplog.set_level(logging.WARNING, logger="spm_lite")
    path = tmp_path / "a.jsonl"
    path.write_text("".join(f'{{"text": "the mill {i}"}}\n' for i in range(20)), encoding="utf-8")
    writer = io.BytesIO()
    spm_lite.SentencePieceTrainer.train(
        input=str(path), model_writer=writer, vocab_size=60, hard_vocab_limit=False, user_defined_symbols=("<a>", "<b>")
    )
    sp = spm_lite.SentencePieceProcessor(model_proto=writer.getvalue())
    assert [sp.id_to_piece(3), sp.id_to_piece(4)] == ["('<a>'", " '<b>')"]
    assert "user_defined_symbols is tuple, whose Python text" in caplog.text
    assert "a.jsonl' looks like JSON lines" in caplog.text
