"""Tokenizers from elsewhere: those of packages that are installed, functions, and ids made before."""

import numpy as np
import pytest

from spm_lite import ArgumentTypeError, FileError, ModelError, OptionError, Tokenizer, byte_tokenizer
from spm_lite.evaluation.figures.audit_sources import TextSource
from spm_lite.evaluation.figures.corpus_figures import corpus_figures
from spm_lite.evaluation.figures.foreign import as_subject, characters_at, subject_of_path
from spm_lite.evaluation.figures.measure import measure
from spm_lite.evaluation.figures.subjects import OwnSubject

TEXTS = ["the cat sat", "on the mat, 12", "über 10 €", "日本 cat"]


def figures_of(subject, texts=TEXTS):
    measured = measure(TextSource("x", texts), [subject], 1, 100)
    return corpus_figures(measured, measured.readings[subject.name], measured.words)


def letters(text):
    return [ord(char) for char in text]


class Letters:
    """A tokenizer of characters with all that one can have."""

    vocab_size, unk_id = 0x110000, 63

    def encode_batch(self, texts):
        return [letters(text) for text in texts]

    def spans_batch(self, texts):
        return [[(i, i + 1) for i in range(len(text))] for text in texts]

    def decode(self, ids):
        return "".join(map(chr, ids))

    def token_bytes(self, token_id):
        return chr(token_id).encode()


def test_function():
    figures = figures_of(as_subject(letters, "letters"))
    assert figures["tokens"] == sum(map(len, TEXTS))
    assert figures["vocabulary"]["size"] == ord("本") + 1  # the largest id seen
    assert (
        figures["letter_words"] is figures["token_bytes"] is figures["roundtrip"] is figures["text_by_script"] is None
    )
    assert figures["single_token_words"]["single"] == 0


@pytest.mark.slow
def test_object():
    subject = as_subject(Letters(), "letters")
    subject.surfaces = lambda: [chr(i) if i < 0xD800 else None for i in range(subject.size)]
    figures = figures_of(subject)
    assert figures["letter_words"]["tokens_per_word"] == 24 / 8
    assert figures["roundtrip"] == {"same": 4, "rate": 1.0}
    assert figures["token_bytes"]["1"] == sum(char.isascii() for text in TEXTS for char in text)
    assert figures["tokens_by_script"]["Latin"] == 24
    assert figures["unknown"]["tokens"] == 0


def test_bytes_tell_places():
    """A tokenizer whose tokens are bytes of the text has places, equal to those of our own."""
    own = byte_tokenizer()

    class Bytes:
        encode_batch = staticmethod(lambda texts: [list(text.encode()) for text in texts])
        vocab_size = 256
        token_bytes = staticmethod(lambda i: bytes([i]))

    ours, theirs = figures_of(OwnSubject("own", own)), figures_of(as_subject(Bytes(), "bytes"))
    for name in ("tokens", "letter_words", "byte_fallback", "unknown", "token_bytes", "tokens_by_script"):
        assert theirs[name] == ours[name], name
    assert theirs["letter_words"] == {
        "words": 8, "whole": 0, "split": 8, "lost": 0, "split_rate": 1.0, "tokens_per_word": 25 / 8
    }  # fmt: skip
    assert characters_at("日a") == [0, 0, 0, 1, 2]


def test_sentencepiece(shared_data):
    sentencepiece = pytest.importorskip("sentencepiece")
    path = shared_data / "models" / "t5_base.model"
    processor = sentencepiece.SentencePieceProcessor(model_file=str(path))
    subject = as_subject(processor, "t5")
    assert subject.own == Tokenizer.load(path)


def test_tokenizers(shared_data):
    tokenizers = pytest.importorskip("tokenizers")
    path = shared_data / "interop" / "llama2.tokenizer.json"
    for given in (path, str(path), tokenizers.Tokenizer.from_file(str(path))):
        subject = as_subject(given, "llama2")
        assert (subject.size, subject.unknown_id, subject.has_places) == (32000, 0, True)
    texts = [text for text in TEXTS if text.isascii()]
    theirs, ours = (
        figures_of(subject, texts),
        figures_of(OwnSubject("x", Tokenizer.load(shared_data / "models/llama2.model")), texts),
    )
    for name in ("tokens", "single_token_words", "vocabulary", "renyi", "unknown"):
        assert theirs[name] == ours[name], name


