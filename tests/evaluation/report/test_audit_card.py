"""The card of an audit: the answers of the page, small, with all text escaped."""

import re

import pytest

import spm_lite
from spm_lite.evaluation.report.standings import take_sentence

LINES = [f"line {n} of a small text" for n in range(60)]


@pytest.fixture(scope="module")
def report():
    one = spm_lite.train(LINES, vocab_size=300, hard_vocab_limit=False)
    two = spm_lite.train(LINES, vocab_size=300, hard_vocab_limit=False, byte_fallback=False, model_type="bpe")
    return spm_lite.audit({"<b>one</b>": one, "two": two}, {"<i>en</i>": LINES, "fi": LINES})


def test_the_card_is_no_frame_and_begins_with_the_decision(report):
    html = report._repr_html_()
    assert html.startswith('<div class="spm-lite"')
    assert not re.search("<(iframe|script|style|img|b>|i>)", html)
    decision = take_sentence(report.to_dict()).split("<")[0]
    assert html.index(decision) < html.index("What is broken") < html.index("to_html(")
    assert "&lt;b&gt;one&lt;/b&gt;" in html
    assert len(html) < 10_000 < len(report.to_html())


def test_a_card_of_one_tokenizer_and_of_many_texts(report):
    alone = spm_lite.audit({"bytes": spm_lite.byte_tokenizer()})._repr_html_()
    assert "bytes has" in alone
    many = spm_lite.audit({"bytes": spm_lite.byte_tokenizer()}, {f"t{n}": LINES[:3] for n in range(20)}, orders=())
    assert "8 more texts" in many._repr_html_()
