"""Shards by Ray and Spark where the memory of each worker is held by the system: 300 MB and one row group.

    python tools/bench/held_workers.py --model llama.model --corpus corpora/ --mb 2000

Needs root and a memory controller of cgroups, v1 or v2. Each worker of Python enters a group of its own when it starts,
and the system kills what exceeds the limit. Caches of files count too, and are given back first.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any

import engines
from pyarrow import parquet

ROOM = 300_000_000  # bytes
GROUPS = Path("/sys/fs/cgroup")
ENTER = """
import os, sys
if any(name in word for word in sys.orig_argv for name in ("pyspark.worker", "pyspark/worker", "default_worker.py")):
    group = os.path.join({groups!r}, str(os.getpid()))
    os.mkdir(group)
    for name, value in (({limit_file!r}, {limit}), ("cgroup.procs", os.getpid())):
        with open(os.path.join(group, name), "w") as file:
            file.write(str(value))
"""


class HeldWorkers:
    """A group for workers; files of its controller are named as v1 or v2 names them."""

    def __init__(self, limit: int) -> None:
        is_v2 = (GROUPS / "cgroup.controllers").exists()
        self.path = (GROUPS if is_v2 else GROUPS / "memory") / f"held_{os.getpid()}"
        self.peak_file = "memory.peak" if is_v2 else "memory.max_usage_in_bytes"
        self.limit_file = "memory.max" if is_v2 else "memory.limit_in_bytes"
        self.path.mkdir()
        if is_v2:
            (self.path / "cgroup.subtree_control").write_text("+memory")
        self.code = ENTER.format(groups=str(self.path), limit_file=self.limit_file, limit=limit)

    def peaks(self) -> list[int]:
        """The greatest memory of each worker since the last call of `clear`, in MB."""
        return [int((group / self.peak_file).read_text()) // 1_000_000 for group in self.groups()]

    def groups(self) -> list[Path]:
        return [path for path in sorted(self.path.iterdir()) if path.is_dir()]

    def clear(self) -> None:
        """Remove the groups of workers, which may take some seconds to end."""
        for _ in range(100):
            for group in self.groups():
                with suppress(OSError):
                    group.rmdir()
            if not self.groups():
                break
            time.sleep(0.1)


def job(name: str, engine: AbstractContextManager[Any], run: Any, plan: Any, mb: float, held: HeldWorkers) -> None:
    """Run a plan on an engine, and show what its workers took."""
    with engine as started:
        engines.measured(f"shards: {name}, workers held", lambda: run(plan, started), mb)
        print(f"    memory of workers: {held.peaks()} MB")
    held.clear()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, type=Path)
    parser.add_argument("--corpus", required=True, type=Path, help="a folder of .txt")
    parser.add_argument("--mb", type=int, default=2000)
    parser.add_argument("--room", type=int, default=ROOM, help="bytes of a worker beside a row group")
    given = parser.parse_args()
    from spm_lite import Tokenizer
    from spm_lite.engines import ray, shards, spark

    tok = Tokenizer.load(given.model)
    with tempfile.TemporaryDirectory() as root:
        source, out, startup = Path(root, "in"), Path(root, "out"), Path(root, "startup")
        for folder in (source, out, startup):
            folder.mkdir()
        mb = engines.make_corpus(given.corpus, source, given.mb)
        first = parquet.ParquetFile(next(source.iterdir())).metadata.row_group(0)
        limit = given.room + first.total_byte_size
        held = HeldWorkers(limit)
        (startup / "sitecustomize.py").write_text(held.code)
        os.environ["PYTHONPATH"] = f"{startup}:{os.environ.get('PYTHONPATH', '')}"
        os.environ["PYSPARK_SUBMIT_ARGS"] = "--conf spark.python.use.daemon=false pyspark-shell"
        print(f"{mb:.0f} MB of text, {given.model.name}; the limit of a worker is {limit / 1e6:.1f} MB")
        plans = [shards.plan(source, out / name, tok, shard_size=64_000_000, eos=True) for name in ("ray", "spark")]
        job("Ray", engines.ray_cluster(), lambda plan, _: ray.run(plan), plans[0], mb, held)
        job("Spark", engines.spark_session(), spark.run, plans[1], mb, held)
        names = sorted(path.name for path in (out / "ray").iterdir() if path.suffix in (".bin", ".idx"))
        assert names
        for name in names:
            assert (out / "ray" / name).read_bytes() == (out / "spark" / name).read_bytes(), name
        print(f"{len(names)} files of both are equal")
        held.path.rmdir()


if __name__ == "__main__":
    main()
