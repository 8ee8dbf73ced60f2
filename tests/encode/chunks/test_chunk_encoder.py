"""Texts cut into chunks whose ids are remembered, against the same texts segmented whole, and the reference."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
import sentencepiece
from oracle import native
from oracle.random_models import random_pieces, random_text
from oracle.segmentation import NORMAL, UNKNOWN
from oracle.slow import slow_after
from oracle.small_models import tokenizer_of

import spm_lite
from spm_lite.encode.chunks.chunk_cache import ChunkCache
from spm_lite.encode.encoder import Encoder


def whole(tok, text):
    """The ids without cuts and cache."""
    return tok._encoder.encode_text(text).ids()


def limited(tok, cache_bytes):
    """The encoder of a tokenizer with another cache."""
    return Encoder(tok._encoder.normalizer, tok._encoder.segmenter, cache_bytes)


@pytest.mark.parametrize("looks_for_more", [False, True])
@pytest.mark.parametrize("byte_fallback", [False, True])
@pytest.mark.parametrize("model_type", ["unigram", "bpe"])
@pytest.mark.parametrize("seed", slow_after(10, range(40)))
def test_random_models(model_type, byte_fallback, looks_for_more, seed):
    """looks_for_more: for cuts that pairs of characters do not tell."""
    rng = random.Random(f"{seed} {byte_fallback}")
    tok = tokenizer_of(random_pieces(rng, byte_fallback), model_type, byte_fallback)
    if looks_for_more and tok._encoder.chunks is not None:
        native.always_use_context(tok._encoder.chunks.cutter)
    texts = [random_text(rng) * rng.choice([1, 1, 1, 3, 40]) for _ in range(40)]
    for text in [*texts, *texts, b"".join(texts), b"".join(texts) * 20]:
        assert tok.encode(text) == whole(tok, text)
    assert tok.encode_batch(texts, num_threads=1).to_lists() == [whole(tok, text) for text in texts]


@pytest.fixture(scope="module", params=["bpe", "unigram"])
def lossless(request):
    rng = random.Random(3)
    texts = ["".join(rng.choices("あいうえお日本語กéa", k=20)) for _ in range(3000)] + ["あ" * 20] * 50
    return spm_lite.train(texts, model_type=request.param, vocab_size=900).to_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("tail", slow_after(2, [b"", b"\xe3", b"\xe3\x81", b"\xf0\x9f", b"\x81"]))
def test_ends_of_parts(lossless, tail):
    """Where a part of a long text ends, no character is made up of what earlier parts have left in the memory."""
    rng = random.Random(tail)
    tok = spm_lite.Tokenizer.load(lossless)
    native.always_use_context(tok._encoder.chunks.cutter)

    def part(tail):
        text = "".join(rng.choices("あいうえお日本語กéa", k=14_000)).encode()[: 32768 - len(tail)]
        text = text.decode(errors="ignore").encode()
        return b"a" * (32768 - len(tail) - len(text)) + text + tail

    for _ in range(20):
        data = part("あ".encode() * 200) + part(b"") + part(tail) + "日本語".encode() + tail
        assert tok.encode(data) == tok._encoder.encode_text(data).ids()


def near_ties(rng):
    """Pieces whose scores are nearly the sum of their parts', so that rounding decides."""
    scores = {c: -rng.uniform(1, 9) for c in "abcd"}
    for size in (2, 3, 4):
        for _ in range(12):
            text = "".join(rng.choices("abcd", k=size))
            cut = rng.randrange(1, size)
            if text[:cut] in scores and text[cut:] in scores:
                near = rng.choice([0, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2]) * rng.choice([-1, 1])
                scores[text] = scores[text[:cut]] + scores[text[cut:]] + near
    return [(b"<unk>", 0.0, UNKNOWN), *((text.encode(), score, NORMAL) for text, score in scores.items())]


