"""Which lines of the package the default selection of the tests runs, and which all tests run.

    python tools/measure_coverage.py                          # build, both runs, the table; needs clang and llvm
    python tools/measure_coverage.py default report -- -n 2   # some of the steps; options of pytest

Python lines are those of coverage.py. Cython lines are found with clang's source-based coverage, which counts lines of
the C++ files; the comments of Cython there name the line of the .pyx or .pxd file. A process that is killed writes no
counts. Tests may fail here: those that limit memory, or list what a folder holds. Nothing is left out for that.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import coverage

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "coverage"
LIBRARY = FOLDER / "lib"
SELECTIONS = {"default": "not slow", "slow": "slow"}  # a folder of counts for each; all tests: both together
STEPS = ["build", *SELECTIONS, "report"]
ORIGIN = re.compile(r'\s*/\* "(spm_lite/[\w/]+\.(?:pyx|pxd))":(\d+)')
END = re.compile(r"\s*/\* function exit code \*/|^}")
NO_STATEMENT = re.compile(r"[\s{}]*(/\*.*\*/[\s{}]*)?$|\s*\w+:;?\s*$|[\s}]*else\s*{$")

Lines = dict[tuple[str, int], bool]  # file and line -> was it run?


def build() -> None:
    """The package with counters, in a folder of its own."""
    flags = {"CXXFLAGS": "-fprofile-instr-generate -fcoverage-mapping", "LDFLAGS": "-fprofile-instr-generate"}
    compilers = {"CC": "clang", "CXX": "clang++", "SPM_LITE_HTML": "1"}  # C++ with comments
    objects = FOLDER / "objects"
    command = [sys.executable, "setup.py", "-q", "build", "--build-lib", str(LIBRARY), "--build-temp", str(objects)]
    subprocess.run(command, cwd=ROOT, env={**compilers, **os.environ, **flags}, check=True)


def run(selection: str, options: list[str]) -> None:
    """The tests of a selection; what they and their child processes run is counted."""
    counts = FOLDER / selection
    counts.mkdir(exist_ok=True)
    for old in counts.iterdir():
        old.unlink()
    settings = FOLDER / f"{selection}.ini"
    places = f"source = {LIBRARY / 'spm_lite'}\ndata_file = {counts / 'python'}\n"
    settings.write_text(f"[run]\nparallel = true\npatch = subprocess\n{places}")
    command = [sys.executable, "-m", "coverage", "run", f"--rcfile={settings}", "-m", "pytest", "-q"]
    command += ["-c", str(ROOT / "pyproject.toml"), "-p", "no:cacheprovider", "-m", SELECTIONS[selection], *options]
    surroundings = {**os.environ, "PYTHONPATH": str(LIBRARY), "LLVM_PROFILE_FILE": str(counts / "%4m.profraw")}
    done = subprocess.run([*command, str(ROOT / "tests")], cwd=LIBRARY, env=surroundings, check=False)
    print(f"{selection}: pytest ended with {done.returncode}", flush=True)


def counted_lines(profile: Path) -> Iterator[tuple[Path, dict[int, int]]]:
    """Each C++ file, and how often each of its lines was run."""
    modules = sorted(LIBRARY.rglob("*.so"))
    command = ["llvm-cov", "export", "-format=lcov", f"-instr-profile={profile}", str(modules[0])]
    command += [f"-object={module}" for module in modules[1:]]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            kind, _, value = line.rstrip("\n").partition(":")
            if kind == "SF":
                path, counts = ROOT / value, {}
            elif kind == "DA":
                number, count = value.split(",")[:2]
                counts[int(number)] = int(count)
            elif kind == "end_of_record" and path.is_relative_to(ROOT):
                yield path, counts
    if process.returncode:
        raise SystemExit(f"llvm-cov ended with {process.returncode}")


def cython_lines(selections: list[str]) -> Lines:
    """A line was run where the first statement that Cython made of it was; inline functions: in any module."""
    profile = FOLDER / "merged.profdata"
    counts = [str(path) for name in selections for path in (FOLDER / name).glob("*.profraw")]
    subprocess.run(["llvm-profdata", "merge", "-sparse", "-failure-mode=all", "-o", str(profile), *counts], check=True)
    lines: Lines = defaultdict(bool)
    for path, counted in counted_lines(profile):
        origin = None
        for number, text in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            if found := ORIGIN.match(text):
                origin = found[1], int(found[2])
            elif END.match(text):
                origin = None
            elif origin and number in counted and not NO_STATEMENT.match(text):
                lines[origin] |= counted[number] > 0
                origin = None
    return lines


def python_lines(selections: list[str]) -> Lines:
    measured = coverage.Coverage(data_file=str(FOLDER / "merged.python"), config_file=False)
    measured.erase()
    measured.combine([str(path) for name in selections for path in (FOLDER / name).glob("python.*")], keep=True)
    lines: Lines = {}
    for path in (LIBRARY / "spm_lite").rglob("*.py"):
        _, statements, _, missing, _ = measured.analysis2(str(path))
        name = path.relative_to(LIBRARY).as_posix()
        lines |= {(name, number): number not in missing for number in statements}
    return lines


def percent(lines: list[bool]) -> float:
    return 100 * sum(lines) / max(1, len(lines))


def report() -> None:
    """The shares of both, for each room with a difference and in all; then the lines that only slow tests run."""
    for kind, lines_of in (("Cython", cython_lines), ("Python", python_lines)):
        some, every = lines_of(["default"]), lines_of(list(SELECTIONS))
        rooms: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
        only_slow: dict[str, list[int]] = defaultdict(list)
        for (name, number), is_run in sorted(every.items()):
            is_run_by_default = some.get((name, number), False)
            for room in (str(Path(name).parent), "all"):
                rooms[room].append((is_run_by_default, is_run))
            if is_run and not is_run_by_default:
                only_slow[name].append(number)
        print(f"\n{kind:40} {'lines':>7} {'default':>8} {'all':>8} {'less':>6}")
        for room, pairs in sorted(rooms.items(), key=lambda item: item[0] == "all"):
            default, whole = (percent([pair[k] for pair in pairs]) for k in (0, 1))
            if default < whole or room == "all":
                print(f"{room:40} {len(pairs):7} {default:8.2f} {whole:8.2f} {whole - default:6.2f}")
        for name, numbers in only_slow.items():
            print(f"{name}: {', '.join(map(str, numbers))}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("steps", nargs="*", metavar="STEP", help=", ".join(STEPS))
    end = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    steps = parser.parse_args(sys.argv[1:end]).steps
    if unknown := set(steps).difference(STEPS):
        parser.error(f"no step: {', '.join(unknown)}; steps: {', '.join(STEPS)}")
    for step in steps or STEPS:
        if step == "build":
            build()
        elif step == "report":
            report()
        else:
            run(step, sys.argv[end + 1 :])


if __name__ == "__main__":
    main()
