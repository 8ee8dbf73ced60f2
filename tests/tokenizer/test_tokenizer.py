"""The native face: arguments, errors, and that a Tokenizer is a value."""

import copy
import inspect
import io
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.interrupts import ON_THE_WAY_OUT, count_checks, interrupt

import spm_lite
from spm_lite import (
    ArgumentTypeError,
    Batch,
    ByteStream,
    FileError,
    IdError,
    MissingFileError,
    ModelError,
    OptionError,
    TextError,
    TextStream,
    Tokenizer,
)
from spm_lite.specs import NormalizerSpec, TrainerSpec
from spm_lite.vocab.model_writer import write_model

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
PIECES = [
    (b"<unk>", 0.0, UNKNOWN),
    (b"<s>", 0.0, CONTROL),
    (b"</s>", 0.0, CONTROL),
    *((b"<0x%02X>" % byte, 0.0, BYTE) for byte in range(256)),
    *(
        (piece.encode(), score, kind)
        for piece, score, kind in [
            ("▁", -3.0, NORMAL),
            ("a", -2.0, NORMAL),
            ("b", -2.5, NORMAL),
            ("▁ab", -1.27081, NORMAL),
            ("日本", -4.0, NORMAL),
            ("[X]", 0.0, USER_DEFINED),
            ("old", -9.0, UNUSED),
        ]
    ),
]
LOSSLESS = NormalizerSpec(remove_extra_whitespaces=False)


def model_bytes(model_type="unigram", lossless=True, pieces=PIECES, **trainer):
    spec = TrainerSpec(model_type=model_type, vocab_size=len(pieces), **trainer)
    return write_model(pieces, spec, LOSSLESS, lossless=lossless)


@pytest.fixture(scope="module", params=["unigram", "bpe", "char"])
def tok(request):
    return Tokenizer.load(model_bytes(request.param))


@pytest.fixture(scope="module")
def plain():
    """A model without bos, eos, byte fallback."""
    pieces = [(b"<unk>", 0.0, UNKNOWN), ("▁".encode(), -1.0, NORMAL), (b"a", -2.0, NORMAL)]
    return Tokenizer.load(model_bytes(pieces=pieces, lossless=False, byte_fallback=False))


TEXTS = st.text(
    st.one_of(st.sampled_from(" \u2581ab日本[X]<s>old\0\n\u200d👩"), st.characters(exclude_categories=["Cs"])),
    max_size=30,
)


@given(TEXTS)
def test_lossless_text(tok, text):
    assert tok.decode(tok.encode(text)) == text
    assert tok.decode_bytes(tok.encode(text)) == text.encode()


@given(st.lists(st.one_of(st.binary(max_size=8), TEXTS.map(str.encode))).map(b"".join))
def test_lossless_bytes(tok, data):
    assert tok.decode_bytes(tok.encode(data)) == data
    assert tok.decode_bytes(tok.encode_batch([data])[0]) == data


@given(st.lists(TEXTS, max_size=5), st.booleans(), st.booleans())
def test_batch_equals_single_texts(tok, texts, bos, eos):
    batch = tok.encode_batch(iter(texts), bos=bos, eos=eos, num_threads=2)
    assert batch.to_lists() == [tok.encode(text, bos=bos, eos=eos) for text in texts]
    assert tok.encode_lists(iter(texts), bos=bos, eos=eos, num_threads=2) == batch.to_lists()
    assert tok.decode_batch(batch) == tok.decode_batch(batch.to_lists(), num_threads=2) == texts


def test_word_models_cannot_promise_to_be_lossless():
    with pytest.raises(ModelError, match="whole words"):
        Tokenizer.load(model_bytes("word"))
    assert not Tokenizer.load(model_bytes("word", lossless=False)).info.is_lossless


def test_a_lossless_model_has_a_piece_for_a_space():
    with pytest.raises(ModelError, match="no piece for a space"):
        Tokenizer.load(model_bytes(pieces=[piece for piece in PIECES if piece[0] != "▁".encode()]))


def test_bos_and_eos(tok, plain):
    assert tok.encode("a", bos=True, eos=True) == [1, *tok.encode("a"), 2]
    assert plain.bos_id == plain.eos_id == plain.pad_id == -1
    with pytest.raises(OptionError, match="bos=True"):
        plain.encode("a", bos=True)
    with pytest.raises(OptionError, match="eos=True"):
        plain.encode_batch([], eos=True)


