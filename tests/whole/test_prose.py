"""Words of the repository: two that nobody writes, and docstrings that say no more than a name."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from oracle.repository import ROOT

FOLDERS = ["spm_lite", "tests", "tools", "docs"]
FREE = {"CHANGELOG.md", "test_prose.py"}
UNUSUAL = re.compile(r"\bbut\s+(?:#\s*)?for\b|\blikewise\b", re.IGNORECASE)
LITTLE_WORDS = """
    a all an and any are as at be both but by did do does each every for from had has have here how if in into is it
    its just may no not of on one only or other out own return same so some such than that the their them then there
    these they this those to up was were what when where whether which who whose will with
"""
STOP = frozenset(LITTLE_WORDS.split())
ENDINGS = [
    "ization", "ations", "ation", "ings", "ing", "ied", "ies", "ers", "er", "ors", "or", "ed", "es", "s", "e", "y", "t",
]  # fmt: skip
HEADER = re.compile(r"\s*(?:cp?def|def|class)\b")


def sources(*endings: str) -> list[Path]:
    """The files with one of the endings, in the folders of the source and beside them."""
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*")] + list(ROOT.iterdir())
    return sorted(path for path in found if path.suffix in endings and path.name not in FREE)


def stem(word: str) -> str:
    """A word without its ending, so that `splits`, `splitting` and `splitter` are the same."""
    word = word.lower()
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending)
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


def stems(text: str) -> set[str]:
    words = re.findall(r"[A-Za-z]+", re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text))
    return {stem(word) for word in words if word.lower() not in STOP}


def says_nothing(docstring: str, names: str) -> bool:
    """Whether the first line has no word, apart from little ones, that is not among the names."""
    return stems(docstring.strip().split("\n")[0]) <= stems(names)


def of_python(source: str, module: str) -> Iterator[tuple[int, str]]:
    """Yield (line, docstring) of functions and classes whose docstring says nothing."""

    def walk(node: ast.AST, names: str) -> Iterator[tuple[int, str]]:
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                yield from walk(child, names)
                continue
            header = f"{names} {child.name}"
            if not isinstance(child, ast.ClassDef):
                header += f" {ast.unparse(child.args)} {ast.unparse(child.returns) if child.returns else ''}"
            docstring = ast.get_docstring(child)
            if docstring and says_nothing(docstring, header):
                yield child.lineno, docstring
            yield from walk(child, f"{names} {child.name}" if isinstance(child, ast.ClassDef) else names)

    return walk(ast.parse(source), module)


def of_cython(source: str, module: str) -> Iterator[tuple[int, str]]:
    """Yield the same of a .pyx: a docstring is what stands in three quotes below the lines of a header."""
    lines = source.split("\n")
    within = ""
    for i, line in enumerate(lines):
        if found := re.match(r"(?:cdef )?class (\w+)", line):
            within = found[1]
        begin = i - 1
        if not line.lstrip().startswith('"""') or i == 0 or not lines[begin].endswith(":"):
            continue
        while begin > 0 and lines[begin].strip() and not HEADER.match(lines[begin]):
            begin -= 1
        if not HEADER.match(lines[begin]):
            continue
        header = " ".join([module, *lines[begin:i], within if lines[begin].startswith(" ") else ""])
        docstring = line.strip().strip('"')
        if docstring and says_nothing(docstring, header):
            yield i + 1, docstring


def faults(path: Path) -> list[str]:
    find = of_python if path.suffix == ".py" else of_cython
    found = find(path.read_text(encoding="utf-8"), f"{path.parent.name} {path.stem}")
    return [f"{path.relative_to(ROOT)}:{line}: {docstring.splitlines()[0]}" for line, docstring in found]


def test_no_unusual_words():
    found = []
    for path in sources(".py", ".pyx", ".pxd", ".md"):
        text = path.read_text(encoding="utf-8")
        for match in UNUSUAL.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            found.append(f"{path.relative_to(ROOT)}:{line}: write another word than {match[0]!r}")
    assert found == []


@pytest.mark.parametrize("text", ["All but for one.", "Likewise.", "# but\n    # for the last", "But\nfor this"])
def test_an_unusual_word_is_found(text):
    assert UNUSUAL.search(text)


@pytest.mark.parametrize("text", ["All but one, for now.", "butfor", "Like wise men"])
def test_usual_words_are_not(text):
    assert not UNUSUAL.search(text)


def test_docstrings_say_more_than_names():
    """A docstring has its units, its reason or its errors on the first line; else it is left out."""
    paths = [path for path in sources(".py", ".pyx") if path.is_relative_to(ROOT / "spm_lite")]
    assert len(paths) > 300
    assert [fault for path in paths for fault in faults(path)] == []


@pytest.mark.parametrize("find", [of_python, of_cython])
@pytest.mark.parametrize(
    ("source", "n_found"),
    [
        ('def close_file(file):\n    """Close the file."""\n', 1),
        ('def close_file(file):\n    """Close the file, and remove its lock."""\n', 0),
        ('class Splitter:\n    """Splits."""\n\n    def split(self, text):\n        """Split the text."""\n', 2),
        ('class Merger:\n    def run(self):\n        """The merger runs.\n\n        More."""\n', 1),
        ('def parts(\n    text,\n    size,\n):\n    """The parts of a text, by size."""\n', 1),
        ("def bare(file):\n    return file\n", 0),
    ],
)
def test_a_docstring_that_says_nothing_is_found(find, source, n_found):
    assert len(list(find(source, "room module"))) == n_found
