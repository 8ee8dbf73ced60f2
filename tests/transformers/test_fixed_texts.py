"""`FixedTexts` against `decode` of the original: an id that is fixed adds the same text wherever it stands."""

import random

import pytest
from oracle.fast_tokenizers import KINDS, make, needs_transformers
from oracle.servers import random_ids

from spm_lite import ArgumentTypeError

pytestmark = needs_transformers


def tables(kind):
    from spm_lite.transformers import accelerate
    from spm_lite.transformers.fixed_texts import fixed_texts

    tok = make(kind)
    snapshot = accelerate(tok)._tokenizer._current()
    return tok._tokenizer, [fixed_texts(snapshot, skips) for skips in (False, True)]


@pytest.mark.parametrize("kind", KINDS)
def test_joined_texts_are_decoded_texts(kind):
    original, both = tables(kind)
    rng = random.Random(1)
    n_joined = 0
    for _ in range(400):
        ids = random_ids(rng, original, rng.randrange(6))
        for skips, texts in enumerate(both):
            found = texts.joined(ids)
            if found is not None:
                n_joined += 1
                assert found == original.decode(ids, skip_special_tokens=bool(skips))
    assert n_joined > 100


@pytest.mark.parametrize("kind", KINDS)
def test_usual_ids_are_fixed_and_parts_of_characters_are_not(kind):
    original, (texts, _) = tables(kind)
    size = original.get_vocab_size(with_added_tokens=True)
    fixed = [i for i in range(size) if texts[i] is not None]
    assert len(fixed) > size / 2
    assert not any("\ufffd" in original.decode([i]) for i in fixed)


@pytest.mark.parametrize("kind", ["byte_bpe", "llama"])
def test_parts_of_characters_are_joined(kind):
    original, (texts, _) = tables(kind)
    ids = original.encode("a \U0001f9ea", add_special_tokens=False).ids
    assert all(texts[i] is not None or texts.part(i) for i in ids)
    for end in range(len(ids) + 1):
        for row in (ids[:end], ids[end:], [*ids[:end], ids[0]], ids[:end] * 2):
            assert texts.joined(row) == original.decode(row, skip_special_tokens=False)


def test_special_tokens_add_no_text_where_they_are_skipped():
    original, (texts, skipping) = tables("byte_bpe")
    special = original.token_to_id("<s>")
    assert (texts[special], skipping[special]) == ("<s>", "")
    assert skipping[original.get_vocab_size() + 7] == ""


def test_a_tokenizer_that_our_decoder_does_not_know_has_none():
    from spm_lite.transformers import accelerate
    from spm_lite.transformers.fixed_texts import FixedTexts

    tok = make("unigram")
    tok._tokenizer.decoder = None
    texts = FixedTexts(accelerate(tok)._tokenizer._current(), False)
    assert texts[9] is None
    assert texts.joined([9]) is None


@pytest.mark.parametrize("wrong", [-1, 1 << 32, "a", None, 1.0])
def test_what_is_no_id_is_refused(wrong):
    _, (texts, _) = tables("unigram")
    with pytest.raises(ArgumentTypeError, match=r"the id is .*: must be an integer"):
        texts[wrong]
