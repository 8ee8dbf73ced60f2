"""Counting within a memory limit: what goes to files comes back as the same table."""

import errno
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from oracle.weighted_counts import Weighted, weighted_sum

import spm_lite
from spm_lite.errors import FileError, OptionError, TrainingError
from spm_lite.training import counting
from spm_lite.training.counts import spill
from spm_lite.training.counts.chunk_budget import Budget
from spm_lite.training.counts.chunk_table import ChunkTable
from spm_lite.training.counts.runs import spill_tables
from spm_lite.training.counts.spill import Spill
from spm_lite.training.weighted_sources import added

PLENTY = Budget(1e18, 1, 1)


def lines(seed: int = 1, n: int = 4000) -> list[str]:
    draw = random.Random(seed)
    words = [f"word{i}é漢{i % 7}" for i in range(3000)] + ["the", "a"] * 500
    return [" ".join(draw.choices(words, k=12)) for _ in range(n)]


@pytest.fixture
def tiny_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any memory limit leaves hardly anything for tables, and everything for training."""
    monkeypatch.setattr(counting, "counting_share", lambda limit: 60_000)
    monkeypatch.setattr(counting, "table_budget", lambda *_: PLENTY)


def merged(tables: list[ChunkTable], budget: Budget = PLENTY) -> tuple[ChunkTable, Spill]:
    with Spill(0, budget) as runs:
        for table in tables[:-1]:
            runs.spill([table])
        return runs.finish(tables[-1:]), runs


def table_of(counts: dict[bytes, int]) -> ChunkTable:
    return ChunkTable.from_items(counts.items())


def random_counts(seed: int, n: int = 300) -> dict[bytes, int]:
    draw = random.Random(seed)
    return {
        bytes(draw.choices(b"ab\xff\x00", k=draw.randint(1, 12))): draw.choice([1, 2, 3, 70_000, 2**40, 2**61 // n])
        for _ in range(n)
    }


@pytest.mark.parametrize("n_tables", [1, 2, 31, 32, 33, 70])
def test_merged_runs_equal_the_sum(n_tables: int) -> None:
    parts = [random_counts(seed) for seed in range(n_tables)]
    expected: dict[bytes, int] = {}
    for part in parts:
        for text, count in part.items():
            expected[text] = expected.get(text, 0) + count
    table, _ = merged([table_of(part) for part in parts])
    assert table.items() == sorted(expected.items(), key=lambda item: (-item[1], item[0]))
    assert table.left_out is None


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("available", [0, 1, 40, 300, 900, 1500])
def test_the_rarest_are_left_out(seed: int, available: int) -> None:
    """Files and memory give one result, which is that of the definition."""
    check_left_out(random_counts(seed), available)


@pytest.mark.parametrize("available", [3000, 5000, 8000, 11_000, 16_000])
def test_long_chunks_come_last(available: int) -> None:
    """Long: 256 of the kind do not fit. One that is longer than the room left does not end the table."""
    draw = random.Random(available)
    counts = {f"{i:02}".encode() * draw.choice([1, 2, 3, 8]): draw.randint(1, 60) for i in range(900)}
    counts |= {f"<{i}>".encode() * draw.choice([20, 100, 300, 2000]): draw.randint(1, 90) for i in range(30)}
    check_left_out(counts, available)


def check_left_out(counts: dict[bytes, int], available: int) -> None:
    budget = Budget(available, 3, 1)
    whole = table_of(counts)
    room = available
    taken: set[bytes] = set()
    is_full = False
    by_length = [[item for item in whole.items() if (256 * (3 + len(item[0])) > available) == way] for way in (0, 1)]
    for is_long, items in enumerate(by_length):
        for text, _ in items:
            cost = 3 + len(text)
            is_full = not is_long and (is_full or cost > room)
            if not is_full and cost <= room:
                taken.add(text)
                room -= cost
    kept = [item for item in whole.items() if item[0] in taken]
    rest = [item for item in whole.items() if item[0] not in taken]
    for table in (merged([table_of(counts)], budget)[0], whole.fitting(budget)):
        assert table.items() == kept
        assert table.left_out is not None
        assert table.left_out.n_chunks == len(rest)
        assert table.left_out.n_occurrences == sum(count for _, count in rest)
        assert table.left_out.n_bytes == sum(count * len(text) for text, count in rest)
        characters = dict(table.left_out.characters.items())
        for character in "ab\0":
            assert characters.get(character, 0) == sum(c * t.count(character.encode()) for t, c in rest)
        assert table.left_out.characters.n_boundaries == sum(c * t.count(b"\xff") for t, c in rest)


def test_huge_counts_are_narrowed_down() -> None:
    """Where many chunks lie above the first histogram, the border is still found exactly."""
    counts = {f"{i:05}".encode(): 2**50 + i * 3 for i in range(2000)}
    budget = Budget(1000, 1, 0)
    table, _ = merged([table_of(counts)], budget)
    assert table.items() == sorted(counts.items(), key=lambda item: -item[1])[:1000]


def test_long_chunks_are_spilled_whole() -> None:
    counts = {b"a" * 3_000_000: 2, b"a" * 2_999_999 + b"b": 3}
    table, _ = merged([table_of(counts), table_of(counts)])
    assert dict(table.items()) == {text: 2 * count for text, count in counts.items()}


def weighted_parts(seed: int, n_sources: int, n: int) -> list[Weighted]:
    draw = random.Random(seed)
    return [
        (
            {b"%x" % draw.randrange(2 * n): draw.choice([1, 1, 1, 2, 5, 300]) for _ in range(n)},
            draw.choice([1, 2, 7, 1000]),
            source,
        )
        for source in range(n_sources)
    ]


def weighted_tables(parts: list[Weighted]) -> list[ChunkTable]:
    return [table_of(counts).weighted(factor, source) for counts, factor, source in parts]


def rows(table: ChunkTable) -> list[tuple[bytes, int, int, int]]:
    """(text, count, occurrences, sources) of each chunk, in the table's order."""
    return [(*item, *origin) for item, origin in zip(table.items(), table.origin_items(), strict=True)]


