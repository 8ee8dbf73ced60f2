"""Ray: the cases of all engines, with two CPUs of this machine."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from oracle.engine_cases import TEXTS, TOK, EngineCases
from oracle.engines import content, need, shards_here, write_parquet

need("ray", "ray", "pandas", "pyarrow")

from spm_lite.engines import ray as engine  # noqa: E402

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("ignore"), pytest.mark.thread_unsafe]


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        import ray

        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
        ray.data.DataContext.get_current().enable_progress_bars = False
        yield ray
        ray.shutdown()


@pytest.fixture
def read(cluster: Any) -> Any:
    """A table of that many blocks; of 3, those of Ray's reader, which does not keep the order of row groups."""
    from pyarrow import parquet

    def of(path: Path, blocks: int) -> Any:
        if blocks == 3:
            return cluster.data.read_parquet(str(path))
        table = parquet.read_table(path)
        size = -(-len(table) // blocks)
        return cluster.data.from_arrow([table.slice(i * size, size) for i in range(blocks)])

    return of


class TestRay(EngineCases):
    engine = engine

    def rows(self, table: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = table.take_all()
        return found


def test_work_is_done_in_tasks_and_not_in_actors(read: Any, monkeypatch: Any, tmp_path: Path) -> None:
    """A pool of actors that takes all CPUs starves the tasks that read."""

    def actor_of(encoder: Any, block: Any) -> Any:
        import pyarrow as pa
        import ray

        return pa.table({"actor": [ray.get_runtime_context().get_actor_id() or "none"]})

    path = write_parquet(tmp_path / "a.parquet", TEXTS, 100)
    monkeypatch.setattr(engine, "encode_block", actor_of)
    assert {row["actor"] for row in engine.encode(read(path, 5), TOK).take_all()} == {"none"}


def test_order_is_kept_by_a_number(cluster: Any, tmp_path: Path) -> None:
    """Ray's reader changes the order of row groups, even if it is told to preserve it: ids stay with their rows."""
    for i in range(3):
        write_parquet(tmp_path / f"{i}.parquet", TEXTS[i * 200 : i * 200 + 200], 10)
    context = cluster.data.DataContext.get_current()
    before, context.execution_options.preserve_order = context.execution_options.preserve_order, True
    try:
        found = engine.encode(cluster.data.read_parquet(str(tmp_path)), TOK).take_all()
    finally:
        context.execution_options.preserve_order = before
    assert len(found) == 600
    assert all(list(row["ids"]) == TOK.encode(row["text"]) for row in found)
    whole = shards_here(tmp_path / "*.parquet", tmp_path / "here", TOK, shard_size=1)
    engine.encode_shards(tmp_path / "*.parquet", tmp_path / "out", TOK, shard_size=1)
    assert content(tmp_path / "out") == whole
