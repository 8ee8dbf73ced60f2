"""Damaged Parquet and Arrow files: an error that names the place, or the damaged part alone is left out."""

import base64
import contextlib
import random
import struct

import pytest

import spm_lite
from spm_lite import CountTable
from spm_lite.engines.shards.slices import parquet_slices
from spm_lite.errors import ArgumentTypeError, FileError, OptionError, SpmLiteError
from spm_lite.files import column_files, compressed
from spm_lite.files.column_files import ColumnFile, is_damaged_size, lengths_of
from spm_lite.files.compressed import Messages, sizes_of_batches
from spm_lite.files.documents import CorpusFigures, Source, all_texts
from spm_lite.files.read_options import BadRecords, as_reading
from spm_lite.files.remote import as_file

pyarrow = pytest.importorskip("pyarrow")
ipc, parquet = pytest.importorskip("pyarrow.ipc"), pytest.importorskip("pyarrow.parquet")

ROWS = [f"the cat {i} sat" for i in range(30)]
PER_PART = 10
FORMS = {
    "strings": (lambda texts: texts, "text"),
    "large": (lambda texts: texts.cast(pyarrow.large_string()), "text"),
    "dictionary": (lambda texts: texts.dictionary_encode(), "text"),
    "lists": (lambda texts: pyarrow.ListArray.from_arrays(range(len(texts) + 1), texts), "text[]"),
    "fields": (lambda texts: pyarrow.StructArray.from_arrays([texts], ["a"]), "text.a"),
}


def arrow_data(table, open_new=ipc.new_file, rows=PER_PART):
    sink = pyarrow.BufferOutputStream()
    with open_new(sink, table.schema) as writer:
        writer.write_table(table, rows)
    return sink.getvalue().to_pybytes()


def parquet_data(table):
    sink = pyarrow.BufferOutputStream()
    parquet.write_table(table, sink, row_group_size=PER_PART, compression="none", use_dictionary=False)
    return sink.getvalue().to_pybytes()


def table_of(form, rows=ROWS):
    return pyarrow.table({"text": FORMS[form][0](pyarrow.array(rows))})


def read(path, **options):
    """The texts of a file, and the notes on it."""
    figures = CorpusFigures()
    texts = all_texts(Source((as_file(str(path)),), None, as_reading(options)), figures)
    return [text.decode("utf-8", "replace") for text in texts], figures.notes


@pytest.mark.parametrize("last", [2**30, 1, -1, 200], ids=["far", "falling", "negative", "near"])
@pytest.mark.parametrize("open_new", [ipc.new_file, ipc.new_stream])
@pytest.mark.parametrize("form", ["strings", "lists", "fields"])
def test_wrong_offsets_lose_one_batch(form, open_new, last, tmp_path):
    """The second batch has an offset that leads elsewhere; the others are read."""
    column, path = FORMS[form][1], tmp_path / "x.arrow"
    data = bytearray(arrow_data(table_of(form, [*ROWS[:PER_PART], "ab", "cde", *ROWS[20:]]), open_new))
    place = data.find(struct.pack("<3i", 0, 2, 5))
    assert place > 0
    data[place + 8 : place + 12] = struct.pack("<i", last)
    path.write_bytes(data)
    where = rf"x.arrow', record batch 1, after row 10, column '{column[:4]}.*': it is damaged"
    with pytest.raises(FileError, match=where):
        CountTable.count(path, column=column)
    texts, notes = read(path, column=column, on_error="skip")
    assert texts[:PER_PART] == ROWS[:PER_PART]
    assert notes.bad.n == 1
    assert "record batch 1" in notes.formats[-1]


def test_a_damaged_row_group_is_left_out(tmp_path):
    path, table = tmp_path / "x.parquet", table_of("strings")
    data = bytearray(parquet_data(table))
    place = data.find(b"the cat 10 sat")
    data[place - 4 : place] = b"\xff\xff\xff\x7f"  # the length of a text
    path.write_bytes(data)
    with pytest.raises(FileError, match=r"x.parquet', row group 1, after row 10, column 'text': it is damaged.*skip"):
        CountTable.count(path)
    texts, notes = read(path, on_error="skip")
    assert texts == ROWS[:10] + ROWS[20:]
    assert notes.bad.n == PER_PART
    assert notes.formats[-1].startswith("10 records left out")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", ["file", "stream", "parquet"])
