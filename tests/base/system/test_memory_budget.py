"""Large blocks of memory under the ids of batches: they come out of the cache's budget, and go back to it."""

import os
import pickle
import random
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from oracle.slow import slow_after

import spm_lite
from spm_lite import Tokenizer, train

pytestmark = pytest.mark.thread_unsafe
on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="there are such blocks on Linux")
LEAST_BYTES = 1 << 18


@pytest.fixture(scope="module")
def model():
    tok = train(["ab abc b cab"] * 9, vocab_size=300, model_type="bpe", hard_vocab_limit=False)
    return tok.to_bytes()


@pytest.fixture
def tok(model):
    return Tokenizer.load(model)


def used(tok):
    return tok.info.cache_used


def check(tok, n_ids, num_threads=1):
    """The batch of about `n_ids` ids, all of which are looked at."""
    few = ["zyxwv" * i for i in range(50)]  # a byte piece for each character, and one space
    wanted = [tok.encode(text) for text in few]
    times = n_ids // sum(map(len, wanted)) + 1
    batch = tok.encode_batch(few * times, num_threads=num_threads)
    assert len(batch.ids) >= n_ids
    assert batch.to_lists() == wanted * times
    return batch


@pytest.mark.parametrize("n_ids", slow_after(3, [1000, LEAST_BYTES // 4, LEAST_BYTES, 1_000_000, 3_000_000]))
@pytest.mark.parametrize("num_threads", [1, 2])
@pytest.mark.parametrize("cache_bytes", [0, 3_000_000, 64_000_000])
def test_sizes(model, n_ids, num_threads, cache_bytes):
    tok = Tokenizer.load(model, cache_bytes=cache_bytes)
    for _ in range(3):
        check(tok, n_ids, num_threads)
        assert used(tok) <= cache_bytes
    tok.clear_cache()
    assert used(tok) == 0


@on_linux
def test_kept_and_given_back(tok):
    batch = check(tok, 1_000_000)
    ids = batch.ids
    ids[0] += 1
    copy = ids.copy()
    del batch
    before = used(tok)
    check(tok, 500_000)  # must not be written over what is still in use
    assert np.array_equal(ids, copy)
    del ids
    assert before + 4_000_000 <= used(tok) <= 32_000_000
    pickle.loads(pickle.dumps(tok))
    tok.clear_cache()
    assert used(tok) == 0


@on_linux
def test_a_small_batch_takes_no_large_block(tok):
    """What it does not need is there for the next."""
    check(tok, 3_000_000)
    kept = used(tok)
    assert kept > 12_000_000
    small = check(tok, 300_000)
    assert used(tok) >= kept - len(small.ids) * 4 - 2 * LEAST_BYTES


def test_ids_outlive_their_tokenizer(model):
    tok = Tokenizer.load(model)
    batch = check(tok, 1_000_000)
    copy = batch.ids.copy()
    del tok
    assert np.array_equal(batch.ids, copy)
    batch.ids[:] = 7


@pytest.mark.parametrize("n_batches", [1, 5, 40])
def test_more_than_the_budget(model, n_batches):
    """As much is kept as there is room for, of a single block too."""
    tok = Tokenizer.load(model, cache_bytes=16_000_000)
    for _ in range(2):
        batches = [check(tok, 6_000_000 // n_batches) for _ in range(n_batches)]
        del batches
        assert used(tok) <= 16_000_000
    if sys.platform.startswith("linux") and n_batches < 40:
        assert used(tok) > 15_000_000


@on_linux
def test_addresses_are_not_memory(tok):
    """What a block has grown by and nobody has written to does not count."""
    batch = check(tok, 1000)
    before = used(tok)
    del batch
    for n_ids in (1_000_000, 3_000_000):
        batch = check(tok, n_ids)
        assert used(tok) <= before + 2 * LEAST_BYTES
        del batch
    assert before + 12_000_000 < used(tok) < before + 13_000_000


@on_linux
def test_the_cache_comes_first():
    """Blocks that wait give way to chunks of text."""
    rng = random.Random(5)
    words = ["".join(rng.choices("abcd", k=12)) for _ in range(150_000)]
    trained = train(words[:2000], vocab_size=400, model_type="bpe", hard_vocab_limit=False)
    tok = Tokenizer.load(trained.to_bytes(), cache_bytes=10_000_000)
    check(tok, 450_000)
    assert used(tok) > 3_900_000
    tok.encode_batch(words, num_threads=1)
    assert 8_000_000 < used(tok) <= 10_000_000


@pytest.mark.slow
def test_a_kept_block_grows(tok):
    """What is needed at once is more than is kept."""
    for n_ids in (100_000, 400_000, 1_500_000):
        check(tok, n_ids)
        text = "zyxwv" * (n_ids // 5)
        assert len(tok.spans(text)) == n_ids + 1
        assert len(tok.encode(text)) == n_ids + 1


def test_threads(tok):
    threads = [threading.Thread(target=check, args=(tok, 200_000 + 100_000 * i)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert used(tok) <= 64_000_000
    tok.clear_cache()
    assert used(tok) == 0


FORK = """
import os, sys
import spm_lite
tok = spm_lite.Tokenizer.load(sys.argv[1])
texts = ["zyxwv" * i for i in range(50)] * 200
lists = tok.encode_batch(texts, num_threads=2).to_lists()
child = os.fork()
same = tok.encode_batch(texts, num_threads=2).to_lists() == lists
if child == 0:
    os._exit(0 if same else 1)
sys.exit(0 if same and os.waitpid(child, 0)[1] == 0 else 1)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_child(model, tmp_path):
    (tmp_path / "m.model").write_bytes(model)
    environment = {**os.environ, "PYTHONPATH": str(Path(spm_lite.__file__).parent.parent)}
    command = [sys.executable, "-c", FORK, str(tmp_path / "m.model")]
    subprocess.run(command, env=environment, cwd=tmp_path, check=True)


@on_linux
def test_a_single_call_gives_its_block_back(tok):
    """Also one whose text is too short for its other buffers to be made anew."""
    check(tok, 3_000_000)
    kept = used(tok)
    text = "漢" * 32_000
    assert len(tok.encode(text)) > LEAST_BYTES // 4
    assert used(tok) >= kept
    tok.clear_cache()
    assert used(tok) == 0
