"""Ids as Python lists."""

import gc
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from oracle import native
from oracle.segmentation import NORMAL, UNKNOWN
from oracle.slow import slow_after
from oracle.small_models import tokenizer_of

from spm_lite import TextError
from spm_lite.decode.decode_batch import decode_lists
from spm_lite.decode.decoder import Decoder
from spm_lite.texts.id_lists import lists_of


def arrays(lists):
    flat = np.array([i for ids in lists for i in ids], dtype=np.int32)
    return flat, np.cumsum([0, *map(len, lists)], dtype=np.int64)


@pytest.mark.parametrize("lists", [[], [[]], [[1, 2], [], [3]], [[-1, 0, 2**31 - 1, -(2**31), 2**20 - 1, 2**20]] * 3])
def test_lists(lists):
    assert lists_of(*arrays(lists)) == lists
    assert lists_of(*arrays(lists)) == lists  # from the ints that were kept
    assert all(type(i) is int for ids in lists_of(*arrays(lists)) for i in ids)


@pytest.mark.parametrize("offsets", [[0, 4], [-1, 2], [2, 1], [0, 2, 1], [3, 4], [2**62, 2**62]])
@pytest.mark.thread_unsafe
def test_offsets_outside(offsets):
    assert gc.isenabled()
    with pytest.raises(ValueError, match="must be ascending and within 3"):
        lists_of(np.array([1, 2, 3], dtype=np.int32), np.array(offsets, dtype=np.int64))
    assert gc.isenabled()


@pytest.mark.thread_unsafe
def test_collector_is_left_as_it_was():
    gc.disable()
    try:
        lists_of(*arrays([[1]]))
        assert not gc.isenabled()
    finally:
        gc.enable()
    lists_of(*arrays([[1]]))
    assert gc.isenabled()


def test_no_offsets():
    assert lists_of(np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64)) == []


@pytest.mark.slow
@pytest.mark.parametrize("n", slow_after(1, [1, 7, 30, 1000]))
def test_large_batches(n):
    """Lists of many arenas, twice, so that arenas are given back between them; and one that ends in an error."""
    ids = np.arange(1_000_000, dtype=np.int32) % 50_000
    offsets = np.arange(0, ids.size + 1, n, dtype=np.int64)
    wanted = [ids[begin : begin + n].tolist() for begin in offsets[:-1].tolist()]
    for _ in range(2):
        assert lists_of(ids, offsets) == wanted
    with pytest.raises(ValueError, match="must be ascending"):
        lists_of(ids, np.append(offsets, ids.size + 1))
    assert lists_of(ids, offsets) == wanted


@pytest.mark.thread_unsafe
def test_collector_pauses_only_without_other_threads(tmp_path):
    code = "import gc, threading; from spm_lite.texts.id_lists import PausedGc; wait = threading.Event()\n"
    code += "with PausedGc(): print(gc.isenabled())\nthreading.Thread(target=wait.wait).start()\n"
    code += "with PausedGc(): print(gc.isenabled())\nwait.set(); print(gc.isenabled())"
    command = [sys.executable, "-c", code]
    shown = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)  # not beside the sources
    assert shown.stdout.split() == ["False", "True", "True"]


@pytest.mark.slow
@pytest.mark.thread_unsafe
@pytest.mark.parametrize("num_threads", [1, 2])
def test_lists_of_many_texts(num_threads):
    """Made block by block, in arenas of their own; the collector is left as it was, after an error too."""
    tok = tokenizer_of([(b"<unk>", 0.0, UNKNOWN), *((b"%d" % i, -1.0 - i, NORMAL) for i in range(100))], "unigram")
    texts = [f"{i} {i * i}" * (i % 50) for i in range(30_000)]
    wanted = [tok.encode(text) for text in texts]
    assert tok.encode_lists(texts, num_threads=num_threads) == wanted
    assert gc.isenabled()
    with pytest.raises(TextError, match="text 30000 of the batch"):
        tok.encode_lists([*texts, "\ud800"], num_threads=num_threads)
    assert gc.isenabled()
    gc.disable()
    try:
        assert tok.encode_lists(texts, num_threads=num_threads) == wanted
        assert not gc.isenabled()
    finally:
        gc.enable()


@pytest.mark.slow
def test_large_batches_within_each_other():
    """By threads, and by what makes the items of a batch."""
    ids = np.arange(1_000_000, dtype=np.int32) % 50_000
    offsets = np.arange(0, ids.size + 1, 20, dtype=np.int64)
    wanted = [ids[begin : begin + 20].tolist() for begin in offsets[:-1].tolist()]
    pieces = [(b"<unk>", 0.0, UNKNOWN), *((b"p%d" % i, 0.0, NORMAL) for i in range(1, 50_000))]
    decoder = Decoder(native.build_vocab(pieces, "bpe"), False, False, b"?", None)
    texts = ["".join(f"p{i}" if i else "?" for i in row) for row in wanted]

    def rows():
        for k, row in enumerate(wanted):
            if k % 20_000 == 0:
                assert lists_of(ids, offsets) == wanted
            yield row

    def check(_):
        assert decode_lists(decoder, rows(), 1, False) == texts
        assert decode_lists(decoder, wanted, 2, False) == texts

    with ThreadPoolExecutor(3) as threads:
        list(threads.map(check, range(3)))
    assert lists_of(ids, offsets) == wanted
