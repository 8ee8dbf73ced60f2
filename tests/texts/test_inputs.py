"""What may be passed as the texts of a batch: each kind gives the ids of the same texts as str."""

import ctypes
import mmap
import sys
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle.arrow_c import INT32, INT64, Producer, Schema, StreamProducer, packed, strings
from oracle.small_models import small_model

from spm_lite import ArgumentTypeError, CountTable, OptionError, TextError, Tokenizer, evaluate, train
from spm_lite.texts.arrow_texts import ArrowTexts
from spm_lite.texts.inputs import ColumnStream

TOK = Tokenizer.load(small_model(byte_fallback=True))
THREADS = pytest.mark.parametrize("num_threads", [1, 2, 7])
FORMS = [b"u", b"U", b"z", b"Z", b"vu", b"vz"]
TEXTS = ["hello world", "", "日本語 😀", "a\0b", "the pen is this and longer than twelve bytes", "\0", "é"]
SAMPLE = st.lists(st.text(st.sampled_from("hewo \0é日😀\u2581\ufdfa"), max_size=20), max_size=12)


def ids_of(texts):
    return [TOK.encode(text) for text in texts]


def encoded(texts, num_threads=2):
    if num_threads == 7:  # some texts can be read only once
        return TOK.encode_lists(texts, num_threads=num_threads)
    return TOK.encode_batch(texts, num_threads=num_threads).to_lists()


def many(n_bytes):
    """Texts of very different sizes."""
    texts, size = [], 0
    while size < n_bytes:
        texts.append(("hello world, the 日本 " * (len(texts) * 7919 % 100))[: len(texts) * 31 % 1500])
        size += len(texts[-1].encode())
    return texts


# -- numpy ------------------------------------------------------------------------------------------------------


@given(SAMPLE)
def test_arrays_of_str(texts):
    assert encoded(np.array(texts, dtype="U")) == ids_of(text.rstrip("\0") for text in texts)


@given(SAMPLE)
def test_arrays_of_bytes(texts):
    data = [text.encode() for text in texts]
    assert encoded(np.array(data, dtype="S")) == ids_of(text.rstrip(b"\0") for text in data)


def test_ill_formed_bytes_in_an_array():
    assert encoded(np.array([b"\xff\xe6a", b"h"])) == ids_of([b"\xff\xe6a", b"h"])


@THREADS
@pytest.mark.parametrize("dtype", ["U", "S", object])
def test_large_arrays(num_threads, dtype):
    texts = [text.encode() for text in many(1_500_000)]
    array = np.array(texts if dtype == "S" else [text.decode() for text in texts], dtype=dtype)
    assert encoded(array, num_threads) == encoded(texts, 1)


@pytest.mark.parametrize("make", [lambda a: a[::2], lambda a: a[::-1], lambda a: a.astype(">U9"), lambda a: a[3:3]])
def test_views_of_arrays(make):
    array = make(np.array(["hello", "", "日本", "w\U0001f600", "x"]))
    assert encoded(array) == ids_of(map(str, array))


def test_unaligned_array():
    array = np.frombuffer(b"x" + np.array(["hello", "日本"]).tobytes(), dtype=np.uint8)[1:].view("<U5")
    assert encoded(array) == ids_of(["hello", "日本"])


def test_field_of_a_record():
    array = np.array([(1, "hello", b"a"), (2, "world", b"")], dtype=[("n", "i1"), ("text", "U7"), ("data", "S3")])
    assert encoded(array["text"]) == ids_of(["hello", "world"])
    assert encoded(array["data"]) == ids_of([b"a", b""])


def test_arrays_of_objects():
    assert encoded(np.array(["hello", b"world\0"], dtype=object)) == ids_of(["hello", b"world\0"])
    if hasattr(getattr(np, "dtypes", None), "StringDType"):  # numpy 2
        assert encoded(np.array(["hello", "日本"], dtype=np.dtypes.StringDType())) == ids_of(["hello", "日本"])
    with pytest.raises(ArgumentTypeError, match="text 1 of the batch is int"):
        encoded(np.array(["a", 5], dtype=object))
    with pytest.raises(ArgumentTypeError, match="text 1 of the batch is NoneType"):
        encoded(np.ma.array(["a", "b"], mask=[False, True]))
    with pytest.raises(ArgumentTypeError, match="text 0 of the batch is float"):
        encoded(np.array([1.5]))