def test_batch_is_writable_and_typed(tok):
    batch = tok.encode_batch(["a", "b"])
    assert isinstance(batch, Batch)
    assert batch.ids.dtype == np.int32
    assert batch.offsets.dtype == np.int64
    batch.ids[:] = 0
    assert batch.to_lists() == [[0] * len(ids) for ids in batch]
    batch.ids, batch.offsets = np.array([5, 6], dtype=np.int32), np.array([0, 0, 2])
    assert batch.to_lists() == [[], [5, 6]]
    assert tok.encode_batch([]).to_lists() == []
    assert tok.encode_batch([""]).ids.dtype == np.int32


@pytest.mark.parametrize("make", [list, tuple, iter, np.array, lambda ids: np.array(ids, dtype=np.uint16)])
def test_kinds_of_ids(tok, make):
    ids = tok.encode("ab 日本")
    assert tok.decode(make(ids)) == "ab 日本"
    assert tok.decode_batch([make(ids)]) == ["ab 日本"]


def test_more_kinds_of_ids(tok):
    assert tok.decode(range(260, 262)) == "ab"
    assert tok.decode([np.int64(260)]) == "a"
    assert tok.decode(np.array([], dtype=np.int32)) == tok.decode([]) == ""
    assert tok.decode_batch(np.array([[260, 261], [261, 261]])) == ["ab", "bb"]
    assert tok.decode_batch([]) == []


@pytest.mark.parametrize("ids", [[True], [1.0], np.array([1.0]), np.array([True]), ["1"], [None], "12", b"12", 5, None])
def test_wrong_ids(tok, ids):
    with pytest.raises(ArgumentTypeError):
        tok.decode(ids)
    with pytest.raises(ArgumentTypeError):
        tok.decode_bytes(ids)
    with pytest.raises(ArgumentTypeError):
        tok.decode_batch([ids])
    with pytest.raises(ArgumentTypeError):
        tok.decode_batch(ids)


@pytest.mark.parametrize("piece_id", [-1, 266, 2**40])
def test_ids_outside(tok, piece_id):
    for call in (tok.id_to_piece, tok.score, tok.piece_type, lambda i: tok.decode([i])):
        with pytest.raises(IdError, match=f"{piece_id}.*0 to 265"):
            call(piece_id)


@pytest.mark.parametrize("piece_id", [True, 1.0, "a", None, np.bool_(True)])
def test_wrong_id_arguments(tok, piece_id):
    for call in (tok.id_to_piece, tok.score, tok.piece_type):
        with pytest.raises(ArgumentTypeError, match=type(piece_id).__name__):
            call(piece_id)


def test_lone_surrogates(tok):
    with pytest.raises(TextError, match=r"U\+DC80 at character 2"):
        tok.encode("ab\udc80")
    with pytest.raises(TextError, match="text 1 of the batch"):
        tok.encode_batch(["a", "\ud800"])
    for call in (tok.pieces, tok.normalize):
        with pytest.raises(TextError, match="character 0"):
            call("\ud800")
    with pytest.raises(TextError, match="surrogate"):
        tok.piece_to_id("\ud800")


@pytest.mark.parametrize("text", [None, 5, ["a"], bytearray(b"a")])
def test_wrong_texts(tok, text):
    for call in (tok.encode, tok.pieces, tok.normalize):
        with pytest.raises(ArgumentTypeError, match=type(text).__name__):
            call(text)
    for call in (tok.encode_batch, tok.encode_lists):
        with pytest.raises(ArgumentTypeError, match=f"text 1 of the batch is {type(text).__name__}"):
            call(["a", text])


@pytest.mark.parametrize("texts", ["ab", b"ab", 5, None])
def test_wrong_batches(tok, texts):
    for call in (tok.encode_batch, tok.encode_lists):
        with pytest.raises(ArgumentTypeError, match=type(texts).__name__):
            call(texts)


@pytest.mark.parametrize(("num_threads", "error"), [(0, OptionError), (-1, OptionError), (1.5, ArgumentTypeError)])
def test_wrong_num_threads(tok, num_threads, error):
    for call in (tok.encode_batch, tok.encode_lists):
        with pytest.raises(error, match="num_threads"):
            call(["a"], num_threads=num_threads)
    with pytest.raises(error, match="num_threads"):
        tok.decode_batch([[1]], num_threads=num_threads)


def test_str_subclass(tok):
    assert tok.encode(np.str_("ab")) == tok.encode("ab")


