"""README.md and docs/: every block runs, every link leads somewhere, and generated parts are current."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from oracle import extras
from oracle.repository import ROOT

import spm_lite

pytest.importorskip("sybil")

DOCS = ROOT / "docs"
README = ROOT / "README.md"
PAGES = [README, *sorted(DOCS.rglob("*.md"))]
RUN = Path(__file__).with_name("run_page.py")
FENCE = re.compile(r"^ *(`{3,}|:{3,})(.*)$", re.MULTILINE)
PARTNERS = {
    "stack.md": ("transformers", "datasets", "polars", "duckdb", "torch"),
    "transformers.md": ("transformers",),
    "accelerate.md": ("transformers",),
    "servers.md": ("transformers",),
    "vocabularies.md": ("torch",),
    "engines.md": (  # run by tests/engines/whole/test_recipes.py
        "pool",
        "spark",
        "ray",
        "dask",
        "beam",
        "datasets",
        "datatrove",
    ),
}
slow = pytest.mark.slow
MARKS = {"audit": slow, "fair-vocabularies": slow, "command-line": (slow, pytest.mark.dev), "quickstart": slow}
LONG = {"which-size.md": "corpora/parallel/ntrex.*.tsv"}  # the shared files that the page starts with


def kinds(page: Path) -> list[str]:
    """What is written after the fence of each block."""
    return [info.strip() for _, info in FENCE.findall(page.read_text(encoding="utf-8"))][::2]


def run(page: Path, folder: Path, *partners: str) -> None:
    """Run the blocks of a page in a folder."""
    command = [sys.executable, str(RUN), str(page), *partners]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=800)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=page.stem, marks=MARKS.get(page.stem, ()))
        for page in PAGES
        if page.name not in LONG and {"python", "sh"} & {*kinds(page)}
    ],
)
def test_blocks_run(page, tmp_path):
    for partner in ("pyarrow", "tokenizers", "tiktoken", "sentencepiece"):
        if re.search(rf"^(?:import|from) {partner}\b", page.read_text(encoding="utf-8"), re.MULTILINE):
            pytest.importorskip(partner)
    if page.stem == "command-line":
        extras.need("shtab")
    run(page, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "pattern"), LONG.items())
def test_blocks_run_on_shared_data(name, pattern, shared_data, tmp_path):
    files = list(shared_data.glob(pattern))
    if not files:
        pytest.skip(f"no {pattern} in the shared data")
    for file in files:
        (tmp_path / file.name).symlink_to(file)
    run(DOCS / name, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "partner"),
    [(name, one) for name in ("stack.md", "transformers.md", "accelerate.md", "servers.md") for one in PARTNERS[name]],
)
def test_blocks_of_partners_run(name, partner, tmp_path):
    extras.skip_without(partner)
    run(DOCS / name, tmp_path, partner)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_block_is_of_a_kind_that_runs(page):
    """`text` is for what people read: pictures of a terminal, a list of folders."""
    partners = {f"python {partner}" for partner in PARTNERS.get(page.name, ())}
    directives = {kind for kind in kinds(page) if kind.startswith("{")}
    assert {*kinds(page)} - directives <= {"python", "sh", "output", "text"} | partners


@pytest.mark.dev
@pytest.mark.parametrize(
    "page", [page for page in PAGES if "[[[cog" in page.read_text(encoding="utf-8")], ids=lambda page: page.stem
)
def test_generated_parts_are_current(page, tmp_path):
    extras.need("cogapp")
    if page.stem == "commands" and sys.version_info >= (3, 13):
        pytest.skip("argparse writes the names of options in another form")
    command = [sys.executable, "-m", "cogapp", "--check", "-I", str(ROOT / "tools" / "generate"), str(page)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, f"run `make pages`: {done.stdout}{done.stderr}"


def test_every_table_of_the_benchmarks_is_generated():
    page = (DOCS / "benchmarks.md").read_text(encoding="utf-8")
    by_hand = re.sub(r"<!-- \[\[\[cog.*?\[\[\[end\]\]\] -->", "", page, flags=re.DOTALL)
    assert not re.search(r"^\|", by_hand, re.MULTILINE)


def test_pictures_are_current(tmp_path):
    command = [sys.executable, str(ROOT / "tools" / "generate" / "pictures.py"), str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr
    kept = {path.name: path.read_text(encoding="utf-8") for path in (DOCS / "pictures").glob("*.svg")}
    made = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.glob("*.svg")}
    assert made == kept, "run `make pages`"


def test_every_public_name_has_a_place():
    pages = "".join(page.read_text(encoding="utf-8") for page in (DOCS / "reference").glob("*.md"))
    names = [name for name in spm_lite.__all__ if not name.startswith("__")]
    assert [name for name in names if not re.search(rf"spm_lite\.{name}\b|`{name}`", pages)] == []


def test_sentences_of_the_readme_are_short():
    text = README.read_text(encoding="utf-8")
    text = re.sub(r"^```.*?^```$|^\|.*$|^#.*$|<!--.*?-->", "\n", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"!?\[([^]]*)\]\([^)]*\)", r"\1", text)
    for block in re.split(r"\n\s*\n|\n- ", text):
        for sentence in re.split(r"(?<=[.:!?])\s+", block):
            assert len(sentence.split()) <= 30, sentence


def test_readme_is_short():
    lines = README.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 120


def test_links_lead_to_files():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