def test_changed_bytes(form, kind, tmp_path):
    """Each ends in an error of ours or in texts that stand in the file."""
    table, column = table_of(form), FORMS[form][1]
    data = parquet_data(table) if kind == "parquet" else arrow_data(table, getattr(ipc, f"new_{kind}"))
    path, rng = tmp_path / ("x.parquet" if kind == "parquet" else "x.arrow"), random.Random(f"{form} {kind}")
    for trial in range(60):
        changed = bytearray(data)
        place = rng.randrange(len(changed))
        new = rng.choice((b"\xff\xff\xff\x7f", b"\0\0\0\x80", b"\0\0\0\0", bytes([rng.randrange(256)]), b""))
        changed[place : place + max(len(new), 1)] = new
        path.write_bytes(changed)
        try:
            texts, _ = read(path, column=column, on_error="skip" if trial % 2 else "raise")
        except SpmLiteError:
            continue
        assert all(text.encode() in changed for text in texts if "\ufffd" not in text)


@pytest.mark.parametrize("form", ["strings", "large", "lists", "fields"])
def test_ill_formed_text_is_no_damage(form, tmp_path):
    """As in plain text: it is read, and replaced where text is normalized."""
    path = tmp_path / "x.arrow"
    path.write_bytes(arrow_data(table_of(form)).replace(b"cat 7", b"cat\xff7"))
    texts, _ = read(path, column=FORMS[form][1])
    assert texts == [row.replace("cat 7", "cat\ufffd7") for row in ROWS]


@pytest.mark.parametrize("kind", [pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()])
@pytest.mark.parametrize("form", ["dictionary", "lists", "fields"])
def test_nor_is_it_in_a_dictionary(form, kind, tmp_path):
    path = tmp_path / "x.arrow"
    column = pyarrow.DictionaryArray.from_arrays(
        pyarrow.array([0, 1, 0], pyarrow.int8()), pyarrow.array(["a?", "b"], kind)
    )
    column = column if form == "dictionary" else FORMS[form][0](column)
    data = arrow_data(pyarrow.table({"text": column}))
    assert data.count(b"a?") == 1
    path.write_bytes(data.replace(b"a?", b"a\xff"))
    assert read(path, column=FORMS[form][1])[0] == ["a\ufffd", "b", "a\ufffd"]


def test_an_index_outside_of_a_dictionary(tmp_path):
    path, values = tmp_path / "x.arrow", pyarrow.array(["ab", "cd"])
    codes = pyarrow.array([0, 1, 0, 1, 1, 1, 0, 1], pyarrow.int8())
    data = arrow_data(pyarrow.table({"text": pyarrow.DictionaryArray.from_arrays(codes, values)}))
    place = data.find(bytes(codes.to_pylist()))
    for wrong in (2, 100, 255):
        path.write_bytes(data[:place] + bytes([wrong]) + data[place + 1 :])
        with pytest.raises(FileError, match=r"record batch 0, .*it is damaged"):
            CountTable.count(path)


def test_texts_below_nulls_are_left_out(tmp_path):
    """What stands in a list that is null is no text, and the texts after it keep their rows."""
    path, lost = tmp_path / "x.arrow", pyarrow.array([False, True, False])
    items = pyarrow.array(["a", "b", "c", "d", "e", "f"])
    lists = pyarrow.ListArray.from_arrays([0, 2, 4, 6], items)
    for column, name in (
        (pyarrow.ListArray.from_arrays([0, 2, 4, 6], items, mask=lost), "text[]"),
        (pyarrow.FixedSizeListArray.from_arrays(items, 2, mask=lost), "text[]"),
        (pyarrow.StructArray.from_arrays([lists], ["a"], mask=lost), "text.a[]"),
    ):
        path.write_bytes(arrow_data(pyarrow.table({"text": column, "id": ["1", "2", "3"]})))
        assert read(path, column=name, on_error="skip")[0] == ["a", "b", "e", "f"]
        assert read(path, column=[name, "id"], on_error="skip")[0] == ["a", "b", "1", "2", "e", "f", "3"]
        with pytest.raises(FileError, match=r"row 2: 'text.*' is null"):
            read(path, column=name)


