"""Ray: the cases of all engines, with two CPUs of this machine."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from oracle.engine_cases import EngineCases
from oracle.engines import need

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
