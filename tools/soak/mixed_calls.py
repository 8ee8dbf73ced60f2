"""Random calls of the whole public face from several threads; results are checked by laws. Memory must not grow."""

from __future__ import annotations

import gc
import random
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from common import Result, corpus, ill_formed, model, run, text

import spm_lite

EXPECTED = (spm_lite.SpmLiteError,)
WARM_UP = 100  # rounds before memory is measured: until then the allocator fills its pools for the threads
MOST_GROWTH = 16 << 20  # bytes: what a leak in one call of a hundred exceeds in some minutes


def memory() -> int:
    """The resident memory of this process, in bytes."""
    with Path("/proc/self/statm").open() as file:
        return int(file.read().split()[1]) * 4096


def check(is_so: bool, what: str) -> None:
    """Raise AssertionError unless a law holds."""
    if not is_so:
        raise AssertionError(what)


def batches(tok: spm_lite.Tokenizer, rng: random.Random) -> None:
    """A batch gives what single calls give, for any number of threads, and comes back."""
    texts: list[Any] = [text(rng) if rng.random() < 0.7 else ill_formed(rng) for _ in range(rng.choice([0, 1, 5, 300]))]
    batch = tok.encode_batch(texts, num_threads=rng.choice([1, 2, 8]))
    lists = batch.to_lists()
    for i in rng.sample(range(len(texts)), min(len(texts), 5)):
        check(lists[i] == tok.encode(texts[i]), f"batch differs for {texts[i]!r}")
        check(tok.count(texts[i]) == len(lists[i]), f"count differs for {texts[i]!r}")
        if tok.info.is_lossless:
            given = texts[i] if isinstance(texts[i], bytes) else texts[i].encode()
            check(tok.decode_bytes(lists[i]) == given, f"{given!r} does not come back")
    decoded = tok.decode_batch(batch, num_threads=rng.choice([1, 2, 8]))
    check(decoded == [tok.decode(ids) for ids in lists], "decode_batch differs")
    check(tok.encode_lists(texts, num_threads=2) == lists, "encode_lists differs")


def streams(tok: spm_lite.Tokenizer, rng: random.Random) -> None:
    """A stream gives what decode gives, for any ids."""
    ids = [rng.randrange(len(tok)) for _ in range(rng.randrange(60))]
    stream = tok.stream()
    check("".join(map(stream.push, ids)) + stream.flush() == tok.decode(ids), f"a stream differs for {ids}")
    spans = tok.decode_spans(ids)
    check((spans[-1][1] if spans else 0) == len(tok.decode(ids)), f"spans do not cover {ids}")


def views(tok: spm_lite.Tokenizer, rng: random.Random) -> None:
    """Spans, pieces, limits and samples of one text."""
    given = text(rng, 40)
    spans = tok.spans(given)
    check(len(spans) == tok.count(given), f"spans of {given!r}")
    check(tok.count(tok.truncate(given, 5)) <= 5, f"truncate of {given!r}")
    if tok.model_type in ("unigram", "bpe", "byte_bpe"):
        check(tok.nbest(given, 3)[0].ids == tok.encode(given), f"nbest of {given!r}")
        sample = tok.sample(given, alpha=0.5, seed=rng.randrange(99))
        if tok.info.is_lossless:
            check(tok.decode(sample) == given, f"a sample of {given!r} does not come back")
    tok.normalize(given)
    tok.roundtrip_report([given])


def counts(_: spm_lite.Tokenizer, rng: random.Random) -> None:
    """Tables of parts add up, and train to the same bytes."""
    texts = corpus(rng, 60)
    options: dict[str, Any] = {"model_type": rng.choice(["bpe", "unigram", "byte_bpe"])}
    whole = spm_lite.CountTable.count(texts, num_threads=2, **options)
    halves = spm_lite.CountTable.count(texts[:30], **options) + spm_lite.CountTable.count(texts[30:], **options)
    check(whole == halves, "the sum of tables differs")
    size = {"vocab_size": 320, "hard_vocab_limit": False}
    one = spm_lite.train(whole, num_threads=1, **size, **options)
    check(one == spm_lite.train(texts, num_threads=2, **size, **options), "a table trains to another model")