@pytest.mark.parametrize("n_sources", [1, 2, 33, 70, 1100])
def test_weighted_tables_add_up_in_files_as_in_memory(n_sources: int) -> None:
    """Origins too, over up to three levels of merged runs."""
    parts = weighted_parts(n_sources, n_sources, 300 if n_sources < 100 else 9)
    total = added(iter(weighted_tables(parts)), Spill(0, PLENTY))
    assert rows(total) == rows(ChunkTable.sum(weighted_tables(parts))) == weighted_sum(parts)
    assert total.has_origins
    assert total.left_out is None


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("available", [0, 1, 40, 300, 900])
def test_what_fits_keeps_its_origins(seed: int, available: int) -> None:
    """The same chunks from files and in memory: the rarest by weighted counts are left out."""
    parts = weighted_parts(seed, 5, 120)
    budget = Budget(available, 3, 1)
    whole = ChunkTable.sum(weighted_tables(parts))
    in_memory, from_files = whole.fitting(budget), added(iter(weighted_tables(parts)), Spill(0, budget))
    assert rows(from_files) == rows(in_memory)
    by_text = {row[0]: row for row in weighted_sum(parts)}
    assert rows(in_memory) == [by_text[text] for text, _ in in_memory.items()]
    assert in_memory.left_out is not None
    assert from_files.left_out is not None
    assert from_files.left_out.equals(in_memory.left_out)


def test_long_chunks_keep_their_origins() -> None:
    parts: list[Weighted] = [
        ({b"%d" % i * (1 + 400 * (i % 50 == 0)): 1 + i % 9 for i in range(500)}, 3, 0),
        ({b"%d" % i * (1 + 400 * (i % 50 == 0)): 2 + i % 5 for i in range(200, 700)}, 2, 1),
    ]
    by_text = {row[0]: row for row in weighted_sum(parts)}
    budget = Budget(6000, 3, 1)
    total = added(iter(weighted_tables(parts)), Spill(0, budget))
    assert rows(total) == rows(ChunkTable.sum(weighted_tables(parts)).fitting(budget))
    assert max(len(text) for text, _ in total.items()) > 400
    assert rows(total) == [by_text[text] for text, _ in total.items()]