def test_vocabulary(tok):
    assert len(tok) == tok.vocab_size == len(PIECES)
    assert (tok.unk_id, tok.bos_id, tok.eos_id, tok.pad_id) == (0, 1, 2, -1)
    assert [tok.piece_to_id(tok.id_to_piece(i)) for i in range(len(tok))] == list(range(len(tok)))
    assert tok.piece_to_id("nothing") == tok.piece_to_id("") == 0
    assert "▁ab" in tok
    assert b"<s>" in tok
    assert "nothing" not in tok
    assert 5 not in tok
    assert "<unk>" in tok
    assert tok.score(262) == np.float32(-1.27081)
    kinds = ["unknown", "control", "byte", "normal", "user_defined", "unused"]
    assert [tok.piece_type(i) for i in (0, 1, 3, 259, 264, 265)] == kinds
    with pytest.raises(ArgumentTypeError, match="int"):
        tok.piece_to_id(5)


def test_ill_formed_pieces_keep_their_names():
    pieces = [(b"<unk>", 0.0, UNKNOWN), (b"a", -1.0, NORMAL), (b"\xff", -1.0, NORMAL)]
    tok = Tokenizer.load(model_bytes(pieces=pieces, lossless=False, byte_fallback=False))
    assert tok.piece_to_id(tok.id_to_piece(2)) == 2


def test_normalize_and_pieces(tok):
    assert tok.normalize("a  b") == "▁a▁▁b"
    assert "".join(tok.pieces("ab ab")) == "▁ab▁ab"


def test_load_and_save(tok, tmp_path):
    data = tok.to_bytes()
    path = tmp_path / "m.model"
    tok.save(path, vocab=True)
    assert path.read_bytes() == data
    table = (tmp_path / "m.vocab").read_bytes().split(b"\n")
    assert table[262] == "▁ab\t-1.27081".encode()
    tok.save(str(path), vocab=tmp_path / "other.txt")
    assert (tmp_path / "other.txt").read_bytes() == (tmp_path / "m.vocab").read_bytes()
    for source in (path, str(path), data, bytearray(data), memoryview(data), io.BytesIO(data)):
        assert Tokenizer.load(source) == tok
    with path.open("rb") as file:
        assert Tokenizer.load(file) == tok
    with pytest.raises(OptionError, match="same path"):
        tok.save(path, vocab=path)
    with pytest.raises(OptionError, match="another format"):
        tok.save(tmp_path / "m.vocab", vocab=True)


def test_wrong_sources(tmp_path):
    for source in (5, None, io.StringIO("text")):
        with pytest.raises(ArgumentTypeError):
            Tokenizer.load(source)
    with pytest.raises(MissingFileError, match=r"none\.model"):
        Tokenizer.load(tmp_path / "none.model")
    with pytest.raises(ModelError):
        Tokenizer.load(b"")
    broken = tmp_path / "broken.model"
    broken.write_bytes(model_bytes()[:100])
    with pytest.raises(ModelError, match=r"broken\.model"):
        Tokenizer.load(broken)
    with pytest.raises(ArgumentTypeError, match=r"Tokenizer\.load"):
        Tokenizer()
    with pytest.raises(ArgumentTypeError, match=r"Tokenizer\.load"):
        Tokenizer("m.model")
    with pytest.raises(ArgumentTypeError, match="Mine cannot be a subclass of Tokenizer"):
        type("Mine", (Tokenizer,), {})


class Faulty:
    """A file object whose read() fails."""

    def __init__(self, error):
        self.error = error

    def read(self):
        raise self.error


@pytest.mark.parametrize("mode", ["r", "wb", "closed"])
def test_files_in_the_wrong_mode(tmp_path, mode):
    path = tmp_path / "m.model"
    path.write_bytes(model_bytes())
    with path.open("rb" if mode == "closed" else mode, **({"encoding": "utf-8"} if mode == "r" else {})) as file:
        if mode == "closed":
            file.close()
        with pytest.raises(
            ArgumentTypeError if mode == "r" else FileError, match=r"m\.model.*mode 'rb'|mode 'rb'.*m\.model"
        ):
            Tokenizer.load(file)


def test_faulty_streams():
    with pytest.raises(FileError, match=r"cannot be read: Input/output error.*Faulty"):
        Tokenizer.load(Faulty(OSError(5, "Input/output error")))
    with pytest.raises(FileError, match=r"cannot be read: I/O operation on closed file\. Open it with mode 'rb'"):
        Tokenizer.load(Faulty(ValueError("I/O operation on closed file")))
    with pytest.raises(ModelError, match=r"empty \(0 bytes\).*download it again"):
        Tokenizer.load(io.BytesIO())


