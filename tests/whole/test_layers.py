"""The order of the package: rooms, imports, names, tests. Each rule is checked on the package and on a made fault."""

import re
from pathlib import Path

import pytest
from oracle import layers
from oracle.repository import ROOT

import spm_lite

SOURCE, TESTS = ROOT / "spm_lite", ROOT / "tests"
TABLE = Path(__file__).with_name("covered_modules.txt")
ROOMS = [
    "base", "progress", "texts", "files", "normalize", "vocab", "encode", "lattice", "decode", "formats", "pictures",
    "tokenizer", "training", "evaluation", "engines", "transformers", "cli", "sentencepiece",
]  # fmt: skip
FACES = {".", "__main__", "sentencepiece_model_pb2", "sentencepiece_pb2"}  # they name what users import from all rooms
MOST_ROOMS, MOST_MODULES, MOST_LINES, WIDEST = 18, 556, 60, 120
SMALLEST = 60  # lines of a module that needs a test
HEAVY = {"chrono", "condition_variable", "functional", "iostream", "mutex", "regex", "thread"}  # slow to compile
APART = {"whole", "tools", "native", "oracle"}  # folders of tests whose names say what they walk through


@pytest.fixture(scope="module")
def package() -> layers.Package:
    return layers.read_package(SOURCE)


@pytest.fixture(scope="module")
def tests() -> list[str]:
    """The names of all test files, without their folder `tests` and the beginning `test_`."""
    paths = (path.relative_to(TESTS) for path in sorted(TESTS.rglob("test_*.py")))
    return [path.with_name(path.stem.removeprefix("test_")).as_posix() for path in paths]


@pytest.fixture(scope="module")
def table() -> dict[str, list[str]]:
    return layers.read_table(TABLE.read_text(encoding="utf-8"))


def test_imports_go_up_the_list_only(package: layers.Package) -> None:
    assert layers.imports_that_run_up(package.imports, ["", *ROOMS], package.folders, FACES) == []
    assert layers.imports_between(package.imports, "sentencepiece", "sentencepiece/programs", "cli") == []


def test_no_modules_import_each_other_in_a_circle(package: layers.Package) -> None:
    assert layers.circle(package.imports, FACES) == []


def test_rooms_and_modules_are_few(package: layers.Package) -> None:
    assert {folder for folder in package.folders if "/" not in folder} == {*ROOMS}
    assert len(ROOMS) <= MOST_ROOMS
    assert len(package.lines) <= MOST_MODULES


def test_heavy_headers_are_included_where_they_are_used() -> None:
    found = {path.name: layers.heavy_headers(path.read_text(encoding="utf-8"), HEAVY) for path in SOURCE.rglob("*.pxd")}
    few_modules = {"encode_batch.pxd", "ranking.pxd"}  # cimport it
    assert {name for name, headers in found.items() if headers} == few_modules


def test_the_list_of_rooms_is_that_of_the_package() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert layers.wrong_list_of_rooms(page, ROOMS, MOST_LINES) == []


def test_names_are_used_once(package: layers.Package) -> None:
    assert layers.repeated(package.stems) == []
    places = [*package.lines, *package.folders]
    assert layers.public_names(places, spm_lite.__all__, "sentencepiece/programs") == []


def test_each_test_has_its_module(package: layers.Package, tests: list[str]) -> None:
    assert layers.tests_without_module(tests, {*package.lines, *package.folders}, APART) == []


def test_each_module_has_its_test(package: layers.Package, tests: list[str], table: dict[str, list[str]]) -> None:
    rows = TABLE.read_text(encoding="utf-8").splitlines()
    assert len(rows) == len(table) <= MOST_LINES
    assert max(map(len, rows)) <= WIDEST
    assert layers.wrong_table(table, tests, package.lines) == []
    lines = {name: n for name, n in package.lines.items() if name not in FACES}
    assert layers.untested(lines, tests, table, SMALLEST) == []


def test_no_first_lines_that_name_an_encoding() -> None:
    """Cython 3.3.0 reads `encoding: name` in the first two lines of any source as the encoding of the file."""
    for path in sorted(SOURCE.rglob("*.p[yx]*")):
        if path.suffix in (".pyx", ".pxd"):
            first = path.read_text(encoding="utf-8").split("\n")[:2]
            assert not re.search(r"coding[:=]\s*[-\w.]+", " ".join(first)), path


# Made faults: the checks find them.

PYTHON = '''
import spm_lite.low.one
from spm_lite._typing import TYPE_CHECKING
from spm_lite.low import two as second, nothing
if TYPE_CHECKING:
    from spm_lite.high.three import Three
else:
    import os, spm_lite.low.four
def inside():
    """from spm_lite.high import six"""
    from spm_lite.low.five import (
        a,
        b,
    )
'''
CYTHON = """
cimport spm_lite.low.one
from libc.stdint cimport int32_t
from spm_lite.low cimport two as second  # from high
from spm_lite.low.five cimport (
    a,  # spm_lite.high
    b,
)
def inside():
    from spm_lite.low.four import c, d as e
"""