@pytest.mark.parametrize("seed", range(30))
def test_near_ties(seed):
    """Long texts, whose scores grow until they are taken off (beyond 100,000)."""
    rng = random.Random(seed)
    tok = tokenizer_of([*near_ties(rng), ("\u2581".encode(), -0.5, NORMAL)], "unigram")
    ref = sentencepiece.SentencePieceProcessor(model_proto=tok.to_bytes())
    words = ["".join(rng.choices("abcd", k=rng.randrange(1, 9))) for _ in range(50)] + ["é", "xy", " "]
    for length in (10, 1000, 30_000):
        text = " ".join(rng.choices(words, k=length))
        assert tok.encode(text) == ref.encode(text)


def test_near_tie_behind_plain_chunks():
    """Chunks that are only looked up add to the sum, and after a large sum a near tie is decided in another way."""
    scores = {"a": -3.0, "b": -4.0, "ab": -7.0001, "c": -3.25, "\u2581": -0.5}
    pieces = [(b"<unk>", 0.0, UNKNOWN), *((text.encode(), score, NORMAL) for text, score in scores.items())]
    tok = tokenizer_of(pieces, "unigram")
    ref = sentencepiece.SentencePieceProcessor(model_proto=tok.to_bytes())
    assert tok.encode("ab") == ref.encode("ab") == [1, 2]
    text = "c " * 20_000 + "ab"
    assert tok.encode(text)[-1:] == ref.encode(text)[-1:] == [3]
    assert tok.encode(text) == ref.encode(text)


@pytest.mark.parametrize("cache_bytes", [0, 1000, 3_000_000, 100_000_000])
def test_small_caches(cache_bytes):
    rng = random.Random(5)
    tok = tokenizer_of(
        [(b"<unk>", 0.0, UNKNOWN), *((c.encode(), -1.0 - i, NORMAL) for i, c in enumerate("abcdefgh"))]
        + [(f"{a}{b}".encode(), -1.5 - i, NORMAL) for i, (a, b) in enumerate(zip("abcdefgh", "bcdefgha", strict=True))]
        + [("\u2581".encode(), -0.1, NORMAL)],
        "unigram",
    )  # fmt: skip
    encoder = limited(tok, cache_bytes)
    words = ["".join("abcdefgh"[(start + k) % 8] for k in range(size)) for start in range(8) for size in range(1, 300)]
    texts = [" ".join(rng.choices(words, k=30)) for _ in range(300)]
    texts += [f"{x:b}".replace("0", "ab").replace("1", "cdef") for x in range(2**17, 2**17 + 3000)]
    for text in texts:
        assert encoder.encode(text) == whole(tok, text)
    used, limit = encoder.cache_bytes
    assert limit == cache_bytes
    assert used <= cache_bytes
    encoder.clear_cache()
    assert encoder.cache_bytes == (0, cache_bytes)
    assert encoder.encode(texts[0]) == whole(tok, texts[0])


def test_long_chunks_that_differ_in_few_bits():
    """They have places of their own in the cache: its pool does not grow with each time that they are met."""
    letters = "abcdefg" + "".join(chr(ord(c) ^ 0x40) for c in "abcdefg")
    pieces = [(b"<unk>", 0.0, UNKNOWN), ("\u2581".encode(), 0.0, NORMAL)]
    pieces += [(text.encode(), -1.0, NORMAL) for text in [*letters, *(a + b for a in letters for b in letters)]]
    tok = tokenizer_of(pieces, "bpe")
    encoder = limited(tok, 100_000_000)
    words = []
    for flips in range(1 << 7):
        word = bytearray(b"abcdefgabcdefgac" * 7)
        for k in range(7):
            if flips >> k & 1:
                for place in (7, 11, 15):
                    word[16 * k + place] ^= 0x40
        words.append(word.decode())
    text = " ".join(words)
    assert encoder.encode(text) == whole(tok, text)
    used = encoder.cache_bytes
    for _ in range(100):
        encoder.count(text)
    assert encoder.cache_bytes == used


