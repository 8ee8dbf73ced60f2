"""Forms of Unicode, compared with Python's own and, those of an older Unicode, with tokenizers."""

import copy
import pickle
import random
import unicodedata

import pytest

import spm_lite
from spm_lite.errors import ModelError, OptionError
from spm_lite.normalize.normalizer import Normalizer
from spm_lite.normalize.rules.charsmap import Charsmap
from spm_lite.normalize.rules.unicode_form import FORMS, OLDER, is_form, unicode_form
from spm_lite.specs import AddedToken, NormalizerSpec, TrainerSpec
from spm_lite.vocab.messages import extension_of, serialize
from spm_lite.vocab.model_file import read_model
from spm_lite.vocab.model_writer import write_model

KNOWN = [chr(point) for point in range(0x110000) if unicodedata.category(chr(point)) not in ("Cn", "Cs", "Co")]
MARKS = [char for char in KNOWN if unicodedata.combining(char)]
WHOLE = [char for char in KNOWN if unicodedata.decomposition(char)]
PARTS = sorted({part for char in WHOLE for part in unicodedata.normalize("NFKD", char)})
JAMO = [*map(chr, range(0x1100, 0x1200)), *map(chr, range(0xAC00, 0xAC60))]
SOME = "ae\u0301\u0323\u0302 \u3000ﬁx한\u1100\u1161\u05b8\u05c1\u2581\0"
PLAIN = [*"aeiou AE.x\0\n\u2581"]


def random_text(rng):
    pools = (MARKS, WHOLE, PARTS, KNOWN, JAMO, PLAIN)
    return "".join(rng.choice(rng.choice(pools)) for _ in range(rng.choice([2, 3, 4, 6, 10, 60])))


@pytest.mark.parametrize("name", FORMS)
def test_every_character(name):
    form = unicode_form(name)
    wrong = [char for char in KNOWN if form.normalize(char.encode()).decode() != unicodedata.normalize(name, char)]
    assert wrong == []


@pytest.mark.parametrize("name", FORMS)
def test_random_texts(name):
    form, rng = unicode_form(name), random.Random(name)
    for _ in range(4000):
        text = random_text(rng)
        found = form.normalize(text.encode()).decode()
        assert found == unicodedata.normalize(name, text), ascii(text)
        assert form.normalize(found.encode()).decode() == found


@pytest.mark.parametrize("name", FORMS)
def test_the_older_tables_are_those_of_tokenizers(name):
    normalizers = pytest.importorskip("tokenizers").normalizers
    there, form, rng = getattr(normalizers, name)(), unicode_form(name + OLDER), random.Random(name)
    for text in [*KNOWN, *(f"a\u0301{mark}\u0323" for mark in MARKS), *(random_text(rng) for _ in range(2000))]:
        assert form.normalize(text.encode()).decode() == there.normalize_str(text), ascii(text)


@pytest.mark.parametrize("name", FORMS)
def test_ill_formed_bytes_stay_and_part_the_text(name):
    form = unicode_form(name)
    for data in (
        b"\xff",
        b"e\xcc\xff\x81",
        b"e\xcc\x81\xcc",
        b"\xed\xa0\x80\xcc\x81",
        b"e\xcc\x81\xf0\x9f",
    ):
        text = data.decode("utf-8", "surrogateescape")
        expected = "".join(
            part if part[0] >= "\udc80" and part[0] <= "\udcff" else unicodedata.normalize(name, part)
            for part in runs(text)
        )
        assert form.normalize(data) == expected.encode("utf-8", "surrogateescape")


def runs(text):
    """Stretches of a text: each ill-formed byte alone, and what is between them."""
    found = [""]
    for char in text:
        if "\udc80" <= char <= "\udcff":
            found += [char, ""]
        else:
            found[-1] += char
    return [run for run in found if run]


def test_long_runs_of_marks_take_no_square_of_their_number():
    marks = "".join(random.Random(1).choices(MARKS, k=50_000))
    assert unicode_form("NFC").normalize(marks.encode()).decode() == unicodedata.normalize("NFC", marks)


def test_names():
    assert is_form("NFC")
    assert is_form("NFKD 9.0")
    assert not is_form("nfc")
    with pytest.raises(OptionError, match="'NFX' is no normalization form of Unicode: there are NFC, NFD"):
        unicode_form("NFX")
    form = unicode_form("NFC")
    assert pickle.loads(pickle.dumps(form)) is form
    assert copy.deepcopy(form).name == "NFC"


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("removes_spaces", [False, True])
def test_offsets_are_those_of_the_text_before(name, removes_spaces):
    """The alignment points to where the part of the text began that a character came from."""
    plain = Normalizer(Charsmap(), remove_extra_whitespaces=removes_spaces)
    normalizer = Normalizer(Charsmap(), remove_extra_whitespaces=removes_spaces, form=unicode_form(name))
    assert pickle.loads(pickle.dumps(normalizer)).form is normalizer.form
    rng = random.Random(5)
    for _ in range(500):
        text = random_text(rng)
        data, formed = text.encode(), unicodedata.normalize(name, text).encode()
        found, align = normalizer.normalize(data, with_alignment=True)
        assert found == plain.normalize(formed)
        assert align == sorted(align)
        assert all(0 <= place <= len(data) for place in align)


