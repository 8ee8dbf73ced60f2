"""The order of the package, read off its source: modules, what they import, their tests; and what breaks a rule.

A module is named by its path in the package, as in `encode/segment/bpe`. Its .pyx and its .pxd are one module. Each
check returns a list of complaints, which is empty if the rule is kept.
"""

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

IMPORT = re.compile(r"^[ \t]*from (spm_lite[\w.]*) c?import (\([^)]*\)|[^\n]*)", re.MULTILINE)
PLAIN_IMPORT = re.compile(r"^[ \t]*c?import ((?:spm_lite[\w.]*|[\w.]+, *)[^\n#]*)", re.MULTILINE)
LISTED_ROOM = re.compile(r"^(\w+)/ ", re.MULTILINE)
Graph = Mapping[str, Collection[str]]


class Package(NamedTuple):
    """What the checks need to know of a package."""

    lines: dict[str, int]  # module -> lines of its .py, or of its .pyx and .pxd together
    imports: dict[str, set[str]]  # module -> modules and folders; a folder stands for its __init__
    folders: set[str]
    stems: list[str]  # the last part of each module's name


def read_package(root: Path) -> Package:
    """The modules of a package. The `__init__` of a folder is entered under the name of the folder."""
    lines: Counter[str] = Counter()
    found: dict[str, set[str]] = {}
    for path in sorted(root.rglob("*.p*")):
        if path.suffix not in (".py", ".pyx", ".pxd"):
            continue
        place = path.with_suffix("").relative_to(root)
        is_init = place.name == "__init__"
        source = path.read_text(encoding="utf-8")
        imported = imports_of_python(source) if path.suffix == ".py" else imports_of_cython(source)
        found.setdefault((place.parent if is_init else place).as_posix(), set()).update(imported)
        if not is_init:
            lines[place.as_posix()] += len(source.splitlines())
    folders = {path.parent.relative_to(root).as_posix() for path in root.rglob("__init__.py")} - {"."}
    imports = {name: {target(one, {*lines, *folders}) for one in some} - {name} for name, some in found.items()}
    return Package(
        dict(lines), imports, folders, [name.rpartition("/")[2] for name in lines if not name.endswith("__main__")]
    )


def target(dotted: str, known: Collection[str]) -> str:
    """The module or folder that an imported name is, or is taken from; `.` is the package itself."""
    place = "/".join(dotted.split(".")[1:])
    while place and place not in known:
        place = place.rpartition("/")[0]
    return place or "."


