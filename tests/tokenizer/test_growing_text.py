"""Growing texts: the ids after each edit are those of the whole text, and kept ids stay."""

import gc
import json
import pickle
import random
import threading

import numpy as np
import pytest
from oracle.growing_texts import text_of, try_edits

import spm_lite
from spm_lite import GrowingText
from spm_lite.errors import ArgumentTypeError, IdError, OptionError, TextError

LINES = [text_of(random.Random(i), 20) for i in range(60)] + [
    "the cat sat on the mat",
    "don't count 1234",
    "東京で日本語",
] * 5
OPTIONS = {
    "unigram": {"model_type": "unigram", "vocab_size": 420},
    "nfkc": {"model_type": "unigram", "vocab_size": 420, "normalization": "nmt_nfkc"},
    "bpe": {"model_type": "bpe", "vocab_size": 420},
    "nfc": {"model_type": "bpe", "vocab_size": 420, "normalization": "nfc"},
    "suffix": {"model_type": "bpe", "vocab_size": 420, "treat_whitespace_as_suffix": True},
    "spaces": {"model_type": "bpe", "vocab_size": 420, "remove_extra_whitespaces": True, "lossless": False},
    "symbols": {"model_type": "bpe", "vocab_size": 420, "user_defined_symbols": ["<sep>", "1234567"]},
    "char": {"model_type": "char", "vocab_size": 420},
    "word": {"model_type": "word", "vocab_size": 270},
    "byte_bpe": {"model_type": "byte_bpe", "vocab_size": 420},
    "wordpiece": {"model_type": "wordpiece", "vocab_size": 420},
}


@pytest.fixture(scope="module", params=[*OPTIONS, "byte"])
def tok(request):
    if request.param == "byte":
        return spm_lite.byte_tokenizer()
    return spm_lite.train(LINES, hard_vocab_limit=False, **OPTIONS[request.param])


def test_random_edits(tok):
    try_edits(tok, 300, 1)


@pytest.mark.slow
def test_many_random_edits(tok):
    try_edits(tok, 8000, 2)


@pytest.fixture(scope="module")
def cat():
    return spm_lite.train(["the cat sat"] * 9, model_type="bpe", vocab_size=272)


def test_an_append_says_what_changed(cat):
    growing = cat.growing("the ca")
    before = growing.ids.tolist()
    first = growing.append("t sat")
    assert growing.ids.tolist() == cat.encode("the cat sat")
    assert first == next(i for i, (a, b) in enumerate(zip(before, cat.encode("the cat sat"), strict=False)) if a != b)
    assert growing.append("") == len(growing)


def test_ids_are_an_array_that_cannot_be_written(cat):
    ids = cat.growing("the cat").ids
    assert ids.dtype == np.int32
    with pytest.raises(ValueError, match="read-only"):
        ids[0] = 1
    assert cat.growing().ids.tolist() == []


def test_kept_ids_and_special_pieces(cat):
    growing = cat.growing()
    growing.append_special("<s>")
    growing.append("the cat")
    growing.append_special("</s>")
    growing.append(" sat")
    wanted = [spm_lite.Control("<s>"), spm_lite.Text("the cat"), spm_lite.Control("</s>"), spm_lite.Text(" sat")]
    assert growing.ids.tolist() == cat.encode_segments(wanted)
    assert growing.text == "the cat sat"
    assert growing.spans[0] == (0, 0)
    with pytest.raises(OptionError, match="not a piece"):
        growing.append_special("<nothing>")
    with pytest.raises(IdError):
        growing.append_ids([5, 10**6])
    with pytest.raises(ArgumentTypeError, match="append_ids takes ids"):
        growing.append([5])
    assert growing.text == "the cat sat"


def test_drift_names_ids_that_are_not_those_of_their_text(cat):
    letters = [cat.piece_to_id(sign) for sign in "cat"]
    growing = cat.growing("the ")
    growing.append_ids(letters)
    (drift,) = growing.drift
    assert growing.text[drift.begin : drift.end] in "the cat"
    assert growing.ids.tolist()[drift.first : drift.first + len(drift.ids)] == drift.ids
    assert drift.canonical != drift.ids
    assert not cat.is_canonical(letters)
    assert cat.is_canonical(cat.encode("the cat sat"))
    assert cat.is_canonical([cat.bos_id, *cat.encode("the cat"), cat.eos_id])
    assert GrowingText.from_ids(cat, cat.encode("the cat")).drift == []


def test_an_incomplete_character_waits():
    tok = spm_lite.byte_tokenizer()
    first, *rest = tok.encode("é")
    growing = tok.growing("a")
    growing.append_ids([first])
    assert growing.text == "a"
    assert growing.spans == [(0, 1), (1, 1)]
    assert growing.drift == []
    assert not tok.is_canonical([first])
    growing.append_ids(rest)
    assert growing.text == "aé"


def test_is_canonical_makes_no_object_per_id(cat):
    """The passes of the collector over many tuples would take more time than the work, and grow faster."""
    ids = cat.encode("the cat sat " * 10_000)
    letters = [cat.piece_to_id(sign) for sign in "cat"] * 10_000
    passes = []
    gc.callbacks.append(lambda phase, info: passes.append(info["generation"]))
    try:
        assert cat.is_canonical(ids)
        assert not cat.is_canonical(letters)
    finally:
        gc.callbacks.pop()
    assert len(passes) < 10