def test_cache_gives_way():
    """More chunks than it may hold."""
    pieces = [(b"<unk>", 0.0, UNKNOWN), *((c.encode(), -float(i), NORMAL) for i, c in enumerate("0123456789\u2581"))]
    pieces += [(f"{a}{b}".encode(), -20.0 - a, NORMAL) for a in range(10) for b in range(10)]
    tok = tokenizer_of(pieces, "bpe")
    encoder = limited(tok, 3_000_000)
    text = " ".join(str(i * 7919 % 10**9) for i in range(150_000))
    assert encoder.encode(text) == encoder.encode(text) == whole(tok, text)
    assert encoder.cache_bytes[0] <= 3_000_000


@pytest.mark.parametrize("model_type", ["unigram", "bpe"])
def test_crowded_cache(model_type):
    """Many entries stand after their places: also those with unknown characters, and those that near ties limit."""
    rng = random.Random(0)
    tok = tokenizer_of([*near_ties(rng), ("\u2581".encode(), -0.5, NORMAL)], model_type)
    ref = sentencepiece.SentencePieceProcessor(model_proto=tok.to_bytes())
    words = ["".join(rng.choices("abcdé", [9, 9, 9, 9, 1], k=rng.randrange(1, 12))) for _ in range(90_000)]
    text = " ".join(words + rng.sample(words, 30_000))
    encoder = limited(tok, 3_000_000)
    assert encoder.encode(text) == encoder.encode(text) == ref.encode(text)


@pytest.mark.parametrize("model_type", ["unigram", "bpe"])
def test_unknown_runs_across_cuts(model_type):
    pieces = [(b"<unk>", 0.0, UNKNOWN), (b"a", -1.0, NORMAL), (b"b", -2.0, NORMAL), (b"ab", -0.5, NORMAL)]
    tok = tokenizer_of(pieces, model_type)
    for text in ("xyz", "axyzb", "xa", "ax", "日本語 日本語", "abxxabxx" * 30, "x" * 1000, "xax" * 100, "é日 a"):
        assert tok.encode(text) == whole(tok, text)
        assert tok.encode(text) == whole(tok, text)
    assert tok.encode("xyz日本a éx") == [0, 1, 0]


LONG_CHUNK = """
import mmap, sys
from pathlib import Path
import numpy  # so that it is there before
from spm_lite import Tokenizer

def resident_bytes():
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * mmap.PAGESIZE

tok = Tokenizer.load(sys.argv[1], cache_bytes=4_000_000)  # which includes what is kept for large batches
tok.encode_batch([b"a" * 1000], num_threads=1)
texts = [b"a" * 4_000_000]
before = resident_bytes()
ids = tok.encode_batch(texts, num_threads=1)
assert len(ids.ids) > 1_000_000
del ids
print(resident_bytes() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not tell")
@pytest.mark.thread_unsafe
@pytest.mark.long_input  # the sanitizers keep what is given back
@pytest.mark.parametrize("model_type", ["unigram", "bpe"])
def test_long_chunks_leave_no_memory(model_type, tmp_path):
    """The buffers that one long chunk made large are not kept for the next call."""
    pieces = [(b"<unk>", 0.0, UNKNOWN), (b"a", -1.0, NORMAL), (b"aaa", -9.0, NORMAL)]
    tokenizer_of(pieces, model_type).save(tmp_path / "m.model")
    root = str(Path(spm_lite.__file__).parent.parent)
    # Large buffers are given back to the system one by one.
    environment = {**os.environ, "MALLOC_MMAP_THRESHOLD_": "65536", "PYTHONPATH": root, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", LONG_CHUNK, str(tmp_path / "m.model")]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, check=True, text=True)
    assert int(done.stdout) < 4_000_000  # the limit of its cache


def test_wrong_budget():
    with pytest.raises(TypeError, match="budget"):
        ChunkCache(None)