def imports_of_python(source: str) -> set[str]:
    """The dotted names of this package that Python source imports, inside functions too, but not for types only."""
    names: set[str] = set()
    waiting: list[ast.AST] = [ast.parse(source)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "an import is relative"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        is_for_types = isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
        waiting += node.orelse if is_for_types else ast.iter_child_nodes(node)
    return {name for name in names if name.split(".")[0] == "spm_lite"}


def imports_of_cython(source: str) -> set[str]:
    """The dotted names of this package that Cython source imports or cimports."""
    names: set[str] = set()
    for module, imported in IMPORT.findall(source):
        words = re.sub(r"#[^\n]*|\bas \w+", "", imported)
        names |= {f"{module}.{name}" for name in re.findall(r"[A-Za-z_]\w*", words)}
    for imported in PLAIN_IMPORT.findall(source):
        names |= {name.split()[0] for name in imported.split(",")}
    return {name for name in names if name.split(".")[0] == "spm_lite"}


def room_of(name: str, folders: Collection[str]) -> str:
    """The top folder of a module; "" for a module at the root."""
    return name.split("/")[0] if "/" in name or name in folders else ""


def imports_that_run_up(
    imports: Graph, order: list[str], folders: Collection[str], faces: Collection[str]
) -> list[str]:
    """Imports of a later room. order: the rooms; "" is the root. faces: free to import, and to be imported."""
    rank = {room: number for number, room in enumerate(order)}
    return [
        f"{name} imports {other}"
        for name, others in imports.items()
        for other in sorted(others)
        if not {name, other} & {*faces} and rank[room_of(other, folders)] > rank[room_of(name, folders)]
    ]


def imports_between(imports: Graph, begin: str, allowed: str, end: str) -> list[str]:
    """Imports of modules of `end` by modules of `begin` that are not in `allowed`; each is the beginning of names."""
    return [
        f"{name} imports {other}"
        for name, others in imports.items()
        for other in sorted(others)
        if name.startswith(begin) and not name.startswith(allowed) and other.startswith(end)
    ]


def circle(imports: Graph, faces: Collection[str]) -> list[str]:
    """The modules of one circle of imports, if there is one; the first is the last again."""
    graph = {name: {*others} - {*faces} for name, others in imports.items() if name not in faces}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def wrong_list_of_rooms(page: str, order: list[str], most_lines: int) -> list[str]:
    """How the list of rooms differs from their order. page: has it in the first fenced block of "Where things are"."""
    listing = page.partition("## Where things are")[2].split("```")[1].strip("\n")
    wrong = []
    if LISTED_ROOM.findall(listing) != order:
        wrong.append(f"the list has {LISTED_ROOM.findall(listing)}, the rooms are {order}")
    if listing.count("\n") + 1 > most_lines:
        wrong.append(f"the list has more than {most_lines} lines")
    return wrong


def repeated(stems: Iterable[str]) -> list[str]:
    """Names that several modules bear."""
    return sorted(stem for stem, n in Counter(stems).items() if n > 1)


def public_names(places: Iterable[str], public: Collection[str], exempt: str) -> list[str]:
    """Modules and folders that bear a public name, outside of the folder `exempt`."""
    return [place for place in places if place.rpartition("/")[2] in public and not place.startswith(f"{exempt}/")]


def tests_without_module(tests: Iterable[str], places: Collection[str], exempt: Collection[str]) -> list[str]:
    """Tests that stand beside no module. tests, places: names as in `encode/segment/bpe`. exempt: names of folders."""
    return [name for name in tests if name not in places and not {*name.split("/")[:-1]} & {*exempt}]


def read_table(text: str) -> dict[str, list[str]]:
    """Test -> the last parts of the names of the modules that it covers, from lines such as `files/corpus: paths`."""
    rows = (line.partition(":") for line in text.splitlines())
    return {test.strip(): modules.split() for test, _, modules in rows}


def wrong_table(table: Mapping[str, list[str]], tests: Collection[str], lines: Mapping[str, int]) -> list[str]:
    """Rows that name no test, and modules that do not exist, are named twice or have a test of their own."""
    own = {name.rpartition("/")[2] for name in lines if name in tests}
    known = {name.rpartition("/")[2] for name in lines}
    named = [module for modules in table.values() for module in modules]
    wrong = [f"there is no test {test}" for test in table if test not in tests]
    wrong += [f"there is no module {module}" for module in named if module not in known]
    wrong += [f"{module} is in two rows" for module in repeated(named)]
    return wrong + [f"{module} has a test of its own" for module in named if module in own]


def untested(
    lines: Mapping[str, int], tests: Collection[str], table: Mapping[str, list[str]], smallest: int
) -> list[str]:
    """Modules of at least `smallest` lines that have no test of their name, and are not in the table."""
    covered = {module for modules in table.values() for module in modules}
    return [
        name
        for name, n in lines.items()
        if n >= smallest and name not in tests and name.rpartition("/")[2] not in covered
    ]


def heavy_headers(text: str, heavy: set[str]) -> list[str]:
    """The C++ headers among `heavy` that a .pxd includes, and with it all modules that cimport it; Windows apart."""
    elsewhere = re.sub(r"#ifdef _WIN32\n.*?#(else|endif)\n", "", text, flags=re.DOTALL)
    return sorted(heavy & {*re.findall(r"(?:#include <|from libcpp\.)(\w+)", elsewhere)})
