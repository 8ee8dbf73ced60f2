"""Coverage-guided fuzzing of the sanitized build: `make fuzz-load`, `fuzz-encode`, `fuzz-formats` or `fuzz-own`.

    python tools/fuzz/run.py load DIR --minutes 20       # DIR: made by make_seeds.py
    python tools/fuzz/run.py load DIR --replay FILE      # one input again, with any build
    python tools/fuzz/run.py parquet DIR --runs 5000     # files of texts: any build, without coverage

A child process runs inputs; this one watches it, and keeps what ended it: a sanitizer's report, an unexpected
exception, too long a run or too much memory. Inputs that reach new edges stay in DIR/corpus-TARGET; findings are
written to DIR/findings-TARGET, the report beside the input. The same seed and --runs make the same inputs.
"""

from __future__ import annotations

import argparse
import ctypes
import hashlib
import mmap
import os
import random
import resource
import signal
import struct
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import Any, NamedTuple

from mutate import TEXT_FILES, mutate_file, mutate_format, mutate_model, mutate_own, mutate_text

# Bytes of an input.
MAX_SIZE = {"load": 24_000, "encode": 600, "formats": 24_000, "own": 24_000, **dict.fromkeys(TEXT_FILES, 24_000)}
# Seconds of CPU time for one run, sanitizers included. A small compressed file may hold megabytes for each call.
MAX_SECONDS = {**dict.fromkeys(MAX_SIZE, 5.0), **dict.fromkeys(("gz", "bz2", "xz", "zst"), 60.0)}
MAX_WAIT = 300.0  # seconds of any time: a run that does nothing hangs
MAX_MB = 1024  # of one allocation; twice that and the process is too large
MAX_FINDINGS = 20
ENDED_FROM_OUTSIDE = (-signal.SIGTERM, -signal.SIGHUP, -signal.SIGINT)  # no report does that: go on
SOUND_OUTCOMES = 1000  # smaller ones are of inputs that were taken
REPORT_SECONDS = 30.0
HEADER = struct.Struct("<QddQQQ")  # runs, begin and CPU seconds of the present one, size of its input, edges, corpus
MUTATIONS = {
    "load": mutate_model, "encode": mutate_text, "formats": mutate_format, "own": mutate_own,
    **dict.fromkeys(TEXT_FILES, mutate_file),
}  # fmt: skip
NUMBERED = ("formats", "own")  # targets of several readers: the first byte of an input says which
ADDR_NO_RANDOMIZE = 0x0040000  # <sys/personality.h>
PR_SET_PDEATHSIG = 1  # <linux/prctl.h>


class State(NamedTuple):
    """What a child is doing."""

    n_runs: int
    begin: float  # of the present run
    cpu_seconds: float  # of the process, when that began
    data: bytes  # its input
    n_edges: int  # 0: not counted now
    n_inputs: int  # kept


class Shared:
    """Memory that survives the child: what it is doing, and the input it is doing it to."""

    def __init__(self, file: int, max_size: int) -> None:
        self.max_size = max_size
        os.ftruncate(file, HEADER.size + max_size)
        self.memory = mmap.mmap(file, HEADER.size + max_size)

    def write(self, n_runs: int, data: bytes, n_edges: int, n_inputs: int) -> None:
        self.memory[HEADER.size : HEADER.size + len(data)] = data
        now = time.monotonic(), time.process_time()
        HEADER.pack_into(self.memory, 0, n_runs, *now, len(data), n_edges, n_inputs)

    def read(self) -> State:
        n_runs, begin, cpu_seconds, size, n_edges, n_inputs = HEADER.unpack_from(self.memory, 0)
        return State(n_runs, begin, cpu_seconds, self.memory[HEADER.size : HEADER.size + size], n_edges, n_inputs)


class Outcomes:
    """What stands for coverage where nothing counts edges: an input is kept if its outcome is new."""

    def __init__(self) -> None:
        limit = 8 * MAX_MB << 20  # of memory: no sanitizer refuses large allocations
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        self.seen: set[int] = set()
        self.last = 0

    def coverage_reset(self) -> None:
        """Nothing is counted."""

    def coverage_note(self, outcome: int) -> None:
        """Remember the outcome of a run."""
        self.last = outcome

    def coverage_merge(self) -> bool:
        """Whether the last outcome is new."""
        is_new = self.last not in self.seen
        self.seen.add(self.last)
        return is_new

    def coverage_edges(self) -> int:
        """How many outcomes there were."""
        return len(self.seen)


