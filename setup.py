"""Builds one extension module for each .pyx file of the package, several at a time.

`spm_lite._shared` is one more: it holds what Cython would otherwise write into every module.
"""

import gc
import os
import sys
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

from Cython.Build import cythonize
from Cython.Build.SharedModule import generate_shared_module
from Cython.Compiler.Main import CompilationOptions
from Cython.Utils import file_generated_by_this_cython
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

DEBUG = os.environ.get("SPM_LITE_DEBUG") == "1"  # bounds checks and line tracing: `make debug`
HTML = os.environ.get("SPM_LITE_HTML") == "1"  # show what became of each line: `make html`
NATIVE = os.environ.get("SPM_LITE_NATIVE") == "1"  # this machine's instructions: for measuring only
SANITIZE = os.environ.get("SPM_LITE_SANITIZE") == "1"  # stop at the first memory error: `make sanitize`

CPP = "build/cython"  # where the C++ of each module is, unless it is debugged
SHARED = "spm_lite._shared"
HOT = Path("tools/bench/hot_modules.txt")  # a new module is cold until tools/bench/hot_modules.py finds it slower
BATCH = 20  # modules that one process translates: some 20 MB of each stay in memory until it ends
MEMORY_EACH = 1 << 30  # bytes that compiling one module may take
# Every report ends the process. Each edge of the code also tells where it is, for the fuzzers in tools/fuzz.
SANITIZERS = ["-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all"]

gc.disable()  # looking for cycles in the trees of Cython takes more than a third of its time, and frees little

DIRECTIVES = {
    "language_level": 3,
    "binding": True,
    "embedsignature": False,
    "emit_code_comments": DEBUG or HTML,  # the lines of each module in its C++, a quarter of it
    "boundscheck": DEBUG,
    "wraparound": False,
    "initializedcheck": DEBUG,
    "nonecheck": False,  # with it, in-place operations on vectors do not compile in nogil functions
    "allow_none_for_extension_args": False,  # an argument may be None where its default is, or where `or None` says so
    "overflowcheck": False,
    "cdivision": True,
    "auto_pickle": False,
    "freethreading_compatible": True,
    "linetrace": DEBUG,
    "warn.maybe_uninitialized": True,
}


def processes() -> int:
    """How many modules to compile side by side: as many as there are CPUs for this process, and memory for each."""
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows
        return cpus
    return max(1, min(cpus, memory // MEMORY_EACH))


def compile_args(hot: bool) -> list[str]:
    """Options of the C++ compiler. Floats are part of the contract: no fast-math, no fused multiply-add."""
    if sys.platform == "win32":
        return ["/std:c++17", "/O2", "/fp:precise", "/utf-8"]
    # Debug information, which Python's own flags ask for, takes a third of the compile time.
    if SANITIZE:
        args = ["-std=c++17", "-O1", "-g1", "-ffp-contract=off", "-fno-omit-frame-pointer", "-D_GLIBCXX_ASSERTIONS"]
        return [*args, *SANITIZERS, "-fsanitize-coverage=trace-pc", "-Wno-unused-function", "-Wno-unreachable-code"]
    level = ["-O0"] if DEBUG else ["-O3" if hot else "-O1", "-g0"]
    args = ["-std=c++17", *level, "-ffp-contract=off", "-fvisibility=hidden"]
    args += ["-Wno-unused-function", "-Wno-unreachable-code"]
    # Two words side by side, such as those of a key, stay in two registers: moving them into one and back takes longer.
    args += ["-fno-tree-slp-vectorize"]
    return [*args, "-march=native"] if NATIVE else args


def extensions() -> list[Extension]:
    """One extension per .pyx, named by its place in the package, and the shared one."""
    hot = set(HOT.read_text(encoding="utf-8").split())
    macros = [("CYTHON_TRACE_NOGIL", "1")] if DEBUG else []
    threads = [] if sys.platform == "win32" else ["-pthread"]
    sanitizers = SANITIZERS if SANITIZE else []
    sources = {".".join(path.with_suffix("").parts): path.as_posix() for path in Path("spm_lite").rglob("*.pyx")}
    sources[SHARED] = cpp_of(SHARED)
    return [
        Extension(
            name,
            [source],
            language="c++",
            extra_compile_args=compile_args(hot=name.partition(".")[2].replace(".", "/") in hot) + threads,
            extra_link_args=threads + sanitizers,
            define_macros=macros,
        )
        for name, source in sorted(sources.items())
    ]


def cpp_of(name: str) -> str:
    """Where the C++ of a module is, unless it is debugged."""
    return f"{CPP}/{name.replace('.', '/')}.cpp"


def is_newer(made: list[str], sources: Iterable[Path]) -> bool:
    """Whether all files that were made exist, and none is older than a source."""
    if not all(map(os.path.exists, made)):
        return False
    return min(map(os.path.getmtime, made)) >= max(map(os.path.getmtime, sources))


def translate() -> dict[str, list[str]]:
    """Translate to C++ what is older than its sources; return the C++ files of each module, by its name."""
    if Path("PKG-INFO").exists() and not (DEBUG or HTML):  # a source package, which has the C++
        made = {extension.name: cpp_of(extension.name) for extension in extensions()}
        # `cythonize` would translate all again: the files of Cython itself, installed later, are newer.
        if is_newer([*made.values()], Path("spm_lite").rglob("*.p[yx][xd]")):
            return {name: [path] for name, path in made.items()}
    write_shared()
    helpers, modules = processes(), [extension for extension in extensions() if extension.name != SHARED]
    translated = []
    # The first module alone, in this process: helpers that are forked have what Cython makes for every module.
    for begin, end in pairwise([0, *range(1, len(modules), BATCH * helpers), len(modules)]):
        translated += cythonize(
            modules[begin:end],
            compiler_directives=DIRECTIVES,
            build_dir=None if DEBUG else CPP,
            nthreads=helpers,
            force=DEBUG or HTML,
            annotate=HTML,
            gdb_debug=DEBUG,
            shared_utility_qualified_name=SHARED,
        )
    return {SHARED: [cpp_of(SHARED)]} | {extension.name: extension.sources for extension in translated}


def write_shared() -> None:
    """Write the C++ of the shared module, unless this Cython has. `cythonize` would write C."""
    path = Path(cpp_of(SHARED))
    if path.exists() and file_generated_by_this_cython(str(path)):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    generate_shared_module(CompilationOptions(shared_c_file_path=str(path), module_name=SHARED, cplus=True))


class ParallelBuildExt(build_ext):
    """`build_ext` that works on several modules side by side, also where pip calls it."""

    def finalize_options(self) -> None:
        super().finalize_options()
        if self.parallel is None:
            self.parallel = processes()

    def run(self) -> None:
        """Translate to C++, then compile. Commands that only name the sources translate nothing."""
        translated = translate()
        for extension in self.extensions:
            extension.sources = translated[extension.name]
        super().run()


class SdistWithCpp(sdist):
    """A source package that has the C++ too: a wheel is made from it in two thirds of the time."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        made = [path for paths in translate().values() for path in paths]
        for path in made:
            os.utime(path)  # newer than every source
        super().make_release_tree(base_dir, [*files, *made])


def main() -> None:
    """Build, with one extension per .pyx file."""
    setup(ext_modules=extensions(), cmdclass={"build_ext": ParallelBuildExt, "sdist": SdistWithCpp})


# Where processes are spawned, the helpers of `cythonize` import this file under another name; setuptools' build
# backend runs it as "__main__".
if __name__ == "__main__":
    main()
