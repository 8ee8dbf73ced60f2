"""Engines beside a loop and a Pool: CPU seconds of all processes, wall seconds, and memory of workers.

    python tools/bench/engines.py --model llama.model --corpus corpora/ --mb 200 [--only shards,count]

Needs the extras spark, ray, datatrove and datasets. Each engine is started, and has run one small job, before it is
measured.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

TICK = os.sysconf("SC_CLK_TCK")
WORKERS = 2
DOCUMENT = 3000  # bytes


def processes() -> dict[int, tuple[int, float, str]]:
    """Of each process: its parent, CPU seconds with those of children that ended, and its command."""
    found = {}
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            with suppress(OSError):
                name, _, rest = (path / "stat").read_text().rpartition(")")
                fields = rest.split()
                found[int(path.name)] = int(fields[1]), sum(map(int, fields[11:15])) / TICK, name.partition("(")[2]
    return found


def kinds(before: dict[int, tuple[float, str]], after: dict[int, tuple[float, str]]) -> str:
    """CPU seconds by kind of process: where the time of an engine goes."""
    found: dict[str, float] = {}
    for pid, (cpu, name) in after.items():
        kind = "this process" if pid == os.getpid() else "workers" if is_worker(name) else name
        found[kind] = found.get(kind, 0) + cpu - before.get(pid, (0.0, ""))[0]
    largest = sorted(found.items(), key=lambda item: -item[1])
    return ", ".join(f"{kind} {cpu:.1f}" for kind, cpu in largest if cpu >= 0.1)


def is_worker(name: str) -> bool:
    """Whether a process of this command does the work of an engine."""
    return "python" in name or name in ("ray::IDLE", "ray::attempt") or name.startswith("ray::Map")


def tree() -> dict[int, tuple[float, str]]:
    """CPU seconds and command of this process and of all below it."""
    known, mine = processes(), {os.getpid()}
    while more := {pid for pid, (parent, _, _) in known.items() if parent in mine} - mine:
        mine |= more
    return {pid: known[pid][1:] for pid in mine if pid in known}


def peak_of_workers() -> int:
    """The greatest resident memory, in MB, of workers of Python; of those that ended, if none is alive."""
    peaks = []
    for pid, (_, name) in tree().items():
        if pid != os.getpid() and is_worker(name):
            with suppress(OSError):
                lines = Path(f"/proc/{pid}/status").read_text().splitlines()
                peaks += [int(line.split()[1]) // 1000 for line in lines if line.startswith("VmHWM")]
    return max(peaks) if peaks else resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1000


def measured(name: str, work: Callable[[], Any], mb: float) -> float:
    """Do some work, print what it took, and return its CPU seconds."""
    before, begin = tree(), time.perf_counter()
    work()
    wall = time.perf_counter() - begin
    after = tree()
    cpu = sum(cpu for cpu, _ in after.values()) - sum(cpu for cpu, _ in before.values())
    peak = peak_of_workers()
    print(f"{name:44} {wall:7.2f} s wall {cpu:7.2f} s CPU {mb / cpu:6.0f} MB/s of CPU  {peak:5d} MB", flush=True)
    print(f"    of it {kinds(before, after)}", flush=True)
    return cpu


def make_corpus(corpus: Path, folder: Path, mb: int) -> float:
    """Write Parquet files of documents, eight row groups each; return the MB of their text."""
    import pyarrow as pa
    from pyarrow import parquet

    lines = [line for path in sorted(corpus.glob("*.txt")) for line in path.read_text("utf-8", "replace").splitlines()]
    draw, documents, total = random.Random(1), [], 0
    while total < mb * 1_000_000:
        begin, size, parts = draw.randrange(len(lines)), 0, []
        while size < DOCUMENT:
            parts.append(lines[begin % len(lines)])
            size += len(parts[-1].encode()) + 1
            begin += 1
        documents.append(" ".join(parts))
        total += size
    n_files = max(mb // 50, 2)
    for i in range(n_files):
        table = pa.table({"text": documents[i::n_files]})
        parquet.write_table(table, folder / f"{i:03}.parquet", row_group_size=-(-len(table) // 8))
    return total / 1e6


@contextmanager
def spark_session() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    builder = SparkSession.builder.master(f"local[{WORKERS},4]").config("spark.ui.enabled", "false")
    session = (
        builder.config("spark.ui.showConsoleProgress", "false").config("spark.sql.shuffle.partitions", 4).getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    session.range(8).mapInArrow(lambda batches: batches, "id bigint").collect()
    yield session
    session.stop()


@contextmanager
def ray_cluster() -> Iterator[Any]:
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0"}
    import ray

    ray.init(num_cpus=WORKERS, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
    ray.data.DataContext.get_current().enable_progress_bars = False
    ray.get([ray.remote(lambda: time.sleep(0.2)).remote() for _ in range(WORKERS)])
    yield ray
    ray.shutdown()


def shards_of(source: Path, out: Path, tok: Any, mb: float) -> None:
    """Files to Megatron shards."""
    from spm_lite.engines import ray, shards, spark

    size = int(mb * 1e6 / 8)

    def plan(name: str) -> Any:
        return shards.plan(source, out / name, tok, shard_size=size, eos=True)

    pool = measured("shards: Pool, its start included", lambda: plan("pool").run(num_workers=WORKERS), mb)
    measured("shards: verified, Pool", lambda: plan("pool").verify(num_workers=WORKERS), mb)
    with ray_cluster():
        cpu = measured("shards: Ray", lambda: ray.run(plan("ray")), mb)
        print(f"    {cpu / pool:.2f} of Pool (bound 1.10)")
    with spark_session() as session:
        spark.run(plan("warm"), session)
        cpu = measured("shards: Spark, second job", lambda: spark.run(plan("spark"), session), mb)
        print(f"    {cpu / pool:.2f} of Pool (bound 1.25)")
    names = sorted(path.name for path in (out / "pool").iterdir() if path.suffix in (".bin", ".idx"))
    for name in names:
        assert len({(out / kind / name).read_bytes() for kind in ("pool", "ray", "spark")}) == 1, name


def columns_of(source: Path, out: Path, tok: Any, mb: float) -> None:
    """A column of texts to a column of ids."""
    from pyarrow import parquet

    from spm_lite.engines import datasets as ours
    from spm_lite.engines import ray, spark

    def loop() -> None:
        for path in sorted(source.iterdir()):
            for batch in parquet.ParquetFile(path).iter_batches(1000):
                tok.encode_batch(batch.column(0), num_threads=1)

    base = measured("column: loop, read and encode", loop, mb)
    with ray_cluster() as engine:
        data = engine.data.read_parquet(str(source))
        encoded = ray.encode(data, tok).drop_columns(["text"])
        kept = data.map_batches(lambda table: table, **ray.BATCH)

        def read(blocks: Any) -> None:
            for _ in blocks.iter_batches(batch_format="pyarrow"):
                pass

        read(encoded)  # so that all workers run, and have loaded what they need
        same = measured("column: Ray Data, nothing changed", lambda: read(kept), mb)
        cpu = measured("column: Ray Data", lambda: read(encoded), mb)
        print(f"    {cpu / base:.2f} of the loop (bound 1.40), {cpu / same:.2f} of the one that changes nothing")
    import datasets

    datasets.disable_progress_bars()
    ds = datasets.load_dataset("parquet", data_dir=str(source), split="train", cache_dir=str(out / "cache"))
    work = ds.with_format("arrow")
    cpu = measured("column: datasets.map", lambda: work.map(ours.Encode(tok, num_threads=1), batched=True), mb)
    print(f"    {cpu / base:.2f} of the loop (bound 1.40)")
    with spark_session() as session:
        df = session.read.parquet(str(source))
        kept = df.mapInArrow(lambda batches: batches, df.schema)
        encoded = spark.encode(df, tok).drop("text")
        for frame in (kept, encoded):
            frame.write.format("noop").mode("overwrite").save()
        base = measured("column: Spark, nothing changed", kept.write.format("noop").mode("overwrite").save, mb)
        cpu = measured("column: Spark", encoded.write.format("noop").mode("overwrite").save, mb)
        print(f"    {cpu / base:.2f} of the one that changes nothing (bound 1.8)")


def counts_of(source: Path, out: Path, tok: Any, mb: float) -> None:
    """Count tables."""
    from spm_lite import CountTable
    from spm_lite.engines import ray, spark

    tables = []
    base = measured("count: loop", lambda: tables.append(CountTable.count(source, num_threads=1)), mb)
    with spark_session() as session:
        df = session.read.parquet(str(source)).coalesce(max(int(mb / 90), WORKERS))
        spark.count(df, quiet=True)
        scan = df.mapInArrow(lambda batches: (batch.slice(0, 1) for batch in batches), df.schema)
        measured("count: Spark, only read", scan.collect, mb)
        cpu = measured("count: Spark, second job", lambda: tables.append(spark.count(df)), mb)
        print(f"    {cpu / base:.2f} of the loop (bound 1.5)")
    with ray_cluster() as engine:
        data = engine.data.read_parquet(str(source))
        cpu = measured("count: Ray", lambda: tables.append(ray.count(data)), mb)
        print(f"    {cpu / base:.2f} of the loop")
    assert all(table == tables[0] for table in tables)


def datatrove_of(source: Path, out: Path, tok: Any, mb: float) -> None:
    """A step of datatrove."""
    from datatrove.pipeline.readers import ParquetReader
    from datatrove.utils.logging import logger

    from spm_lite.engines.datatrove import DocumentTokenizer

    logger.remove()

    def loop() -> None:
        texts: list[str] = []
        for document in ParquetReader(str(source)).run():
            texts.append(document.text)
            if len(texts) == 1000:
                tok.encode_batch(texts, num_threads=1)
                texts = []

    base = measured("datatrove: its reader and encode_batch", loop, mb)
    step = DocumentTokenizer(out / "trove", tok)
    cpu = measured("datatrove: our step", lambda: step.run(ParquetReader(str(source)).run()), mb)
    print(f"    {cpu / base:.2f} of its reader and encode_batch (bound 1.4)")


def again(source: Path, out: Path, tok: Any, mb: float) -> None:
    """A finished job of 1,000 shards once more."""
    from spm_lite.engines import ray

    folder = out / "small"
    folder.mkdir()
    for i in range(1000):
        (folder / f"{i:04}.txt").write_text(f"text {i}\n")
    with ray_cluster():
        measured("1,000 small shards: Ray", lambda: ray.encode_shards(folder, out / "many", tok, shard_size=9), 0.01)
        measured("1,000 small shards: again", lambda: ray.encode_shards(folder, out / "many", tok, shard_size=9), 0.01)


CASES = {"shards": shards_of, "column": columns_of, "count": counts_of, "datatrove": datatrove_of, "again": again}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, type=Path)
    parser.add_argument("--corpus", required=True, type=Path, help="a folder of .txt")
    parser.add_argument("--mb", type=int, default=200)
    parser.add_argument("--only", default=",".join(CASES))
    parser.add_argument("--folder", type=Path, help="for files of some times --mb")
    given = parser.parse_args()
    from spm_lite import Tokenizer

    tok = Tokenizer.load(given.model)
    root = Path(tempfile.mkdtemp(dir=given.folder))
    try:
        (root / "in").mkdir()
        (root / "out").mkdir()
        mb = make_corpus(given.corpus, root / "in", given.mb)
        print(f"{mb:.0f} MB of text, {given.model.name}, {WORKERS} workers; the last column is the largest worker")
        for name in given.only.split(","):
            CASES[name](root / "in", root / "out", tok, mb)
    finally:
        shutil.rmtree(root, ignore_errors=True)


if __name__ == "__main__":
    main()