def name_of(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def fix_randomness(seed: int) -> random.Random:
    """The hash tables' random keys come from the seed too, before the modules that draw them are imported."""
    keys = random.Random(f"keys {seed}")
    os.urandom = keys.randbytes
    return random.Random(f"inputs {seed}")


def work(options: argparse.Namespace) -> None:
    """The child: run what is in the folders, then mutations of it, until the parent ends it."""
    rng = fix_randomness(options.seed + options.first_run)
    from targets import TARGETS

    coverage: Any = Outcomes() if options.target in TEXT_FILES else ctypes.CDLL(os.environ["SPM_LITE_COVERAGE"])
    if options.target not in TEXT_FILES:
        coverage.coverage_note.argtypes = [ctypes.c_uint64]
    max_size = MAX_SIZE[options.target]
    shared = Shared(options.shared, max_size)
    corpus_folder = options.folder / f"corpus-{options.target}"
    target = TARGETS[options.target](options.folder)
    corpus: list[bytes] = []
    n_runs = options.first_run
    n_edges = 0

    findings = {path.name for path in (options.folder / f"findings-{options.target}").iterdir()}
    sound: list[bytes] = []  # those of the corpus that the target took, not refused

    def run(data: bytes, is_seed: bool = False) -> None:
        """Run an input; it is kept if it did something new. An unexpected exception ends the process."""
        nonlocal n_runs, n_edges
        if findings and name_of(data) in findings:  # known: it would end every process
            return
        if n_runs % 256 == 0:
            n_edges = coverage.coverage_edges()
        shared.write(n_runs, data, n_edges, len(corpus))
        coverage.coverage_reset()
        try:
            outcome = target(data)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        coverage.coverage_note(outcome)
        n_runs += 1
        if coverage.coverage_merge() or is_seed:
            corpus.append(data)
            if outcome < SOUND_OUTCOMES:
                sound.append(data)
            if not is_seed and not (corpus_folder / name_of(data)).exists():
                (corpus_folder / name_of(data)).write_bytes(data)

    for folder in (options.folder / options.target, corpus_folder):
        for path in sorted(folder.iterdir()):
            run(path.read_bytes()[:max_size], options.target in TEXT_FILES)
    while n_runs < options.runs:
        # What is refused early leads to little else; what was found last has had the fewest tries.
        chosen = sound if sound and rng.random() < 0.8 else corpus
        if rng.random() < 0.3:
            chosen = chosen[-20:]
        elif options.target in NUMBERED:  # each reader as often, whatever was found by others
            number = rng.choice(sorted({data[:1] for data in chosen}))
            chosen = [data for data in chosen if data[:1] == number]
        run(MUTATIONS[options.target](rng.choice(chosen), rng, rng.choice(corpus), max_size))
    shared.write(n_runs, b"", coverage.coverage_edges(), len(corpus))


def start(options: argparse.Namespace, shared_file: int, n_runs: int, log: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, __file__, options.target, str(options.folder), "--seed", str(options.seed)]
    command += ["--runs", str(options.runs), "--shared", str(shared_file), "--first-run", str(n_runs)]
    limits = f"max_allocation_size_mb={MAX_MB}:hard_rss_limit_mb={2 * MAX_MB}:quarantine_size_mb=32"
    environment = {
        **os.environ,
        "ASAN_OPTIONS": f"{os.environ.get('ASAN_OPTIONS', 'detect_leaks=0')}:{limits}",
        "PYTHONHASHSEED": "0",
    }
    with log.open("wb") as out:
        return subprocess.Popen(
            command, stdout=out, stderr=subprocess.STDOUT, pass_fds=[shared_file], env=environment,
            preexec_fn=prepare_child,
        )  # fmt: skip


def prepare_child() -> None:
    """Edges are known by their addresses: these are to be the same in every process. The child ends with its parent."""
    libc = ctypes.CDLL(None)
    libc.personality(ADDR_NO_RANDOMIZE)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def watch(options: argparse.Namespace) -> int:
    """The parent: start children until the time is over; the number of findings."""
    findings = options.folder / f"findings-{options.target}"
    for folder in (findings, options.folder / f"corpus-{options.target}"):
        folder.mkdir(parents=True, exist_ok=True)
    shared_file = os.memfd_create("spm_lite_fuzz")
    shared = Shared(shared_file, MAX_SIZE[options.target])
    log = options.folder / f"log-{options.target}"
    n_runs = n_findings = n_edges = 0
    seconds = 0.0
    while n_findings < MAX_FINDINGS:
        shared.write(n_runs, b"", 0, 0)
        child = start(options, shared_file, n_runs, log)
        try:
            reason, edges = attend(child, shared, 60 * options.minutes - seconds, MAX_SECONDS[options.target])
        finally:
            child.kill()
            child.wait()
        state = shared.read()
        n_runs, n_edges = state.n_runs, max(edges, n_edges)
        seconds += state.cpu_seconds
        if not reason:
            break
        if child.returncode in ENDED_FROM_OUTSIDE:
            n_runs += 1
            continue
        n_findings += 1
        n_runs += 1
        path = findings / name_of(state.data)
        path.write_bytes(state.data)
        report = f"{reason}\n\n{log.read_text(errors='replace')}"
        path.with_suffix(".txt").write_text(report)
        print(f"FINDING {path}: {reason}\n{report[:2000]}", flush=True)
    print(
        f"{options.target}: {n_runs} runs, {seconds / 60:.1f} CPU-minutes, {n_edges} edges, {n_findings} findings "
        f"(seed {options.seed})",
        flush=True,
    )
    return n_findings


def cpu_seconds_of(process: int) -> float:
    """User and system time so far: on a busy machine, waiting says nothing."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def attend(child: subprocess.Popen[bytes], shared: Shared, cpu_seconds: float, most: float) -> tuple[str, int]:
    """Wait for a child; why it ended ("": its time was over, or its runs were done) and the edges it knew.

    most: seconds of CPU time for one run.
    """
    last_report = time.monotonic()
    n_edges, last_run = 0, -1
    while True:
        time.sleep(0.2)
        status = child.poll()
        state = shared.read()
        n_edges = state.n_edges or n_edges
        now = time.monotonic()
        if status is not None:
            return (f"the process ended with {status}" if status else ""), n_edges
        # The child may write what is read here: only a run that was seen before can be too long.
        is_same, last_run = state.n_runs == last_run, state.n_runs
        if is_same and state.data and cpu_seconds_of(child.pid) - state.cpu_seconds > most:
            return f"more than {most} seconds of CPU time for {len(state.data)} bytes", n_edges
        if is_same and state.data and now - state.begin > MAX_WAIT:
            return f"no end within {MAX_WAIT} seconds for {len(state.data)} bytes", n_edges
        if state.cpu_seconds > cpu_seconds:
            return "", n_edges
        if now - last_report > REPORT_SECONDS:
            last_report = now
            print(f"{state.n_runs} runs, {state.n_inputs} inputs kept, {n_edges} edges", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", choices=list(MAX_SIZE))
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--minutes", type=float, default=20, help="CPU time in all")
    parser.add_argument("--runs", type=int, default=2**62, help="end after so many inputs")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--replay", type=Path, metavar="FILE", help="run this input alone")
    parser.add_argument("--shared", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--first-run", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.folder = options.folder.absolute()  # a target may work in a folder of its own
    if options.replay is not None:
        from targets import TARGETS

        data = options.replay.read_bytes()  # first, since the target may work in a folder of its own
        TARGETS[options.target](options.folder)(data)
        return 0
    if "SPM_LITE_COVERAGE" not in os.environ and options.target not in TEXT_FILES:
        parser.error("no coverage: start it by `make fuzz-load`, or -encode, -formats or -own in its place")
    if options.shared is not None:
        work(options)
        return 0
    return 1 if watch(options) else 0


if __name__ == "__main__":
    sys.exit(main())