def test_columns_of_other_types(tmp_path):
    """The type is looked at before the values: of some types pyarrow has no arrays."""
    path = tmp_path / "x.arrow"
    data = arrow_data(pyarrow.table({"text": pyarrow.array([(1, 2, 3)], pyarrow.month_day_nano_interval())}))
    kinds = set()
    for place in [i for i, byte in enumerate(data) if byte == 2]:
        path.write_bytes(data[:place] + b"\0" + data[place + 1 :])
        for on_error in ("raise", "skip"):
            try:
                read(path, on_error=on_error)
            except OptionError as error:
                kinds.add(str(error).partition("holds ")[2].partition(",")[0])
            except FileError:
                pass
    assert kinds >= {"month_interval", "month_day_nano_interval"}


@pytest.mark.parametrize("plaintext_footer", [False, True])
def test_an_encrypted_file(plaintext_footer, tmp_path):
    """Whether all of it is encrypted, or the column alone."""
    encryption = pytest.importorskip("pyarrow.parquet.encryption")

    class Keys(encryption.KmsClient):
        def wrap_key(self, key_bytes, master_key_identifier):
            return base64.b64encode(key_bytes)

    options = encryption.EncryptionConfiguration(
        footer_key="a", column_keys={"b": ["text"]}, plaintext_footer=plaintext_footer
    )
    factory = encryption.CryptoFactory(lambda _: Keys())
    properties = factory.file_encryption_properties(encryption.KmsConnectionConfig(), options)
    path, table = tmp_path / "x.parquet", pyarrow.table({"text": ["a"], "id": ["1"]})
    with parquet.ParquetWriter(path, table.schema, encryption_properties=properties) as writer:
        writer.write_table(table)
    with pytest.raises(FileError, match=r"x\.parquet'.*: it is encrypted \(.*\): write it without encryption"):
        read(path)
    assert read(path, on_error="skip")[0] == []
    if plaintext_footer:
        assert read(path, column="id")[0] == ["1"]
    else:
        with pytest.raises(FileError, match="is encrypted Parquet data"):
            read(path.rename(tmp_path / "x.txt"), column="text")


def test_a_damaged_file_is_no_stream(tmp_path):
    """The reason is that of a file: a stream of Arrow begins otherwise."""
    path = tmp_path / "x.arrow"
    data = arrow_data(pyarrow.table({"text": ["a"]}))
    for damaged in (data[:-1], data[:-10] + b"\xff\xff\xff\x7f" + data[-6:], data[:8]):
        path.write_bytes(damaged)
        with pytest.raises(FileError, match="its format is not arrow") as found:
            read(path)
        assert "metadata bytes" not in str(found.value)


def test_a_column_in_place_of_a_table():
    for column in (pyarrow.array(["a"]), pyarrow.chunked_array([["a"]]), pyarrow.array([1])):
        with pytest.raises(ArgumentTypeError, match="the input is no table with the column 'text, title'"):
            CountTable.count(column, column=["text", "title"])


def test_little_memory_is_no_damage(tmp_path):
    path = tmp_path / "x.parquet"
    path.write_bytes(bytes(1000))
    file = ColumnFile(as_file(str(path)), "parquet", as_reading({}), BadRecords("skip"))
    for reason, kind in (("malloc of size 64000000 failed", MemoryError), ("out of memory", MemoryError)):
        with pytest.raises(kind, match=r"row group 3, .*too little memory"), file.part("row group 3"):
            raise pyarrow.ArrowMemoryError(reason)
    with file.part("row group 4"):  # left out: no file of 1,000 bytes needs that
        raise pyarrow.ArrowMemoryError(f"malloc of size {1 << 50} failed")
    assert is_damaged_size(f"realloc of size {1 << 50} failed", as_file(str(path)))
    assert is_damaged_size("capacity too large", as_file(str(path)))


