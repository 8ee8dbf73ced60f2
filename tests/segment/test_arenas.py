"""Memory of lists that is kept for further ones."""

import os
import subprocess
import sys
import sysconfig
import threading

import numpy as np
import pytest
from spm_lite.segment.arenas import kept_arenas
from spm_lite.segment.id_lists import lists_of

from spm_lite import train

pytestmark = [
    pytest.mark.thread_unsafe,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="arenas are kept on Linux"),
    pytest.mark.skipif(bool(sysconfig.get_config_var("Py_GIL_DISABLED")), reason="there are no arenas"),
]
MOST = 32


def make_lists(n_ids):
    """Lists of seven ids."""
    ids = np.arange(n_ids, dtype=np.int32) % 5_000
    lists = lists_of(ids, np.arange(0, ids.size + 1, 7, dtype=np.int64))
    assert lists[1] == [7, 8, 9, 10, 11, 12, 13]
    assert sum(map(sum, lists)) == int(ids[: len(lists) * 7].sum())
    return len(lists)


def test_kept_and_given_back():
    tok = train(["ab abc b"] * 9, vocab_size=300, model_type="bpe", hard_vocab_limit=False)
    make_lists(1_000_000)
    n_kept, size = kept_arenas()
    assert 0 < n_kept <= MOST
    assert size >= 1 << 18
    for _ in range(3):
        make_lists(1_000_000)
        assert kept_arenas()[0] <= MOST
    tok.clear_cache()
    assert kept_arenas()[0] == 0
    make_lists(1_000_000)


def test_no_more_than_32():
    make_lists(5_000_000)
    assert kept_arenas()[0] == MOST
    make_lists(5_000_000)
    assert kept_arenas()[0] == MOST


def test_threads():
    threads = [threading.Thread(target=make_lists, args=(700_000 + 50_000 * i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert kept_arenas()[0] <= MOST


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_child():
    make_lists(1_000_000)
    child = os.fork()
    if child == 0:
        make_lists(1_000_000)
        os._exit(0 if kept_arenas()[0] <= MOST else 1)
    assert os.waitpid(child, 0)[1] == 0
    make_lists(1_000_000)


def test_small_batches_leave_arenas_alone(tmp_path):
    program = (
        "import numpy as np\n"
        "from spm_lite.segment.arenas import kept_arenas\n"
        "from spm_lite.segment.id_lists import lists_of\n"
        "rows = [lists_of(np.arange(100_000, dtype=np.int32), np.arange(0, 100_001, 10)) for _ in range(50)]\n"
        "del rows\n"
        "assert kept_arenas() == (0, 0), kept_arenas()\n"
    )
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True)
