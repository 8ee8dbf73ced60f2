"""The page in a browser: what people type, and what hostile texts do not do."""

import json

import pytest

import spm_lite

pytestmark = pytest.mark.slow
PIECES = "[...document.querySelectorAll('section:nth-child({})>.pieces .piece')].map(piece => piece.textContent)"
IDS = "[...document.querySelectorAll('section:nth-child({})>.pieces .id')].map(one => Number(one.textContent))"
SETTLED = "!document.querySelector('.old') && !views.some(view => view.timer)"


@pytest.fixture
def page(browser, server):
    """The page, open; no script may fail, and nothing may break its policy."""
    browser.logged.clear()
    browser.open(server.url)
    browser.until("document.querySelectorAll('.piece').length > 2 && !document.querySelector('.old')")
    yield browser
    assert browser.logged == []


def type_text(page, text):
    """Put a text in place of what is there, as people do, and wait for the pieces."""
    page.value(
        f"(input.value = {json.dumps(text)}, input.dispatchEvent(new Event('input')), "
        "views.forEach(view => view.pieces.classList.add('old')))"
    )
    page.until("!document.querySelector('.old')")


def test_typing_changes_the_pieces(page, models):
    bpe, unigram = (spm_lite.Tokenizer.load(models[kind]) for kind in ("bpe", "unigram"))
    page.value("input.select()")
    for letter in "lowest":
        page.send("Input.dispatchKeyEvent", type="char", text=letter)
    page.until(f"document.querySelector('.counts').textContent.includes('{len(bpe.encode('lowest'))} token')")
    page.until("!document.querySelector('.old')")
    assert page.value(IDS.format(1)) == bpe.encode("lowest")
    assert page.value(IDS.format(2)) == unigram.encode("lowest")
    assert page.value(PIECES.format(1)) == bpe.pieces("lowest")


TEXTS = ["hello שלום", "e\u0301a\u0308", "\u0301", "👩\u200d👧 🙂", "水車", "", "a\nb\tc", "line \u2028 ends"]
HOSTILE = [
    "<script>document.title = 'taken'</script>", "<img src=x onerror=\"document.title='taken'\">",
    "\"'`</textarea>&lt;", "a\0b", "\x1b[31mred\x1b]0;taken\x07", "\u202eabc\u2066",
    "${document.title='taken'}", "\ufffe\uffff",
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS + HOSTILE, ids=ascii)
def test_texts_are_texts(page, models, text):
    page.value("document.querySelectorAll('details').forEach(part => { part.open = true })")
    type_text(page, text)
    for place, kind in ((1, "bpe"), (2, "unigram")):
        assert page.value(IDS.format(place)) == spm_lite.Tokenizer.load(models[kind]).encode(text)
    assert page.value("document.title") == "spm-lite play"
    assert page.value("document.querySelectorAll('#models script, #models img').length") == 0
    assert page.value("document.documentElement.scrollWidth <= innerWidth")


def test_pieces_stand_in_the_order_of_the_ids(page):
    type_text(page, "שלום עולם hello")
    places = page.value("[...document.querySelectorAll('section>.pieces .group')].map(g => g.getBoundingClientRect())"
                        ".map(box => [box.top, box.left])")  # fmt: skip
    half = len(places) // 2
    assert places[:2] == sorted(places[:2])
    assert places[:half] == sorted(places[:half])


def test_a_megabyte_stays_text(page, models):
    text = "<b>hello \0 " * 95_000
    type_text(page, text)
    count = spm_lite.Tokenizer.load(models["bpe"]).count(text)
    assert f"{count:,} tokens" in page.value("document.querySelector('.counts').textContent")
    assert page.value("document.querySelectorAll('section:nth-child(1)>.pieces .id').length") == 1000
    assert page.value("document.querySelectorAll('#models b b').length") == 0


def test_the_slider_takes_merges_away(page):
    type_text(page, "lower lowest")
    before = page.value(IDS.format(1))
    page.value(
        "(s => { s.value = s.min; s.dispatchEvent(new Event('input')); views[0].pieces.classList.add('old'); })"
        "(document.querySelector('input[type=range]'))"
    )
    page.until("!document.querySelector('.old')")
    assert len(page.value(IDS.format(1))) == len("▁lower▁lowest") > len(before)
    assert page.value("document.querySelectorAll('input[type=range]').length") == 1  # the Unigram model has none
    assert page.value("document.querySelector('.size').textContent").startswith("Vocabulary: 0 of ")


def test_parts_on_demand(page):
    assert page.value("document.querySelectorAll('.way, .spm-lite').length") == 0
    page.value("document.querySelectorAll('details').forEach(part => { part.open = true })")
    page.until("document.querySelectorAll('.way').length > 2 && document.querySelectorAll('.spm-lite').length > 2")
    page.until("!document.querySelector('.old')")
    assert "each unit alone" in page.value("document.querySelector('section:nth-child(1)').textContent")
    assert "best " in page.value("document.querySelector('section:nth-child(2)').textContent")