@pytest.mark.parametrize("array", [np.array("a"), np.array([["a"], ["b"]]), np.array([[b"a"]])])
def test_arrays_that_are_not_flat(array):
    with pytest.raises(OptionError, match=f"of {array.ndim} dimensions: must have one, such as after ravel()"):
        encoded(array)


@pytest.mark.parametrize("begin", [0, 5000])
def test_lone_surrogates_in_an_array(begin):
    texts = np.array(["日" * 900] * begin + ["hello", "ab\ud800c"])
    with pytest.raises(TextError, match=rf"text {begin + 1} of the batch holds .* U\+D800 at character 2"):
        encoded(texts)


def test_no_code_points_in_an_array():
    array = np.array([[0x68, 0x110000], [0xFFFFFFFF, 0]], dtype=np.uint32).view("U2").ravel()
    with pytest.raises(TextError, match="text 0 of the batch holds 0x110000 at character 1"):
        encoded(array)


@pytest.mark.skipif(sys.platform != "linux", reason="mprotect as Linux has it")
@pytest.mark.parametrize(
    "text", [b"hello world " * 9, "日本語".encode() * 5, b"\xe6\x97", b"\xf0\x9f\x98", b"  a  ", b"h"]
)
def test_nothing_is_read_behind_the_last_byte(text):
    """The page after the text may not be read."""
    libc = ctypes.CDLL(None, use_errno=True)
    pages = mmap.mmap(-1, 2 * mmap.PAGESIZE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    assert libc.mprotect(ctypes.c_void_p(start + mmap.PAGESIZE), mmap.PAGESIZE, 0) == 0
    try:
        for size in range(1, len(text) + 1):
            pages[mmap.PAGESIZE - size : mmap.PAGESIZE] = text[:size]
            array = np.frombuffer(pages, dtype=f"S{size}", count=1, offset=mmap.PAGESIZE - size)
            for model_type in ("unigram", "bpe", "char", "word"):
                tok = Tokenizer.load(small_model(model_type))
                assert tok.encode_batch(array).to_lists() == [tok.encode(text[:size].rstrip(b"\0"))]
    finally:
        libc.mprotect(ctypes.c_void_p(start + mmap.PAGESIZE), mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_WRITE)


# -- Arrow, by hand ---------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@given(texts=SAMPLE, offset=st.integers(0, 5))
def test_columns(form, texts, offset):
    data = [text.encode() for text in texts]
    column = strings(form, data, offset)
    assert encoded(column) == ids_of(data)
    assert column.released.count("array") == 1


@THREADS
@pytest.mark.parametrize("form", FORMS)
def test_large_columns(form, num_threads):
    texts = [text.encode() for text in many(1_500_000)]
    assert encoded(strings(form, texts, 3), num_threads) == encoded(texts, 1)


@THREADS
def test_streams(num_threads):
    texts = [text.encode() for text in many(600_000)]
    bounds = [0, 0, 10, 11, 11, len(texts) - 1, len(texts), len(texts)]
    columns = [strings(b"u", texts[a:b], a % 3) for a, b in pairwise(bounds)]
    assert encoded(StreamProducer(columns), num_threads) == encoded(texts, 1)
    assert [column.released.count("array") for column in columns] == [1] * len(columns)
    assert columns[0].released.count("schema") == 1


def test_empty_columns():
    assert encoded(Producer(b"u", [None, None, None], 0)) == []
    assert encoded(Producer(b"U", [None, packed(INT64, [0]), None], 0)) == []
    assert encoded(Producer(b"vu", [None, None, None], 0)) == []
    assert encoded(Producer(b"n", [], 0)) == []
    assert encoded(StreamProducer([strings(b"u", [])])) == []
    assert encoded(Producer(b"u", [None, packed(INT32, [0, 0, 0]), None], 2)) == [[], []]


@pytest.mark.parametrize("null_count", [-1, 1, 2])
@pytest.mark.parametrize("place", [0, 6, 7, 8, 40, 63])
@pytest.mark.parametrize("offset", [0, 3, 8])
def test_nulls(null_count, place, offset):
    bits = bytearray(b"\xff" * 16)
    bits[(place + offset) // 8] ^= 1 << (place + offset) % 8
    column = strings(b"u", [b"a"] * 64, offset)
    column._keep[0] = ctypes.create_string_buffer(bytes(bits))
    column._pointers[0] = ctypes.addressof(column._keep[0])
    column.array.null_count = null_count
    with pytest.raises(TextError, match=rf"text {place} of the batch is null: fill it"):
        encoded(column)
    assert column.released == ["array"]


def test_validity_bits_without_nulls():
    column = strings(b"u", [b"a"] * 21, 2)
    column._keep[0] = ctypes.create_string_buffer(b"\xfc\xff\x7f")  # what lies outside the column does not count
    column._pointers[0] = ctypes.addressof(column._keep[0])
    column.array.null_count = -1
    assert encoded(column) == ids_of(["a"] * 21)


def test_null_in_a_later_chunk():
    columns = [strings(b"u", [b"a"] * 5), Producer(b"u", [packed(INT32, [2]), packed(INT32, [0] * 4), None], 3)]
    columns[1].array.null_count = -1
    with pytest.raises(TextError, match="text 5 of the batch is null"):
        encoded(StreamProducer(columns))
    assert [column.released.count("array") for column in columns] == [1, 1]


def test_column_of_nulls():
    with pytest.raises(TextError, match="text 0 of the batch is null"):
        encoded(Producer(b"n", [], 2))


DATA = ctypes.create_string_buffer(b"0123456789" * 3)


def view(size, buffer, offset):
    """A text of 16 bytes in the layout of views."""
    return ctypes.create_string_buffer(
        b"".join(n.to_bytes(4, "little", signed=True) for n in (size, 0, buffer, offset))
    )


@pytest.mark.parametrize(
    ("make_column", "message"),
    [
        (partial(Producer, b"u", [None, packed(INT32, [3, 1]), DATA], 1), "text 0 of the batch lies outside"),
        (partial(Producer, b"u", [None, packed(INT32, [-3, 1]), DATA], 1), "text 0 of the batch lies outside"),
        (partial(Producer, b"u", [None, packed(INT32, [0, 2, 1]), DATA], 2), "text 1 of the batch lies outside"),
        (partial(Producer, b"U", [None, packed(INT64, [0, -1]), DATA], 1), "text 0 of the batch lies outside"),
        (
            partial(Producer, b"U", [None, packed(INT64, [-(2**63), 2**63 - 1]), DATA], 1),
            "text 0 of the batch lies outside",
        ),
        (partial(Producer, b"U", [None, packed(INT64, [0, 2**31]), DATA], 1), "text 0 .* has 2147483648 bytes"),
        (partial(Producer, b"u", [None, packed(INT32, [0, 1]), None], 1), "text 0 of the batch lies outside"),
        (partial(Producer, b"u", [None, None, DATA], 1), "1 texts without a place"),
        (partial(Producer, b"u", [None, packed(INT32, [0, 1])], 1), "2 buffers where 3 are due"),
        (partial(Producer, b"u", [None, packed(INT32, [0, 1]), DATA, DATA], 1), "4 buffers where 3 are due"),
        (partial(Producer, b"u", [None, None, DATA], 0, array_buffers=None), "it has no buffers"),
        (partial(Producer, b"u", [None, packed(INT32, [0, 1]), DATA], -1), "length -1"),
        (partial(Producer, b"u", [None, packed(INT32, [0, 1]), DATA], 1, array_offset=-1), "offset -1"),
        (partial(Producer, b"u", [None, packed(INT32, [0, 1]), DATA], 1, array_null_count=-2), "null_count -2"),
        (partial(Producer, b"u", [None, packed(INT32, [0, 1]), DATA], 1, array_null_count=1), "nothing says which"),
        (partial(Producer, b"u", [None, packed(INT32, [0, 1]), DATA], 1, array_offset=2**63 - 1), "is too long"),
        (partial(Producer, b"u", [None, packed(INT32, [0, 1]), DATA], 2**63 - 1), "is too long"),
        (
            partial(Producer, b"u", [None, packed(INT32, [0, 1]), DATA], 1, array_n_children=1),
            "children or a dictionary",
        ),
        (
            partial(Producer, b"vu", [None, view(-1, 0, 0), DATA, packed(INT64, [30])], 1),
            "text 0 of the batch lies outside",
        ),
        (
            partial(Producer, b"vu", [None, view(20, 1, 0), DATA, packed(INT64, [30])], 1),
            "text 0 of the batch lies outside",
        ),
        (
            partial(Producer, b"vu", [None, view(20, -1, 0), DATA, packed(INT64, [30])], 1),
            "text 0 of the batch lies outside",
        ),
        (
            partial(Producer, b"vu", [None, view(20, 0, -1), DATA, packed(INT64, [30])], 1),
            "text 0 of the batch lies outside",
        ),
        (
            partial(Producer, b"vu", [None, view(20, 0, 11), DATA, packed(INT64, [30])], 1),
            "text 0 of the batch lies outside",
        ),
        (partial(Producer, b"vu", [None, view(20, 0, 0), DATA, None], 1), "text 0 of the batch lies outside"),
        (
            partial(Producer, b"vu", [None, view(20, 0, 0), None, packed(INT64, [30])], 1),
            "text 0 of the batch lies outside",
        ),
        (partial(Producer, b"vu", [None, view(20, 0, 0), packed(INT64, [])], 1), "text 0 of the batch lies outside"),
        (partial(Producer, b"vu", [None, view(20, 0, 0)], 1), "2 buffers where 3 are due"),
        (partial(Producer, None, [None, packed(INT32, [0, 1]), DATA], 1), "schema is released or has no format"),
    ],
)
def test_hostile_columns(make_column, message):
    column = make_column()  # which can be used once
    with pytest.raises(TextError, match=message):
        encoded(column)
    assert column.released.count("array") <= 1


def test_views_end_where_their_buffer_ends():
    assert encoded(Producer(b"vu", [None, view(20, 0, 10), DATA, packed(INT64, [30])], 1)) == ids_of(["0123456789" * 2])


@pytest.mark.parametrize(
    ("form", "message"),
    [
        (b"i", "format 'i', not of strings"),
        (b"+L", "format '\\+L', not of strings"),
        (b"+s", "is an Arrow table: pass one of its columns"),
        (b"w:42", "format 'w:42'"),
        (b"u" * 1000, "cast it"),
        (b"\xff", "cast it"),
    ],
)
def test_columns_of_something_else(form, message):
    with pytest.raises(ArgumentTypeError, match=message):
        encoded(Producer(form, [None, packed(INT32, [0, 1]), DATA], 1))


def test_dictionaries_are_refused():
    values = Schema(format=b"u")
    column = Producer(b"u", [None, packed(INT32, [0, 1]), DATA], 1, schema_dictionary=ctypes.pointer(values))
    with pytest.raises(ArgumentTypeError, match="dictionary-encoded"):
        encoded(column)


def test_what_was_released_is_refused():
    column = strings(b"u", [b"a"])
    assert encoded(column) == ids_of(["a"])
    with pytest.raises(TextError, match="was released before"):
        encoded(column)
    stream = StreamProducer([strings(b"u", [b"a"])])
    stream.stream.release = type(stream.stream.release)()
    with pytest.raises(TextError, match="stream that was released before"):
        encoded(stream)


@pytest.mark.parametrize("fails_at", [0, 1, 2, 3])
@pytest.mark.parametrize(("reason", "shown"), [(b"disk \xff on fire", "disk \ufffd on fire"), (None, "error 5")])
def test_streams_that_fail(fails_at, reason, shown):
    columns = [strings(b"u", [b"a"]) for _ in range(2)]
    with pytest.raises(TextError, match=f"the Arrow stream of texts cannot be read: {shown}"):
        encoded(StreamProducer(columns, fails_at, reason))
    assert [column.released.count("array") for column in columns] == [int(fails_at > 1), int(fails_at > 2)]


@pytest.mark.parametrize("given", [None, (1, 2), ("a",)])
def test_capsules_that_are_none(given):
    class Odd:
        def __arrow_c_array__(self):
            return given

    with pytest.raises((TypeError, ValueError)):
        encoded(Odd())


def test_capsules_of_another_name():
    class Swapped(Producer):
        def __arrow_c_array__(self, requested_schema=None):
            return super().__arrow_c_array__()[::-1]

    with pytest.raises(ValueError, match="PyCapsule"):
        encoded(Swapped(b"u", [None, packed(INT32, [0, 1]), DATA], 1))


def test_errors_of_who_gives_a_column():
    class Failing:
        def __arrow_c_stream__(self, requested_schema=None):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        encoded(Failing())


def test_without_what_a_series_needs():
    class Series(list):
        def __arrow_c_stream__(self, requested_schema=None):
            raise ImportError("no pyarrow")

    assert encoded(Series(["a", "hello"])) == ids_of(["a", "hello"])


# -- Arrow, as libraries have it --------------------------------------------------------------------------------


def test_pyarrow():
    pa = pytest.importorskip("pyarrow", minversion="16")
    for kind in (pa.string(), pa.large_string(), pa.binary(), pa.large_binary(), pa.string_view(), pa.binary_view()):
        column = pa.array(TEXTS, kind)
        assert encoded(column) == ids_of(TEXTS)
        for begin in range(len(TEXTS)):
            assert encoded(column[begin:-1]) == ids_of(TEXTS[begin:-1])
        chunks = pa.chunked_array([TEXTS[:2], [], TEXTS[2:]], kind)
        assert encoded(chunks) == ids_of(TEXTS)
        assert encoded(chunks.slice(1, 3)) == ids_of(TEXTS[1:4])
        with pytest.raises(TextError, match="text 3 of the batch is null"):
            encoded(pa.chunked_array([TEXTS[:3], [None, "a"]], kind))
    assert encoded(pa.array([])) == []
    assert encoded(pa.table({"text": TEXTS})["text"]) == ids_of(TEXTS)
    with pytest.raises(ArgumentTypeError, match="pass one of its columns"):
        encoded(pa.table({"text": TEXTS}))
    with pytest.raises(ArgumentTypeError, match="dictionary-encoded"):
        encoded(pa.array(TEXTS).dictionary_encode())
    with pytest.raises(ArgumentTypeError, match="format 'l'"):
        encoded(pa.array([1, 2]))


def test_polars():
    polars = pytest.importorskip("polars")
    column = polars.Series(TEXTS)
    assert encoded(column) == ids_of(TEXTS)
    assert encoded(polars.concat([column[1:], column[:3]], rechunk=False)) == ids_of(TEXTS[1:] + TEXTS[:3])
    with pytest.raises(TextError, match="text 1 of the batch is null"):
        encoded(polars.Series(["a", None]))
    with pytest.raises(ArgumentTypeError, match="pass one of its columns"):
        encoded(polars.DataFrame({"text": TEXTS}))


def test_series_of_columns_and_tables():
    pa = pytest.importorskip("pyarrow", minversion="16")
    columns = pa.table({"n": range(len(TEXTS)), "text": TEXTS})
    batches = columns.to_batches(2)
    for source in (columns, columns.to_reader(3), batches, iter(batches), tuple(batches)):
        assert TOK.encode_batch(source, column="text").to_lists() == ids_of(TEXTS)
    assert TOK.count_batch(columns, column="text").tolist() == [len(ids) for ids in ids_of(TEXTS)]
    mixed = [pa.array(TEXTS[:2], pa.large_string()), pa.array(TEXTS[2:], pa.binary())]
    assert encoded(mixed) == encoded(iter(mixed)) == ids_of(TEXTS)
    assert TOK.encode_batch(batches[1:1], column="text").to_lists() == []
    structs = columns.to_struct_array().chunk(0)
    assert TOK.encode_batch(structs[2:4], column="text").to_lists() == ids_of(TEXTS[2:4])
    assert TOK.encode_batch([structs[1:3], structs[3:]], column="text").to_lists() == ids_of(TEXTS[1:])


def test_wrong_columns_of_tables():
    pa = pytest.importorskip("pyarrow", minversion="16")
    batch = pa.record_batch({"n": [1, 2], "text": ["a", None], "k": ["a", "b"]})
    with pytest.raises(TextError, match="text 1 of the batch is null"):
        TOK.encode_batch([batch], column="text")
    with pytest.raises(TextError, match="text 3 of the batch is null"):
        TOK.encode_batch([batch.slice(0, 1), batch.slice(0, 1), batch], column="text")
    with pytest.raises(OptionError, match="column='x': the table has no such column; it has 'n', 'text', 'k'"):
        TOK.encode_batch(batch, column="x")
    with pytest.raises(ArgumentTypeError, match="format 'l', not of strings"):
        TOK.encode_batch(batch, column="n")
    with pytest.raises(ArgumentTypeError, match=r"name it by column= \('n', 'text', 'k'\)"):
        TOK.encode_batch([batch])
    with pytest.raises(ArgumentTypeError, match="item 1 is str in a series of Arrow columns or tables"):
        TOK.encode_batch([pa.array(["a"]), "b"])
    for texts in (["a"], iter(["a"]), np.array(["a"]), pa.array(["a"])):  # no tables
        assert TOK.encode_batch(texts, column="x").to_lists() == ids_of(["a"])
    double = pa.record_batch([pa.array(["a"]), pa.array(["b"])], names=["text", "text"])
    with pytest.raises(OptionError, match="the table has 2 such columns"):
        TOK.encode_batch(double, column="text")
    nulls = pa.StructArray.from_arrays([pa.array(["a", "b"])], ["text"], mask=pa.array([False, True]))
    with pytest.raises(TextError, match="row 1 of the Arrow table is null"):
        TOK.encode_batch(nulls, column="text")


@pytest.mark.parametrize("kind", ["string", "large_binary", "string_view", "null"])
def test_nulls_that_are_empty_texts(kind):
    pa = pytest.importorskip("pyarrow", minversion="16")
    texts = [None] * 4 if kind == "null" else ["a", None, "bcdefghijklmnopq", None]
    column = pa.array(texts, getattr(pa, kind)())
    expected = [text or "" for text in texts]
    assert [text.decode() for text in ArrowTexts(column, nulls_are_empty=True)] == expected
    assert [text.decode() for text in ArrowTexts(column[1:], nulls_are_empty=True)] == expected[1:]
    assert encoded(ArrowTexts(column, nulls_are_empty=True)) == ids_of(expected)
    table = pa.record_batch([column], names=["text"])
    assert [text.decode() for text in ColumnStream([table, table], nulls_are_empty=True)] == expected * 2


# -- the other methods ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make", [lambda texts: np.array(texts), lambda texts: strings(b"U", [t.encode() for t in texts])]
)
def test_the_other_batch_methods(make):
    texts = ["hello world", "", "the pen"] * 40
    assert TOK.sample_batch(make(texts), seed=1) == TOK.sample_batch(texts, seed=1)
    assert TOK.sample_batch(make(texts), alpha=0.5, seed=1) == TOK.sample_batch(texts, alpha=0.5, seed=1)
    assert TOK.lattice.nbest_batch(make(texts), 3) == TOK.lattice.nbest_batch(texts, 3)
    assert TOK.lattice.samples_batch(make(texts), 2, seed=1) == TOK.lattice.samples_batch(texts, 2, seed=1)
    assert TOK.lattice.entropy_batch(make(texts)).tolist() == TOK.lattice.entropy_batch(texts).tolist()
    assert TOK.lattice.log_prob_batch(make(texts)).tolist() == TOK.lattice.log_prob_batch(texts).tolist()
    assert TOK.lattice.expected_counts_batch(make(texts)) == TOK.lattice.expected_counts_batch(texts)
    with pytest.raises(OptionError, match="must have one"):
        TOK.lattice.nbest_batch(np.array([["a"]]), 1)


def one_by_one(form, texts):
    """What a column of these gives."""
    return [text.encode() for text in texts] if form in (b"z", b"Z", b"vz") else texts


@pytest.mark.parametrize("form", FORMS)
def test_columns_as_a_corpus(form):
    texts = one_by_one(form, TEXTS * 9)
    data = [text.encode() for text in TEXTS * 9]
    options = {"model_type": "bpe", "vocab_size": 300, "hard_vocab_limit": False}
    assert train(strings(form, data, 1), **options) == train(texts, **options)
    assert CountTable.count(StreamProducer([strings(form, data), strings(form, data)])) == CountTable.count(texts * 2)
    assert evaluate(TOK, strings(form, data)) == evaluate(TOK, texts)


@pytest.mark.parametrize("form", FORMS)
def test_columns_come_back(form):
    texts = ["ﬁ a  b", "", "\u2581", "x" * 40, "a b"]
    tok = train(["a b x"] * 9, vocab_size=300, normalization="nmt_nfkc", hard_vocab_limit=False)
    report = tok.roundtrip_report(strings(form, [text.encode() for text in texts]))
    assert report == tok.roundtrip_report(one_by_one(form, texts))
    assert report.changed == 2


def test_strings_that_are_no_utf8_are_bytes():
    assert list(ArrowTexts(strings(b"u", [b"a", b"\xff"])).as_objects()) == ["a", b"\xff"]
    assert list(ArrowTexts(strings(b"z", [b"a", b"\xff"])).as_objects()) == [b"a", b"\xff"]


def test_what_gives_texts_anyway_may_be_any_column():
    class Categories(list):
        def __arrow_c_array__(self, requested_schema=None):
            return Producer(b"i", [None, packed(INT32, [0, 1])], 2).__arrow_c_array__()

    assert CountTable.count(Categories(TEXTS)) == CountTable.count(TEXTS)
    assert TOK.roundtrip_report(Categories(TEXTS)) == TOK.roundtrip_report(TEXTS)
    for others in ([], [1, 2]):
        with pytest.raises(ArgumentTypeError, match="format 'i'"):
            CountTable.count(Categories(others))


def test_a_column_of_a_checkpoint_is_known(tmp_path):
    def go_on(texts):
        data = [text.encode() for text in texts]
        column = StreamProducer([strings(b"u", data)])  # gives its texts once
        return train(column, model_type="char", vocab_size=300, checkpoint=tmp_path / "states", keep_checkpoint=True)

    assert go_on(TEXTS) == train(TEXTS, model_type="char", vocab_size=300)
    assert go_on(TEXTS) == train(TEXTS, model_type="char", vocab_size=300)
    with pytest.raises(OptionError, match="is of another training"):
        go_on(TEXTS[1:])


def test_columns_of_something_else_are_not_trained_on():
    for method in (partial(train, vocab_size=300), CountTable.count, TOK.roundtrip_report, partial(evaluate, TOK)):
        with pytest.raises(ArgumentTypeError, match="format 'l'"):
            method(Producer(b"l", [None, packed(INT64, [1])], 1))


@pytest.mark.parametrize("text", ["abc", b"abc"])
def test_one_text_is_no_batch(text):
    with pytest.raises(ArgumentTypeError, match="texts is one"):
        TOK.encode_batch(text)
