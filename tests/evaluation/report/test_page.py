"""The page of an audit: hostile names, pieces and texts stay text; nothing is loaded; it is a whole document."""

import html.parser
import os
import re
import shutil
import subprocess

import pytest

import spm_lite

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
    for title in ("Which one to take", "Which language suffers", "What is broken", "Charts", "Texts that cost most"):
        assert f"<h2>{title}" in page
    assert (
        page.index("<h2>Which one") < page.index("<h2>Which lang") < page.index("<h2>What is") < page.index("<h2>Verd")
    )
    assert "<h3>Parity over languages" in page
    assert report.to_html() == page
    frame = report._repr_html_()
    assert frame.startswith("<iframe srcdoc=")
    assert "<script" not in frame


def test_vocabularies_alone():
    report = spm_lite.audit({"bytes": spm_lite.byte_tokenizer()})
    assert checked(report.to_html()) > 20


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
