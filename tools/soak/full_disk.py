"""Let the disk become full while files are written: a clear error, the old file as it was, no temporary file left.

    python tools/soak/full_disk.py --seconds 600 --seed 1      (or --rounds 50)

The files are on a small file system in memory, if this process may mount one. A ballast file fills it up to a random
rest. Otherwise, or with --no-mount, a limit of the size of files stands for the full disk. Each round takes a function
that writes, lets it fail or not, and then calls it again with room.
"""

from __future__ import annotations

import errno
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from common import Result, run
from writers import IN_STEPS, WRITERS, CommandError, Inputs, command, files_below, sets_of

import spm_lite
from spm_lite import CountTable, FileError, Tokenizer

DISK_SIZE = 4 << 20  # bytes of the mounted file system
PAGE = 4096
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
MARK = "SPM_LITE_SOAK_DISK"  # in the environment of the process that has the file system


def made_texts() -> list[str]:
    rng = random.Random(3)
    stems = ["".join(rng.choices("abcdefghij", k=rng.randint(1, 4))) for _ in range(90)]
    return [" ".join(rng.choice(stems) + rng.choice(stems) for _ in range(8)) for _ in range(2000)]


TEXTS = made_texts()
TOKENIZER: Tokenizer = spm_lite.train(TEXTS, model_type="bpe", vocab_size=3000)
TABLE = CountTable.count(TEXTS)


class Calls:
    """The functions that write, by name; each writes `out...` in the present folder, and reads from `inputs`.

    Large files of one kind each, and what the kills are tried on.
    """

    def __init__(self, inputs: Path) -> None:
        self.text, self.model = str(inputs / "text.txt"), str(inputs / "m.model")
        Path(self.text).write_text("\n".join(TEXTS), encoding="utf-8")
        TOKENIZER.save(self.model)
        others = Inputs(inputs)
        others.make()
        self.by_name: dict[str, Callable[[], object]] = {
            "Tokenizer.save": lambda: TOKENIZER.save("out.model"),
            "Tokenizer.save with vocab": lambda: TOKENIZER.save("out.model", vocab=True),
            "encode_files to .npy": lambda: TOKENIZER.encode_files(self.text, "out.npy"),
            "encode_files to raw": lambda: TOKENIZER.encode_files(self.text, "out.bin"),
            "CountTable.save": lambda: TABLE.save("out.counts"),
            "CountTable.save_tsv": lambda: TABLE.save_tsv("out.tsv"),
            "train with checkpoint": self.train,
            "spm-lite train": lambda: command(
                "train", self.text, "--vocab-size", "300", "--model-prefix", "out", "--quiet"
            ),
            "spm-lite encode": lambda: command("encode", "--model", self.model, "--output", "out.txt", self.text),
            "SentencePieceTrainer": lambda: spm_lite.SentencePieceTrainer.train(
                input=self.text, model_prefix="out", vocab_size=200, minloglevel=9, model_type="bpe"
            ),
            **{name: partial(write, others, Path(), 1) for name, write in WRITERS.items()},
        }

    def train(self) -> object:
        from spm_lite.training.checkpoint import Checkpoint

        Checkpoint.__init__.__defaults__ = (0.0,)  # type: ignore[attr-defined]  # a state whenever there can be one
        return spm_lite.train(TEXTS, model_type="bpe", vocab_size=2500, checkpoint="out.states")


@contextmanager
def full_after(n_bytes: int, is_mounted: bool) -> Iterator[None]:
    """Leave room for so many bytes, in all or in each file."""
    if is_mounted:
        disk = os.statvfs(".")
        n_pages = disk.f_bavail * disk.f_bsize // PAGE - n_bytes // PAGE
        ballast = Path("ballast")
        with ballast.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, max(n_pages, 1) * PAGE)
        try:
            yield
        finally:
            ballast.unlink()
        return
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def contents() -> dict[str, bytes]:
    """The files in the present folder and below, except the ballast."""
    return files_below(Path())


