"""What a call on a long text keeps and takes: no copy in the caller's str, and few bytes for each byte of one match."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import spm_lite

PEAK = """
import sys, re
from pathlib import Path
import numpy
import spm_lite

def size(name):
    return int(re.search(name + r":\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) * 1024

tok = spm_lite.train(["a" * 8, "the cat sat on the mat"] * 9, model_type=sys.argv[1], vocab_size=300,
                     hard_vocab_limit=False)
call = getattr(tok, sys.argv[2])
text = sys.argv[3] * 8_000_000
call(["a"] if sys.argv[2] == "encode_batch" else "a")
Path("/proc/self/clear_refs").write_text("5")
before = size("VmRSS")
found = call([text] if sys.argv[2] == "encode_batch" else text)
ids = 4 * len(found.ids) if sys.argv[2] == "encode_batch" else 0
print((size("VmHWM") - before - ids) / len(text))
"""


@pytest.mark.slow
@pytest.mark.long_input
@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the system does not tell")
@pytest.mark.parametrize("unit", ["a", " "])
@pytest.mark.parametrize("call", ["encode_batch", "count"])
@pytest.mark.parametrize("model_type", ["unigram", "bpe", "byte_bpe"])
def test_one_endless_match_takes_12_bytes_for_each_byte_at_most(model_type, call, unit, tmp_path):
    command = [sys.executable, "-c", PEAK, model_type, call, unit]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) <= 12


def test_no_call_leaves_a_copy_in_the_text_of_the_caller():
    tok = spm_lite.byte_tokenizer()
    for call in (tok.normalize, tok.encode, tok.count):
        text = "é" * 10_000
        before = sys.getsizeof(text)
        call(text)
        assert sys.getsizeof(text) == before, call.__name__


TOO_LONG = """
import json, re
from pathlib import Path
import spm_lite
from spm_lite import CountTable, TextError, TrainingError

def size(name):
    return int(re.search(name + r":\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) * 1024

tok = spm_lite.train(["the cat sat on the mat"] * 9, model_type="unigram", vocab_size=280, hard_vocab_limit=False)
program = spm_lite.SentencePieceProcessor(model_proto=tok.to_bytes())
calls = {
    "encode": tok.encode, "count": tok.count, "pieces": tok.pieces, "spans": tok.spans, "normalize": tok.normalize,
    "sample": lambda text: tok.sample(text, alpha=0.5, seed=1), "nbest": lambda text: tok.nbest(text, 2),
    "entropy": tok.lattice.entropy, "encode_batch": lambda text: tok.encode_batch(["a", text]),
    "count_batch": lambda text: tok.count_batch([text]), "evaluate": lambda text: spm_lite.evaluate(tok, [text]),
    "audit": lambda text: spm_lite.audit(tok, {"en": [text]}), "align": lambda text: spm_lite.align(tok, tok, [text]),
    "lock": lambda text: spm_lite.lock(tok, [text]), "prune": lambda text: tok.prune(270, source=[text]),
    "train": lambda text: spm_lite.train([text], vocab_size=280), "extend": lambda text: tok.extend([text], 3),
    "CountTable": lambda text: CountTable.count([text]), "EncodeAsIds": program.EncodeAsIds,
}
text, told = bytes(2**31), {}  # the system gives memory when it is touched
for name, call in calls.items():
    Path("/proc/self/clear_refs").write_text("5")
    before = size("VmRSS")
    try:
        call(text)
        told[name] = "taken", 0
    except (TextError, TrainingError, RuntimeError) as error:
        told[name] = str(error), size("VmHWM") - before
print(json.dumps(told))
"""


@pytest.mark.long_input
@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the system does not tell")
def test_texts_beyond_2_31_bytes_are_refused_before_they_are_copied(tmp_path):
    try:
        bytes(2**31)
    except MemoryError:
        pytest.skip("too few addresses")
    command = [sys.executable, "-c", TOO_LONG]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for name, (message, n_bytes) in json.loads(done.stdout).items():
        assert "split it" in message, (name, message)
        assert n_bytes < 2**28, name  # modules, tables and the like
