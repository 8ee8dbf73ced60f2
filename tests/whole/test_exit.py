"""A program ends while a daemon thread is in a call with helper threads: nothing ends it the hard way."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from oracle.slow import slow_after

import spm_lite

PROGRAM = """
import sys, threading, time
import spm_lite
from spm_lite.vocab.model_writer import write_model
from spm_lite.specs import NormalizerSpec, TrainerSpec

pieces = [(b"<unk>", 0.0, 2), (b"<s>", 0.0, 3), (b"</s>", 0.0, 3), (b"a", -1.0, 1), (b"aa", -2.0, 1)]
tok = spm_lite.Tokenizer.load(write_model(pieces, TrainerSpec(vocab_size=5, byte_fallback=False), NormalizerSpec()))
texts = ["aaa a" * 30] * 100_000
ids = [[3, 4] * 40] * 100_000
words = [f"{k * k} {k * 7919 % 10_007}" for k in range(100_000)]
call = {
    "encode": lambda: tok.encode_batch(texts, num_threads=3),
    "lists": lambda: tok.encode_lists(texts, num_threads=3),
    "a long text": lambda: tok.encode_batch(["aaa a" * 1_000_000], num_threads=3),
    "decode": lambda: tok.decode_batch(ids, num_threads=3),
    "train": lambda: spm_lite.train(words, model_type="unigram", vocab_size=2000, num_threads=3),
}[sys.argv[1]]
begun = threading.Event()

def work():
    while True:
        begun.set()
        call()

threading.Thread(target=work, daemon=True).start()
begun.wait()
time.sleep(float(sys.argv[2]))  # however far the calls are by then
"""


@pytest.mark.slow
@pytest.mark.long_input  # the sanitizers make it slow
@pytest.mark.parametrize("delay", slow_after(1, [0.02, 0.2, 0.5]))
@pytest.mark.parametrize("name", ["encode", "lists", "a long text", "decode", "train"])
def test_daemon_thread(name: str, delay: float) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, name, str(delay)],
        env={**os.environ, "PYTHONPATH": str(Path(spm_lite.__file__).parent.parent), "OPENBLAS_NUM_THREADS": "1"},
        cwd=sys.prefix,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
