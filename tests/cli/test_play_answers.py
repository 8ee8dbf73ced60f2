"""What the page asks, and what it must not ask."""

import json

import pytest

from spm_lite import OptionError, SpmLiteError
from spm_lite.cli.play_answers import Played, answer


@pytest.fixture(scope="module")
def played(models):
    return [Played(models["bpe"]), Played(models["unigram"])]


HOSTILE = ["<script>alert(1)</script>", "\"'`&lt;", "a\0b", "\x1b[31mred\x1b[0m", "\u202eabc", "e\u0301\u0301", ""]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("number", [0, 1])
def test_pieces_are_those_of_the_model(played, number, text):
    found = answer(played, "/pieces", {"text": text, "model": number})
    ids = [piece_id for group in found["groups"] for piece_id in group["ids"]]
    assert ids == played[number].tok.encode(text)
    assert (found["tokens"], found["bytes"], found["characters"]) == (len(ids), len(text.encode()), len(text))
    assert all(char.isprintable() or char in "\u200c\u200d" for group in found["groups"] for char in group["text"])
    json.dumps(found)


def test_fewer_merges(played):
    whole = answer(played, "/pieces", {"text": "lower lowest", "model": 0})
    none = answer(played, "/pieces", {"text": "lower lowest", "model": 0, "merges": 0})
    assert none["tokens"] == 13 > whole["tokens"]
    assert none["vocabulary"] == whole["vocabulary"] - len(played[0].merges)


def test_a_long_text_is_counted_whole_and_drawn_in_part(played):
    text = "hello " * 20_000
    found = answer(played, "/pieces", {"text": text, "model": 1})
    assert found["tokens"] == played[1].tok.count(text)
    assert sum(len(group["ids"]) for group in found["groups"]) == found["drawn"] == 1000


def test_nbest(played):
    found = answer(played, "/nbest", {"text": "hello 🦩", "model": 1, "n": 4})
    assert found["ways"][0]["is_plain"]
    assert "🦩" in found["ways"][0]["pieces"]
    scores = [way["score"] for way in found["ways"]]
    assert scores == sorted(scores, reverse=True)
    long = answer(played, "/nbest", {"text": "hello " * 1000, "model": 1, "n": 2})
    assert long["note"] == "Only the first 1,000 characters are ranked."


def test_nbest_says_why_scores_may_rise(played):
    merged, ranked = (answer(played, "/nbest", {"text": "hello", "model": k})["why"] for k in (0, 1))
    assert "in their order" in merged
    assert "2.7 times as likely" in ranked  # e to the power of 1


def test_all_tokens_are_given(played):
    text = "hello 🦩 " * 500
    for number in (0, 1):
        found = answer(played, "/tokens", {"text": text, "model": number})
        assert found == {"ids": played[number].tok.encode(text), "pieces": played[number].tok.pieces(text)}
        json.dumps(found)


def test_steps_hold_no_markup_of_the_text(played):
    html = answer(played, "/steps", {"text": "<script>&</script>", "model": 0})["html"]
    assert "<script" not in html
    assert "&lt;" in html


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ([], "the request is list"),
        ({}, "text is NoneType"),
        ({"text": 5}, "text is int"),
        ({"text": "a", "model": 2}, "model 2 is not between 0 and 1"),
        ({"text": "a", "model": True}, "model is bool"),
        ({"text": "a", "merges": -1}, "merges -1 is not between 0"),
        ({"text": "a", "merges": 10**9}, "merges 1000000000 is not between"),
        ({"text": "a", "merges": "1"}, "merges is str"),
        ({"text": "a", "n": 51}, "n 51 is not between 1 and 50"),
    ],
)
def test_wrong_requests(played, wanted, message):
    with pytest.raises(OptionError, match=message):
        answer(played, "/nbest", wanted)


def test_lone_surrogates_are_no_text(played):
    with pytest.raises(SpmLiteError, match="surrogate"):
        answer(played, "/pieces", {"text": "\ud800"})
