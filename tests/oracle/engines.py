"""What tests on engines share: which engines must be there, a corpus, and a killer of workers."""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from spm_lite import Tokenizer
from spm_lite.engines import shards
from spm_lite.engines.shards.records import TEMPORARY

REQUIRED = "SPM_LITE_ENGINES"  # names the engines whose tests may not be skipped, such as "ray,spark"
WORDS = ["hello", "world", "the", "pen", "is", "日本", "é", "😀", "naïve", "a b", "1234"]
PROCESS = re.compile(r"[.](\d+)-[0-9a-f]{16}[.]tmp$")


def need(extra: str, *modules: str) -> None:
    """Skip the test module if one of these is not installed, unless the environment requires it."""
    missing = [name for name in modules if find_spec(name) is None]
    if extra == "spark" and not java_version() >= 17:
        missing.append("java 17 or newer")
    if not missing:
        return
    reason = f"{extra}: without {', '.join(missing)}"
    if extra in os.environ.get(REQUIRED, "").split(","):
        raise RuntimeError(f"{REQUIRED} requires {reason}")
    pytest.skip(reason, allow_module_level=True)


def java_version() -> int:
    """The version of the command java; 0: there is none."""
    if shutil.which("java") is None:
        return 0
    told = subprocess.run(["java", "-version"], capture_output=True, text=True, check=False).stderr
    found = re.search(r'version "(\d+)', told)
    return int(found[1]) if found else 0


def texts_of(seed: int, n: int, longest: int = 30) -> list[str]:
    """Documents of a few words, some of them empty."""
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=draw.randrange(longest))) for _ in range(n)]


def write_parquet(path: Path, texts: list[Any], rows: int) -> Path:
    """A file with the columns n and text."""
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.table({"n": range(len(texts)), "text": pa.array(texts, pa.string())}), path, rows)
    return path


def content(folder: Path) -> dict[str, bytes]:
    """All files of a folder, hidden ones too."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def shards_here(paths: Any, folder: Path, tok: Tokenizer, **options: Any) -> dict[str, bytes]:
    """The files that this process makes without an engine."""
    plan = shards.plan(paths, folder, tok, **options)
    for number in range(len(plan)):
        plan.run_task(number, num_threads=1)
    plan.finish()
    return content(folder)


DRIVER = """
import importlib, os, sys
from spm_lite.engines import shards
os.environ |= {"SPARK_LOCAL_IP": "127.0.0.1", "RAY_USAGE_STATS_ENABLED": "0"}
if sys.argv[1].endswith("ray"):
    import ray
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
else:
    from pyspark.sql import SparkSession
    SparkSession.builder.master("local[2,4]").config("spark.ui.enabled", "false").getOrCreate()
importlib.import_module(sys.argv[1]).run(shards.load(sys.argv[2]))
"""


def kill_driver(engine: str, plan: Path, record: Path) -> None:
    """Run a plan by an engine of another process, and kill that process as soon as a record is there."""
    work = [sys.executable, "-c", DRIVER, engine, str(plan)]
    with subprocess.Popen(
        work, cwd=plan.parent, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as driver:
        while not record.exists() and driver.poll() is None:
            time.sleep(0.001)
        driver.kill()
    assert record.exists()


@contextmanager
def small_file_system(folder: Path, size: str) -> Iterator[Path]:
    """A file system of a few bytes, where this process may mount one; the test is skipped elsewhere."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(folder)]
    if sys.platform != "linux" or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


class Killer(threading.Thread):
    """Kills the processes that write temporary files into a folder, the first `times` of them."""

    def __init__(self, folder: Path, times: int) -> None:
        super().__init__(daemon=True)
        self.folder, self.times = folder, times
        self.killed: set[int] = set()
        self.is_done = threading.Event()

    def run(self) -> None:
        while not self.is_done.is_set() and len(self.killed) < self.times:
            for path in self.folder.iterdir() if self.folder.is_dir() else ():
                found = PROCESS.search(path.name) if TEMPORARY.fullmatch(path.name) else None
                if found and int(found[1]) != os.getpid() and int(found[1]) not in self.killed:
                    os.kill(int(found[1]), signal.SIGKILL)
                    self.killed.add(int(found[1]))
                    break
            time.sleep(0.0005)

    def __enter__(self) -> "Killer":
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.is_done.set()
        self.join()
