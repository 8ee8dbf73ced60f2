"""Every block of Python in README.md and docs/ runs, page by page, in a folder of its own."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> list[tuple[int, str]]:
    """The blocks of Python of a page, each with the number of the line before it."""
    text = page.read_text(encoding="utf-8")
    return [(text.count("\n", 0, match.start(1)), match[1]) for match in BLOCK.finditer(text)]


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=lambda page: page.name)
def test_python_runs(page, tmp_path):
    for partner in ("pyarrow", "tokenizers"):
        if f"import {partner}" in page.read_text(encoding="utf-8"):
            pytest.importorskip(partner)
    program = ""
    for line, code in blocks(page):  # as many lines as in the page, so that a traceback names the right one
        program += "\n" * (line - program.count("\n")) + code
    name = f"{page.stem}.py"
    (tmp_path / name).write_text(program, encoding="utf-8")
    done = subprocess.run([sys.executable, name], cwd=tmp_path, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("partner", ["transformers", "datasets", "torch"])
def test_programs_around(partner, tmp_path):
    """The blocks of stack.md that need another package run after the others."""
    pytest.importorskip(partner)
    text = (ROOT / "docs" / "stack.md").read_text(encoding="utf-8")
    program = "\n".join(re.findall(rf"^```python(?: {partner})?\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    assert f"import {partner}" in program
    (tmp_path / "stack.py").write_text(program, encoding="utf-8")
    done = subprocess.run([sys.executable, "stack.py"], cwd=tmp_path, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr


def test_readme_is_short():
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 150


def test_links_lead_to_files():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