@pytest.mark.parametrize(("path", "message"), [("a\0b", "holds a NUL"), ("\ud800", "holds '.ud800'")])
def test_impossible_paths(tok, tmp_path, path, message):
    with pytest.raises(FileError, match=f"cannot be read: its path {message}"):
        Tokenizer.load(path)
    for arguments in ((path,), (path, True), (tmp_path / "m.model", path)):
        with pytest.raises(FileError, match=f"cannot be opened: its path {message}"):
            tok.save(*arguments)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("vocab", [5, 1.5, [], b"m.vocab"])
def test_wrong_vocab_paths(tok, tmp_path, vocab):
    with pytest.raises(ArgumentTypeError, match=f"vocab is str or PathLike, not {type(vocab).__name__}"):
        tok.save(tmp_path / "m.model", vocab=vocab)
    assert list(tmp_path.iterdir()) == []


def test_no_vocab(tok, tmp_path):
    tok.save(tmp_path / "m.model", vocab=None)
    assert [path.name for path in tmp_path.iterdir()] == ["m.model"]
    with pytest.raises(FileError):
        tok.save("", vocab=True)


@pytest.mark.skipif(sys.platform == "win32", reason="/dev/stdout")
def test_save_to_standard_output():
    code = "import sys; from spm_lite import Tokenizer; Tokenizer.load(sys.stdin.buffer).save('/dev/stdout')"
    root = str(Path(spm_lite.__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, "-c", code], input=model_bytes(), capture_output=True, cwd=root, timeout=500, check=True
    )
    assert done.stdout == model_bytes()


@pytest.mark.parametrize("flag", ["no", [1], 1, 0, None])
def test_flags_are_bool(tok, flag):
    for name in ("bos", "eos"):
        with pytest.raises(ArgumentTypeError, match=f"{name}=.*must be True or False, not {type(flag).__name__}"):
            tok.encode("a", **{name: flag})
        for call in (tok.encode_batch, tok.encode_lists):
            with pytest.raises(ArgumentTypeError, match=f"{name}=.*must be True or False"):
                call(["a"], **{name: flag})
    assert tok.encode("a", bos=np.True_, eos=np.False_) == tok.encode("a", bos=True)


def test_a_spoilt_batch(tok):
    batch = tok.encode_batch(["a", "b", "ab"])
    batch.offsets[1] = 10**9
    with pytest.raises(OptionError, match="offsets must rise"):
        tok.decode_batch(batch)


def test_damaged_rules_name_the_model():
    data = write_model(PIECES, TrainerSpec(), NormalizerSpec(precompiled_charsmap=b"abc"))
    with pytest.raises(ModelError, match="bytes of memory: "):
        Tokenizer.load(data)


def test_value(tok, plain):
    other = Tokenizer.load(tok.to_bytes())
    assert other == tok
    assert hash(other) == hash(tok)
    assert tok != plain
    assert tok != 5
    assert copy.copy(tok) is tok
    assert copy.deepcopy([tok])[0] is tok
    again = pickle.loads(pickle.dumps(tok))
    assert again == tok
    assert again.encode("ab") == tok.encode("ab")
    assert tok.report is None
    assert repr(tok).startswith(
        f"Tokenizer(model_type='{tok.model_type}', vocab_size=266, byte_fallback=True, lossless"
    )
    assert tok.info.is_lossless
    assert not plain.info.is_lossless
    for name in ("vocab_size", "_file", "new"):
        with pytest.raises(AttributeError, match=name):
            setattr(tok, name, 1)
    with pytest.raises(AttributeError, match="_file"):
        del tok._file


def test_many_threads_at_once(tok):
    texts = ["ab 日本 " * 50, "x" * 200, "[X]ab" * 30]
    expected = [tok.encode(text) for text in texts]
    failures = []

    def work():
        for _ in range(30):
            if [tok.encode(text) for text in texts] != expected or tok.encode_batch(texts).to_lists() != expected:
                failures.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


@pytest.mark.thread_unsafe
def test_ctrl_c_ends_a_long_batch():
    tok = Tokenizer.load(model_bytes("bpe"))
    texts = ["ab 日本 x " * 2000] * 2000
    n_few = count_checks(lambda: tok.encode_batch(["ab"], num_threads=2))
    assert interrupt(lambda: tok.encode_batch(texts, num_threads=2), n_few + 5) <= ON_THE_WAY_OUT


