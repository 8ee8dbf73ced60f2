"""Forks while another thread is in the first call of its kind, which imports modules: every child works and ends."""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from common import Result, run

GENEROUS = 150  # seconds; a guard against hanging
N_FORKS = 3  # of one process
LONGEST_DELAY = 0.05  # seconds from one fork to the next: an import takes some hundredths
PROGRAM = """
import os, sys, threading, time
call, others, delays = {call!r}, {others!r}, {delays!r}
os.chdir({folder!r})
sys.setswitchinterval({interval!r})
{begin}
def first():
    exec(call, {{"n": 2}})
thread = threading.Thread(target=first)
thread.start()
pids = []
for other, delay in zip(others, delays):
    time.sleep(delay)
    pid = os.fork()
    if pid == 0:
        try:
            exec(other, {{"n": 2}})
        except BaseException as error:
            print(type(error).__name__, error, file=sys.stderr, flush=True)
            os._exit(3)
        os._exit(0)
    pids.append(pid)
thread.join()
end = time.monotonic() + 60
code = 0
while pids:
    for pid in list(pids):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            pids.remove(pid)
            code = code or os.waitstatus_to_exitcode(status)
    if time.monotonic() > end:
        for pid in pids:
            os.kill(pid, 9)
        sys.exit(99)
    time.sleep(0.001)
sys.exit(code)
"""
LOADED = "import spm_lite; tok = spm_lite.Tokenizer.load('m.model'); "
CALLS = [
    "import spm_lite; spm_lite.train(['a b'] * 9, vocab_size=265, hard_vocab_limit=False, num_threads=n)",
    "import spm_lite; spm_lite.train(['a b'] * 9, model_type='bpe', vocab_size=265, hard_vocab_limit=False)",
    "import spm_lite; spm_lite.train(['a b'] * 9, model_type='byte_bpe', vocab_size=265, hard_vocab_limit=False)",
    "import spm_lite; spm_lite.train('text', vocab_size=265, hard_vocab_limit=False, normalization='nmt_nfkc')",
    "import spm_lite; spm_lite.CountTable.count(['a b'] * 9, num_threads=n).to_bytes()",
    "import spm_lite; spm_lite.CountTable.load('c.counts').save('%d.counts' % __import__('os').getpid())",
    "import spm_lite; spm_lite.SentencePieceProcessor(model_file='m.model').encode(['a b'], num_threads=n)",
    "import spm_lite; spm_lite.SentencePieceProcessor(model_file='m.model').encode('a b', out_type='immutable_proto')",
    "import spm_lite; spm_lite.SentencePieceProcessor(model_file='m.model').nbest_encode('a b', nbest_size=2)",
    "import spm_lite; spm_lite.SentencePieceProcessor(model_file='m.model').encode_as_numpy('a b')",
    "import spm_lite.sentencepiece_model_pb2 as pb; pb.ModelProto.FromString(open('m.model', 'rb').read())",
    "import spm_lite.sentencepiece_pb2 as pb; pb.SentencePieceText()",
    "import spm_lite; spm_lite.read_vocab('m.vocab')",
    "import spm_lite; spm_lite.byte_tokenizer().encode('a b')",
    LOADED + "tok.encode('a b')",
    LOADED + "tok.encode_lists(['a b'] * 99, num_threads=n)",
    LOADED + "tok.decode_batch(tok.encode_batch(['a b'] * 99, num_threads=n), num_threads=n)",
    LOADED + "tok.spans_batch(['a b'] * 99, num_threads=n)",
    LOADED + "tok.sample_batch(['a b'] * 99, seed=1, num_threads=n)",
    LOADED + "tok.lattice.nbest_batch(['a b'] * 99, 2, num_threads=n)",
    LOADED + "tok.lattice.entropy('a b'); tok.lattice.expected_counts('a b'); tok.lattice.log_prob('a b')",
    LOADED + "list(tok.chunks('a b ' * 99, 5, boundary='grapheme')); tok.truncate('a b', 1, boundary='sentence')",
    LOADED + "tok.roundtrip_report(['a b'])",
    LOADED + "tok.restrict(['a']); tok.add_pieces(['<new>'])",
    LOADED + "tok.save('%d.model' % __import__('os').getpid(), vocab=True)",
    LOADED + "tok.encode_files('text', '%d.npy' % __import__('os').getpid(), num_threads=n)",
    LOADED + "spm_lite.evaluate(tok, ['a b'], num_threads=n)",
    LOADED + "import pickle; pickle.loads(pickle.dumps(tok)); tok.encode_batch(['a']).to_padded(3, pad_id=0)",
    LOADED + "tok.growing('a').append(' b'); tok.prefix_cache().encode('a b')",
    LOADED + "spm_lite.align(tok, spm_lite.byte_tokenizer(), ['a b'])[0]",
    LOADED + "tok.explain('a b').svg()",
    LOADED + "tok.prune(source=['a b'])",
    "import spm_lite; spm_lite.lock('m.model').check('m.model')",
    "import spm_lite; spm_lite.audit({'m': 'm.model'}, ['a b'] * 9, orders=())",
    "import spm_lite; spm_lite.convert('m.model', '%d.json' % __import__('os').getpid())",
    "import spm_lite; spm_lite.CountTable.count('text', superwords=True, model_type='bpe')",
    "from spm_lite.engines import shards; shards.plan('text', '%d' % __import__('os').getpid(), 'm.model').run()",
    "from spm_lite.cli.main import main; main(['--version'])",
]
# The first import of spm_lite itself is before the first fork: a fork knows of imports only from then on.
BEGINNINGS = ["import spm_lite", "import numpy, spm_lite", LOADED + "tok.encode('a')"]


def write_inputs(folder: Path) -> None:
    """The files that the calls read."""
    import spm_lite

    (folder / "text").write_text("a b\n" * 9, encoding="utf-8")
    spm_lite.train(["a b"] * 9, vocab_size=265, hard_vocab_limit=False).save(folder / "m.model", vocab=True)
    spm_lite.CountTable.count(["a b"] * 9).save(folder / "c.counts")


def program(rng: random.Random, call: str, folder: Path) -> tuple[str, list[str]]:
    """A process that forks random moments after a first call has begun, and what its children call."""
    others = [call if rng.random() < 0.5 else rng.choice(CALLS) for _ in range(N_FORKS)]
    return PROGRAM.format(
        call=call,
        others=others,
        delays=[rng.random() ** 2 * LONGEST_DELAY for _ in range(N_FORKS)],
        folder=str(folder),
        interval=rng.choice([1e-6, 1e-4, 0.005]),  # how often Python changes threads: often, more orders are seen
        begin=rng.choice(BEGINNINGS),
    ), others


def attack(result: Result, rng: random.Random, rounds: Iterator[int]) -> None:
    """Each round is a new process."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_inputs(folder)
        for number in rounds:
            call = CALLS[number % len(CALLS)]
            text, others = program(rng, call, folder)
            result.count(calls=1, faults=N_FORKS)
            try:
                done = subprocess.run([sys.executable, "-c", text], capture_output=True, timeout=GENEROUS, check=False)
            except subprocess.TimeoutExpired:
                result.lose(f"{call}: the parent hangs; children call {others}")
                continue
            if done.returncode:
                why = done.stderr.decode(errors="replace")[-300:]
                result.lose(f"{call}: ended with {done.returncode}: {why}; children call {others}")


def main(argv: list[str] | None = None) -> int:
    """Run this part."""
    return run("first_imports", attack, argv)


if __name__ == "__main__":
    sys.exit(main())
