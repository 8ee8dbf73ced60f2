"""`DecodeSteps` against `DecodeStream` of tokenizers: the same text at each step, whatever the ids are."""

import copy
import random

import pytest
from oracle.fast_tokenizers import KINDS, TEXTS, make, needs_transformers
from oracle.servers import random_ids
from oracle.slow import slow_after

from spm_lite import ArgumentTypeError, ModelError

pytestmark = needs_transformers


def steps(kind, tokenizer, prompt, ids, skips):
    """What each step gives. After text that a later id changed, a new stream begins, as in servers."""
    stream, found = kind(ids=prompt, skip_special_tokens=skips), []
    for i in ids:
        try:
            found.append(stream.step(tokenizer, i))
        except Exception as error:
            assert str(error).startswith("Invalid prefix encountered")
            stream = kind(skip_special_tokens=skips)
            found += ["changed", stream.step(tokenizer, i)]
    return found


def both(tok):
    """(class, backend) of the original and of ours."""
    from spm_lite.transformers import accelerate
    from spm_lite.transformers.decode_steps import DecodeSteps, Original

    return (Original, tok._tokenizer), (DecodeSteps, accelerate(tok)._tokenizer)


def compare(tok, seed, n):
    """Compare n random series of ids, each with the prompt that its first ids are. How often text was changed."""
    (original, inner), (ours, backend) = both(tok)
    rng = random.Random(seed)
    n_changed = 0
    for _ in range(n):
        ids, skips = random_ids(rng, inner, rng.randrange(2, 16)), rng.random() < 0.5
        if rng.random() < 0.3:
            ids = inner.encode(rng.choice(TEXTS) + rng.choice(TEXTS)).ids
        at = rng.randrange(len(ids) + 1)
        while at and inner.decode(ids[:at], skip_special_tokens=skips).endswith("\ufffd"):
            at -= 1  # the next test is about such prompts
        expected = steps(original, inner, ids[:at], ids[at:], skips)
        assert steps(ours, backend, ids[:at], ids[at:], skips) == expected, (ids, at, skips)
        n_changed += "changed" in expected
    return n_changed


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", slow_after(1, range(20)))
def test_steps_are_those_of_tokenizers(kind, seed):
    n_changed = compare(make(kind), seed, 1500)
    assert n_changed or kind != "llama"


@pytest.mark.slow
def test_steps_of_all_shapes(shared_data):
    from transformers import PreTrainedTokenizerFast

    files = sorted((shared_data / "shapes").glob("*/tokenizer.json"))
    if not files:
        pytest.skip("no shapes in the shared test data")
    for file in files:
        compare(PreTrainedTokenizerFast(tokenizer_file=str(file)), file.parent.name, 60)


@pytest.mark.parametrize("kind", ["byte_bpe", "llama"])
def test_a_prompt_that_ends_within_a_character_is_not_given_again(kind):
    """tokenizers gives the whole prompt with the id that completes the character."""
    tok = make(kind)
    (original, inner), (ours, backend) = both(tok)
    begin = inner.encode("the fox ", add_special_tokens=False).ids
    cut = [i for i in inner.encode("\U0001f9ea", add_special_tokens=False).ids if inner.decode([i]) != ""]
    whole = inner.decode(begin + cut)
    for n_bytes in range(1, len(cut)):
        found = steps(ours, backend, begin + cut[:-n_bytes], cut[-n_bytes:], True)
        assert found == [None] * (n_bytes - 1) + ["\U0001f9ea"]
        leaked = steps(original, inner, begin + cut[:-n_bytes], cut[-n_bytes:], True)
        assert leaked[-1] == whole
    word = inner.encode(" fox", add_special_tokens=False).ids[-1]
    never = steps(ours, backend, begin + cut[:1], [word, word], True)
    assert "".join(never) == inner.decode([*begin, cut[0], word, word])[len(inner.decode(begin)) :]