def test_other_readers(tmp_path):
    """Every call that takes a file gives the same error."""
    path, tok = tmp_path / "x.parquet", spm_lite.byte_tokenizer()
    path.write_bytes(parquet_data(table_of("strings"))[:-30] + b"PAR1")
    for call in (
        lambda: tok.encode_files(path, tmp_path / "x.npy"),
        lambda: spm_lite.train(path, vocab_size=300),
        lambda: spm_lite.evaluate(tok, path),
    ):
        with pytest.raises(FileError, match=r"x.parquet', after row 0: it is damaged"):
            call()


def test_a_planner_of_shards_survives_each_footer(tmp_path):
    """pyarrow ends the process for sizes of statistics that do not fit, when it is asked for the column of a group."""
    data = parquet_data(pyarrow.table({"text": ROWS}))
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    path, ends = tmp_path / "x.parquet", set()
    for place in range(footer, len(data) - 8):
        path.write_bytes(data[:place] + bytes([data[place] ^ 1 << place % 3]) + data[place + 1 :])
        try:
            found = parquet_slices(0, as_file(path), as_reading({}), 1)
            assert all(part.size >= 0 for part in found)
            ends.add("read")
        except SpmLiteError as error:
            assert "x.parquet" in str(error)
            ends.add("error")
    assert ends == {"read", "error"}


@pytest.mark.parametrize("form", ["dictionary", "views", "lists"])
def test_texts_that_unpack_to_too_much(form, tmp_path, monkeypatch):
    """A text of a dictionary counts as often as it occurs, before it is copied as often."""
    monkeypatch.setattr(compressed, "LEAST_BOMB", 1 << 20)
    texts = pyarrow.array(["a" * (1 << 16)], pyarrow.string_view() if form == "views" else pyarrow.string())
    column = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * (1 << 11), pyarrow.int8()), texts)
    options = {}
    if form == "lists":
        column, options = pyarrow.ListArray.from_arrays([0, 1 << 11], column), {"column": "text[]"}
    path = tmp_path / "x.arrow"
    path.write_bytes(arrow_data(pyarrow.table({"text": column}), rows=1 << 11))
    with pytest.raises(
        FileError, match=r"x\.arrow' is arrow data .* unpack to more than .* if you trust it, .* pass max_unpacked="
    ):
        CountTable.count(path, **options)
    assert CountTable.count(path, on_error="skip", **options).total == 0
    assert CountTable.count(path, max_unpacked="1GB", **options).total == 1 << 11


def test_views_that_all_lead_to_one_text(tmp_path, monkeypatch):
    """In a column, and in a dictionary of which little is used."""
    monkeypatch.setattr(compressed, "LEAST_BOMB", 1 << 20)
    view = struct.pack("<i4sii", 1 << 16, b"aaaa", 0, 0)
    buffers = [None, pyarrow.py_buffer(view * (1 << 11)), pyarrow.py_buffer(b"a" * (1 << 16))]
    views = pyarrow.Array.from_buffers(pyarrow.string_view(), 1 << 11, buffers)
    used = pyarrow.DictionaryArray.from_arrays(pyarrow.array([7, None, 7], pyarrow.int16()), views)
    path = tmp_path / "x.arrow"
    for column in (views, used):
        path.write_bytes(arrow_data(pyarrow.table({"text": column}), rows=1 << 11))
        with pytest.raises(FileError, match="unpack to more than"):
            CountTable.count(path, on_error="raise")
    assert CountTable.count(path, on_error="skip", max_unpacked="1GB").total == 2


def test_the_most_that_the_caller_allows(tmp_path):
    """What comes before is read; the rest of the file is not looked at."""
    path = tmp_path / "x.arrow"
    for data, name in ((arrow_data(table_of("strings")), "x.arrow"), (parquet_data(table_of("strings")), "x.parquet")):
        path = tmp_path / name
        path.write_bytes(data)
        size = sum(map(len, ROWS))
        assert read(path, max_unpacked=size)[0] == ROWS
        with pytest.raises(FileError, match=f"unpack to more than {size - 1}, and max_unpacked={size - 1} is the most"):
            read(path, max_unpacked=size - 1)
        texts, notes = read(path, max_unpacked=size - 1, on_error="skip")
        assert texts == ROWS[: 2 * PER_PART]
        assert notes.formats[-1].startswith("1 record left out")


