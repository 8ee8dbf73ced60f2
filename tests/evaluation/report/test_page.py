"""The page of an audit: hostile names, pieces and texts stay text; nothing is loaded; it is a whole document."""

import html.parser
import os
import re
import shutil
import subprocess

import pytest
from oracle.browser import Browser, path_of_browser

import spm_lite
from spm_lite.cards import escaped
from spm_lite.evaluation.report.chart_axes import group_name
from spm_lite.evaluation.report.charts import alike, scripts
from spm_lite.evaluation.report.page_style import STYLE
from spm_lite.evaluation.report.standings import take_sentence

HOSTILE = [
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "a\x00b\x1b[31m",
    "</style></svg>",
    "שלום עולם",
]
VOID = {"meta", "br", "line", "rect", "circle", "polygon", "polyline"}


class Checker(html.parser.HTMLParser):
    """Counts elements, and fails for one that is not closed or that loads or runs something."""

    def __init__(self):
        super().__init__()
        self.open = []
        self.count = 0

    def handle_starttag(self, tag, attrs):
        self.count += 1
        assert tag not in ("script", "img", "link", "object", "embed", "form", "base"), tag
        assert not [name for name, _ in attrs if name.startswith("on") or name in ("src", "href")], attrs
        if tag not in VOID or (tag in ("circle", "rect", "polygon") and not self.get_starttag_text().endswith("/>")):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.count += 1

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, tag


def checked(page):
    checker = Checker()
    checker.feed(page)
    assert checker.open == []
    assert "\x00" not in page
    assert "\x1b" not in page
    assert not re.search(r"url\(|@import|https?://", page)
    return checker.count


@pytest.fixture(scope="module")
def report():
    lines = [f"line {n} of a text {bit}" for n in range(60) for bit in HOSTILE]
    one = spm_lite.train(lines, vocab_size=330, hard_vocab_limit=False, user_defined_symbols=["<script>", "\x1b[31m"])
    two = spm_lite.train(lines, vocab_size=120, hard_vocab_limit=False, byte_fallback=False, model_type="bpe")
    names = {"<b>one</b>\x1b": one, 'two" onload="x': two}
    return spm_lite.audit(names, {"<i>en</i>": lines}, parallel={"a&b": lines[:40], "\u202ec": lines[40:80]})


def test_hostile_names_and_texts(report, tmp_path):
    page = report.to_html(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page
    assert checked(page) > 300
    assert "&lt;b&gt;one&lt;/b&gt;" in page
    assert page.count("<figure>") >= 4
    order = ("Which language suffers", "What is broken", "Charts", "Texts that cost most", "Verdicts")
    places = [page.index("<h1>"), *(page.index(f"<h2>{title}") for title in order)]
    assert places == sorted(places)
    assert "<h3>Parity over languages" in page
    assert report.to_html() == page


def test_the_decision_is_the_largest(report):
    """One h1, with the first sentence of the decision; nothing has a larger font."""
    page = report.to_html()
    (title,) = re.findall("<h1>(.*?)</h1>", page)
    answer = take_sentence(report.to_dict()).partition(". ")[0].rstrip(".")
    assert title == f"{escaped(answer)}."
    sizes = [float(size) for size in re.findall(r"(?:font-size: |font: )([0-9.]+)rem", STYLE)]
    assert re.search(r"h1 { font-size: ([0-9.]+)rem", STYLE).group(1) == str(max(sizes))


def test_bars_of_scripts_are_named_and_alike_ones_are_one():
    same = [*alike("pieces", {"a": {"Latin": 99, "Thai": 1}, "b": {"Latin": 98, "Thai": 2}})]
    assert same == [("pieces, all tokenizers (within 2%)", {"Latin": 0.99, "Thai": 0.01})]
    other = [*alike("pieces", {"a": {"Latin": 1}, "b": {"Thai": 1}, "c": {}})]
    assert [name for name, _ in other] == ["pieces, a", "pieces, b"]
    data = {
        "tokenizers": ["a"],
        "vocabulary": {"a": {"tables": {"scripts": {f"S{n}": 100 - n for n in range(12)} | {"tiny": 1}}}},
        "corpus": {},
    }
    drawn = scripts(data)
    for name in (*(f"S{n}" for n in range(8)), "other"):
        assert drawn.count(f">{name}</span>") == 1
    assert ">tiny</span>" not in drawn


def test_names_stand_at_the_middle_of_their_group():
    drawn = group_name("en", 40, 20, 60)
    assert 'y="44.0"' in drawn
    assert ">abcdefghijklm…</text>" in group_name("abcdefghijklmnop", 120, 0, 9)


def test_vocabularies_alone():
    report = spm_lite.audit({"bytes": spm_lite.byte_tokenizer()})
    assert checked(report.to_html()) > 20


@pytest.mark.slow
@pytest.mark.parametrize("is_dark", [False, True])
def test_charts_fit_a_narrow_screen(report, tmp_path, is_dark):
    """No chart is wider than the screen, and no text of one is smaller than 11 pixels."""
    if path_of_browser() is None:
        pytest.skip("there is no Chromium")
    report.to_html(tmp_path / "report.html")
    browser = Browser(tmp_path / "profile")
    try:
        for width in (400, 1400):
            browser.open((tmp_path / "report.html").as_uri(), width, is_dark)
            assert browser.value("document.documentElement.scrollWidth") == width
            assert browser.value("[...document.querySelectorAll('figure')].every(f => f.scrollWidth <= f.clientWidth)")
            ends = "[...document.querySelectorAll('figure svg text')].map(t => t.getBoundingClientRect())"
            assert browser.value(f"{ends}.every(box => box.left >= -1 && box.right <= innerWidth + 1)")
            assert browser.value(f"Math.min(...{ends}.filter(box => box.width).map(box => box.height))") >= 11
    finally:
        browser.close()


@pytest.mark.slow
def test_in_a_browser(report, tmp_path):
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("there is no Chromium")
    report.to_html(tmp_path / "report.html")
    done = subprocess.run(
        [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", f"--user-data-dir={tmp_path / 'profile'}",
         "--enable-logging=stderr", "--dump-dom", (tmp_path / "report.html").as_uri()],
        capture_output=True, text=True, timeout=500, check=False, env={**os.environ, "HOME": str(tmp_path)},
    )  # fmt: skip
    assert "Verdicts" in done.stdout
    assert "<script" not in done.stdout
    assert "CONSOLE" not in done.stderr