def check_error(error: Exception) -> None:
    """Raise AssertionError unless an error says which file, and that there is no room."""
    if isinstance(error, CommandError):
        wanted = any(os.strerror(number) in str(error) for number in FULL)
    else:
        wanted = isinstance(error, FileError) and error.errno in FULL and bool(error.filename)
        wanted = wanted or (isinstance(error, OSError) and any(os.strerror(number) in str(error) for number in FULL))
    if not wanted or "out" not in str(error):
        raise AssertionError(f"an error that does not say it: {type(error).__name__}: {error}")


def check_sets(name: str, old: dict[str, bytes], now: dict[str, bytes]) -> None:
    """Raise AssertionError if, of files that belong together, some are new and others old."""
    for names in sets_of(name, set(old) | set(now)):
        if len({now.get(path) == old.get(path) for path in names}) > 1:
            raise AssertionError(f"of {sorted(names)} only some are new")


def one_round(name: str, call: Callable[[], object], is_mounted: bool, rng: random.Random) -> bool:
    """One round in the present, empty folder; return whether the call failed. Raises AssertionError for a loss."""
    call()
    whole = contents()
    largest = max((len(data) for data in whole.values()), default=300_000)
    if name == "train with checkpoint":
        whole = {}
    elif name in IN_STEPS or rng.random() < 0.3:  # there is no old file
        for path in list(whole):
            Path(path).unlink()
    else:
        for path in whole:
            Path(path).write_bytes(b"old")
    old = contents()
    has_failed = False
    with full_after(rng.randrange(int(largest * 1.3) + 1), is_mounted):
        try:
            call()
        except Exception as error:
            has_failed = True
            check_error(error)
    now = contents()
    if name != "train with checkpoint":
        for path in {*old, *now}:
            if now.get(path) not in (old.get(path), whole.get(path)):
                raise AssertionError(f"{path} is neither the old file nor the whole new one")
        if has_failed and name in WRITERS and name not in IN_STEPS:
            check_sets(name, old, now)
        if not has_failed and now != whole:
            raise AssertionError(f"no error, and yet {sorted(path for path in whole if now.get(path) != whole[path])}")
    if any(".tmp" in path for path in now):
        raise AssertionError(f"temporary files are left: {sorted(now)}")
    call()
    if contents() != whole:
        raise AssertionError(f"with room again: {sorted(contents())} instead of {sorted(whole)}, or other contents")
    return has_failed


def attack_at(disk: Path, is_mounted: bool, result: Result, rng: random.Random, numbers: Iterator[int]) -> None:
    """All rounds, one function after another, with the files in `disk`."""
    with tempfile.TemporaryDirectory() as inputs:
        calls = Calls(Path(inputs)).by_name
        for number in numbers:
            name = list(calls)[number % len(calls)]
            result.calls += 1
            folder = Path(tempfile.mkdtemp(dir=disk))
            os.chdir(folder)
            try:
                result.faults += one_round(name, calls[name], is_mounted, rng)
            except Exception as error:  # whatever goes wrong is a finding
                result.lose(f"{name}, round {number}: {type(error).__name__}: {error}")
            os.chdir(inputs)
            shutil.rmtree(folder)
        os.chdir("/")


def run_mounted(argv: list[str], disk: Path) -> int | None:
    """Run all in a process that sees a small file system at `disk`; None if that cannot be had. It ends with it."""
    tools = shutil.which("unshare"), shutil.which("mount")
    if None in tools:
        return None
    mount = ["unshare", "--mount", "sh", "-c", f'mount -t tmpfs -o size={DISK_SIZE} none "$0" && exec "$@"', str(disk)]
    if subprocess.run([*mount, "true"], capture_output=True, check=False).returncode:
        return None
    environment = {**os.environ, MARK: str(disk)}
    return subprocess.run([*mount, sys.executable, __file__, *argv], env=environment, check=False).returncode


def main(argv: list[str] | None = None) -> int:
    arguments = sys.argv[1:] if argv is None else argv
    may_mount = "--no-mount" not in arguments
    arguments = [argument for argument in arguments if argument != "--no-mount"]
    if MARK in os.environ:
        return run("full_disk", partial(attack_at, Path(os.environ[MARK]), True), arguments)
    with tempfile.TemporaryDirectory() as folder:
        code = run_mounted(arguments, Path(folder)) if may_mount else None
        return run("full_disk", partial(attack_at, Path(folder), False), arguments) if code is None else code


if __name__ == "__main__":
    sys.exit(main())
