"""`verify`: planted errors of each kind, in each format, are found and named; and shards without errors have none."""

import hashlib
import json
import pickle
import random
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle.engines import texts_of, write_parquet
from oracle.small_models import small_model

import spm_lite
from spm_lite import FileError, MissingFileError, OptionError, Tokenizer
from spm_lite.engines import shards
from spm_lite.engines.shards import comparison, verifying
from spm_lite.engines.shards.comparison import (
    AHEAD,
    CUT,
    DIFFERENT,
    EXTRA,
    JOINED,
    MISSING,
    MOVED,
    SWAPPED,
    explanation,
)
from spm_lite.files.id_forms import FORMATS, paths_of
from spm_lite.files.whole_id_files import WholeFiles
from spm_lite.files.written_ids import READERS

TOK = Tokenizer.load(small_model(byte_fallback=True))
UNKNOWN = Tokenizer.load(small_model())  # without bytes: some characters are the unknown piece
BOS, EOS = TOK.bos_id, TOK.eos_id
Documents = list[list[int]]


def distinct_texts(seed: int, n: int) -> list[str]:
    """Documents that all differ, the third of them empty."""
    return [f"{i} {text}".strip() if i != 2 else "" for i, text in enumerate(texts_of(seed, n))]


@pytest.fixture(params=FORMATS)
def form(request: Any) -> str:
    if request.param == "parquet":
        pytest.importorskip("pyarrow")
    return str(request.param)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Lines, JSON lines with blank ones between them, and rows of Parquet."""
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_text("\n".join(distinct_texts(1, 120)) + "\n", encoding="utf-8")
    rows = [json.dumps({"text": text}) for text in distinct_texts(2, 120)]
    (folder / "b.jsonl").write_text("\n\n".join(rows), encoding="utf-8")
    with suppress(ImportError):
        write_parquet(folder / "c.parquet", distinct_texts(3, 120), 25)
    return folder


def made(corpus: Path, tok: Tokenizer = TOK, **options: Any) -> shards.Plan:
    """A plan whose shards are finished; each has less than one file."""
    out = str(options.pop("out", corpus.parent / "out"))
    plan = shards.plan(corpus, out, tok, **{"shard_size": 3000, "bos": True, "eos": True, **options})
    plan.run(num_workers=1)
    return plan


def files_of(plan: shards.Plan, shard: int) -> list[Path]:
    return [
        Path(plan.out) / name
        for name in paths_of(f"{shard:05}" + ".bin" * (plan.options["format"] == "bin"), plan.options["format"])
    ]


def read(plan: shards.Plan, shard: int) -> Documents:
    """The documents of a shard."""
    files = files_of(plan, shard)
    vocabulary = f"spm_lite-{hashlib.sha256(plan.model).hexdigest()[:16]}"
    with READERS[plan.options["format"]](files, [*map(str, files)], plan.options["dtype"], vocabulary) as found:
        assert found.remarks == []
        return [found.ids(i, i + 1).tolist() for i in range(found.n_documents)]


def write(plan: shards.Plan, shard: int, documents: Documents, keeps_record: bool = False) -> None:
    """Replace the documents of a shard, and its record too, so that nothing but the ids is wrong."""
    form, dtype = plan.options["format"], plan.options["dtype"]
    files = files_of(plan, shard)
    vocabulary = f"spm_lite-{hashlib.sha256(plan.model).hexdigest()[:16]}"
    with WholeFiles(tuple(map(str, files)), form, dtype, vocabulary) as whole:
        lengths = [0, *map(len, documents)]
        ids = np.array([i for ids in documents for i in ids], "int32")
        whole.writer.write(ids, np.cumsum(lengths, dtype="int64"))
        whole.finish()
    if not keeps_record:
        refresh(plan, shard, documents=len(documents), ids=sum(map(len, documents)))


def refresh(plan: shards.Plan, shard: int, **figures: int) -> None:
    """Make the record of a shard agree with its files."""
    path = Path(plan.out) / f"{shard:05}.json"
    record = {**json.loads(path.read_bytes()), **figures}
    record["files"] = [
        {"name": file.name, "size": file.stat().st_size, "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}
        for file in files_of(plan, shard)
    ]
    path.write_text(json.dumps(record))


def place_of(plan: shards.Plan, shard: int, document: int) -> str:
    """Where a document of a shard is, by counting."""
    before = sum(len(read(plan, i)) for i in range(shard)) + document
    file, number = divmod(before, 120)
    names = sorted(Path(plan.sources[0].path).parent.iterdir())
    unit = ("line", "line", "row")[file]
    return f"{str(names[file])!r}, {unit} {2 * number + 1 if file == 1 else number + 1}"


def change_id(found: Documents, i: int) -> str:
    before, found[i][2] = found[i][2], 270
    return f"id number 2 is 270 {TOK.id_to_piece(270)!r}, expected {before} {TOK.id_to_piece(before)!r}"


def move_boundary(found: Documents, i: int) -> str:
    found[i].append(found[i + 1].pop(0))
    return f"the boundary after it is moved: it has {len(found[i])} ids, expected {len(found[i]) - 1}"


def drop_boundary(found: Documents, i: int) -> str:
    n = len(found[i])
    found[i] += found.pop(i + 1)
    return f"the boundary after it is missing: it has {len(found[i])} ids, expected {n}"


def add_boundary(found: Documents, i: int) -> str:
    n = len(found[i])
    found[i : i + 1] = [found[i][:3], found[i][3:]]
    return f"it is cut in two: it has 3 ids, expected {n}"


def lose(found: Documents, i: int) -> str:
    return f"it is missing, expected with its {len(found.pop(i))} ids"


def add(found: Documents, i: int) -> str:
    found.insert(i, [BOS, 270, 271, EOS])
    return "it is too many: no source has it there; it has 4 ids"


def twice(found: Documents, i: int) -> str:
    found.insert(i, found[i - 1])
    return f"it is too many: no source has it there; it has {len(found[i])} ids"


def swap(found: Documents, i: int) -> str:
    found[i], found[i + 1] = found[i + 1], found[i]
    return f"it is swapped with document {i + 1} of the shard"


def swap_apart(found: Documents, i: int) -> str:
    found[i], found[i + 9] = found[i + 9], found[i]
    return f"it is swapped with document {i + 9} of the shard"


def lose_bos(found: Documents, i: int) -> str:
    there = found[i].pop(0), found[i][0]
    return f"id number 0 is {there[1]} {TOK.id_to_piece(there[1])!r}, expected {BOS} '<s>'"


def lose_eos(found: Documents, i: int) -> str:
    n = len(found[i])
    found[i].pop()
    return f"it ends after {n - 1} ids, expected id {EOS} '</s>' next, and {n} ids"


def go_on(found: Documents, i: int) -> str:
    found[i].append(271)
    return f"it goes on with id 271 {TOK.id_to_piece(271)!r}, expected its end after {len(found[i]) - 1} ids"


def leave_vocabulary(found: Documents, i: int) -> str:
    before, found[i][1] = found[i][1], 9999
    wanted = f"{before} {TOK.id_to_piece(before)!r}"
    return f"id number 1 is 9999, which is outside the vocabulary of 311 pieces, expected {wanted}"


FAULTS: list[Callable[[Documents, int], str]] = [
    change_id, move_boundary, drop_boundary, add_boundary, lose, add, twice, swap, swap_apart, lose_bos, lose_eos,
    go_on, leave_vocabulary,
]  # fmt: skip


def test_shards_without_errors(form: str, corpus: Path) -> None:
    plan = made(corpus, format=form)
    assert len(plan) > 5
    found = plan.verify(num_workers=1)
    documents = [ids for i in range(len(plan)) for ids in read(plan, i)]
    assert found.is_right
    assert (found.shards, found.documents, found.ids) == (len(plan), len(documents), sum(map(len, documents)))
    assert (found.begins, found.ends, found.empty) == (len(documents), len(documents), documents.count([BOS, EOS]))
    assert found.special == {"<unk>": 0, "<s>": len(documents), "</s>": len(documents)}
    assert (found.outside, found.changed, found.lost, found.wrong, found.problems) == (0, 0, 0, 0, ())
    assert pickle.loads(pickle.dumps(found)) == found
    assert str(found).endswith("problems: 0")


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_planted_errors_are_named(fault: Any, form: str, corpus: Path) -> None:
    plan = made(corpus, format=form)
    middle = len(plan) // 2
    for shard, i in ((0, 1), (middle, 5), (len(plan) - 1, -11)):  # of each source
        right = read(plan, shard)
        documents, i = [list(ids) for ids in right], i % len(right)
        place = "" if fault in (add, twice) else place_of(plan, shard, i)
        message = fault(documents, i)
        write(plan, shard, documents)
        found = plan.verify(num_workers=1)
        assert found.problems == (shards.Problem(shard, i, place, message),)
        assert (found.wrong, found.is_right) == (1, False)
        assert f"    shard {shard}, document {i}{f' ({place})' if place else ''}: {message}\n" in str(found)
        write(plan, shard, right)
    assert plan.verify(num_workers=1).is_right


def test_the_first_and_the_last_document(form: str, corpus: Path) -> None:
    plan = made(corpus, format=form)
    right = read(plan, 1)
    for i in (0, len(right) - 1):
        for fault in (change_id, lose, add, lose_bos, lose_eos):
            documents = [list(ids) for ids in right]
            message = fault(documents, i)
            write(plan, 1, documents)
            found = plan.verify(num_workers=1)
            assert [(one.document, one.message) for one in found.problems] == [(i, message)]
    write(plan, 1, [*right, [270]])
    assert [one.document for one in plan.verify(num_workers=1).problems] == [len(right)]
    write(plan, 1, [])
    found = plan.verify(num_workers=1)
    assert (found.wrong, len(found.problems)) == (len(right), comparison.SHOWN)
    assert f"    and {len(right) - 20} more" in str(found)


def test_several_errors_of_one_shard(form: str, corpus: Path) -> None:
    plan = made(corpus, format=form, shard_size="1MB")
    documents = read(plan, 0)
    wanted = []
    for i, fault in zip((340, 300, 250, 190, 120, 90, 40, 7), (lose, add, swap, change_id, *FAULTS[1:5]), strict=True):
        wanted.append((i, fault(documents, i)))
    write(plan, 0, documents)
    found = plan.verify(num_workers=1)
    assert [one.message for one in found.problems] == [message for _, message in reversed(wanted)]
    assert found.wrong == len(wanted)


def test_files_that_are_cut_or_gone(form: str, corpus: Path) -> None:
    plan = made(corpus, format=form)
    whole = [path.read_bytes() for path in files_of(plan, 1)]
    for path, data in zip(files_of(plan, 1), whole, strict=True):
        for size in (len(data) - 1, len(data) // 2, 7, 0):
            path.write_bytes(data[:size])
            found = plan.verify(num_workers=1)
            assert str(found.problems[0]).startswith(
                f"shard 1: {str(path)!r} has {size:,} bytes, expected {len(data):,}"
            )
            assert plan.verify(9, num_workers=1).problems[0] == found.problems[0]
        path.unlink()
        assert [str(one) for one in plan.verify(num_workers=1).problems] == [f"shard 1: {str(path)!r} is missing"]
        path.write_bytes(data)
    files_of(plan, 1)[0].write_bytes(whole[0][: len(whole[0]) // 2])
    named = [one for one in plan.verify(num_workers=1).problems if one.document >= 0]
    assert form == "parquet" or "a.txt', line " in named[0].place


def test_any_other_byte_is_found(form: str, corpus: Path) -> None:
    """No byte of any file may change, whatever it means."""
    plan = made(corpus, format=form)
    draw = random.Random(7)
    for path in files_of(plan, 2):
        data = path.read_bytes()
        for place in [0, len(data) - 1, *(draw.randrange(len(data)) for _ in range(10))]:
            changed = bytearray(data)
            changed[place] ^= 1 << draw.randrange(8)
            path.write_bytes(changed)
            found = plan.verify(num_workers=1)
            assert found.wrong, (path, place)
            assert {one.shard for one in found.problems} == {2}
        path.write_bytes(data)
    assert plan.verify(num_workers=1).is_right


def test_indexes_that_lie(corpus: Path) -> None:
    """What training programs read beside lengths: places and sequences of Megatron, metadata of datatrove."""
    plan = made(corpus, format="megatron")
    ids, index = files_of(plan, 0)
    data, n = index.read_bytes(), len(read(plan, 0))
    for place, message in (
        (34 + 12 * n + 8 * 3, r"says that document 3 begins at sequence 2, not 3"),
        (34 + 4 * n + 8 * 3, r"says that document 3 begins within an id, at byte \d+"),
    ):
        changed = bytearray(data)
        changed[place] ^= 1
        index.write_bytes(changed)
        refresh(plan, 0)
        assert re.search(message, str(plan.verify(num_workers=1)))
    index.write_bytes(data)
    ids.write_bytes(ids.read_bytes() + b"\x05\x00\x05")
    refresh(plan, 0)
    told = str(plan.verify(num_workers=1))
    assert "ends within an id" in told
    assert "says that the last document ends at id" in told
    plan = made(corpus, format="datatrove", out=corpus.parent / "other")
    files_of(plan, 0)[2].write_text("other|2\n9\n9 T")
    refresh(plan, 0)
    assert "is not the metadata of" in str(plan.verify(num_workers=1))


@pytest.mark.parametrize("count", [b"\xff" * 8, b"\x01" + b"\0" * 7])
def test_an_index_with_another_number_of_documents(corpus: Path, count: bytes) -> None:
    plan = made(corpus, format="megatron")
    plan.finish()
    index = files_of(plan, 0)[1]
    data = index.read_bytes()
    index.write_bytes(data[:18] + count + data[26:])
    with pytest.raises(FileError, match="is not the index of"):
        shards.merge(plan.out, corpus.parent / "joined")
    refresh(plan, 0)
    assert "is not the index of" in str(plan.verify(num_workers=1))


def test_a_boundary_far_away_reads_no_more(corpus: Path, monkeypatch: Any) -> None:
    """A document that seems to take the whole shard is not read whole."""
    monkeypatch.setattr(comparison, "MOST_IDS", 50)
    plan = made(corpus, format="npy", shard_size="1MB")
    offsets = files_of(plan, 0)[1]
    numbers = np.load(offsets)
    numbers[5] = numbers[-1]
    np.save(offsets, numbers)
    refresh(plan, 0)
    sizes = []
    real = comparison.Comparison.document
    monkeypatch.setattr(comparison.Comparison, "document", lambda *given: sizes.append(real(*given)) or sizes[-1])
    found = plan.verify(num_workers=1)
    assert "says that document 5 is from id" in str(found)
    assert any(one.document == 4 for one in found.problems)
    assert max(len(ids) for ids in sizes if ids) < numbers[-1] * 8


def test_all_documents_are_wrong(corpus: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(comparison, "MOST_EXPLAINED", 5)
    plan = made(corpus, format="bin", shard_size="1MB")
    right = read(plan, 0)
    write(plan, 0, [ids[:-1] for ids in right])
    found = plan.verify(num_workers=1)
    assert (found.wrong, found.ends, found.documents) == (len(right), 0, len(right))


def test_a_wrong_model(corpus: Path) -> None:
    """The shards of another model, under the records of this one."""
    plan, other = made(corpus, format="npy"), made(corpus, UNKNOWN, format="npy", out=corpus.parent / "other")
    for i in range(len(plan)):
        write(plan, i, read(other, i))
    found = plan.verify(num_workers=1)
    assert found.wrong > 300
    assert found.special["<unk>"] > 0


def test_texts_that_do_not_come_back(tmp_path: Path) -> None:
    """Normalization and unknown pieces are counted; they are what the model promises."""
    (tmp_path / "a.txt").write_text("hello world\n  hello   world\né\nhello\n", encoding="utf-8")
    found = made(tmp_path / "a.txt", UNKNOWN).verify(num_workers=1)
    assert (found.is_right, found.documents, found.changed, found.lost, found.special["<unk>"]) == (True, 4, 2, 1, 1)


def test_a_lossless_model_that_loses_a_text(tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "a.txt").write_text("the cat\nit\non the mat\n")
    plan = made(tmp_path / "a.txt", spm_lite.byte_tokenizer(), bos=False, eos=False)
    real = verifying.decode_flat
    monkeypatch.setattr(verifying, "decode_flat", lambda *given: [text.replace(b"a", b"o") for text in real(*given)])
    for sample, numbers in ((None, [0, 2]), (1, []), (2, [0, 2])):
        found = plan.verify(sample, num_workers=1)
        assert [one.document for one in found.problems] == numbers
        assert found.changed == found.lost == found.wrong == len(numbers)
        assert {one.place.rpartition(", ")[2] for one in found.problems} == {f"line {i + 1}" for i in numbers}
    assert found.problems[0].message == "it is decoded to another text: from byte 5 on 'o', expected 'a'"


# -- samples ------------------------------------------------------------------------------------------------------


def test_samples_are_spread(form: str, corpus: Path) -> None:
    plan = made(corpus, format=form)
    n = plan.verify(num_workers=1).documents
    for sample in (1, 7, 100, n - 1):
        found = plan.verify(sample, num_workers=1)
        assert (found.documents, found.is_right, found.shards) == (sample, True, len(plan))
        assert found == plan.verify(sample, num_workers=1)
    assert plan.verify(n, num_workers=1) == plan.verify(10 * n, num_workers=1) == plan.verify(num_workers=1)


def test_numbers_are_spread_evenly() -> None:
    draw = random.Random(3)
    for _ in range(200):
        counts = [draw.randrange(9) for _ in range(draw.randrange(1, 9))]
        total = sum(counts)
        for n in range(1, total + 1):
            found = verifying.spread(counts, n)
            numbers = [sum(counts[:i]) + j for i, chosen in enumerate(found) for j in chosen]
            assert len({*numbers}) == n
            assert numbers == sorted(numbers)
            assert all(j < count for chosen, count in zip(found, counts, strict=True) for j in chosen)
            assert max(np.diff([-1, *numbers, total]), default=0) <= -(-total // n)


def test_a_sample_finds_what_it_compares(form: str, corpus: Path) -> None:
    plan = made(corpus, format=form)
    counts = [len(read(plan, i)) for i in range(len(plan))]
    chosen = verifying.spread(counts, 40)
    for shard in (0, len(plan) // 2, len(plan) - 1):
        right = read(plan, shard)
        i = next(i for i in chosen[shard] if len(right[i]) > 4)
        for fault in (change_id, lose_bos, lose_eos):
            documents = [list(ids) for ids in right]
            place, message = place_of(plan, shard, i), fault(documents, i)
            write(plan, shard, documents)
            assert plan.verify(40, num_workers=1).problems == (shards.Problem(shard, i, place, message),)
        write(plan, shard, right)
    write(plan, 0, right[:1])
    refresh(plan, 0, documents=counts[0])
    assert f"shard 0: it has 1 documents, expected {counts[0]}" in map(str, plan.verify(40, num_workers=1).problems)


def test_a_sample_reads_little(tmp_path: Path, monkeypatch: Any) -> None:
    """Of shards only the chosen documents, of Parquet only their row groups."""
    pytest.importorskip("pyarrow")
    from spm_lite.files import column_files

    write_parquet(tmp_path / "a.parquet", distinct_texts(3, 3000), 100)
    plan = made(tmp_path / "a.parquet", format="npy", shard_size="20KB")
    groups, reads = [], []
    real, read_ids = column_files.rows_at_once, READERS["npy"].ids
    monkeypatch.setattr(column_files, "rows_at_once", lambda *given: groups.append(given[1]) or real(*given))
    monkeypatch.setattr(READERS["npy"], "ids", lambda *given: reads.append(given[1:3]) or read_ids(*given))
    found = plan.verify(6, num_workers=1)
    assert (found.documents, found.is_right) == (6, True)
    assert groups == [2, 7, 12, 17, 22, 27]
    assert [last - first for first, last in reads] == [1] * 6


def test_sources_with_fewer_documents_than_the_shard(corpus: Path) -> None:
    plan = made(corpus, format="npy")
    n = len(plan) - 1
    right = read(plan, n)
    write(plan, n, right * 3)
    found = plan.verify(360 + 2 * len(right) - 1, num_workers=1)
    assert any("the sources have fewer documents" in one.message for one in found.problems)


# -- folders, reading options, errors -----------------------------------------------------------------------------


def test_a_folder_elsewhere(form: str, corpus: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    system = fsspec.filesystem("memory")
    try:
        for path in corpus.iterdir():
            system.pipe(f"/in/{path.name}", path.read_bytes())
        plan = made(corpus, format=form, out="memory://out/x")
        plan = shards.plan("memory://in", "memory://out/y", TOK, format=form, shard_size=3000, bos=True, eos=True)
        plan.run(num_workers=1)
        assert plan.verify(num_workers=1).is_right
        assert plan.verify(20, num_workers=1).is_right
        name = paths_of("00001.bin" if form == "bin" else "00001", form)[0]
        data = bytearray(system.cat_file(f"/out/y/{name}"))
        data[len(data) // 2 : len(data) // 2 + 40] = bytes(40)
        system.pipe(f"/out/y/{name}", bytes(data))
        found = plan.verify(num_workers=1)
        assert not found.is_right
        assert form == "parquet" or found.problems[0].place.startswith("'memory://in/a.txt', line ")
        system.rm_file(f"/out/y/{name}")
        assert [str(one) for one in plan.verify(num_workers=1).problems] == [
            f"shard 1: 'memory://out/y/{name}' is missing"
        ]
    finally:
        system.store.clear()
        system.pseudo_dirs[:] = [""]


@pytest.mark.parametrize(
    ("name", "content", "options", "place"),
    [
        ("a.txt", "one\r\ntwo\r\nthree\r\n", {"newline": "auto"}, ", line 3"),
        ("a.txt", "one<e>two<e>three", {"separator": "<e>"}, ", document 3"),
        ("a.txt", "one\n\ntwo\nor\n\n\nthree", {"paragraphs": True}, ", paragraph 3"),
        ("a.csv", 'text\n"one"\n"two\nor"\nthree\n', {}, ", record 3"),
        ("a.jsonl", '{"text": "one"}\n{"text": null}\n{"text": "three"}\n', {"nulls": "empty"}, ", line 3"),
        ("a.jsonl", '{"text": "one"}\n{\n{"text": "two"}\n\n{"text": "three"}', {"on_error": "skip"}, ", line 5"),
        ("a.jsonl", '{"a": ["one", "two"], "b": "three"}\n', {"column": ["a[]", "b"]}, ", line 1"),
        ("a.json", '[{"text": "one"}, {"text": "two"}, {"text": "three"}]', {"column": "text"}, ", record 3"),
        ("a.txt", "one\ntwo\nthree", {"encoding": "utf-16"}, ", line 3"),
    ],
)
@pytest.mark.parametrize("shard_size", [5, 1000])
def test_all_ways_to_read(
    name: str, content: str, options: dict[str, Any], place: str, shard_size: int, tmp_path: Path
) -> None:
    data = content.encode(options.get("encoding", "utf-8"))
    (tmp_path / name).write_bytes(data)
    plan = made(tmp_path / name, format="bin", shard_size=shard_size, **options)
    found = plan.verify(num_workers=1)
    assert (found.documents, found.is_right) == (3, True)
    shard = next(i for i in reversed(range(len(plan))) if read(plan, i))
    documents = read(plan, shard)
    message = change_id(documents, -1)
    write(plan, shard, documents)
    for sample in (None, 3, 2):
        problems = plan.verify(sample, num_workers=1).problems
        assert problems == (shards.Problem(shard, len(documents) - 1, f"{str(tmp_path / name)!r}{place}", message),)


def test_whole_files_and_empty_ones(tmp_path: Path) -> None:
    for i in range(5):
        (tmp_path / f"{i}.txt").write_text("hello\nworld" * i)
    plan = made(tmp_path, separator=None, shard_size=30, out=tmp_path / "out")
    assert plan.verify(num_workers=1).documents == plan.verify(3, num_workers=1).documents + 2 == 5
    write(plan, 0, [[5]])
    assert repr(str(tmp_path / "1.txt")) in {one.place for one in plan.verify(num_workers=1).problems}
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "a.txt").write_text("")
    found = made(tmp_path / "none" / "a.txt", out=tmp_path / "out2").verify(num_workers=1)
    assert (found.is_right, found.documents, found.special["</s>"]) == (True, 0, 0)


def test_rows_with_several_texts(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    texts = distinct_texts(1, 40)
    table = pa.table({"a": texts, "b": pa.array([[text] * 2 for text in texts])})
    parquet.write_table(table, tmp_path / "a.parquet", 10)
    plan = made(tmp_path / "a.parquet", column=["a", "b[]"], shard_size=1500)
    assert plan.verify(num_workers=1).documents == 120
    assert plan.verify(11, num_workers=1).is_right


def test_shards_that_are_missing(corpus: Path) -> None:
    plan = made(corpus)
    (Path(plan.out) / "00001.json").unlink()
    found = plan.verify(num_workers=1)
    assert [str(one) for one in found.problems] == ["shard 1: it is missing, or belongs to another plan: run task 1"]
    assert plan.verify(5, num_workers=1).problems == found.problems


@pytest.mark.slow
def test_processes(corpus: Path) -> None:
    plan = made(corpus)
    write(plan, 2, read(plan, 2)[1:])
    assert plan.verify(num_workers=2) == plan.verify(num_workers=1)
    assert plan.verify(50, num_workers=2) == plan.verify(50, num_workers=1)


def test_errors(corpus: Path) -> None:
    plan = made(corpus)
    for sample in (0, -1):
        with pytest.raises(OptionError, match=f"sample={sample}: must be at least 1 document, or None for all"):
            plan.verify(sample)
    with pytest.raises(TypeError, match="sample"):
        plan.verify("3")  # type: ignore[arg-type]
    (corpus / "a.txt").write_text("other")
    with pytest.raises(FileError, match=r"a\.txt' has changed since the plan was made"):
        plan.verify(num_workers=1)
    (corpus / "a.txt").unlink()
    with pytest.raises(MissingFileError, match=r"a\.txt"):
        plan.verify(num_workers=1)


def test_other_parquet_is_named(corpus: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    plan = made(corpus, format="parquet")
    path = files_of(plan, 0)[0]
    lists = pa.list_(pa.int32())
    for table, message in (
        (pa.table({"ids": [[1]]}), "the column 'input_ids' holds nothing, not lists of int32"),
        (pa.table({"input_ids": [1]}), "the column 'input_ids' holds int64, not lists of int32"),
        (pa.table({"input_ids": pa.array([[1], None], lists)}), "row group 0: it has nulls, not ids"),
        (pa.table({"input_ids": pa.array([[1, None]], lists)}), "row group 0: it has nulls, not ids"),
    ):
        parquet.write_table(table, path)
        refresh(plan, 0)
        found = plan.verify(num_workers=1)
        assert message in str(found.problems[0])
        assert message in str(plan.verify(300, num_workers=1))


def test_damaged_parquet_is_named(corpus: Path) -> None:
    """Names that are no UTF-8, and row groups whose documents are not as many as the metadata says."""
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    plan = made(corpus, format="parquet")
    path = files_of(plan, 0)[0]
    parquet.write_table(pa.table({"input_ids": pa.array([[1, 2]] * 3000, pa.list_(pa.int32()))}), path)
    sound, n_rows = path.read_bytes(), b"\xf0\x2e"  # 3000 as a number of Thrift
    at = sound.rindex(b"schema", 0, sound.rindex(b"ARROW:schema"))  # the metadata begins
    for data, message in (
        (sound.replace(b"input_ids", b"\xffnput_ids"), "its format is not Parquet with ids"),
        (sound[:at] + sound[at:].replace(n_rows, b"\xf2\x2e"), "it has 3,000 documents, and its metadata has 3,001"),
        (sound[:at] + sound[at:].replace(n_rows, b"\x81\x00"), "a row group has -1 rows"),
        (sound[:-30], "it is damaged, or its format is not Parquet with ids"),
        (b"", "it is damaged, or its format is not Parquet with ids"),
    ):
        path.write_bytes(data)
        refresh(plan, 0)
        for sample in (None, 300):
            found = plan.verify(sample, num_workers=1)
            assert any(message in str(problem) for problem in found.problems), (message, str(found))


# -- explanations ---------------------------------------------------------------------------------------------------


def words(text: str) -> list[bytes]:
    return [word.encode() for word in text.split()]


@pytest.mark.parametrize(
    ("expected", "found", "wanted"),
    [
        ("a b c d", "x b c d", (DIFFERENT, 1)),
        ("a b c d", "b c d", (MISSING, 1)),
        ("a b c d", "c d", (MISSING, 2)),
        ("a b c", "x y a b c", (EXTRA, 2)),
        ("a b c d", "b a c d", (SWAPPED, 1)),
        ("a b c d", "d b c a", (SWAPPED, 3)),
        ("ab cd e", "a bcd e", (MOVED, 1)),
        ("ab cd e", "abcd e", (JOINED, 1)),
        ("abcd e", "ab cd e", (CUT, 1)),
        ("a", "", (MISSING, 1)),
        ("", "a", (EXTRA, 1)),
        ("a b", "b", (MISSING, 1)),
        ("a the the the the", "the the the the", (MISSING, 1)),
        ("a b c " * 20, "x b c " + "a b c " * 19, (DIFFERENT, 1)),
        ("a " * 60, "x " + "a " * 60, (DIFFERENT, 1)),
        ("a b c d " * 15, "c b a d " + "a b c d " * 14, (SWAPPED, 2)),
        ("b the a the the", "the the a the the", (DIFFERENT, 1)),
    ],
)
def test_explanations(expected: str, found: str, wanted: tuple[int, int]) -> None:
    assert explanation(words(expected), words(found)) == wanted


def test_random_changes_are_counted_well(tmp_path: Path) -> None:
    """As many problems as changes where documents are distinct; never none; equal documents never count as wrong."""
    (tmp_path / "a.txt").write_text("\n".join(distinct_texts(5, 700)), encoding="utf-8")
    plan = made(tmp_path / "a.txt", format="bin", shard_size="1MB")
    right = read(plan, 0)
    draw = random.Random(9)
    for _ in range(10):
        documents = [list(ids) for ids in right]
        places = sorted(draw.sample(range(5, len(right) - 20, 20), draw.randrange(1, 9)), reverse=True)
        for i in places:
            draw.choice(FAULTS)(documents, i)
        write(plan, 0, documents)
        assert plan.verify(num_workers=1).wrong == len(places)


@pytest.mark.slow
def test_a_large_shard(tmp_path: Path) -> None:
    """Blocks of several megabytes, and errors at their ends."""
    texts = distinct_texts(6, 90_000)
    (tmp_path / "a.txt").write_text("\n".join(texts), encoding="utf-8")
    plan = made(tmp_path / "a.txt", shard_size="1GB")
    assert plan.verify(num_workers=2).is_right
    right = read(plan, 0)
    documents = [list(ids) for ids in right]
    for i in range(89_000, 0, -1000):
        lose(documents, i)
    write(plan, 0, documents)
    found = plan.verify(num_workers=1)
    assert found.wrong == 89
    assert [one.document for one in found.problems] == list(range(1000, 21_000, 1000))
    assert found.documents == 90_000 - 89
    assert AHEAD < 1000
