"""Shards: the same bytes in any order, by any process, however often; killed in the middle, twice at once, resumed."""

import gzip
import json
import multiprocessing
import os
import pickle
import random
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.small_models import small_model

from spm_lite import FileError, IdError, MissingFileError, ModelError, OptionError, TextError, Tokenizer
from spm_lite.engines import shards, worker
from spm_lite.engines.shards import plans, shard_files, slices
from spm_lite.engines.shards.sources import can_be_cut, usual_reading
from spm_lite.engines.work import kept_tokenizers
from spm_lite.files import documents as reader
from spm_lite.files.id_forms import FORMATS, paths_of
from spm_lite.files.temporary_files import is_locked

MODEL = small_model(byte_fallback=True)
TOK = Tokenizer.load(MODEL)
posix = pytest.mark.skipif(os.name != "posix", reason="as POSIX has it")
WORDS = ["hello", "world", "the", "pen", "is", "日本", "é", "😀", ""]


def texts_of(seed: int, n: int) -> list[str]:
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=draw.randrange(12))) for _ in range(n)]


def content(folder: Path) -> dict[str, bytes]:
    """All files of a folder, hidden ones too."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.fixture
def corpus(tmp_path: Path) -> Iterator[list[Path]]:
    """Files of each kind, one of them empty."""
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "b.txt").write_text("\n".join(texts_of(1, 300)) + "\n", encoding="utf-8")
    (folder / "a.txt").write_text("\n".join(texts_of(2, 90)), encoding="utf-8")
    (folder / "empty.txt").write_text("")
    rows = [json.dumps({"n": i, "text": text}) for i, text in enumerate(texts_of(3, 200))]
    (folder / "c.jsonl").write_text("\n\n".join(rows) + "\n", encoding="utf-8")
    (folder / "d.jsonl.gz").write_bytes(gzip.compress("\n".join(rows[:40]).encode()))
    (folder / "e.txt.gz").write_bytes(gzip.compress(b"one\ntwo\n\nthree"))
    (folder / "f.tsv").write_text("n\ttext\n1\thello\n2\tworld\n", encoding="utf-8")
    try:
        import pyarrow as pa
        from pyarrow import ipc, parquet
    except ImportError:
        pass
    else:
        table = pa.table({"n": range(250), "text": texts_of(4, 250)})
        parquet.write_table(table, folder / "g.parquet", row_group_size=30)
        with ipc.new_file(str(folder / "h.arrow"), table.schema) as file:
            file.write_table(table[:50])
    yield sorted(folder.iterdir())


def run_all(plan: shards.Plan, order: int = 0) -> shards.Manifest:
    numbers = list(range(len(plan)))
    if order < 0:
        numbers.reverse()
    elif order:
        random.Random(order).shuffle(numbers)
    for number in numbers:
        plan.run_task(number, num_threads=1 + number % 2)
    return plan.finish()


@pytest.mark.parametrize("format", FORMATS)
def test_the_documents_of_all_shards_are_those_of_the_files(format: str, corpus: list[Path], tmp_path: Path) -> None:
    if format == "parquet":
        pytest.importorskip("pyarrow")
    options: dict[str, Any] = {"format": format, "eos": True}
    plan = shards.plan(corpus[::-1], tmp_path / "out", TOK, shard_size=2000, **options)
    assert len(plan) > 10
    found = run_all(plan, 3)
    TOK.encode_files(corpus, tmp_path / "whole", **options)
    merged = shards.merge(tmp_path / "out", tmp_path / "merged")
    assert merged == found
    for one, other in zip(paths_of("whole", format), paths_of("merged", format), strict=True):
        assert (tmp_path / one).read_bytes() == (tmp_path / other).read_bytes()
    assert found.shards == len(plan)
    assert found.documents == TOK.encode_files(corpus, tmp_path / "again").documents


@pytest.mark.slow
def test_the_same_bytes_in_any_order_by_any_process(corpus: list[Path], tmp_path: Path) -> None:
    made = []
    for number, order in enumerate((0, -1, 5)):
        folder = tmp_path / f"out{number}"
        plan = pickle.loads(pickle.dumps(shards.plan(corpus, folder, MODEL, shard_size=3000)))
        run_all(plan, order)
        made.append(content(folder))
    plan = shards.plan(corpus, tmp_path / "pool", MODEL, shard_size=3000)
    plan.run(num_workers=2)
    made.append(content(tmp_path / "pool"))
    assert all(one == made[0] for one in made)


def test_one_shard_and_no_document(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("")
    plan = shards.plan(tmp_path / "a.txt", tmp_path / "out", TOK)
    assert len(plan) == 1
    assert run_all(plan)[:4] == (1, 0, 0, 0)
    assert shards.merge(tmp_path / "out", tmp_path / "x").documents == 0


@given(
    st.lists(st.sampled_from(["a", "bb", "", "a b", "<", "<|", "é"]), max_size=30),
    st.sampled_from(["\n", "<|end|>", "\r\n", "ab"]),
    st.booleans(),
    st.integers(1, 40),
)
@settings(max_examples=25, deadline=None)
def test_every_place_to_cut_gives_the_same_documents(
    documents: list[str], separator: str, has_end: bool, size: int
) -> None:
    import tempfile

    data = separator.join(documents) + (separator if has_end and documents else "")
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(slices, "SEARCH_SIZE", 3)
        patch.setattr(reader, "READ_SIZE", 8)
        patch.setattr(shard_files, "BLOCK_SIZE", 5)
        folder = Path(name)
        (folder / "a.txt").write_bytes(data.encode())
        plan = shards.plan(folder / "a.txt", folder / "out", TOK, separator=separator, shard_size=size, format="bin")
        run_all(plan)
        shards.merge(folder / "out", folder / "merged")
        TOK.encode_files(folder / "a.txt", folder / "whole", separator=separator)
        for suffix in ("", ".idx"):
            assert (folder / f"merged{suffix}").read_bytes() == (folder / f"whole{suffix}").read_bytes()


@pytest.mark.parametrize("separator", ["\n\n", None, "aba"])
def test_separators_that_overlap_themselves_are_not_cut(separator: str | None, tmp_path: Path) -> None:
    assert not can_be_cut(b"" if separator is None else separator.encode())
    (tmp_path / "a.txt").write_text("one\n\n\n\ntwo\nababa\n\n" * 40)
    plan = shards.plan(tmp_path / "a.txt", tmp_path / "out", TOK, separator=separator, shard_size=10, format="bin")
    assert len(plan) == 1
    run_all(plan)
    TOK.encode_files(tmp_path / "a.txt", tmp_path / "whole", separator=separator)
    assert (tmp_path / "out" / "00000.bin").read_bytes() == (tmp_path / "whole").read_bytes()


def test_small_files_share_a_shard(tmp_path: Path) -> None:
    for i in range(20):
        (tmp_path / f"{i:02}.txt").write_text("x" * 9 + "\n")
    plan = shards.plan(str(tmp_path / "*.txt"), tmp_path / "out", TOK, shard_size=35)
    assert [len(task) for task in plan.tasks] == [3] * 6 + [2]
    assert run_all(plan).documents == 20


def test_resuming(corpus: list[Path], tmp_path: Path) -> None:
    plan = shards.plan(corpus, tmp_path / "out", TOK, shard_size=3000)
    assert plan.missing() == list(range(len(plan)))
    run_all(plan)
    whole = content(tmp_path / "out")
    assert plan.missing() == []
    (tmp_path / "out" / "00001.json").unlink()
    (tmp_path / "out" / "00003.bin").write_bytes(b"short")
    (tmp_path / "out" / "00004.json").write_text("{}")
    assert plan.missing() == [1, 3, 4]
    with pytest.raises(FileError, match=r"3 of \d+ shards are missing in '.*': 1, 3, 4\. Run these tasks"):
        plan.finish()
    run_all(plan)
    assert content(tmp_path / "out") == whole


def test_a_finished_job_run_again_writes_nothing(corpus: list[Path], tmp_path: Path, monkeypatch: Any) -> None:
    plan = shards.plan(corpus, tmp_path / "out", TOK, shard_size=3000)
    first = run_all(plan)
    times = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "out").iterdir()}
    for name in ("open", "replace", "unlink"):
        real = getattr(Path, name)

        def refuse(self: Path, *given: Any, real: Any = real, name: str = name, **options: Any) -> Any:
            assert name == "open", (name, self)
            assert "rb" in (*given, *options.values()), (name, self)
            return real(self, *given, **options)

        monkeypatch.setattr(Path, name, refuse)
    monkeypatch.setattr(plans, "slices_of", None)  # the plan comes from the manifest: no footer is read
    again = shards.plan(corpus, tmp_path / "out", TOK, shard_size=3000)
    assert again.missing() == []
    assert again.run() == first
    monkeypatch.undo()
    assert {path.name: path.stat().st_mtime_ns for path in (tmp_path / "out").iterdir()} == times


def test_another_model_makes_other_shards(corpus: list[Path], tmp_path: Path) -> None:
    plan = shards.plan(corpus, tmp_path / "out", TOK, shard_size=3000)
    run_all(plan)
    for changed in ({"tokenizer": small_model(byte_fallback=False)}, {"eos": True}, {"column": "n", "format": "bin"}):
        options = {"tokenizer": TOK, "shard_size": 3000, **changed}
        other = shards.plan(corpus, tmp_path / "out", **options)
        assert other.missing() == list(range(len(other)))
    other = shards.plan(corpus, tmp_path / "out", TOK, eos=True, shard_size=3000)
    run_all(other)
    assert plan.missing() == list(range(len(plan)))
    fresh = shards.plan(corpus, tmp_path / "fresh", TOK, eos=True, shard_size=3000)
    run_all(fresh)
    assert content(tmp_path / "fresh") == content(tmp_path / "out")


def test_files_of_other_shards_are_named(corpus: list[Path], tmp_path: Path) -> None:
    plan = shards.plan(corpus, tmp_path / "out", TOK, shard_size=3000)
    (tmp_path / "out" / "notes.txt").write_text("mine")
    run_all(plan)
    assert (tmp_path / "out" / "notes.txt").exists()
    (tmp_path / "out" / "00999.bin").write_bytes(b"")
    with pytest.raises(FileError, match=r"00999\.bin' is not a shard of this plan: remove it"):
        plan.finish()


def test_documents_that_are_lost_or_twice(corpus: list[Path], tmp_path: Path) -> None:
    """A record that does not say what its slice holds: of rows, and of bytes."""
    plan = shards.plan(corpus, tmp_path / "out", TOK, shard_size=3000)
    run_all(plan)
    for i in range(len(plan)):
        path = tmp_path / "out" / f"{i:05}.json"
        record, before = json.loads(path.read_bytes()), path.read_bytes()
        if record["spans"]:
            record["spans"][0][2] -= 1
            message = "begins at byte|the shards end at byte|1 of .* shards are missing"
        elif -1 not in [part.rows for part in plan.tasks[i]]:
            record["documents"] += 1
            message = rf"shard {i} has {record['documents']} documents, and its row groups have"
        else:
            continue
        path.write_text(json.dumps(record))
        with pytest.raises(FileError, match=message):
            plan.finish()
        path.write_bytes(before)
    plan.finish()


def test_a_changed_input_is_an_error(corpus: list[Path], tmp_path: Path) -> None:
    plan = shards.plan(corpus, tmp_path / "out", TOK, shard_size=3000)
    corpus[0].write_text("other")
    with pytest.raises(FileError, match="has changed since the plan was made"):
        plan.run_task(0)
    corpus[0].unlink()
    with pytest.raises(MissingFileError, match="cannot be read"):
        plan.run_task(0)


def test_saved_plans(corpus: list[Path], tmp_path: Path) -> None:
    plan = shards.plan(corpus, tmp_path / "out", TOK, shard_size=3000)
    plan.save(tmp_path / "plan.json")
    loaded = shards.load(tmp_path / "plan.json")
    assert (len(loaded), repr(loaded)) == (len(plan), repr(plan))
    assert [loaded.key(i) for i in range(len(plan))] == [plan.key(i) for i in range(len(plan))]
    assert loaded.run_task(0) == plan.run_task(0)
    for wrong in (b"", b"{}", b"[1]", b'{"version": 9}'):
        (tmp_path / "plan.json").write_bytes(wrong)
        with pytest.raises(ModelError, match="plan"):
            shards.load(tmp_path / "plan.json")
    with pytest.raises(IdError, match=f"task {len(plan)} is outside the plan: its tasks are 0 to {len(plan) - 1}"):
        plan.run_task(len(plan))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"format": "mds"}, "must be one of 'npy', 'bin', 'megatron'"),
        ({"nulls": "drop"}, "must be 'error' or 'empty'"),
        ({"shard_size": "much"}, "shard_size='much': must be bytes, or a text such as '512MB'"),
        ({"shard_size": 0}, "must be at least 1 byte"),
        ({"dtype": "uint32"}, "neither 'uint16' nor 'int32'"),
        ({"separator": ""}, "separator"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    with pytest.raises(OptionError, match=message):
        shards.plan(tmp_path / "a.txt", tmp_path / "out", TOK, **options)
    assert not (tmp_path / "out").exists()


def test_wrong_inputs(tmp_path: Path) -> None:
    (tmp_path / "00000.bin").write_text("a")
    with pytest.raises(OptionError, match="has the name of a shard in out"):
        shards.plan(tmp_path / "00000.bin", tmp_path, TOK)
    with pytest.raises(OptionError, match="is named twice"):
        shards.plan([tmp_path / "00000.bin"] * 2, tmp_path / "out", TOK)
    with pytest.raises(MissingFileError, match="no file 'nothing'"):
        shards.plan("nothing", tmp_path / "out", TOK)
    with pytest.raises(FileError, match="has no manifest of shards: finish the job first"):
        shards.merge(tmp_path, tmp_path / "x")


# -- errors of the text ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (['{"text": "a"}', "{"], r"line 2: b'\{' is not JSON"),
        (['{"text": "a"}', "", "[1]"], "line 3: it holds list"),
        (['{"text": null}'], "line 1: 'text' is null, not a text"),
        (['{"txt": "a"}'], "line 1: there is no field 'text': it has 'txt'"),
        (['{"text": 3}'], "line 1: 'text' is int"),
        ([r'{"text": "\ud800"}'], "line 1: 'text' holds a lone surrogate"),
    ],
)
def test_wrong_lines_are_named(lines: list[str], message: str, tmp_path: Path) -> None:
    before = '{"text": "abc"}\n' * 7
    (tmp_path / "a.jsonl").write_text(before + "\n".join(lines) + "\n")
    plan = shards.plan(tmp_path / "a.jsonl", tmp_path / "out", TOK, shard_size=40)
    message = message.replace("line 1", "line 8").replace("line 2", "line 9").replace("line 3", "line 10")
    with pytest.raises(FileError, match=rf"a\.jsonl', {message}"):
        for number in range(len(plan)):
            plan.run_task(number)
    assert not any(name.endswith(".tmp") for name in content(tmp_path / "out"))
    assert plan.missing()


def test_nulls_of_json_lines_can_be_empty(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": null}\n{}\n{"text": "hello"}\n')
    plan = shards.plan(tmp_path / "a.jsonl", tmp_path / "out", TOK, nulls="empty", format="npy")
    assert run_all(plan).documents == 3
    assert np.load(tmp_path / "out" / "00000.offsets.npy").tolist() == [0, 0, 0, len(TOK.encode("hello"))]


def test_parquet_nulls_and_types(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    texts = ["hello", "", None, "world"] * 5
    expected = TOK.encode_batch([text or "" for text in texts])
    for kind in (pa.string(), pa.large_string(), pa.binary(), pa.string_view()):
        table = pa.table({"text": pa.array(texts, kind)})
        try:
            parquet.write_table(table, tmp_path / "a.parquet", row_group_size=3)
        except pa.ArrowNotImplementedError:  # pyarrow 18 writes no views
            assert kind == pa.string_view()
            continue
        plan = shards.plan(tmp_path / "a.parquet", tmp_path / "out", TOK, shard_size=1, format="bin")
        with pytest.raises(FileError, match=r"a\.parquet', row 3: 'text' is null: .* pass nulls='empty'"):
            plan.run_task(0)
        plan = shards.plan(tmp_path / "a.parquet", tmp_path / str(kind), TOK, shard_size=1, format="bin", nulls="empty")
        assert len(plan) == 7
        assert run_all(plan).documents == 20
        shards.merge(tmp_path / str(kind), tmp_path / "whole")
        assert np.fromfile(tmp_path / "whole.idx", "<i8").tolist() == expected.offsets.tolist()
    parquet.write_table(pa.table({"text": [1], "rows": [["a"]]}), tmp_path / "a.parquet")
    with pytest.raises(FileError, match="'text' holds int64, not texts"):
        shards.plan(tmp_path / "a.parquet", tmp_path / "out", TOK).run_task(0)
    plan = shards.plan(tmp_path / "a.parquet", tmp_path / "lists", TOK, column="rows")
    assert plan.run_task(0)["documents"] == 1
    with pytest.raises(OptionError, match="there is no column 'txt'"):
        shards.plan(tmp_path / "a.parquet", tmp_path / "out", TOK, column="txt")


def test_a_damaged_row_group(tmp_path: Path) -> None:
    """The shards of the other row groups can be made; the error names file, row and column."""
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "a.parquet"
    draw = random.Random(1)
    texts = ["".join(draw.choices("abcdefghij ", k=400)) for _ in range(300)]
    parquet.write_table(pa.table({"text": texts}), path, row_group_size=100, compression="zstd", use_dictionary=False)
    start = parquet.ParquetFile(path).metadata.row_group(1).column(0).data_page_offset
    data = bytearray(path.read_bytes())
    data[start + 100 : start + 600] = os.urandom(500)
    path.write_bytes(data)
    plan = shards.plan(path, tmp_path / "out", TOK, shard_size=1)
    with pytest.raises(FileError, match=r"a\.parquet', row group 1, after row \d+, column 'text': it is damaged"):
        plan.run_task(1)
    for number in (0, 2):
        plan.run_task(number)
    assert plan.missing() == [1]
    assert not any(".tmp" in name for name in content(tmp_path / "out"))
    path.write_bytes(b"PAR1")
    with pytest.raises(FileError, match=r"a\.parquet': it is damaged, or its format is not parquet"):
        shards.plan(path, tmp_path / "out", TOK)


def test_documents_that_cannot_be_encoded_are_named(tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "a.txt").write_text("hello\n" * 50 + "xy\n" + "hello\n" * 9)

    def refuse(encoder: Any, texts: Any, *given: Any) -> Any:
        if b"xy" in texts.to_list():
            raise TextError("somewhere")
        return real(encoder, texts, *given)

    class Refusing:
        def encode(self, text: bytes) -> None:
            if text == b"xy":
                raise TextError("too long")

    from spm_lite.tokenizer import id_files

    real = id_files.encode_batch
    monkeypatch.setattr(id_files, "encode_batch", refuse)
    plan = shards.plan(tmp_path / "a.txt", tmp_path / "out", TOK, shard_size=100)
    part = next(
        part
        for task in plan.tasks
        for part in reader.read_documents(
            reader.Source(
                (slices.FilePart(tmp_path / "a.txt", plan.sources[0], task[0], b"\n"),),  # type: ignore[arg-type]
                None,
                usual_reading(plan.options),
            ),
            reader.CorpusFigures(),
        )
        if b"xy" in reader.split_block(part.documents)
    )
    with pytest.raises(TextError, match=r"a\.txt', line 51: too long"):
        id_files.encode_parts(Refusing(), [part], 1, (-1, -1))  # type: ignore[arg-type]


def test_a_full_disk(corpus: list[Path], tmp_path: Path, monkeypatch: Any) -> None:
    plan = shards.plan(corpus, tmp_path / "out", TOK, shard_size=3000)
    real = os.fsync

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileError, match="No space left") as caught:
        plan.run_task(0)
    assert caught.value.filename == str(tmp_path / "out" / "00000.bin")
    assert content(tmp_path / "out") == {}
    monkeypatch.setattr(os, "fsync", real)
    plan.run_task(0)


# -- killed, and twice at once --------------------------------------------------------------------------------------

KILLED = """
import os, signal, sys
from spm_lite.engines import shards
from spm_lite.engines.shards import folders, plans, shard_files
from spm_lite.files import documents
plan, number, place = shards.load(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
def die(*given, **options):
    os.kill(os.getpid(), signal.SIGKILL)
if place == "middle":
    real = shard_files.encode_parts
    calls = []
    def encode_parts(*given):
        calls.append(1)
        if len(calls) > 1:
            die()
        return real(*given)
    shard_files.encode_parts = encode_parts
    shard_files.BLOCK_SIZE = 200
    documents.READ_SIZE = 800
elif place == "sync":
    shard_files.sync_folder = die
elif place == "index":
    from pathlib import Path
    real_replace = Path.replace
    def replace(self, target):
        if target.name.endswith(".idx"):
            die()
        return real_replace(self, target)
    Path.replace = replace
elif place == "record":
    plans.write_record = die
plan.run_task(number)
"""


@pytest.mark.slow
@posix
@pytest.mark.parametrize("place", ["middle", "index", "sync", "record"])
def test_killed_in_the_middle_of_a_shard(place: str, corpus: list[Path], tmp_path: Path) -> None:
    plan = shards.plan(corpus, tmp_path / "out", TOK, shard_size=6000)
    plan.save(tmp_path / "plan.json")
    whole = shards.plan(corpus, tmp_path / "whole", TOK, shard_size=6000)
    run_all(whole)
    done = subprocess.run([sys.executable, "-c", KILLED, tmp_path / "plan.json", "1", place], timeout=300, cwd=tmp_path)
    assert done.returncode == -signal.SIGKILL
    left = content(tmp_path / "out")
    assert bool(left)
    assert "00001.json" not in left
    assert plan.missing() == list(range(len(plan)))
    run_all(plan, 2)
    assert content(tmp_path / "out") == content(tmp_path / "whole")  # nothing else is left


def attempt(plan: shards.Plan, number: int, ready: Any, go: Any) -> None:
    shard_files.BLOCK_SIZE = 100
    ready.release()
    go.wait()
    plan.run_task(number, num_threads=1)


@pytest.mark.slow
@posix
def test_twice_at_once(corpus: list[Path], tmp_path: Path) -> None:
    plan = shards.plan(corpus, tmp_path / "out", TOK, shard_size=6000)
    whole = shards.plan(corpus, tmp_path / "whole", TOK, shard_size=6000)
    run_all(whole)
    context = multiprocessing.get_context("fork")
    for number in range(len(plan)):
        ready, go = context.Semaphore(0), context.Event()
        attempts = [context.Process(target=attempt, args=(plan, number, ready, go)) for _ in range(3)]
        for process in attempts:
            process.start()
        for _ in attempts:
            ready.acquire()
        go.set()
        for process in attempts:
            process.join(300)
        assert [process.exitcode for process in attempts] == [0, 0, 0]
    plan.finish()
    assert content(tmp_path / "out") == content(tmp_path / "whole")


def test_an_attempt_that_comes_too_late(corpus: list[Path], tmp_path: Path, monkeypatch: Any) -> None:
    """`finish` removes the files of an attempt that still runs, since another has made its shard."""
    plan = shards.plan(corpus, tmp_path / "out", TOK, shard_size=6000)
    real = shard_files.encode_parts
    is_first = True

    def encode_block(*given: Any) -> Any:
        nonlocal is_first
        if is_first:
            is_first = False
            run_all(plan)
        return real(*given)

    monkeypatch.setattr(shard_files, "encode_parts", encode_block)
    plan.run_task(0)
    plan.finish()
    assert not any(".tmp" in name for name in content(tmp_path / "out"))


def test_a_right_record_is_never_removed(corpus: list[Path], tmp_path: Path) -> None:
    from spm_lite.engines.shards.folders import LocalFolder
    from spm_lite.engines.shards.records import drop_record

    plan = shards.plan(corpus, tmp_path / "out", TOK, shard_size=6000)
    plan.run_task(0)
    drop_record(LocalFolder(tmp_path / "out"), 0, plan.key(0))
    assert 0 not in plan.missing()
    drop_record(LocalFolder(tmp_path / "out"), 0, plan.key(1))
    assert 0 in plan.missing()


def test_workers_keep_the_last_two_tokenizers() -> None:
    models = [small_model(byte_fallback=True), small_model(byte_fallback=False), small_model(), MODEL]
    first = worker.tokenizer(models[0])
    assert worker.tokenizer(bytes(bytearray(models[0]))) is first
    worker.tokenizer(models[1])
    assert worker.tokenizer(models[0]) is first
    assert len(kept_tokenizers._kept) <= kept_tokenizers.KEPT == 2
    assert worker.tokenizer(models[0]).encode("hello") == TOK.encode("hello")
    with pytest.raises(ModelError):
        worker.tokenizer(b"no model")


@pytest.mark.slow
def test_a_pool_in_a_script_that_its_processes_run_again(tmp_path: Path) -> None:
    """Python's own pool would wait for ever."""
    (tmp_path / "a.txt").write_text("hello\n" * 9)
    plan = shards.plan(tmp_path / "a.txt", tmp_path / "out", TOK, shard_size=6)
    plan.save(tmp_path / "plan.json")
    script = "from spm_lite.engines import shards\nshards.load('plan.json').run(num_workers=2)\n"
    (tmp_path / "script.py").write_text(script)
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, timeout=500, check=False
    )
    assert done.returncode == 1
    assert "call Plan.run and Plan.verify under if __name__ == '__main__':" in done.stderr
    assert "a worker process has died" in done.stderr
    guarded = script.replace("shards.load", "if __name__ == '__main__':\n    shards.load")
    (tmp_path / "script.py").write_text(guarded)
    subprocess.run([sys.executable, "script.py"], cwd=tmp_path, timeout=500, check=True)
    assert plan.missing() == []


def test_imports() -> None:
    """Nothing of an engine is imported before it is called."""
    program = (
        "import sys, spm_lite.engines.shards, spm_lite.engines.worker\n"
        "found = {'pyspark', 'ray', 'datatrove', 'datasets', 'pyarrow', 'pandas'} & set(sys.modules)\n"
        "assert not found, found"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=300, cwd=tempfile.gettempdir())


@pytest.mark.skipif(os.name != "posix", reason="POSIX only")
def test_what_a_killed_process_of_another_job_left_is_removed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n" * 9)
    out = tmp_path / "out"
    out.mkdir()
    dead, alive = (out / f".00000.bin.{0:08}.{pid}-{0:016x}.tmp" for pid in (2**22, os.getpid()))
    held = out / f".00000.idx.{0:08}.{2**22}-{0:016x}.tmp"
    for path in (dead, alive, held):
        path.touch()
    with held.open("rb") as file:
        assert is_locked(file.fileno()) is False
        shards.plan(tmp_path / "a.txt", out, TOK).run(num_workers=1)
    assert [path.exists() for path in (dead, alive, held)] == [False, True, True]