def test_chunks_left_out_of_a_source_stay_left_out() -> None:
    """Their totals have the factor of their source."""
    parts = weighted_parts(3, 3, 200)
    tables = [table_of(counts).fitting(Budget(150, 1, 0)).weighted(factor, source) for counts, factor, source in parts]
    total = added(iter(tables), Spill(0, PLENTY))
    n_left_out = sum(factor * sum(sorted(counts.values())[: len(counts) - 150]) for counts, factor, _ in parts)
    assert total.left_out is not None
    assert total.left_out.n_occurrences == n_left_out > 0
    assert total.total + n_left_out == sum(factor * sum(counts.values()) for counts, factor, _ in parts)


@pytest.mark.usefixtures("tiny_tables")
@pytest.mark.parametrize("model_type", ["bpe", "unigram", "word", "char"])
def test_same_bytes_with_spilling(model_type: str, tmp_path: Path) -> None:
    text = lines()
    path = tmp_path / "a.txt"
    path.write_text("\n".join(text), encoding="utf-8")
    options: dict[str, Any] = {"model_type": model_type, "vocab_size": 600, "hard_vocab_limit": False}
    models = {spm_lite.train(text, num_threads=1, **options).to_bytes()}
    calls: list[spm_lite.Progress] = []
    for n in (1, 2, 7):
        limited = spm_lite.train(path, num_threads=n, memory_limit="64MB", progress=calls.append, **options)
        models.add(limited.to_bytes())
    models.add(spm_lite.train(iter(text), memory_limit="64MB", **options).to_bytes())
    assert len(models) == 1
    if model_type in ("bpe", "unigram"):
        assert {"spill", "merge"} <= {call.phase for call in calls}


@pytest.mark.usefixtures("tiny_tables")
def test_counting_spills_too() -> None:
    table = spm_lite.CountTable.count(lines(), memory_limit=64_000_000)
    assert table == spm_lite.CountTable.count(lines())


def test_what_is_left_out_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """And its characters still count for the alphabet."""
    monkeypatch.setattr(counting, "table_budget", lambda *_: Budget(400, 1, 0))
    text = [*lines(n=1000), *(chr(0x4E00 + i) for i in range(100))]
    options: dict[str, Any] = {"vocab_size": 600, "hard_vocab_limit": False, "character_coverage": 1.0}
    for share in (10**9, 60_000):
        monkeypatch.setattr(counting, "counting_share", lambda limit, share=share: share)
        tokenizer = spm_lite.train(text, memory_limit="64MB", **options)
        report = tokenizer.report
        assert report is not None
        assert report.distinct_chunks == 400
        assert report.chunks_left_out > 1000
        assert 0 < report.share_left_out < 1
        left_out = f"{report.chunks_left_out:,} of the rarest chunks, {report.share_left_out:.3%} of the text"
        assert f"left out     {left_out}" in str(report)
        assert chr(0x4E00 + 99) in tokenizer
        assert report.alphabet == spm_lite.train(text, **options).report.alphabet  # type: ignore[union-attr]


@pytest.mark.parametrize("limit", ["1MB", 63_999_999, 0, -5])
def test_too_small(limit: Any) -> None:
    with pytest.raises(OptionError, match=r"64000000 bytes \('64MB'\) is the least"):
        spm_lite.train(["ab"] * 9, vocab_size=300, memory_limit=limit)


@pytest.mark.parametrize(("model_type", "least"), [("bpe", 82), ("unigram", 95)])
def test_too_small_for_the_vocabulary(model_type: str, least: int) -> None:
    options: dict[str, Any] = {"model_type": model_type, "vocab_size": 32_000, "hard_vocab_limit": False}
    with pytest.raises(OptionError, match=rf"{least}000000 bytes \('{least}MB'\) is the least for model_type="):
        spm_lite.train(["ab"] * 9, memory_limit="64MB", **options)
    assert spm_lite.train(["ab"] * 9, memory_limit=least * 10**6, **options)


@pytest.mark.parametrize("limit", ["many", "5 XB", "-3MB", "MB"])
def test_no_size(limit: str) -> None:
    with pytest.raises(OptionError, match="must be bytes, or a text such as '512MB'"):
        spm_lite.train(["ab"] * 9, vocab_size=300, memory_limit=limit)


