"""Where memory ends, calls raise MemoryError: nothing ends the process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from oracle.slow import slow_after

import spm_lite

# Each call is made with more and more memory until there is enough: so it ends at many of its allocations.
PROGRAM = """
import resource, sys
from spm_lite import Tokenizer
from spm_lite.vocab.model_writer import write_model
from spm_lite.specs import NormalizerSpec, TrainerSpec

def model(model_type, plain):
    pieces = [(b"<unk>", 0.0, 2), (b"<s>", 0.0, 3), (b"</s>", 0.0, 3), (b"zz", 0.0, 4), *plain]
    spec = TrainerSpec(model_type=model_type, vocab_size=len(pieces), byte_fallback=False)
    return write_model(pieces, spec, NormalizerSpec())

def used():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()

model_type, name = sys.argv[1:]
texts = [b"a", b"aa", b"aaaa", b"b", b"\\xe2\\x96\\x81", b"ab", b"ba"]
few = model(model_type, [(text, -1.0 - k, 1) for k, text in enumerate(texts)])
many = model(model_type, [(b"%06d" % k * 20, -1.0 - k, 1) for k in range(10_000)])
text = "aab a" * 100_000
run = "ab" * 500_000
calls = {
    "load": (lambda tok: Tokenizer.load(many)),
    "without symbols": (lambda tok: Tokenizer.load(many).encode("a zz", user_defined=False)),
    "truncate": (lambda tok: tok.truncate(text, 50_000)),
    "encode": (lambda tok: tok.encode(text)),
    "encode a run": (lambda tok: tok.encode(run)),
    "encode_batch of a run": (lambda tok: tok.encode_batch([run], num_threads=1)),
    "count a run": (lambda tok: tok.count(run)),
    "pieces": (lambda tok: tok.pieces(text)),
    "log_prob": (lambda tok: tok.lattice.log_prob(text[:50_000])),
    "expected_counts": (lambda tok: tok.lattice.expected_counts(text[:50_000])),
}
call = calls[name]
tok = Tokenizer.load(few)
call(tok)
tok = Tokenizer.load(few)
hard = resource.getrlimit(resource.RLIMIT_AS)[1]
extra, n_refused, outcome = 200_000, 0, "refused"
while outcome != "done" and extra < 2**30:
    extra += extra // 4
    resource.setrlimit(resource.RLIMIT_AS, (used() + extra, hard))
    try:
        call(tok)
        outcome = "done"
    except MemoryError:
        n_refused += 1
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
print(outcome, n_refused)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not tell")
@pytest.mark.thread_unsafe
@pytest.mark.long_input  # the sanitizers need more addresses than there are
@pytest.mark.parametrize("model_type", slow_after(1, ["unigram", "bpe", "char"]))
@pytest.mark.parametrize(
    "name",
    [
        "load",
        "without symbols",
        "truncate",
        "encode",
        "encode a run",
        "encode_batch of a run",
        "count a run",
        "pieces",
        "log_prob",
        "expected_counts",
    ],
)
def test_is_told(model_type: str, name: str) -> None:
    if model_type == "char" and name in ("log_prob", "expected_counts"):
        pytest.skip("not of character models")
    root = str(Path(spm_lite.__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, model_type, name],
        env={**os.environ, "PYTHONPATH": root, "OPENBLAS_NUM_THREADS": "1", "MALLOC_MMAP_THRESHOLD_": "65536"},
        cwd=sys.prefix,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    outcome, n_refused = done.stdout.split()
    assert outcome == "done" and int(n_refused) > 0
