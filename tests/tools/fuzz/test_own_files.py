"""Files of our own, changed at random: readers refuse them with an error of ours, or give what can be used."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numpy")
pytest.importorskip("pyarrow")
pytest.importorskip("jinja2")

from spm_lite import SpmLiteError

FUZZ = Path(__file__).resolve().parents[3] / "tools" / "fuzz"
RUNS = {"audit": 25, "lock": 8, "record": 30, "rules": 20, "seeds": 10, "checkpoint": 60}  # of slow readers; else 150
DEEP = (b"[" * 100_000, b'{"a":' * 100_000, b"", b"\0", b"NaN", b"1e999", b"{}", b"[]", b'"\\ud800"', b"\xff\xfe\0\xd8")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.thread_unsafe,
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.skipif(not FUZZ.is_dir(), reason="no source tree"),
]


@pytest.fixture(scope="module")
def modules() -> Any:
    sys.path.insert(0, str(FUZZ))
    try:
        import mutate
        import own_files

        with own_files.own_folder() as folder:
            yield mutate.mutate_own, own_files.readers(folder)
    finally:
        sys.path.remove(str(FUZZ))
        for name in ("mutate", "own_files"):
            sys.modules.pop(name, None)


def test_changed_files(modules):
    mutate, readers = modules
    for name, reader in readers.items():
        rng = random.Random(name)
        has_number = name in ("checkpoint", "ids")
        seeds = [data if has_number else b"\0" + data for data in reader.seeds.values()]
        for seed in reader.seeds.values():
            reader.use(seed)
        inputs = [mutate(rng.choice(seeds), rng, rng.choice(seeds), 1 << 20) for _ in range(RUNS.get(name, 150))]
        inputs += [bytes([number]) + data for data in DEEP for number in (range(12) if has_number else [0])]
        for data in inputs:
            try:
                reader.use(data if has_number else data[1:])
            except SpmLiteError:
                continue
            except BaseException as error:
                raise AssertionError(f"{name}: {type(error).__name__}: {error}: {data[:4000]!r}") from error
