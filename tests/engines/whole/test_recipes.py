"""The recipes of docs/engines.md run where their partner is installed; on Slurm, with a stand-in for its queue."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from oracle.engines import REQUIRED, java_version, texts_of, write_parquet
from oracle.repository import ROOT

from spm_lite.engines import shards

PAGE = ROOT / "docs" / "engines.md"
BLOCK = re.compile(r"^```([a-z ]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PACKAGES = {"spark": "pyspark", "dask": "distributed", "beam": "apache_beam", "pool": "pyarrow"}
SBATCH = r"""#!/bin/bash
[[ "$*" =~ --array=0-([0-9]+) ]]; last=${BASH_REMATCH[1]}; work="${@: -1}"
for ((i = last; i >= 0; i--)); do SLURM_ARRAY_TASK_ID=$i bash -c "$work"; done
"""
MOST_LINES = 20


def blocks(kind: str) -> list[str]:
    return [text for name, text in BLOCK.findall(PAGE.read_text(encoding="utf-8")) if name == kind]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pytest.importorskip("pyarrow")
    (tmp_path / "corpus").mkdir()
    draw = texts_of(1, 4000, 60)
    for i in range(2):
        texts = [f"{text} w{n % 500:x}{n % 77}z" for n, text in enumerate(draw[i::2])]
        write_parquet(tmp_path / "corpus" / f"{i}.parquet", texts, 300)
    return tmp_path


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param("spark", marks=pytest.mark.spark),
        pytest.param("ray", marks=pytest.mark.ray),
        pytest.param("datasets", marks=pytest.mark.datasets),
        pytest.param("datatrove", marks=pytest.mark.datatrove),
        pytest.param("pool", marks=pytest.mark.slow),
        "dask",
        "beam",
    ],
)
def test_a_recipe(kind: str, folder: Path) -> None:
    is_there = find_spec(PACKAGES.get(kind, kind)) is not None and (kind != "spark" or java_version() >= 17)
    if not is_there and kind not in os.environ.get(REQUIRED, "").split(","):
        pytest.skip(f"{kind} is not installed")
    recipe = blocks(f"python {kind}")
    assert recipe
    assert all(text.count("\n") <= MOST_LINES for text in recipe)
    (folder / "recipe.py").write_text("\n".join(recipe), encoding="utf-8")
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "RAY_USAGE_STATS_ENABLED": "0"}
    environment |= {"HF_HOME": str(folder / "hf")}
    done = subprocess.run(
        [sys.executable, "recipe.py"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="a script of a shell")
def test_slurm(folder: Path) -> None:
    (script,) = blocks("sh")
    (folder / "bin").mkdir()
    programs = {"sbatch": SBATCH, "spm-lite": f'#!/bin/bash\nexec {sys.executable} -m spm_lite "$@"\n'}
    for name, text in programs.items():
        (folder / "bin" / name).write_text(text)
        (folder / "bin" / name).chmod(0o755)
    environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", script], cwd=folder, env=environment, capture_output=True, text=True, timeout=500, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (folder / "all.bin").stat().st_size > 0
    plan = shards.load(folder / "shards" / "plan.json")
    assert plan.missing() == []
    assert script.count("\n") <= MOST_LINES
