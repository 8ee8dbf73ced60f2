"""Streams that skip ids and end at stop strings, against the definition: decode whole, cut at the first stop string."""

import random

import pytest
from oracle import streams
from oracle.random_models import TYPES, random_tokenizer
from oracle.slow import slow_after
from oracle.small_models import small_model

from spm_lite import Tokenizer, byte_tokenizer, train
from spm_lite.decode.stop_strings import StopStrings
from spm_lite.errors import ArgumentTypeError, IdError, OptionError, TextError
from spm_lite.kinds import CONTROL, NORMAL, UNKNOWN, USER_DEFINED
from spm_lite.specs import NormalizerSpec, TrainerSpec
from spm_lite.vocab.model_writer import write_model

FEW = ["a", "ab", "\ufffd", " ", "\ufffda", "é", "漢"]
FEW_BYTES = [b"a", b"ab", b"zz", b"\xe6", b"\x81"]


def random_stops(rng, text):
    """Some stop strings that the text holds, alone and overlapping, and some others."""
    few = FEW if isinstance(text, str) else FEW_BYTES
    stops = []
    for _ in range(rng.randrange(5)):
        begin = rng.randrange(len(text) + 1)
        stops.append(text[begin : begin + rng.randrange(1, 6)] or rng.choice(few))
        if rng.random() < 0.3:
            stops.append(rng.choice(few))
        if rng.random() < 0.3:
            stops.append(stops[-1] + rng.choice(stops))
    return stops


def random_skips(rng, tok):
    """(skip_special, the ids that it leaves out)."""
    ids = range(tok.vocab_size)
    kind = rng.randrange(4)
    if kind < 2:
        return kind == 1, {i for i in ids if kind and tok.piece_type(i) in ("control", "unknown")}
    few = rng.sample(ids, min(3, len(ids)))
    names = [tok.id_to_piece(i) for i in few if tok.piece_type(i) in ("control", "user_defined")]
    if kind == 2 and all(names) and len(names) == len(few):
        return names, {tok.piece_to_id(name) for name in names}
    return few, set(few)


def check(tok, ids, rng, as_bytes, skip, left_out, stops=None):
    """Every push alone, every split in two, and a prompt of every length."""
    kept = [i for i in ids if i not in left_out]
    whole = tok.decode_bytes(kept) if as_bytes else tok.decode(kept)
    empty = type(whole)()
    stops = random_stops(rng, whole) if stops is None else stops
    want = streams.cut(whole, stops)
    plain, stream = tok.stream(as_bytes=as_bytes), tok.stream(as_bytes=as_bytes, skip_special=skip, stop=stops)
    parts = [empty if i in left_out else plain.push(i) for i in ids]
    texts, stopped = streams.given(parts, stops) if stops else (parts, None)
    assert ([stream.push(i) for i in ids], stream.stopped) == (texts, stopped)
    assert empty.join(texts) + stream.flush() == want
    assert (stream.stopped is None) == (streams.first_stop(whole, stops) is None)
    for k in range(len(ids) + 1):
        head = stream.push(ids[:k])
        copy = stream.copy()
        for one in (stream, copy):
            rest = one.push_many(ids[k:])
            assert one.stopped == stopped or not ids
            assert head + rest + one.flush() == want
        stream.prime(ids[:k])
        before = len(empty.join(parts[:k]))
        assert empty.join(map(stream.push, ids[k:])) + stream.flush() == streams.cut(whole[before:], stops)


def random_ids(rng, tok, common):
    kinds = [common if rng.random() < 0.8 else range(tok.vocab_size) for _ in range(rng.randrange(14))]
    return [rng.choice(ids) for ids in kinds]


@pytest.mark.parametrize("seed", slow_after(40, range(1000)))
def test_any_ids_of_any_model(seed):
    """The slow form: 20,000 lists of ids and of stop strings as str, and as many as bytes."""
    rng = random.Random(seed)
    tok = random_tokenizer(rng, rng.choice(TYPES))
    common = [i for i in range(tok.vocab_size) if tok.piece_type(i) != "byte"]
    for _ in range(20):
        ids = random_ids(rng, tok, common)
        for as_bytes in (False, True):
            check(tok, ids, rng, as_bytes, *random_skips(rng, tok))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["models/llama2.model", "models/t5_base.model", "interop/gpt2.vocab.json"])