def test_byte_level_tokenizers():
    tokenizers = pytest.importorskip("tokenizers")
    byte_level = tokenizers.Tokenizer(tokenizers.models.BPE())
    byte_level.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    byte_level.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=280, initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet()
    )
    byte_level.train_from_iterator(TEXTS * 9, trainer)
    figures = figures_of(as_subject(byte_level, "x"))
    assert figures["roundtrip"]["rate"] == 1
    assert sum(figures["token_bytes"].values()) == figures["tokens"]


def test_tiktoken():
    tiktoken = pytest.importorskip("tiktoken")
    ranks = {bytes([i]): i for i in range(256)} | {b"th": 256, b"the": 257, b" t": 258}
    encoding = tiktoken.Encoding("x", pat_str=r"\S+|\s+", mergeable_ranks=ranks, special_tokens={"<end>": 259})
    figures = figures_of(as_subject(encoding, "x"), [*TEXTS, "<end>"])
    assert figures["vocabulary"]["size"] == 260
    assert figures["roundtrip"]["rate"] == 1  # special tokens in a text are text
    assert figures["letter_words"]["whole"] >= 2


def test_given_ids():
    rows = [[1, 2], [3], [4, 4, 4], [0]]
    for given in (rows, [np.array(row) for row in rows], {"x": rows}):
        subject = as_subject(given, "ids", 10)
        figures = figures_of_given(subject)
        assert (figures["tokens"], figures["vocabulary"]["size"]) == (7, 10)
        assert figures["single_token_words"] is None
    with pytest.raises(OptionError, match="fewer ids than 'x' has texts"):
        figures_of_given(as_subject(rows[:3], "ids"))
    with pytest.raises(OptionError, match="1 more rows of ids"):
        figures_of_given(as_subject([*rows, [1]], "ids"))
    with pytest.raises(OptionError, match="has no ids for the text 'x'"):
        figures_of_given(as_subject({"y": rows}, "ids"))
    with pytest.raises(OptionError, match="has the id 4, but its vocabulary has 4"):
        as_subject(rows, "ids", 4)


def figures_of_given(subject):
    subject.open("x", 1)
    figures = figures_of(subject)
    subject.close()
    return figures


def test_checks_on_arrival():
    with pytest.raises(OptionError, match="gives the ids \\[1\\] for an empty text"):
        as_subject(lambda text: [1, *letters(text)], "x")
    with pytest.raises(OptionError, match="gives no id for the text 'a'"):
        as_subject(lambda text: [], "x")

    class Short:
        encode_batch = staticmethod(lambda texts: [[1]])

    with pytest.raises(OptionError, match="gave the ids of 1 texts for 2"):
        as_subject(Short(), "x")
    with pytest.raises(OptionError, match="gave the id 97, but its vocabulary has 5"):
        as_subject(letters, "x", 5)
    for wrong in (5, None, object(), ["a", "b"]):
        with pytest.raises(ArgumentTypeError, match="tokenizer 'x' is"):
            as_subject(wrong, "x")


def test_paths(tmp_path):
    pytest.importorskip("tokenizers")
    path = tmp_path / "tokenizer.json"
    path.write_text("{}")
    with pytest.raises(ModelError, match=r"tokenizer\.json is JSON of another kind"):
        as_subject(path, "x")


@pytest.mark.parametrize("error", [ConnectionError("no\nnetwork"), ValueError("Hash mismatch")])
def test_an_encoding_that_tiktoken_cannot_load(error, monkeypatch):
    def fail(name):
        raise error

    monkeypatch.setattr(pytest.importorskip("tiktoken"), "get_encoding", fail)
    with pytest.raises(
        FileError, match=r"tiktoken cannot load 'gpt2', .* TIKTOKEN_CACHE_DIR .*\((no network|Hash mism)"
    ):
        subject_of_path("tiktoken:gpt2", "gpt2", None)
    with pytest.raises(OptionError, match="tiktoken:gpt9 is not an encoding"):
        subject_of_path("tiktoken:gpt9", "gpt9", None)