def test_sizes_of_texts():
    for kind in ("string", "large_string", "string_view"):
        texts = pyarrow.array(["ab", None, "", "a text of more than twelve bytes", "é"]).cast(kind)
        for array, expected in ((texts, [2, None, 0, 32, 2]), (texts[1:4], [None, 0, 32]), (texts[:0], [])):
            assert lengths_of(array).to_pylist() == expected
    texts = pyarrow.DictionaryArray.from_arrays(pyarrow.array([1, None, 0, 1], pyarrow.int8()), ["a", "bcd"])
    assert lengths_of(texts).to_pylist() == [3, None, 1, 3]
    assert lengths_of(pyarrow.nulls(2)).to_pylist() == [None, None]


def test_a_damaged_table_of_counts(tmp_path):
    """Each changed byte gives a table, or an error that names the file."""
    path = tmp_path / "counts.parquet"
    CountTable.count(ROWS).save_parquet(path)
    data, draw, ends = path.read_bytes(), random.Random(1), set()
    for _ in range(300):
        place = draw.randrange(len(data))
        path.write_bytes(data[:place] + bytes([data[place] ^ 1 << draw.randrange(8)]) + data[place + 1 :])
        try:
            CountTable.load_parquet(path)
            ends.add("read")
        except SpmLiteError as error:
            assert "counts.parquet" in str(error), str(error)
            ends.add("error")
    assert ends == {"read", "error"}


LINES = [f"the cat {i % 7} sat on the mat" for i in range(6000)]


def messages(batches, open_new, compression):
    sink = pyarrow.BufferOutputStream()
    with open_new(sink, batches[0].schema, options=ipc.IpcWriteOptions(compression=compression)) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return sink.getvalue().to_pybytes()


def sizes_of(data, n_batches):
    """The size of each batch. Batches of a stream are read in between, as `ColumnFile` does."""
    source = pyarrow.BufferReader(data)
    opened = ipc.open_stream(source) if n_batches is None else ipc.open_file(source)
    size_of, found = sizes_of_batches(source, n_batches), []
    for i in range(3):
        found.append(size_of(i))
        assert opened.read_next_batch() if n_batches is None else opened.get_batch(i)
    return found


@pytest.mark.parametrize("open_new", [ipc.new_file, ipc.new_stream])
@pytest.mark.parametrize("compression", [None, "zstd", "lz4"])
def test_sizes_are_those_of_the_buffers(open_new, compression):
    texts = pyarrow.array(LINES)
    words = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * 6000, pyarrow.int8()), ["a" * 5000])
    n_batches = 3 if open_new is ipc.new_file else None
    for columns, first in (({"text": texts}, 0), ({"text": texts, "words": words}, 5008)):
        batches = pyarrow.table(columns).to_batches(2000)
        found = sizes_of(messages(batches, open_new, compression), n_batches)
        # Buffers of no bytes, and those that grow by it, are stored as they are.
        expected = [batch.nbytes if compression else 0 for batch in batches]
        expected = [size - 5008 * (first > 0) if compression else 0 for size in expected]
        expected[0] += first if compression else 0
        assert [abs(a - b) < 100 for a, b in zip(found, expected, strict=True)] == [True] * 3, (found, expected)


