"""Offsets and words of accelerated tokenizers, and the methods of their results that use them."""

import pickle

import pytest
from oracle.fast_tokenizers import KINDS, LINES, TEXTS, make, needs_transformers

pytestmark = needs_transformers
FIELDS = ("tokens", "offsets", "word_ids", "sequence_ids", "special_tokens_mask", "attention_mask", "type_ids")
KNOWN = {"byte_bpe": 1.0, "llama": 0.3, "unigram": 0.3, "t5": 0.3, "wordpiece": 0.5}  # texts that our engine places


def placed(fast):
    """How many texts the original was asked for."""
    from spm_lite.transformers import accelerate

    return sum(n for reason, n in accelerate.report(fast).others.items() if reason.startswith("offsets"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("options", [{}, {"add_special_tokens": False}, {"padding": True, "padding_side": "left"}])
def test_all_fields_are_those_of_the_original(kind, options):
    from spm_lite.transformers import accelerate

    original = make(kind)
    fast = accelerate(original)
    for inputs in ((TEXTS,), (TEXTS, TEXTS[::-1])):
        own, theirs = fast(*inputs, **options), original(*inputs, **options)
        for one, other in zip(own.encodings, theirs.encodings, strict=True):
            for name in FIELDS:
                assert getattr(one, name) == getattr(other, name), name


@pytest.mark.parametrize("kind", KNOWN)
def test_our_engine_places_tokens(kind):
    from spm_lite.transformers import accelerate

    fast = accelerate(make(kind))
    fast(TEXTS, return_offsets_mapping=True)
    assert placed(fast) <= len(TEXTS) * (1 - KNOWN[kind])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("side", ["left", "right"])
def test_parts_of_long_texts(kind, side):
    from spm_lite.transformers import accelerate

    original = make(kind)
    fast = accelerate(original)
    original.truncation_side = fast.truncation_side = side
    options = {
        "truncation": True, "max_length": 9, "stride": 2, "return_overflowing_tokens": True, "padding": True,
        "return_offsets_mapping": True,
    }  # fmt: skip
    own, theirs = fast(LINES, **options), original(LINES, **options)
    assert own.data == theirs.data
    for one, other in zip(own.encodings, theirs.encodings, strict=True):
        assert [part.offsets for part in one.overflowing] == [part.offsets for part in other.overflowing]
        assert [one.char_to_token(i) for i in range(40)] == [other.char_to_token(i) for i in range(40)]


@pytest.mark.parametrize("kind", KINDS)
def test_words_that_are_given(kind):
    from spm_lite.transformers import accelerate

    original = make(kind)
    fast = accelerate(original)
    words = [text.split(" ") for text in LINES]
    for inputs in ((words,), (words, words[::-1])):
        own = fast(*inputs, is_split_into_words=True, return_offsets_mapping=True)
        theirs = original(*inputs, is_split_into_words=True, return_offsets_mapping=True)
        assert own.data == theirs.data
        assert [own.word_ids(i) for i in range(len(words))] == [theirs.word_ids(i) for i in range(len(words))]


@pytest.mark.parametrize("kind", KINDS)
def test_methods_of_a_result(kind):
    from spm_lite.transformers import accelerate

    original = make(kind)
    one, other = accelerate(original)(LINES[:1], LINES[1:2]), original(LINES[:1], LINES[1:2])
    for i in range(6):
        for which in (0, 1):
            assert one.char_to_token(0, i, which) == other.char_to_token(0, i, which)
            assert one.word_to_tokens(0, i, which) == other.word_to_tokens(0, i, which)
        assert one.token_to_chars(0, i + 1) == other.token_to_chars(0, i + 1)
        assert one.token_to_word(0, i + 1) == other.token_to_word(0, i + 1)
        assert one.token_to_sequence(0, i + 1) == other.token_to_sequence(0, i + 1)
    kept = pickle.loads(pickle.dumps(one.encodings[0]))
    assert kept.offsets == other.encodings[0].offsets


def test_spaces_leave_the_offsets_where_the_original_trims_them():
    from tokenizers import processors

    from spm_lite.transformers import accelerate

    for trims in (processors.ByteLevel(trim_offsets=True), processors.ByteLevel(add_prefix_space=False)):
        original = make("byte_bpe")
        original.backend_tokenizer.post_processor = trims
        fast = accelerate(original)
        options = {"return_offsets_mapping": True}
        texts = [*TEXTS, " a", "  a  b  ", "\u3000 x "]
        assert fast(texts, **options).data == original(texts, **options).data
        assert placed(fast) == 0


def test_an_added_token_that_is_normalized_has_its_normalized_name():
    from tokenizers import AddedToken

    from spm_lite.transformers import accelerate

    original = make("wordpiece")
    original.add_tokens([AddedToken("Ångström", normalized=True)])
    fast = accelerate(original)
    for text in ("Ångström", "the Ångström, fox"):
        assert fast(text).tokens() == original(text).tokens()
        assert fast(text).encodings[0].offsets == original(text).encodings[0].offsets
