"""Shards of files elsewhere, and shards kept elsewhere: in the memory of this process, and in a store of S3."""

import gzip
import io
import json
import os
import pickle
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from oracle.engines import content, shards_here, texts_of
from oracle.small_models import small_model

from spm_lite import FileError, MissingFileError, OptionError, Tokenizer
from spm_lite.engines import shards

fsspec = pytest.importorskip("fsspec")
TOK = Tokenizer.load(small_model(byte_fallback=True))
TEXTS = texts_of(4, 500)


def inputs() -> dict[str, bytes]:
    """Files of each kind."""
    lines = "\n".join(TEXTS[:200]).encode()
    rows = "".join(json.dumps({"n": i, "text": text}) + "\n" for i, text in enumerate(TEXTS)).encode()
    found = {"a.txt": lines, "b.jsonl": rows, "c.jsonl.gz": gzip.compress(rows), "d.txt.gz": gzip.compress(lines)}
    try:
        import pyarrow as pa
        from pyarrow import feather, parquet
    except ImportError:
        return found
    table = pa.table({"n": range(500), "text": TEXTS})
    for name, write in (("e.parquet", parquet.write_table), ("f.feather", feather.write_feather)):
        sink = io.BytesIO()
        write(table, sink, **({"row_group_size": 90} if name == "e.parquet" else {}))
        found[name] = sink.getvalue()
    return found


@pytest.fixture
def store() -> Iterator[Any]:
    system = fsspec.filesystem("memory")
    for name, data in inputs().items():
        system.pipe(f"/corpus/{name}", data)
    yield system
    system.store.clear()
    system.pseudo_dirs[:] = [""]


@pytest.fixture
def want(tmp_path: Path) -> dict[str, bytes]:
    """The shards that local files make, without their records, which name the files."""
    (tmp_path / "corpus").mkdir()
    for name, data in inputs().items():
        (tmp_path / "corpus" / name).write_bytes(data)
    return data_of(shards_here(tmp_path / "corpus", tmp_path / "here", TOK, shard_size=4000, eos=True))


def data_of(files: dict[str, bytes]) -> dict[str, bytes]:
    return {name: data for name, data in files.items() if not name.endswith(".json")}


def kept(system: Any, folder: str) -> dict[str, bytes]:
    return {name.rpartition("/")[2]: system.cat_file(name) for name in system.find(folder)}


def run(plan: shards.Plan) -> shards.Manifest:
    for number in reversed(range(len(plan))):
        pickle.loads(pickle.dumps(plan)).run_task(number, num_threads=1)
    return plan.finish()


@pytest.mark.parametrize("out", ["here", "there"])
def test_the_same_shards(store: Any, want: Any, out: str, tmp_path: Path) -> None:
    folder = "memory://out/x" if out == "there" else str(tmp_path / "out")
    plan = shards.plan("memory://corpus", folder, TOK, shard_size=4000, eos=True)
    assert [source.path for source in plan.sources] == [f"memory://corpus/{name}" for name in inputs()]
    found = run(plan)
    assert data_of(kept(store, "/out/x") if out == "there" else content(tmp_path / "out")) == want
    shards.merge(folder, tmp_path / "merged")
    shards.merge(tmp_path / "here", tmp_path / "whole")
    for suffix in (".bin", ".idx"):
        assert (tmp_path / f"merged{suffix}").read_bytes() == (tmp_path / f"whole{suffix}").read_bytes()
    assert found.documents == len(TEXTS) * (len(inputs()) - 2) + 400


def test_a_finished_job_writes_nothing(store: Any, monkeypatch: Any) -> None:
    plan = shards.plan("memory://corpus", "memory://out/x", TOK, shard_size=4000)
    first = run(plan)
    for name in ("pipe_file", "put_file", "rm_file"):
        monkeypatch.setattr(type(store), name, None)
    again = shards.plan("memory://corpus", "memory://out/x", TOK, shard_size=4000)
    assert again.missing() == []
    assert again.run() == first