def test_spaces_that_the_decoder_takes_away_at_the_start_of_a_window():
    (original, inner), (ours, backend) = both(make("llama"))
    names = ["\u2581", "<0x20>", "<0xAE>", "\u2581", "<0xB7>", "th"]
    ids = [inner.token_to_id(name) for name in names]
    assert steps(ours, backend, [], ids, True) == steps(original, inner, [], ids, True)


def test_several_ids_at_once():
    (original, inner), (ours, backend) = both(make("byte_bpe"))
    ids = inner.encode("naïve café").ids
    expected = original(skip_special_tokens=True)
    found = ours(skip_special_tokens=True)
    for part in (ids[:3], ids[3:4], [], ids[4:]):
        assert found.step(backend, part) == expected.step(inner, part)


def test_a_copy_goes_on_by_itself():
    _, (ours, backend) = both(make("byte_bpe"))
    first, *rest = backend.encode("\U0001f9ea", add_special_tokens=False).ids
    stream = ours()
    stream.step(backend, first)
    other = copy.copy(stream)
    for one in (stream, other):
        assert [one.step(backend, i) for i in rest] == [None] * (len(rest) - 1) + ["\U0001f9ea"]


def test_tokens_that_are_added_while_it_runs():
    (_, inner), (ours, backend) = both(make("byte_bpe"))
    ids = inner.encode("a fox").ids
    stream = ours()
    texts = [stream.step(backend, i) for i in ids]
    backend.add_tokens(["<later>"])
    texts.append(stream.step(backend, backend.token_to_id("<later>")))
    backend.decoder = backend.decoder  # others hold a part of it from here on
    texts.append(stream.step(backend, ids[-1]))
    assert "".join(texts) == inner.decode(ids, skip_special_tokens=False) + "<later>" + inner.decode(ids[-1:])


def test_what_is_no_id_is_refused_and_changes_nothing():
    (_, inner), (ours, backend) = both(make("llama"))
    ids = inner.encode("the in", add_special_tokens=False).ids
    stream = ours()
    stream.step(backend, ids[0])
    for wrong in (-1, 1 << 32, "a", None, [ids[1], -1]):
        with pytest.raises(ArgumentTypeError, match="must be an integer"):
            stream.step(backend, wrong)
    assert stream.step(backend, ids[1:]) == inner.decode(ids)[len(inner.decode(ids[:1])) :]


def test_text_that_a_later_id_changes_is_an_error():
    (_, inner), (ours, backend) = both(make("llama"))
    stream = ours()
    for byte in ("<0x41>", "<0xFF>"):
        stream.step(backend, inner.token_to_id(byte))
    with pytest.raises(ModelError, match=r"Invalid prefix encountered: the text 'A' was given"):
        stream.step(backend, inner.token_to_id("th"))


def test_decoders_that_ours_does_not_know_run_in_the_original():
    from tokenizers import decoders

    tok = make("llama")
    tok._tokenizer.decoder = decoders.CTC("a")
    (original, inner), (ours, backend) = both(tok)
    ids = inner.encode("the fox in").ids
    assert steps(ours, backend, ids[:2], ids[2:], True) == steps(original, inner, ids[:2], ids[2:], True)
    stream, expected = ours(), original()
    backend.decoder = decoders.ByteFallback()  # from here on the tables are right, but the stream has begun
    for i in ids[:2]:
        assert stream.step(backend, i) == expected.step(backend.original, i)
    backend.decoder = decoders.CTC("a")
    for i in ids:
        assert stream.step(backend, i) == expected.step(backend.original, i)


def test_tokenizers_of_tokenizers_run_in_the_original():
    (original, inner), (ours, _) = both(make("llama"))
    ids = inner.encode("the fox \U0001f9ea").ids
    assert steps(ours, inner, ids[:2], ids[2:], True) == steps(original, inner, ids[:2], ids[2:], True)
