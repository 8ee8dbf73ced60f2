"""Let the disk become full while files are written: a clear error, the old file as it was, no temporary file left.

    python tools/soak/full_disk.py --seconds 600 --seed 1      (or --rounds 50)

The files are on a small file system in memory, if this process may mount one, which a ballast file fills up to a
random rest; otherwise a limit of the size of files stands for the full disk. Each round takes one function that
writes, lets it fail or not, and then calls it again with room. The last line is JSON; the exit status is 1 after a
loss.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import io
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

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
    """The functions that write, by name; each writes `out...` in the present folder, and reads from `inputs`."""

    def __init__(self, inputs: Path) -> None:
        self.text, self.model = str(inputs / "text.txt"), str(inputs / "m.model")
        Path(self.text).write_text("\n".join(TEXTS), encoding="utf-8")
        TOKENIZER.save(self.model)
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
        }

    def train(self) -> object:
        from spm_lite.training.checkpoint import Checkpoint

        Checkpoint.__init__.__defaults__ = (0.0,)  # type: ignore[attr-defined]  # a state whenever there can be one
        return spm_lite.train(TEXTS, model_type="bpe", vocab_size=2500, checkpoint="out.states")


class CommandError(Exception):
    """A command that failed, with what it said."""


def command(*arguments: str) -> None:
    """Run the command line within this process. Raises CommandError."""
    from spm_lite.cli.main import main as run

    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        try:
            code = run(list(arguments))
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
    if code:
        raise CommandError(said.getvalue())


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
    """The files in the present folder and below, but for the ballast."""
    return {str(path): path.read_bytes() for path in sorted(Path().rglob("*")) if path.is_file()}


def check_error(error: Exception) -> None:
    """Raise AssertionError unless an error says which file, and that there is no room."""
    if isinstance(error, CommandError):
        wanted = any(os.strerror(number) in str(error) for number in FULL)
    else:
        wanted = isinstance(error, FileError) and error.errno in FULL and bool(error.filename)
        wanted = wanted or (isinstance(error, OSError) and any(os.strerror(number) in str(error) for number in FULL))
    if not wanted or "out" not in str(error):
        raise AssertionError(f"an error that does not say it: {type(error).__name__}: {error}")


def one_round(name: str, call: Callable[[], object], is_mounted: bool, rng: random.Random) -> bool:
    """One round in the present, empty folder; return whether the call failed. Raises AssertionError for a loss."""
    call()
    whole = contents()
    largest = max((len(data) for data in whole.values()), default=300_000)
    if name == "train with checkpoint":
        whole = {}
    elif rng.random() < 0.3:  # there is no old file
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
        if not has_failed and now != whole:
            raise AssertionError(f"no error, and yet {sorted(path for path in whole if now.get(path) != whole[path])}")
    if any(".tmp" in path for path in now):
        raise AssertionError(f"temporary files are left: {sorted(now)}")
    call()
    if contents() != whole:
        raise AssertionError(f"with room again: {sorted(contents())} instead of {sorted(whole)}, or other contents")
    return has_failed


def soak(given: argparse.Namespace, disk: Path, is_mounted: bool) -> int:
    """All rounds, with the files in `disk`; print the JSON."""
    end = time.monotonic() + (given.seconds if given.seconds is not None else 60)
    rng = random.Random(given.seed)
    rounds = faults = 0
    losses: list[str] = []
    with tempfile.TemporaryDirectory() as inputs:
        calls = Calls(Path(inputs)).by_name
        while rounds < given.rounds if given.rounds is not None else time.monotonic() < end:
            name = list(calls)[rounds % len(calls)]
            rounds += 1
            folder = Path(tempfile.mkdtemp(dir=disk))
            os.chdir(folder)
            try:
                faults += one_round(name, calls[name], is_mounted, rng)
            except Exception as error:
                losses.append(f"{name}, round {rounds}, seed {given.seed}: {type(error).__name__}: {error}")
            os.chdir(inputs)
            shutil.rmtree(folder)
        os.chdir("/")
    row = {"part": "full_disk", "calls": rounds, "faults": faults, "losses": len(losses), "growth_bytes": 0}
    print(json.dumps({**row, "mounted": is_mounted, "details": losses[:20]}))
    return int(bool(losses))


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


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, help="how long; without it and --rounds, a minute")
    parser.add_argument("--rounds", type=int, help="how many rounds, whatever time they take")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--no-mount", action="store_true", help="limit the size of files instead")
    given = parser.parse_args(argv)
    if MARK in os.environ:
        return soak(given, Path(os.environ[MARK]), is_mounted=True)
    with tempfile.TemporaryDirectory() as folder:
        code = None if given.no_mount else run_mounted(argv, Path(folder))
        return soak(given, Path(folder), is_mounted=False) if code is None else code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
