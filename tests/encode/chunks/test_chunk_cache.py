"""The cache of chunks: what it holds is right while it grows, is full, or learns from another one."""

import subprocess
import sys

import pytest
from oracle import native
from oracle.repository import ROOT


@pytest.mark.slow
@pytest.mark.parametrize("n_chunks", [1000, 40_000, 300_000])
def test_cache_grows(n_chunks):
    """What it held before is found in the larger table, except the few that had to give way."""
    chunks = [b"%d" % (i * 7919) * (1 + i % 7 * (i % 3 == 0)) for i in range(n_chunks)]
    found = native.keep_all(chunks, 100_000_000)
    assert all(ids in (None, [k] * (1 + k % 5)) for k, ids in enumerate(found))
    assert found.count(None) < n_chunks / 100


FEW_ADDRESSES = """
import mmap, resource, sys
from pathlib import Path

sys.path.append(sys.argv[1])  # the folder of the tests
from oracle import native

keep_all = native.keep_all
chunks = [b"%d" % (i * 7919) for i in range(70_000)]
size = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * mmap.PAGESIZE
resource.setrlimit(resource.RLIMIT_AS, (size + 48_000_000, -1))
found = keep_all(chunks, 100_000_000)
assert all(ids in (None, [k] * (1 + k % 5)) for k, ids in enumerate(found))
print(found.count(None))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is one of Linux")
def test_cache_grows_elsewhere(tmp_path):
    """Where so many addresses cannot be reserved, the table is copied to a larger one."""
    command = [sys.executable, "-c", FEW_ADDRESSES, str(ROOT / "tests")]
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) < 1400


def test_cache_that_may_not_grow():
    found = native.keep_all([b"%d" % i for i in range(300_000)], 3_000_000)
    assert all(ids in (None, [k] * (1 + k % 5)) for k, ids in enumerate(found))
    assert 0 < sum(ids is not None for ids in found) <= 1 << 16


@pytest.mark.parametrize("n_chunks", [0, 1, 5_000, 30_000])
def test_caches_learn_from_each_other(n_chunks):
    """Short and long chunks, with few ids and many."""
    chunks = [b"%d" % (i * 7919) * (1 + i % 40 * (i % 3 == 0)) for i in range(n_chunks)]
    chunks = [chunk[:127] for chunk in chunks]
    others = [b"x" + chunk[:126] for chunk in chunks[::2]]
    wanted = [[k] * (1 + k % 5) for k in range(len(chunks) + len(others))]
    for found in native.merge_all(chunks, others, 100_000_000):
        assert all(ids in (None, right) for ids, right in zip(found, wanted, strict=True))
        if n_chunks + len(others) < 1 << 14:  # a quarter of a table that has not grown: no set is full
            assert found == wanted


def test_caches_without_a_pool_learn():
    """Where there is only memory for the table, chunks are learned that need no other."""
    chunks, others = ([b"%c%d" % (letter, i) for i in range(1000)] for letter in b"xy")
    for found in native.merge_all(chunks, others, 2_200_000):
        assert sum(ids is not None for ids in found) == 1200  # those of one to three ids


@pytest.mark.slow
def test_caches_learn_as_much_as_there_is_room():
    chunks = [b"%d" % i for i in range(60_000)]
    others = [b"x%d" % i * 12 for i in range(60_000)]
    for cache_bytes in (3_000_000, 4_500_000, 100_000_000):
        for found in native.merge_all(chunks, others, cache_bytes):
            assert all(ids in (None, [k] * (1 + k % 5)) for k, ids in enumerate(found))
