"""Cards of notebooks: nothing of a text is markup or a command, and the repr of a report is short."""

from html.parser import HTMLParser

import numpy as np
import pytest
from oracle.browser import Browser, path_of_browser

import spm_lite
from spm_lite.cards import card, escaped, table

HOSTILE = ["<script>alert(1)</script>", "\"'&", "a\x1b[31m", "\u202eabc"]
TEXTS = ["<b>the</b> \"cat\" 'sat' \n & \u202e mat"] * 9


class Tags(HTMLParser):
    """Collects the tags of a page, and whether all are closed."""

    def __init__(self):
        super().__init__()
        self.seen, self.opened = set(), []

    def handle_starttag(self, tag, attributes):
        self.seen.add(tag)
        self.opened.append(tag)
        assert all(name in ("style", "class", "scope") for name, _ in attributes)

    def handle_endtag(self, tag):
        assert self.opened.pop() == tag


def tags_of(html):
    parser = Tags()
    parser.feed(html)
    assert parser.opened == []
    return parser.seen


@pytest.fixture(scope="module")
def objects():
    tok = spm_lite.train(TEXTS, vocab_size=300, hard_vocab_limit=False, control_symbols=HOSTILE[:1], num_threads=1)
    return {
        "Tokenizer": tok,
        "TrainingReport": tok.report,
        "Batch": tok.encode_batch(TEXTS),
        "Quality": spm_lite.evaluate(tok, TEXTS),
        "CountTable": spm_lite.CountTable.count(TEXTS),
    }


@pytest.mark.parametrize("name", ["Tokenizer", "TrainingReport", "Batch", "Quality", "CountTable"])
def test_cards(objects, name):
    html = objects[name]._repr_html_()
    assert name in html
    assert tags_of(html) <= {"div", "strong", "table", "thead", "tbody", "tr", "th", "td", "bdi"}
    assert "\u202e" not in html
    assert "\x1b" not in html
    assert len(repr(objects[name])) < 160


def test_what_they_say(objects):
    assert "&lt;script&gt;" in objects["Tokenizer"]._repr_html_()
    assert "1 more text<" in objects["Batch"]._repr_html_()
    assert repr(objects["TrainingReport"]).startswith("<TrainingReport: unigram, ")
    assert "▁" in objects["CountTable"]._repr_html_()


def test_empty_ones():
    assert "0 texts" in spm_lite.Batch.from_lists([])._repr_html_()
    assert "1 text<" in spm_lite.Batch(np.empty(0, np.int32), [0, 0])._repr_html_()
    assert "Quality" in spm_lite.Quality(1, 0, 0, 0, 0, 0, None)._repr_html_()
    assert "0" in spm_lite.CountTable.count([""])._repr_html_()
    assert "byte" in spm_lite.byte_tokenizer()._repr_html_()


@pytest.mark.parametrize("text", HOSTILE)
def test_texts_are_escaped(text):
    for html in (card(text, {text: text}), table([text], [[text]], 1, text)):
        assert escaped(text) in html
        tags_of(html)
    assert "\ud800" not in card("a", {"b": "\ud800"})


@pytest.mark.slow
@pytest.mark.parametrize("width", [400, 1400])
def test_cards_fit_a_screen(objects, tmp_path, width):
    if path_of_browser() is None:
        pytest.skip("there is no Chromium")
    page = tmp_path / "cards.html"
    cards = "<p>".join(one._repr_html_() for one in objects.values())
    page.write_text(f"<!doctype html><meta charset=utf-8>{cards}", encoding="utf-8")
    browser = Browser(tmp_path / "browser")
    browser.open(page.as_uri(), width)
    assert browser.value("document.querySelectorAll('.spm-lite').length") == 5
    assert browser.value("document.documentElement.scrollWidth") == width
    browser.close()