def test_truncation(cat):
    growing = cat.growing("the cat sat")
    other = growing.branch()
    assert other.truncate(7) <= len(other)
    assert other.ids.tolist() == cat.encode("the cat")
    assert growing.text == "the cat sat"
    kept = growing.branch()
    kept.append_ids(cat.encode(" sat", prefix_space=False))
    size = len(kept.text)
    kept.truncate(size - 4)
    assert kept.text == "the cat sat"
    kept.truncate(n_ids=1)
    assert kept.ids.tolist() == cat.encode("the cat sat")[:1]
    for wrong in ({"end": 99}, {}, {"end": 1, "n_ids": 1}, {"n_ids": -1}):
        with pytest.raises(OptionError):
            kept.truncate(**wrong)


def test_ranges_that_cannot_be_replaced(cat):
    growing = cat.growing("the ")
    growing.append_ids(cat.encode("cat"))
    growing.append(" sat")
    with pytest.raises(OptionError, match="not in one text between kept ids"):
        growing.replace(2, 6, "x")
    with pytest.raises(OptionError, match="are not a range of the text"):
        growing.replace(3, 99, "x")
    before = growing.ids.tolist()
    with pytest.raises(TextError):
        growing.append("\ud800")
    with pytest.raises(TextError):
        growing.replace(0, 1, "\ud800")
    assert growing.ids.tolist() == before
    assert growing.replace(0, 0, "").begin >= 0
    assert growing.ids.tolist() == before


def test_long_texts_with_edits(tok):
    rng = random.Random(3)
    text = "".join(text_of(rng) + " " for _ in range(3000))
    growing = tok.growing(text)
    for _ in range(12):
        begin = rng.randrange(len(text))
        end = min(len(text), begin + rng.randrange(40))
        new = text_of(rng)
        growing.replace(begin, end, new)
        text = text[:begin] + new + text[end:]
        assert growing.ids.tolist() == tok.encode(text)
    growing.append("the end")
    assert growing.ids.tolist() == tok.encode(text + "the end")


def test_pickles_and_threads(cat):
    growing = cat.growing("the cat")
    growing.append_ids([5, 6])
    growing.append(" sat")
    copied = pickle.loads(pickle.dumps(growing))
    assert copied.ids.tolist() == growing.ids.tolist()
    assert copied.text == growing.text
    wanted = [cat.encode("the cat" * 50 + str(i)) for i in range(8)]
    base = cat.growing("the cat" * 50)
    found = {}

    def go_on(i):
        own = base.branch()
        own.append(str(i))
        found[i] = own.ids.tolist()

    threads = [threading.Thread(target=go_on, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[i] for i in range(8)] == wanted
    assert repr(cat.growing("the cat")) == "GrowingText(3 ids, 'the cat' at the end)"


def with_added_tokens(folder, **flags):
    """A byte-level tokenizer in whose texts two added tokens are found."""
    tok = spm_lite.train(LINES, hard_vocab_limit=False, **OPTIONS["byte_bpe"])
    tok.to_hf(folder)
    path = folder / "tokenizer.json"
    parts = json.loads(path.read_text())
    size = max(parts["model"]["vocab"].values()) + 1 + len(parts["added_tokens"])
    flag = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": False, **flags}
    for i, name in enumerate(("<tool_call>", "<think>")):
        parts["added_tokens"].append({"id": size + i, "content": name, **flag})
    path.write_text(json.dumps(parts))
    return spm_lite.load(path)


@pytest.mark.parametrize("flags", [{}, {"rstrip": True, "lstrip": True}, {"single_word": True}])
def test_added_tokens_across_edits(tmp_path, flags):
    tok = with_added_tokens(tmp_path, **flags)
    try_edits(tok, 400, 4)
    growing = tok.growing("call <tool")
    growing.append("_call>now")
    assert growing.ids.tolist() == tok.encode("call <tool_call>now")
    growing.replace(5, 6, "")
    assert growing.ids.tolist() == tok.encode("call tool_call>now")


def test_an_emptied_text_between_kept_ids():
    tok = spm_lite.byte_tokenizer()
    first, second = tok.encode("é")
    growing = tok.growing()
    growing.append_ids([first])
    growing.append("x")
    growing.append_ids([second])
    growing.replace(1, 2, "")
    assert growing.text == tok.decode(growing.ids) == "é"
    copied = pickle.loads(pickle.dumps(growing))
    assert (copied.text, copied.spans, copied.drift) == (growing.text, growing.spans, growing.drift)
    assert tok.is_canonical([])
    growing.truncate(n_ids=1)
    growing.append_ids([second])
    assert growing.text == "é"


def test_ranges_of_bytes_are_checked(cat):
    from spm_lite.encode.growing_part import GrowingPart

    part = GrowingPart(cat._encoder)
    part.append("the cat é")
    assert (part.n_chars, part.n_bytes) == (9, 10)
    for begin, end in ((8, 3), (-1, 2), (0, 99)):
        with pytest.raises(OptionError, match="not a range"):
            part.replace(begin, end, "")
    part.replace(8, 10, "ab")
    assert part.n_chars == 10


def test_two_threads_cannot_change_one_text(cat):
    growing = cat.growing("the cat")
    text = "the cat sat " * 40_000
    found = []

    def append():
        for _ in range(10):
            try:
                growing.append(text)
            except OptionError as error:
                found.append(str(error))

    threads = [threading.Thread(target=append) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("another thread changes this text" in message for message in found)
    assert growing.ids.tolist() == cat.encode(growing.text)