def test_resuming(store: Any) -> None:
    plan = shards.plan("memory://corpus", "memory://out/x", TOK, shard_size=4000)
    run(plan)
    whole = kept(store, "/out/x")
    store.rm_file("/out/x/00001.json")
    store.pipe("/out/x/00003.bin", b"short")
    store.pipe("/out/x/00004.json", b"{}")
    assert plan.missing() == [1, 3, 4]
    with pytest.raises(FileError, match=r"3 of \d+ shards are missing in 'memory://out/x': 1, 3, 4"):
        plan.finish()
    run(plan)
    assert kept(store, "/out/x") == whole
    other = shards.plan("memory://corpus", "memory://out/x", TOK, shard_size=4000, eos=True)
    assert other.missing() == list(range(len(other)))
    store.pipe("/out/x/00999.bin", b"")
    with pytest.raises(FileError, match=r"'memory://out/x/00999\.bin' is not a shard of this plan: remove it"):
        plan.finish()


def test_mistakes_elsewhere(store: Any, monkeypatch: Any, tmp_path: Path) -> None:
    plan = shards.plan("memory://corpus/*.txt", "memory://out/x", TOK, shard_size=4000)

    def full(self: Any, path: str, *given: Any, **options: Any) -> None:
        raise OSError(28, "the store is full")

    with monkeypatch.context() as patch:
        patch.setattr(type(store), "put_file", full)
        with pytest.raises(FileError, match=r"'memory://out/x/00000\.bin' cannot be written: .*the store is full"):
            plan.run_task(0)
    assert plan.missing() == list(range(len(plan)))
    assert kept(store, "/out/x") == {}
    store.pipe("/corpus/a.txt", b"other")
    with pytest.raises(FileError, match=r"'memory://corpus/a\.txt' has changed since the plan was made"):
        plan.run_task(0)
    store.rm_file("/corpus/a.txt")
    with pytest.raises(MissingFileError, match=r"memory://corpus/a\.txt"):
        plan.run_task(0)
    store.pipe("/corpus/00000.txt", b"a")
    with pytest.raises(OptionError, match="has the name of a shard in out"):
        shards.plan("memory://corpus/00000.txt", "memory://corpus/", TOK)
    store.pipe("/corpus/g.jsonl", b'{"text": "a"}\n{"text": null}\n')
    with pytest.raises(FileError, match=r"'memory://corpus/g\.jsonl', line 2: 'text' is null"):
        shards.plan("memory://corpus/g.jsonl", tmp_path / "out", TOK).run_task(0)


# -- a store of S3 ---------------------------------------------------------------------------------------------------


@pytest.fixture
def s3(monkeypatch: Any) -> Iterator[Any]:
    """A server of moto on this machine, with a bucket."""
    pytest.importorskip("s3fs")
    pytest.importorskip("moto")
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    secrets = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_DEFAULT_REGION": "us-east-1"}
    for name, value in {**secrets, "FSSPEC_S3_ENDPOINT_URL": f"http://127.0.0.1:{port}"}.items():
        monkeypatch.setenv(name, value)
    work = [sys.executable, "-c", "from moto.server import main; main()", "-H", "127.0.0.1", "-p", str(port)]
    with subprocess.Popen(work, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            for _ in range(3000):
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0 or server.poll() is not None:
                        break
                time.sleep(0.1)
            system = fsspec.filesystem("s3", endpoint_url=os.environ["FSSPEC_S3_ENDPOINT_URL"])
            system.mkdir("bucket")
            yield system
        finally:
            server.kill()


@pytest.mark.slow
@pytest.mark.thread_unsafe
@pytest.mark.filterwarnings("ignore")
def test_a_bucket(s3: Any, want: Any, monkeypatch: Any) -> None:
    fsspec.config.set_conf_env(fsspec.config.conf)
    for name, data in inputs().items():
        s3.pipe(f"bucket/corpus/{name}", data)
    plan = shards.plan("s3://bucket/corpus", "s3://bucket/out", TOK, shard_size=4000, eos=True)
    assert all(source.version for source in plan.sources)
    first = plan.run(num_workers=2)
    s3.invalidate_cache()
    assert data_of(kept(s3, "bucket/out")) == want
    again = shards.plan("s3://bucket/corpus", "s3://bucket/out", TOK, shard_size=4000, eos=True)
    assert (again.missing(), again.finish()) == ([], first)
    s3.pipe("bucket/corpus/a.txt", b"other")
    s3.rm_file("bucket/out/00000.json")
    with pytest.raises(FileError, match=r"'s3://bucket/corpus/a\.txt' has changed since the plan was made"):
        plan.run_task(0)
