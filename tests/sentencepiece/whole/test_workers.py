"""Workers of a data loader draw differently, however they start; with a seed they draw as in the original."""

import json
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import pytest

import spm_lite

PROGRAM = Path(__file__).with_name("workers.py")
HAS_FORK = "fork" in multiprocessing.get_all_start_methods()
STARTS = ["spawn", "threads", *(["fork", "forkserver", "grandchildren", "fork_in_threads"] if HAS_FORK else [])]


@pytest.fixture(scope="module")
def path(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("workers") / "small.model"
    path.write_bytes(model)
    return path


def drawn(*arguments):
    """3 draws of the parent, before each epoch but the first and at the end, and 12 of the workers, as str."""
    environment = {**os.environ, "PYTHONPATH": str(Path(spm_lite.__file__).parent.parent)}
    command = [sys.executable, str(PROGRAM), *map(str, arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    return [*map(str, found["parents"]), *(str(worker) for epoch in found["epochs"] for worker in epoch)]


@pytest.mark.slow
@pytest.mark.parametrize("start", STARTS)
def test_without_a_seed_all_draw_differently(path, start):
    """3 epochs of 4 workers; before the second and the third the parent draws too."""
    assert len(set(drawn("spm_lite", path, start))) == 3 + 12


@pytest.mark.slow
@pytest.mark.parametrize("start", STARTS)
def test_with_a_seed_as_the_original(path, start):
    """Which draws are equal; the draws themselves are other ones. Forked workers go on where their parent stands."""

    def pattern(module):
        rows = drawn(module, path, start, 5)
        return [rows.index(row) for row in rows]

    if start in ("spawn", "forkserver"):  # processes in which no seed was set
        assert len(set(drawn("spm_lite", path, start, 5))) == 3 + 12
    else:
        assert pattern("spm_lite") == pattern("sentencepiece")


REPEATED = """
import os, sys
import spm_lite
sp = spm_lite.SentencePieceProcessor(model_file=sys.argv[1])
def draw():
    return [sp.encode("hello world this is the test", enable_sampling=True, alpha=0.1) for _ in range(9)]
spm_lite.SetRandomGeneratorSeed(3)
first = draw(), draw()
spm_lite.SetRandomGeneratorSeed(3)
assert draw() == first[0]
child = os.fork()
assert draw() == first[1]  # here and there
if child == 0:
    spm_lite.SetRandomGeneratorSeed(2**32 - 1)  # changes nothing
    assert draw() not in first
    spm_lite.SetRandomGeneratorSeed(3)
    assert (draw(), draw()) == first
    os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
"""


@pytest.mark.skipif(not HAS_FORK, reason="no fork")
def test_a_seed_repeats_in_a_forked_process(path):
    environment = {**os.environ, "PYTHONPATH": str(Path(spm_lite.__file__).parent.parent)}
    command = [sys.executable, "-c", REPEATED, str(path)]
    subprocess.run(command, cwd=sys.prefix, env=environment, check=True, timeout=500)


NATIVE = """
import os, sys
import spm_lite
tok = spm_lite.Tokenizer.load(sys.argv[1])
text = "hello world this is the test"

def draw(seed):
    drawn = [tok.sample(text, alpha=0.05, seed=seed) for _ in range(9)]
    return repr((drawn, tok.sample_batch([text] * 3, alpha=0.05, seed=seed).to_lists()))

def forked(seed):
    read, write = os.pipe()
    if os.fork() == 0:
        os.write(write, draw(seed).encode())
        os._exit(0)
    os.close(write)
    with open(read) as stream:
        return stream.read()

for seed, n_different in ((None, 24), (5, 1)):
    drawn = [work(seed) for _ in range(12) for work in (draw, forked)]
    assert len(set(drawn)) == n_different and all(drawn), len(set(drawn))
"""


@pytest.mark.skipif(not HAS_FORK, reason="no fork")
def test_the_native_face_keeps_no_generator(path):
    environment = {**os.environ, "PYTHONPATH": str(Path(spm_lite.__file__).parent.parent)}
    command = [sys.executable, "-c", NATIVE, str(path)]
    subprocess.run(command, cwd=sys.prefix, env=environment, check=True, timeout=500)