@pytest.mark.parametrize(
    ("text", "places"), [("\xa0\u0301", [0, 2, 2]), ("\xa0\u0301\u0323", [0, 2, 2, 2, 2]), ("\xa8\u0301", [0] * 5)]
)
def test_marks_after_what_becomes_a_space_have_their_own_place(text, places):
    settings = dict.fromkeys(("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces"), False)
    normalizer = Normalizer(Charsmap(), form=unicode_form("NFKC"), **settings)
    assert normalizer.normalize(text.encode(), with_alignment=True)[1] == [*places, len(text.encode())]


def model(form, **settings):
    tok = spm_lite.train(
        ["the cat é ệ ﬁ x"] * 9, model_type="bpe", vocab_size=290, hard_vocab_limit=False, lossless=False
    )
    vocab = tok._file.vocab
    entries = [(vocab.text(i).decode(), vocab.score(i), vocab.type(i)) for i in range(vocab.size)]
    return spm_lite.load(write_model(entries, tok._file.trainer, NormalizerSpec(unicode_form=form, **settings)))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("removes_spaces", [False, True])
def test_encoding_is_that_of_the_normalized_text(form, removes_spaces):
    settings = {"add_dummy_prefix": removes_spaces, "remove_extra_whitespaces": removes_spaces}
    tok, plain, rng = model(form, **settings), model("", **settings), random.Random(form)
    for _ in range(300):
        text = "".join(rng.choices(SOME, k=rng.randrange(12)))
        formed = unicodedata.normalize(form, text)
        ids = tok.encode(text)
        assert ids == plain.encode(formed) == tok.encode_lists([text, "a"])[0]
        assert tok.count(text) == len(ids) == len(tok.spans(text))
        assert tok.normalize(text) == plain.normalize(formed)
        for limit in (0, 1, 3):
            best = max(end for end in range(len(text) + 1) if tok.count(text[:end]) <= limit)
            assert tok.truncate(text, limit) == text[:best]
    long = "e\u0301\u0323 x" * 20_000
    assert tok.encode_lists([long])[0] == plain.encode(unicodedata.normalize(form, long)) == tok.encode(long)


def test_files():
    tok = model("NFC")
    file = tok._file
    assert file.normalizer.unicode_form == "NFC"
    assert read_model(file.data, "again").data == file.data
    message = file.message()
    assert len(message.pieces) == 0  # so that sentencepiece refuses it
    assert extension_of(message).format_version == 4
    for change, words in (
        (lambda own: setattr(own, "unicode_form", "NFX"), "the form of Unicode 'NFX' is not known"),
        (lambda own: setattr(own, "format_version", 3), "has format version 4"),
        (lambda own: own.added_tokens.add(id=9999), "an added token has the id 9999, outside"),
        (lambda own: [own.added_tokens.add(id=5) for _ in range(2)], "an added token is there twice"),
    ):
        changed = file.message()
        change(extension_of(changed))
        with pytest.raises(ModelError, match=words):
            spm_lite.load(serialize(changed))
    added = tok.add_pieces(["<sep>"]).encode("a<sep>e\u0301")
    assert added == [*tok.encode("a"), len(tok), *tok.encode("é", prefix_space=False)]
    assert tok.restrict(["\u2581the"]).encode("e\u0301") == tok.restrict(["\u2581the"]).encode("é")


def test_added_tokens_are_kept_in_the_file():
    entries = [("<unk>", 0.0, 2), ("a", -1.0, 1), ("<x>", 0.0, 3)]
    spec = TrainerSpec(model_type="unigram", vocab_size=3, byte_fallback=False)
    data = write_model(entries, spec, NormalizerSpec(), added_tokens=[AddedToken(2, lstrip=True, normalized=True)])
    assert read_model(data, "m").settings.added_tokens == ((2, False, True, False, True),)


@pytest.mark.parametrize("form", FORMS)
def test_long_texts_are_cut_part_by_part(form):
    """A cut looks at no more of a text than it needs, and gives what looking at all of it gives."""
    tok, rng = model(form), random.Random(form)
    words = ["the", " cat", "e\u0301\u0323", " ệ", "\u3000", "ﬁ", "한", "\u1112\u1161\u11ab", " x", "\u0301" * 40, "\n"]
    text = "".join(rng.choices(words, k=3000))
    spans = tok.chunks(text, 50)
    pos = 0
    for begin, end in spans:
        assert begin == pos
        assert tok.count(text[begin:end]) <= 50
        pos = end
    assert pos == len(text)
    for limit in (1, 7, 100):
        kept = tok.truncate(text, limit)
        assert tok.truncate(text[:4000], limit) == kept
        assert tok.count(text, limit=limit) == limit