def test_lines_of_corpora(name, shared_data):
    """Every split of 20,000 lines: each split of their first 30 ids, and each id by itself."""
    rng = random.Random(name)
    tok = Tokenizer.load(shared_data / name)
    paths = sorted((shared_data / "corpora").glob("*.txt"))
    for path in paths:
        lines = path.read_bytes().decode("utf-8", "replace").split("\n")
        for line in rng.sample(lines, min(len(lines), 20_000 // len(paths) + 1)):
            check(tok, tok.encode(line)[:30], rng, rng.random() < 0.3, False, set())


def test_matches_across_ids():
    tok = byte_tokenizer()
    stream = tok.stream(stop=["</s>", "<end>"])
    assert [stream.push(i) for i in tok.encode("a<b</s>c")] == ["a", "", "<b", "", "", "", "", ""]
    assert (stream.stopped, stream.push(tok.encode("x")), stream.flush(), stream.stopped) == ("</s>", "", "", "</s>")
    assert [stream.push(i) for i in tok.encode("a<")] == ["a", ""]
    assert (stream.stopped, stream.flush(), stream.stopped) == (None, "<", None)
    stream = tok.stream(stop="é")
    assert [stream.push(i) for i in tok.encode("èé")] == ["", "è", "", ""]
    stream = tok.stream(stop=["\ufffd"])  # an ill-formed byte is such a character
    assert [stream.push(i) for i in (*tok.encode(b"\xc3"), *tok.encode("a"))] == ["", ""]
    assert stream.stopped == "\ufffd"


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_a_longer_string_that_begins_earlier_is_waited_for(size):
    tok = byte_tokenizer()

    def run(text, stops):
        stream, ids = tok.stream(stop=stops), tok.encode(text)
        out = "".join(stream.push(ids[i : i + size]) for i in range(0, len(ids), size))
        return out, stream.stopped, stream.flush(), stream.stopped

    assert run("xabcy", ["abcd", "bc"]) == ("xa", "bc", "", "bc")
    assert run("xabcdy", ["abcd", "bc"]) == ("x", "abcd", "", "abcd")
    assert run("xabc", ["abcd", "bc"]) == ("x", None, "a", "bc")
    assert run("xab", ["abcd", "bc"]) == ("x", None, "ab", None)


def test_the_longest_that_one_id_completes():
    pieces = [("<unk>", 0.0, UNKNOWN), *((text, -1.0, NORMAL) for text in ("x", "ab", "abcd", "c"))]
    tok = Tokenizer.load(write_model(pieces, TrainerSpec(byte_fallback=False), NormalizerSpec(add_dummy_prefix=False)))
    stream = tok.stream(stop=("abc", "ab", "abcd", "abcde"))
    for ids, stopped in [([1, 3], "abcd"), ([1, 2, 4], "ab")]:
        assert (stream.push(ids), stream.stopped, stream.flush()) == ("x", stopped, "")
        assert ("".join(map(stream.push, ids)), stream.stopped, stream.flush()) == ("x", stopped, "")


def test_equal_and_many_strings():
    tok = byte_tokenizer()
    stream = tok.stream(stop=["b", "b", *("abc" * n for n in range(1, 60))])
    assert (stream.push(tok.encode("xa")), stream.push(tok.encode("cb")), stream.stopped) == ("x", "ac", "b")
    every = [bytes([i]) * 2 for i in range(256)]
    stream = tok.stream(stop=every, as_bytes=True)
    text = bytes(range(256)) * 2
    assert stream.push(tok.encode(text)) + stream.flush() == text
    assert stream.push(tok.encode(b"\x00\xff\xff")) == b"\x00"
    assert stream.stopped == b"\xff\xff"


def test_skipped_pieces():
    pieces = [("<unk>", 0.0, UNKNOWN), ("<s>", 0.0, CONTROL), ("<|user|>", 0.0, USER_DEFINED), ("a", -1.0, NORMAL)]
    tok = Tokenizer.load(write_model(pieces, TrainerSpec(byte_fallback=False), NormalizerSpec(add_dummy_prefix=False)))
    ids = [1, 2, 3, 0, 3]
    for skip, want in [
        (False, "<|user|>a \u2047 a"),
        (True, "<|user|>aa"),
        (["<|user|>"], "a \u2047 a"),
        ({2, 0, "<s>"}, "aa"),
        ([], "<|user|>a \u2047 a"),
    ]:
        assert tok.stream(skip_special=skip).push(ids) == want
        assert tok.stream(skip_special=skip, as_bytes=True).push(ids) == want.encode()
    with pytest.raises(OptionError, match="'a' is a piece of type normal"):
        tok.stream(skip_special=["a"])
    with pytest.raises(IdError, match="id 4 is outside the vocabulary: ids are 0 to 3"):
        tok.stream(skip_special=[4])
    with pytest.raises(ArgumentTypeError, match="skip_special is str: pass True, or a list of ids or names"):
        tok.stream(skip_special="<s>")
    with pytest.raises(ArgumentTypeError, match="an id is an integer, not float"):
        tok.stream(skip_special=[1.5])


def test_a_skipped_id_does_not_cut_a_character():
    """The text is that of the other ids, as in transformers; `decode` itself ends a character at a control piece."""
    tok = Tokenizer.load(small_model(byte_fallback=True))
    ids = tok.encode("漢")
    ids.insert(-1, tok.piece_to_id("<s>"))
    assert "漢" not in tok.decode(ids)
    stream = tok.stream(skip_special=True)
    assert stream.push(ids) + stream.flush() == "漢"


def test_wrong_stop_strings():
    tok = byte_tokenizer()
    for stop in ("", ["a", ""]):
        with pytest.raises(OptionError, match=r"stop string [01] is empty: .* leave it out"):
            tok.stream(stop=stop)
    for stop, as_bytes in [(b"a", False), ([1], False), ("a", True), ([b"a", None], True)]:
        with pytest.raises(ArgumentTypeError, match="stop string"):
            tok.stream(stop=stop, as_bytes=as_bytes)
    for stop in (5, {"a": 1}):
        with pytest.raises(ArgumentTypeError, match="stop is"):
            tok.stream(stop=stop)
    with pytest.raises(TextError, match="stop string 0 holds a lone surrogate at character 1"):
        tok.stream(stop="a\ud800")
    with pytest.raises(OptionError, match="the stop strings have 65537 bytes together: must be 65536 at most"):
        tok.stream(stop="a" * 65537)
    assert tok.stream(stop="ab" * 32768).push(tok.encode("ab" * 40000)) == ""
    assert tok.stream(stop=[]).push(tok.encode("a")) == "a"
    with pytest.raises(OptionError, match="a stop string is empty"):
        StopStrings([b""], ("",))
    with pytest.raises(OptionError, match="must be as many"):
        StopStrings([b"a"], ())


@pytest.mark.parametrize("seed", range(20))
def test_surrogates(seed):
    rng = random.Random(seed)
    tok = train(["ab é"] * 9, vocab_size=270, hard_vocab_limit=False)
    units = [b"a", b"b", b" ", "é".encode(), b"\xed", b"\xa0", b"\x80", b"\xed\xa0\x80", b"\xed\xb0\x80"]
    for _ in range(30):
        ids = tok.encode(b"".join(rng.choices(units, k=rng.randrange(9))))
        whole = tok.decode(ids, errors="surrogatepass")
        stops = random_stops(rng, whole)
        stream, plain = (tok.stream(errors="surrogatepass", stop=one) for one in (stops, None))
        for _ in range(2):
            assert "".join(map(stream.push, ids)) + stream.flush() == streams.cut(whole, stops)
        spans = plain.push_spans(ids) + plain.flush_spans()
        raw = whole.encode("utf-8", "surrogatepass")
        assert [part.encode("utf-8", "surrogatepass") for part, _, _ in spans] == [raw[i:k] for _, i, k in spans]
        assert "".join(part for part, _, _ in spans) == whole


def test_prompts():
    tok = byte_tokenizer()
    stream = tok.stream(stop=["ab"])
    stream.prime(tok.encode("xa"))
    assert (stream.push(tok.encode("bab")), stream.stopped) == ("b", "ab")
    with pytest.raises(OptionError, match="prime after push: ids of a prompt come first"):
        stream.prime(tok.encode("x"))
    assert stream.flush() == ""
    stream.prime(tok.encode("x"))
    assert stream.stopped is None
    stream.prime(tok.encode(b"\xc3"))
    assert stream.push(tok.encode(b"\xa9")) == "é"
    stream = tok.stream()  # without stop strings it is allowed at any time
    assert stream.push(tok.encode("a")) == "a"
    stream.prime(tok.encode("b"))
    assert stream.push(tok.encode("c")) == "c"


def test_bad_ids_change_nothing():
    tok = byte_tokenizer()
    stream = tok.stream(stop=["abc"], skip_special=True)
    a, b, c = tok.encode("abc")
    assert stream.push([a, b]) == ""
    for bad in ([c, -1], [c, None], 10**6, "c"):
        with pytest.raises((IdError, ArgumentTypeError)):
            stream.push(bad)
    assert (stream.push(c), stream.stopped) == ("", "abc")


def test_long_texts_take_linear_time():
    """Held-back text is not copied anew with each id."""
    tok = byte_tokenizer()
    stream = tok.stream(stop=["a" * 20_000 + "b"])
    ids = tok.encode("a" * 300_000)
    assert "".join(map(stream.push, ids)) + stream.flush() == "a" * 300_000
    for size in (1, 10_000):
        parts = [ids[i : i + size] for i in range(0, len(ids), size)]
        assert "".join(map(stream.push, parts)) + stream.flush() == "a" * 300_000