@pytest.mark.parametrize("limit", [1e9, True, []])
def test_no_limit_at_all(limit: Any) -> None:
    with pytest.raises(spm_lite.ArgumentTypeError, match="memory_limit"):
        spm_lite.train(["ab"] * 9, vocab_size=300, memory_limit=limit)


def test_units() -> None:
    from spm_lite.training.options.memory_limit import as_memory_limit

    assert as_memory_limit("512MB") == 512_000_000
    assert as_memory_limit(" 1.5 gb ") == 1_500_000_000
    assert as_memory_limit("128MiB") == 1 << 27
    assert as_memory_limit("100_000_000") == 100_000_000
    assert as_memory_limit(None) is None


@pytest.mark.parametrize("n_cut", [1, 5, 12, 13])
def test_a_temporary_file_cut_off(n_cut: int) -> None:
    """As when something else has written to it."""
    with tempfile.TemporaryFile(buffering=0) as file:
        spill_tables([table_of({b"a": 1, b"bcd": 2})], [file])
        file.truncate(file.seek(0, 2) - n_cut)
        with pytest.raises(TrainingError, match="ended too early"), Spill(0, PLENTY) as runs:
            runs.add_run(file, 0)
            runs.finish([])


class FullFile:
    """A file on a disk that has no room for more."""

    def write(self, data: memoryview) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def close(self) -> None:
        pass


def test_a_full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Spill, "new_file", lambda self: FullFile())
    with pytest.raises(FileError, match=r"after 0 bytes: No space left.*TMPDIR") as caught:
        merged([table_of({b"a": 1}), table_of({b"b": 1})])
    assert caught.value.filename == tempfile.gettempdir()


def test_too_many_open_files(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: object) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(spill.tempfile, "TemporaryFile", fail)
    with pytest.raises(FileError, match=os.strerror(errno.EMFILE) + r"\. Close some, allow more \('ulimit -n'\)"):
        merged([table_of({b"a": 1}), table_of({b"b": 1})])


LIMITED = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
import spm_lite
from spm_lite.training import counting
counting.counting_share = lambda limit: 200_000
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
try:
    spm_lite.train([f"w{i}x{i * i} y{i}" for i in range(30_000)], vocab_size=300, memory_limit="64MB")
except spm_lite.FileError as error:
    print(error)
"""

INTERRUPTED = """
import signal, sys
import spm_lite
from spm_lite.training import counting
counting.counting_share = lambda limit: 100_000
def progress(state):
    if state.phase == sys.argv[1] and state.done:
        signal.raise_signal(signal.SIGINT)
texts = [f"w{i}x{i * i} y{i}" for i in range(30_000)]
try:
    spm_lite.train(texts, vocab_size=300, memory_limit="64MB", progress=progress)
except KeyboardInterrupt:
    print("interrupted")
"""


def run_in(folder: Path, code: str, *arguments: str) -> str:
    source = str(Path(spm_lite.__file__).parent.parent)
    environment = {**os.environ, "TMPDIR": str(folder), "PYTHONPATH": source}
    run = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, cwd=sys.prefix, env=environment
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.mark.skipif(os.name == "nt", reason="limits of a process")
def test_a_file_that_cannot_grow(tmp_path: Path) -> None:
    output = run_in(tmp_path, LIMITED)
    assert str(tmp_path) in output
    assert "counting beyond the memory limit needs room for temporary files" in output
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("phase", ["spill", "merge"])
def test_ctrl_c_leaves_nothing_behind(tmp_path: Path, phase: str) -> None:
    assert run_in(tmp_path, INTERRUPTED, phase) == "interrupted\n"
    assert not list(tmp_path.iterdir())


def test_missing_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    with pytest.raises(FileError, match="Make it a folder that can be written"):
        merged([table_of({b"a": 1}), table_of({b"b": 1})])


def test_fan_in_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    merge = spill.RunMerger
    monkeypatch.setattr(spill, "RunMerger", lambda files, *rest: sizes.append(len(files)) or merge(files, *rest))
    merged([table_of({b"a": 1})] * 1 + [table_of({str(i).encode(): 1}) for i in range(99)])
    assert max(sizes) == spill.FAN_IN