def test_all_imports_are_read() -> None:
    low = {"spm_lite.low.one", "spm_lite.low.two", "spm_lite.low.five.a", "spm_lite.low.five.b"}
    python = low | {"spm_lite._typing.TYPE_CHECKING", "spm_lite.low.nothing", "spm_lite.low.four"}
    assert layers.imports_of_python(PYTHON) == python
    assert layers.imports_of_cython(CYTHON) == low | {"spm_lite.low.four.c", "spm_lite.low.four.d"}


def test_a_package_is_read(tmp_path: Path) -> None:
    sources = {
        "__init__.py": "from spm_lite.high.top import run\n",
        "low/__init__.py": "",
        "low/one.pxd": "from spm_lite.high.top cimport value\n",
        "low/one.pyx": "from spm_lite.low.one cimport own\n\nimport spm_lite\n",
        "high/__init__.py": "import spm_lite.low\n",
        "high/top.py": "from spm_lite.low import one\n",
        "high/top.pyi": "from spm_lite.nothing import to_read\n",
    }
    for name, source in sources.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(source, encoding="utf-8")
    found = layers.read_package(tmp_path)
    assert found.lines == {"low/one": 4, "high/top": 1}
    assert found.folders == {"low", "high"}
    assert found.imports == {
        ".": {"high/top"}, "low": set(), "low/one": {"high/top", "."}, "high": {"low"}, "high/top": {"low/one"},
    }  # fmt: skip
    assert layers.circle(found.imports, {"."}) == ["high/top", "low/one", "high/top"]
    wrong = layers.imports_that_run_up(found.imports, ["", "low", "high"], found.folders, {"."})
    assert wrong == ["low/one imports high/top"]


def test_an_import_that_runs_up_is_found() -> None:
    folders, order = {"low", "low/deep", "high"}, ["", "low", "high"]
    for name, other in [("low/deep/one", "high/two"), ("root", "low/one"), ("low", "high"), ("low/one", "high")]:
        assert layers.imports_that_run_up({name: {other}}, order, folders, {"face"}) == [f"{name} imports {other}"]
        assert layers.imports_that_run_up({other: {name}, "face": {other}}, order, folders, {"face"}) == []
    imports = {"drop_in/programs/one": {"cli/x"}, "drop_in/two": {"cli/y", "base/z"}}
    assert layers.imports_between(imports, "drop_in", "drop_in/programs", "cli") == ["drop_in/two imports cli/y"]


def test_a_circle_is_found() -> None:
    assert layers.circle({"a": {"b"}, "b": {"c", "d"}, "c": {"d"}, "d": set()}, set()) == []
    found = layers.circle({"a": {"b"}, "b": {"c", "d"}, "c": {"d"}, "d": {"b"}}, set())
    assert found[0] == found[-1] and {*found} in ({"b", "d"}, {"b", "c", "d"})
    assert layers.circle({"a": {"face"}, "face": {"a"}}, {"face"}) == []


@pytest.mark.parametrize(
    ("listing", "n_wrong"),
    [
        ("a b\nlow/   x\n  deep/  y\nhigh/  z", 0),
        ("a b\nlow/   x", 1),
        ("high/  z\nlow/   x", 1),
        ("low/   x\nmore/  y\nhigh/  z", 1),
        ("low/   x\n  1\n  2\n  3\nhigh/  z", 1),
        ("low/   x\n  1\n  2\n  3\n  4", 2),
    ],
)
def test_a_wrong_list_of_rooms_is_found(listing: str, n_wrong: int) -> None:
    page = f"```\nothers/ x\n```\n## Where things are\n\nIn order:\n\n```\n{listing}\n```\n"
    assert len(layers.wrong_list_of_rooms(page, ["low", "high"], 4)) == n_wrong


def test_a_heavy_header_is_found() -> None:
    apart = "#ifdef _WIN32\n#include <thread>\n#else\n#include <mutex>\n#endif\n#include <vector>\n"
    assert layers.heavy_headers(apart, {"mutex", "thread"}) == ["mutex"]


def test_names_that_are_used_twice_or_public_are_found() -> None:
    assert layers.repeated(["one", "two", "one", "One"]) == ["one"]
    places = ["low/train", "train", "train/two", "programs/train", "low/Train"]
    assert layers.public_names(places, {"train", "Tokenizer"}, "programs") == ["low/train", "train"]


def test_a_test_without_a_module_is_found() -> None:
    tests = ["low/one", "one", "low/two", "low/whole/two", "tools/two", "low/whole"]
    assert layers.tests_without_module(tests, {"low/one", "low"}, {"whole", "tools"}) == ["one", "low/two", "low/whole"]


def test_a_module_without_a_test_is_found() -> None:
    lines = {"low/one": 60, "low/two": 60, "low/three": 60, "low/four": 59}
    covered = layers.read_table("whole/all: two\n")
    assert layers.untested(lines, {"low/one", "three"}, covered, 60) == ["low/three"]
    assert layers.wrong_table(covered, {"whole/all", "low/one"}, lines) == []
    assert layers.wrong_table(covered, {"low/one"}, lines) == ["there is no test whole/all"]
    faults = layers.read_table("whole/all: two five\nwhole/two: two one")
    assert layers.wrong_table(faults, {"whole/all", "whole/two", "low/one"}, lines) == [
        "there is no module five", "two is in two rows", "one has a test of its own",
    ]  # fmt: skip