def test_rows_are_labelled_and_the_program_is_named(page):
    type_text(page, "hello 🙂")
    assert page.value("document.querySelector('h1').textContent") == "spm-lite play"
    assert page.value("document.querySelector('section>.pieces .key').innerText.split('\\n')") == ["ids", "bytes"]
    type_text(page, "")
    assert page.value("document.querySelectorAll('.key').length") == 0


def test_a_link_holds_text_and_view(browser, server):
    """The fragment says what was typed and opened; an address with it shows the same."""
    text = "50% & #1 + ünïts\n👩\u200d👧 <b>"
    browser.logged.clear()
    browser.open(server.url)
    browser.until("document.querySelectorAll('.piece').length > 2 && !document.querySelector('.old')")
    type_text(browser, text)
    browser.value("document.querySelectorAll('details')[1].open = true")
    browser.value(
        "(s => { s.value = Number(s.min) + 2; s.dispatchEvent(new Event('input')); })"
        "(document.querySelector('input[type=range]'))"
    )
    browser.until("location.hash.includes('merges0=2') && location.hash.includes('open0=1')")
    link = browser.value("location.href")
    browser.open("about:blank")
    browser.open(link)
    browser.until(f"!document.querySelector('.old') && {SETTLED} && document.querySelectorAll('.spm-lite').length > 2")
    assert browser.value("input.value") == text
    assert browser.value("views.map(view => view.merges)") == [2, None]
    assert browser.value("[...document.querySelectorAll('details')].map(one => one.open)") == [
        False,
        True,
        False,
        False,
    ]
    assert browser.logged == []


@pytest.mark.parametrize("fragment", ["%", "merges0=x&open0=9", "merges0=-5", "merges0=1e99&open1=<b>", "text=%FF%00"])
def test_strange_fragments_do_no_harm(browser, server, fragment):
    browser.logged.clear()
    browser.open("about:blank")
    browser.open(f"{server.url}#{fragment}")
    browser.until("document.querySelectorAll('.counts b').length > 2 && !document.querySelector('.old')")
    assert browser.logged == []


def test_ids_and_pieces_are_copied_whole(page, models):
    text = "hello world " * 600
    type_text(page, text)
    page.value("navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve(); }")
    tok = spm_lite.Tokenizer.load(models["bpe"])
    for place, wanted in ((0, tok.encode(text)), (1, tok.pieces(text))):
        page.value(f"window.copied = null, document.querySelectorAll('section button')[{place}].click()")
        page.until("window.copied !== null")
        assert json.loads(page.value("window.copied")) == wanted


@pytest.mark.parametrize("width", [400, 1400])
@pytest.mark.parametrize("text", ["internationalization " * 3, "水車 שלום 🙂🙂", "x" * 60])
def test_nothing_is_cut(browser, server, width, text):
    """With all parts open, no element is wider than its place."""
    browser.open(server.url, width)
    browser.until("document.querySelectorAll('.piece').length > 2 && !document.querySelector('.old')")
    browser.value("document.querySelectorAll('details').forEach(part => { part.open = true })")
    type_text(browser, text)
    browser.until("document.querySelectorAll('.spm-lite').length > 1 && !document.querySelector('.old')")
    wide = (  # without numbers, which are left out where they do not fit
        "[...document.querySelectorAll('body *')]"
        ".filter(one => one.tagName !== 'SPAN' || !one.textContent.match(/^-?[0-9.]*$/))"
    )
    assert browser.value(f"{wide}.filter(one => one.scrollWidth > one.clientWidth + 1 && one.clientWidth).length") == 0


@pytest.mark.parametrize("width", [400, 1400])
@pytest.mark.parametrize("is_dark", [False, True])
def test_it_fits_light_and_dark_screens(browser, server, width, is_dark):
    browser.open(server.url, width, is_dark)
    browser.until("document.querySelectorAll('.piece').length > 2 && !document.querySelector('.old')")
    assert browser.value("document.documentElement.scrollWidth") == width
    colours = browser.value("(s => [s.color, s.backgroundColor])(getComputedStyle(document.body))")
    assert colours == (["rgb(238, 238, 238)", "rgb(22, 22, 22)"] if is_dark else ["rgb(0, 0, 0)", "rgb(255, 255, 255)"])


def test_another_page_cannot_ask(browser, server, tmp_path):
    other = tmp_path / "other.html"
    other.write_text("<!doctype html><p>other", encoding="utf-8")
    browser.open(other.as_uri())
    ask = f"fetch('{server.url}pieces', {{method: 'POST', body: '{{\"text\":\"a\"}}', headers: {{}}}})"
    assert browser.value(f"{ask}.then(() => 'answered', () => 'refused')") == "refused"
    browser.value(
        f"new Promise(done => {{ const f = document.createElement('iframe'); f.src = '{server.url}'; f.onload = done; "
        "document.body.append(f); })"
    )
    browser.logged.clear()