@pytest.mark.parametrize("open_new", [ipc.new_file, ipc.new_stream])
@pytest.mark.parametrize("compression", ["zstd", "lz4"])
def test_much_text_in_few_bytes_is_not_unpacked(open_new, compression, tmp_path, monkeypatch):
    """A batch that unpacks to far more than is allowed ends the file, before pyarrow sees it."""
    monkeypatch.setattr(column_files, "TEXT_BYTES", 1 << 10)
    monkeypatch.setattr(compressed, "LEAST_BOMB", 1 << 20)
    small, large = (pyarrow.record_batch({"text": ["a" * size] * 4}) for size in (9, 1 << 20))
    path = tmp_path / "x.arrow"
    path.write_bytes(messages([small, large, small], open_new, compression))
    with pytest.raises(FileError, match=r"arrow data of which .* bytes unpack to more than"):
        read(path, max_unpacked=1000)
    texts, notes = read(path, max_unpacked=1000, on_error="skip")
    assert texts == ["a" * 9] * 4
    assert notes.formats[-1].startswith("1 record left out")
    assert len(read(path, max_unpacked=1 << 23)[0]) == 12


def test_a_large_dictionary_before_a_damaged_message():
    """It counts, since pyarrow unpacks it before it sees what is wrong."""
    words = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0], pyarrow.int8()), ["a" * 5000])
    data = messages([pyarrow.record_batch({"words": words})], ipc.new_stream, "zstd")
    source = pyarrow.BufferReader(data)
    ipc.open_stream(source)
    begin = source.tell()
    _, size, place = Messages(source).at(begin)
    ended = pyarrow.BufferReader(data[:place] + b"\xff\xff\xff\xff\0\0\0\0")
    ended.seek(begin)
    assert sizes_of_batches(ended, None)(0) == size > 5000


@pytest.mark.parametrize("open_new", [ipc.new_file, ipc.new_stream])
def test_values_that_take_no_bytes(open_new, tmp_path, monkeypatch):
    """A file of 400 bytes may say that it has 2 ** 40 of them."""
    path, n = tmp_path / "x.arrow", 1 << 40
    nulls = pyarrow.Array.from_buffers(pyarrow.null(), n, [None])
    texts = pyarrow.array([], pyarrow.string())
    none = pyarrow.Array.from_buffers(pyarrow.list_(pyarrow.string(), 0), n, [None], children=[texts])
    held = pyarrow.StructArray.from_arrays([nulls], ["a"])
    words = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0]), nulls)
    for column, name in ((nulls, "text"), (none, "text[]"), (held, "text.a"), (words, "text")):
        sink = pyarrow.BufferOutputStream()
        batch = pyarrow.RecordBatch.from_arrays([column], ["text"])
        with open_new(sink, batch.schema, options=ipc.IpcWriteOptions(allow_64bit=True)) as writer:
            writer.write_batch(batch)
        path.write_bytes(sink.getvalue().to_pybytes())
        with pytest.raises(FileError, match="hold more than 16,777,216 texts that are null or empty"):
            read(path, column=name)
        texts, notes = read(path, column=name, on_error="skip")
        assert texts == []
        assert notes.formats[-1].startswith("1 record left out")


def test_many_empty_texts_of_several_batches(tmp_path, monkeypatch):
    monkeypatch.setattr(column_files, "MOST_EMPTY", 1000)
    batches = [pyarrow.record_batch({"text": ["", "", "a"] * 200})] * 4
    path = tmp_path / "x.arrow"
    path.write_bytes(messages(batches, ipc.new_file, "zstd"))
    with pytest.raises(FileError, match="hold more than 1,000 texts that are null or empty"):
        read(path, max_unpacked=900)
    assert len(read(path)[0]) == 2400


@pytest.mark.parametrize("open_new", [ipc.new_file, ipc.new_stream])
def test_changed_messages(open_new, tmp_path):
    path, rng = tmp_path / "x.arrow", random.Random(1)
    data = messages([pyarrow.record_batch({"text": LINES[:20]})] * 3, open_new, "zstd")
    for _ in range(400):
        changed = bytearray(data)
        for _ in range(rng.randrange(1, 4)):
            place = rng.randrange(len(data) - 8)
            changed[place : place + 4] = rng.choice((b"\xff\xff\xff\x7f", b"\0\0\0\x80", b"\0\0\0\0", b"\xff" * 4))
        for n_batches in (3, None):
            size_of = sizes_of_batches(pyarrow.BufferReader(bytes(changed)), n_batches)
            assert all(size_of(i) >= 0 for i in range(3))
        path.write_bytes(changed)
        with contextlib.suppress(SpmLiteError):
            read(path)
