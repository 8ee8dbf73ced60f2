"""What a call on a long text keeps and takes: no copy in the caller's str, and few bytes for each byte of one match."""

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
