"""The sums over texts and tokens against naive ones, with any number of threads, and with tokens given from outside."""

import random

import numpy as np
import pytest
from oracle import audit_sums
from oracle.random_models import TYPES, random_text, random_tokenizer

import spm_lite
from spm_lite import Tokenizer
from spm_lite.evaluation.figures.audit_sources import TextSource
from spm_lite.evaluation.figures.measure import measure
from spm_lite.evaluation.figures.subjects import Coded, OwnSubject, Subject

TEXTS = [
    "The cat's  café 12 isn't  U+2581: \u2581x",
    "  東京タワーと cat 日本",
    "क्षेत्र में 5 बातें",
    "ไทย abc ไทยabc",
    "👩\u200d💻 e\u0301a \u0301b \u200dc d\u200d",
    "a\r",
    "a\r\nb\tc\x85d\u3000e\x1cf",
    "㍿ ½ ﬁx ℃",
    "𝔘𝔫𝔦 Ünï",
]


def subjects_of(names, shared_data):
    return [OwnSubject(name, Tokenizer.load(shared_data / "models" / f"{name}.model")) for name in names]


def check(subject, texts, measured):
    reading = measured.readings[subject.name]
    totals = audit_sums.token_totals(subject.own, texts)
    assert {name: reading.totals[name] for name in totals} == totals
    assert reading.lengths.tolist() == [len(subject.own.encode(text)) for text in texts]
    counts = np.bincount([i for t in texts for i in subject.own.encode(t) if i >= 0], minlength=subject.size)
    assert reading.counts[:-1].tolist() == counts.tolist()
    assert reading.spelled == sum(reading.spelled_lengths())


@pytest.mark.parametrize("name", ["t5_base", "llama2", "google_test_ja_model", "speechlm_char_en_de", "jamo_ko_50k"])
def test_against_naive_sums(name, shared_data):
    subjects = subjects_of([name], shared_data)
    measured = measure(TextSource("x", TEXTS), subjects, 1, 1000)
    for key, value in audit_sums.shape(TEXTS).items():
        assert measured.shape[key] == value, key
    assert measured.words == audit_sums.counted_words(TEXTS)
    check(subjects[0], TEXTS, measured)


@pytest.mark.parametrize("seed", range(40))
def test_random_models(seed):
    rng = random.Random(seed)
    tok = random_tokenizer(rng, TYPES[seed % 4])
    texts = [random_text(rng).decode("utf-8", "replace") for _ in range(20)]
    texts = [text for text in texts if text]
    subject = OwnSubject("x", tok)
    check(subject, texts, measure(TextSource("x", texts), [subject], 2, 0))


@pytest.mark.parametrize("model_type", ["byte_bpe", "wordpiece"])
def test_families(model_type):
    tok = spm_lite.train(TEXTS * 5, model_type=model_type, vocab_size=400, hard_vocab_limit=False)
    measured = measure(TextSource("x", TEXTS), [OwnSubject("x", tok)], 2, 0)
    totals = audit_sums.token_totals(tok, TEXTS)
    assert {name: measured.readings["x"].totals[name] for name in totals} == totals


class Given(Subject):
    """A tokenizer that gives its tokens block by block, as one from elsewhere does."""

    def __init__(self, name, own, has_places):
        super().__init__(name, len(own), own.unk_id)
        self.has_decoding = False
        self.given, self.has_places = own, has_places

    def space_ids(self):
        return OwnSubject("x", self.given).space_ids()

    def coded(self, texts):
        batch, places = self.given.spans_batch(texts, unit="char")
        return Coded(batch.ids, batch.offsets, places.reshape(-1) if self.has_places else None)


def test_given_tokens(shared_data):
    own = subjects_of(["google_test_ja_model"], shared_data)[0]
    texts = [text for text in TEXTS if "½" not in text and "e\u0301" not in text and "x\u2581" not in text]
    given = [Given("given", own.own, True), Given("bare", own.own, False)]
    measured = measure(TextSource("x", texts * 9), [own, *given], 2, 10, None)
    first = measured.readings[own.name]
    for subject in given:
        other = measured.readings[subject.name]
        assert (other.counts == first.counts).all()
        assert (other.lengths == first.lengths).all()
        assert other.ids.read(0, other.ids.n).tolist() == first.ids.read(0, first.ids.n).tolist()
    left_out = ("same", "unknown_bytes", "unknown_byte_sizes", "unknown_character_sizes", "touches")
    for name, value in first.totals.items():
        if name not in left_out:
            assert measured.readings["given"].totals[name] == value, name
    assert measured.readings["bare"].spelled is None


@pytest.mark.parametrize("num_threads", [2, 5])
def test_threads(num_threads, shared_data):
    subjects = subjects_of(["t5_base", "llama2"], shared_data)
    texts = TEXTS * 3000
    one = measure(TextSource("x", texts), subjects, 1, 20, 100_000)
    many = measure(TextSource("x", texts), subjects, num_threads, 20, 100_000)
    assert many.shape == one.shape
    assert many.digest == one.digest
    assert many.words == one.words
    assert many.n_kept == one.n_kept < len(texts)
    for name, reading in one.readings.items():
        other = many.readings[name]
        assert other.totals == reading.totals
        assert other.unknown_chars == reading.unknown_chars
        assert other.changed == reading.changed
        assert (other.losses == reading.losses).all()
        assert (other.lengths == reading.lengths).all()
        assert other.ids.read(0, other.ids.n).tolist() == reading.ids.read(0, reading.ids.n).tolist()


def test_empty_texts(shared_data):
    subjects = subjects_of(["t5_base"], shared_data)
    texts = ["", "a", "", "b"]
    assert measure(TextSource("x", texts), subjects, 1, 0).shape["texts"] == 2
    assert measure(TextSource("x", texts, keeps_empty=True), subjects, 1, 0).shape["texts"] == 4
    nothing = measure(TextSource("x", []), subjects, 1, 10)
    assert (nothing.shape["texts"], nothing.words, len(nothing.readings["t5_base"].lengths)) == (0, [], 0)


def test_words_are_spilled(shared_data, monkeypatch):
    monkeypatch.setattr("spm_lite.evaluation.figures.measure.WORD_BYTES", 1)
    subjects = subjects_of(["t5_base"], shared_data)
    measured = measure(TextSource("x", TEXTS * 9), subjects, 2, 1000)
    assert measured.words == audit_sums.counted_words(TEXTS * 9)


def test_ids_go_to_a_file(shared_data, monkeypatch):
    monkeypatch.setattr("spm_lite.evaluation.figures.id_store.IN_MEMORY", 100)
    subjects = subjects_of(["t5_base"], shared_data)
    measured = measure(TextSource("x", TEXTS * 9), subjects, 2, 0, None)
    store = measured.readings["t5_base"].ids
    assert store.file is not None
    ids = [i for text in TEXTS * 9 for i in subjects[0].own.encode(text)]
    assert store.read(0, store.n).tolist() == ids
    assert store.read(5, 9).tolist() == ids[5:9]
    store.close()