def test_batches_are_copied_and_pickled(tok):
    for twin in (copy.copy, copy.deepcopy, lambda batch: pickle.loads(pickle.dumps(batch))):
        batch = twin(tok.encode_batch(["ab 日本", "", "x"]))
        assert batch.to_lists() == [tok.encode(text) for text in ("ab 日本", "", "x")]
        assert batch == tok.encode_batch(["ab 日本", "", "x"])
        assert batch.pad_id == tok.pad_id


def test_threads_that_ask_for_arrays_at_once(tok):
    wanted = tok.encode_batch(["ab 日本", "x"]).ids.tolist()
    for _ in range(200):
        batch = tok.encode_batch(["ab 日本", "x"])
        found = []
        threads = [threading.Thread(target=lambda b=batch, f=found: f.append((b.ids, b.offsets))) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert all(ids.tolist() == wanted and ids.dtype == np.int32 for ids, _ in found)
        assert all(offsets.dtype == np.int64 for _, offsets in found)


def test_lists_need_no_numpy():
    """Nor what takes as long to import as a model to load."""
    code = """
import sys
before = set(sys.modules)
from spm_lite import Tokenizer
tok = Tokenizer.load(sys.stdin.buffer)
batch = tok.encode_batch(["ab 日本 x", ""])
assert tok.decode_batch(batch.to_lists()) == ["ab 日本 x", ""] and len(batch) == 2
slow = {"numpy", "google.protobuf", "typing", "dataclasses", "inspect", "logging", "pathlib", "re"}
assert not (set(sys.modules) - before) & slow, (set(sys.modules) - before) & slow
assert batch.to_lists() == [ids.tolist() for ids in batch]
"""
    root = str(Path(spm_lite.__file__).parent.parent)
    subprocess.run([sys.executable, "-c", code], input=model_bytes("bpe"), cwd=root, timeout=500, check=True)


def test_long_texts(tok):
    for text in ("a" * 1_000_000, " " * 1_000_000, "日" * 200_000):
        assert tok.decode(tok.encode(text)) == text


def test_cache():
    tok = Tokenizer.load(model_bytes("unigram"))
    assert tok.info[-2:] == (0, 64_000_000)
    ids = tok.encode("ab 日本ab")
    info = tok.info
    assert 0 < info.cache_used <= info.cache_limit
    tok.clear_cache()
    assert tok.info.cache_used == 0
    assert tok.encode("ab 日本ab") == ids
    assert pickle.loads(pickle.dumps(tok)).info.cache_used == 0
    assert Tokenizer.load(model_bytes("char")).info.cache_used == 0


SURROGATES = st.text(st.sampled_from("a ▁日\ud800\udbff\udc00\udfff\ud83d\ude00😀\ufffd\u2581"), max_size=9)


@settings(deadline=None)
@given(text=SURROGATES)
def test_surrogates_pass_through(tok, text):
    ids = tok.encode(text, errors="surrogatepass")
    assert tok.decode(ids, errors="surrogatepass") == text
    assert tok.decode_bytes(ids) == text.encode("utf-8", "surrogatepass")
    assert tok.encode(text.encode("utf-8", "surrogatepass")) == ids
    batch = tok.encode_batch(["x", text], errors="surrogatepass")
    assert batch.to_lists()[1] == ids
    assert tok.decode_batch(batch, errors="surrogatepass") == ["x", text]
    assert tok.decode_batch([[], ids], errors="surrogatepass") == ["", text]
    stream = tok.stream(errors="surrogatepass")
    assert "".join(map(stream.push, ids)) + stream.flush() == text
    assert tok.decode(ids) == "".join("\ufffd" * 3 if "\ud800" <= c <= "\udfff" else c for c in text)
    assert len(tok.pieces(text, errors="surrogatepass")) == len(ids)
    shown = tok.normalize(text, errors="surrogatepass").encode("utf-8", "surrogateescape")
    assert shown == tok.normalize(text.encode("utf-8", "surrogatepass")).encode("utf-8", "surrogateescape")


@settings(deadline=None)
@given(ids=st.lists(st.integers(3, 258) | st.sampled_from([0, 1, 3 + 0xED, 3 + 0xA0, 3 + 0x80, 259, 260]), max_size=9))
def test_other_ids_decode_as_ever(tok, ids):
    text = tok.decode(ids, errors="surrogatepass")
    assert "".join("\ufffd" * 3 if "\ud800" <= c <= "\udfff" else c for c in text) == tok.decode(ids)
    stream = tok.stream(errors="surrogatepass")
    assert "".join(map(stream.push, ids)) + stream.flush() == text


def test_a_lone_surrogate_is_named(tok):
    for call in (tok.encode, tok.pieces, tok.normalize):
        with pytest.raises(TextError, match=r"the text holds the lone surrogate U\+DC00 at character 2"):
            call("ab\udc00")
    with pytest.raises(TextError, match=r"text 1 of the batch holds the lone surrogate U\+DC00 at character 2"):
        tok.encode_batch(["a", "ab\udc00"])


def test_errors_argument(tok, plain):
    for call in (tok.encode, tok.pieces, tok.normalize):
        with pytest.raises(OptionError, match="errors='replace': must be 'strict' or 'surrogatepass'"):
            call("a", errors="replace")
    for call in (tok.decode, tok.decode_batch, lambda _, errors: tok.stream(errors=errors)):
        with pytest.raises(OptionError, match="errors='strict': must be 'replace' or 'surrogatepass'"):
            call([], errors="strict")
    ids = plain.encode("a\ud800", errors="surrogatepass")
    assert plain.decode(ids, errors="surrogatepass") == plain.decode(ids)  # nothing to bring back


def test_cache_bytes():
    data = model_bytes("bpe")
    text = "the quick brown fox " * 50
    expected = Tokenizer.load(data).encode(text)
    for limit in (0, 1, 10_000_000):
        tok = Tokenizer.load(data, cache_bytes=limit)
        assert tok.encode(text) == tok.encode(text) == expected
        used, most = tok.info[-2:]
        assert used <= most == limit
        assert pickle.loads(pickle.dumps(tok)).info.cache_limit == limit
    tok.encode(text, prefix_space=False)  # encoded by another encoder, from the same memory
    assert tok.info.cache_limit == 10_000_000
    for bad in (-1, 2**70):
        with pytest.raises(OptionError, match="cache_bytes"):
            Tokenizer.load(data, cache_bytes=bad)
    with pytest.raises(ArgumentTypeError, match="cache_bytes"):
        Tokenizer.load(data, cache_bytes=1.5)


@pytest.mark.parametrize("model_type", ["unigram", "bpe", "char"])
def test_count(model_type):
    tok = Tokenizer.load(model_bytes(model_type))
    texts = ["", "the quick brown fox", "  two  spaces ", "未知 🤗 x", b"\xff bytes".decode("latin-1"), "a" * 300]
    assert [tok.count(text) for text in texts] == [len(tok.encode(text)) for text in texts]
    assert tok.count_batch(texts).tolist() == [len(tok.encode(text)) for text in texts]
    assert tok.count_batch(texts, prefix_space=False, num_threads=3).tolist() == [
        len(tok.encode(text, prefix_space=False)) for text in texts
    ]
    assert tok.count_batch([]).tolist() == []
    assert tok.count_batch([]).dtype == "int64"
    with pytest.raises(TextError, match="text 1 of the batch"):
        tok.count_batch(["a", "\ud800"])
    with pytest.raises(ArgumentTypeError, match="one str"):
        tok.count_batch("one text")


COMPILED = [
    (Tokenizer, "encode"),
    (Tokenizer, "count"),
    (TextStream, "push"),
    (ByteStream, "prime"),
    (TextStream, "copy"),
]


@pytest.mark.parametrize(("kind", "method"), COMPILED)
def test_methods_of_something_else(kind, method):
    """Compiled methods look at what they are called on."""
    for other in (5, "text", object()):
        with pytest.raises(TypeError, match=method):
            getattr(kind, method)(other, [1])


def test_calls_can_be_sent_to_other_processes(tok):
    assert pickle.loads(pickle.dumps(tok.encode))("hello") == tok.encode("hello")
    assert pickle.loads(pickle.dumps(tok.count))("hello") == tok.count("hello")


def test_signatures_are_shown():
    assert str(inspect.signature(Tokenizer.encode)).startswith("(self, /, text, *, bos=False, eos=False")
    assert str(inspect.signature(Tokenizer.count)) == (
        "(self, /, text, *, limit=None, bos=False, eos=False, prefix_space=None, user_defined=True, **other)"
    )