def files(tok: spm_lite.Tokenizer, rng: random.Random) -> None:
    """Saved models and files of ids are read back."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        tok.save(place / "m.model", vocab=True)
        again = spm_lite.Tokenizer.load(place / "m.model")
        check(again == tok, "a saved model differs")
        lines = [text(rng).replace("\n", " ") for _ in range(50)]
        (place / "text").write_bytes("\n".join([*lines, ""]).encode())
        done = again.encode_files(place / "text", place / "ids.npy", num_threads=2)
        check(done.documents == 50, "documents are missing")
        spm_lite.evaluate(tok, place / "text", num_threads=2)


def growth(tok: spm_lite.Tokenizer, rng: random.Random) -> None:
    """A text that grows has the ids of the whole text, also in a branch, and through a cache of prefixes."""
    given = tok.growing(text(rng))
    for _ in range(rng.randrange(8)):
        begin = rng.randrange(len(given.text) + 1)
        action = rng.randrange(4)
        if action == 0:
            given.replace(begin, begin + rng.randrange(len(given.text) - begin + 1), text(rng))
        elif action == 1:
            given.truncate(begin)
        elif action == 2:
            given = given.branch()
        given.append(text(rng))
        check(list(given.ids) == tok.encode(given.text), f"a growing text differs: {given.text!r}")
    cache = tok.prefix_cache(rng.choice([1 << 16, 10_000_000]))
    long = text(rng, 40) * 50
    for _ in range(3):
        long += text(rng)
        check(cache.encode(long).tolist() == tok.encode(long), f"a cache of prefixes differs for {long!r:.200}")


def changes(tok: spm_lite.Tokenizer, rng: random.Random) -> None:
    """Kept pieces have the rows of their map; a lock finds what has changed."""
    if tok.model_type not in ("unigram", "bpe", "byte_bpe"):
        return
    less = tok.prune(source=corpus(rng, 20), num_threads=rng.choice([1, 2]))
    rows = less.map.new_ids
    for old in rng.sample(range(len(tok)), 20):
        new = rows[old]
        check(new < 0 or less.tokenizer.id_to_piece(new) == tok.id_to_piece(old), f"the map is wrong at id {old}")
    given = text(rng)
    groups = list(spm_lite.align(tok, less.tokenizer, [given], num_threads=1)[0])
    check([i for group in groups for i in group.a] == tok.encode(given), f"an alignment lacks ids of {given!r}")
    again = spm_lite.Tokenizer.load(less.tokenizer.to_bytes())
    check(again == less.tokenizer, "a pruned model differs when it is loaded")


ACTIONS = (batches, batches, streams, streams, views, counts, files, growth, growth, changes)


def attack(result: Result, rng: random.Random, rounds: Iterator[int]) -> None:
    """Each round trains a model, and four threads use it at once."""
    start = 0
    for number in rounds:
        try:
            tok = model(rng)
        except EXPECTED as error:
            result.lose(f"training failed: {error}")
            continue
        seeds = [rng.randrange(2**32) for _ in range(4)]
        threads = [threading.Thread(target=work, args=(result, tok, seed)) for seed in seeds]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        del tok, threads
        gc.collect()
        if number == WARM_UP:
            start = memory()
    result.growth_bytes = memory() - start if start else 0
    if result.growth_bytes > MOST_GROWTH:
        result.lose(f"memory has grown by {result.growth_bytes:,} bytes since round {WARM_UP}")


def work(result: Result, tok: spm_lite.Tokenizer, seed: int) -> None:
    """Some calls of one thread."""
    rng = random.Random(seed)
    for _ in range(12):
        action = rng.choice(ACTIONS)
        try:
            action(tok, rng)
        except BaseException as error:
            result.lose(f"{action.__name__}, seed {seed}, {tok!r}: {type(error).__name__}: {error}")
        result.calls += 1


def main(argv: list[str] | None = None) -> int:
    """Run this part."""
    return run("mixed_calls", attack, argv)


if __name__ == "__main__":
    sys.exit(main())
