"""Text never becomes a control piece; special pieces by name and by type; texts that go on."""

import random
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.random_models import TYPES, random_normalizer, random_pieces, random_text, random_tokenizer
from oracle.segmentation import BYTE, CONTROL, NORMAL, UNKNOWN, USER_DEFINED
from oracle.slow import slow_after

import spm_lite
from spm_lite import ArgumentTypeError, Control, ModelError, OptionError, Text, TextError, Tokenizer
from spm_lite.specs import NormalizerSpec, TrainerSpec
from spm_lite.vocab.model_writer import write_model

FORMS = ["NFC", "NFD", "NFKC", "NFKD"]
LETTERS = [(chr(c).encode(), -5.0 - c / 100, NORMAL) for c in range(0x21, 0x7F)]
PIECES = [
    (b"<unk>", 0.0, UNKNOWN),
    (b"<s>", 0.0, CONTROL),
    (b"</s>", 0.0, CONTROL),
    (b"<tool>", 0.0, CONTROL),
    (b"<tool>x", 0.0, CONTROL),
    ("<é>".encode(), 0.0, CONTROL),
    *((b"<0x%02X>" % byte, 0.0, BYTE) for byte in range(256)),
    ("\u2581".encode(), -3.0, NORMAL),
    *LETTERS,
    (b"ab", -1.0, NORMAL),
    ("\u2581ab".encode(), -1.5, NORMAL),
    (b"[X]", 0.0, USER_DEFINED),
    (b"[Xa]", 0.0, USER_DEFINED),
]


def load(model_type="unigram", lossless=True, **normalizer):
    spec = TrainerSpec(model_type=model_type, vocab_size=len(PIECES), byte_fallback=True)
    rules = NormalizerSpec(remove_extra_whitespaces=False) if lossless else NormalizerSpec(**normalizer)
    return Tokenizer.load(write_model(PIECES, spec, rules, lossless=lossless))


@pytest.fixture(scope="module", params=["unigram", "bpe", "char"])
def tok(request):
    return load(request.param)


# -- injection ----------------------------------------------------------------------------------------------------


def spellings(name):
    """Spellings of a name with which somebody might try to pass it off as special."""
    wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in name)
    for base in (name, wide, name.upper(), name.replace("<", "\uff1c").replace(">", "\uff1e"), name.replace("_", " ")):
        for form in FORMS:
            yield unicodedata.normalize(form, base)
        for between in (" ", "\u2581", "\u200b", "\u200d", "\x00", "\ufeff", "\u00ad", "\u0301"):
            yield between.join(base)
            yield f"{between}{base}{between}"
        yield f"a{base}b {base} {base}{base}\n"
    yield f"{name[:-1]}{name}"
    yield "".join(f"<0x{byte:02X}>" for byte in name.encode())


@pytest.mark.slow
def test_no_text_becomes_a_control_piece(shared_data):
    n_names = 0
    for path in sorted((shared_data / "models").glob("*.model")):
        tok = Tokenizer.load(path)
        special = [i for i in range(len(tok)) if tok.piece_type(i) in ("control", "user_defined", "unknown")]
        if len(special) > 60:
            special = special[:30] + special[-30:]
        texts = [text for i in special for text in spellings(tok.id_to_piece(i))]
        n_names += len(special)
        texts += [text.encode() for text in texts]
        controls = {i for i in range(len(tok)) if tok.piece_type(i) == "control"}
        symbols = {i for i in range(len(tok)) if tok.piece_type(i) == "user_defined"}
        assert controls.isdisjoint(tok.encode_batch(texts).ids.tolist()), path.name
        assert controls.isdisjoint(tok.encode_batch(texts, prefix_space=False).ids.tolist()), path.name
        assert controls.isdisjoint(tok.spans_batch(texts, unit="byte")[0].ids.tolist()), path.name
        assert (controls | symbols).isdisjoint(tok.encode_batch(texts, user_defined=False).ids.tolist()), path.name
        for text in texts[:: max(1, len(texts) // 300)]:
            assert controls.isdisjoint(tok.encode(text)), (path.name, text)
            assert controls.isdisjoint(tok.encode_segments([Text(text), Text(text)])), (path.name, text)
            assert (controls | symbols).isdisjoint(tok.encode(text, user_defined=False)), (path.name, text)
    assert n_names > 100


@pytest.mark.parametrize("seed", range(100))
def test_no_text_becomes_a_control_piece_in_random_models(seed):
    rng = random.Random(seed)
    tok = random_tokenizer(rng, TYPES[seed % 4])
    names = [tok._file.vocab.text(i) for i in range(len(tok)) if tok.piece_type(i) != "byte"]
    for _ in range(10):
        text = b"".join(rng.choices(names, k=5)) + random_text(rng, True)
        for options in ({}, {"prefix_space": True}, {"user_defined": False}):
            ids = tok.encode(text, **options)
            assert not any(tok.piece_type(i) == "control" for i in ids if i >= 0)
            assert options != {"user_defined": False} or not any(
                tok.piece_type(i) == "user_defined" for i in ids if i >= 0
            )


# -- without user-defined pieces ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", slow_after(100, range(300)))
def test_user_defined_pieces_switched_off(seed):
    """As a model in which they are control pieces, whose names cannot clash."""
    rng = random.Random(seed)
    byte_fallback = rng.random() < 0.4
    pieces = random_pieces(rng, byte_fallback, ill_formed=rng.random() < 0.2, space=rng.random() < 0.3)
    pieces = [
        (text, score, USER_DEFINED if kind == NORMAL and rng.random() < 0.3 else kind) for text, score, kind in pieces
    ]
    spec = TrainerSpec(
        model_type=TYPES[seed % 4],
        vocab_size=len(pieces),
        byte_fallback=byte_fallback,
        treat_whitespace_as_suffix=rng.random() < 0.2,
    )
    normalizer = random_normalizer(rng)
    off = [
        (b"<off%d>" % i, score, CONTROL) if kind == USER_DEFINED else (text, score, kind)
        for i, (text, score, kind) in enumerate(pieces)
    ]
    try:
        tok, twin = (Tokenizer.load(write_model(part, spec, normalizer)) for part in (pieces, off))
    except ModelError:
        return
    for _ in range(20):
        text = random_text(rng, rng.random() < 0.3, rng.choice([b" ", b"  ", "\u2581".encode()]))
        assert tok.encode(text, user_defined=False) == twin.encode(text)
        assert tok.spans(text, user_defined=False) == twin.spans(text)
        assert tok.encode(text, user_defined=False, prefix_space=True) == twin.encode(text, prefix_space=True)
        assert tok.truncate(text, 3, user_defined=False) == twin.truncate(text, 3)
    assert tok.encode_batch([text], user_defined=False).to_lists() == [twin.encode(text)]


def test_user_defined_pieces_of_real_models(shared_data):
    tok = Tokenizer.load(shared_data / "models" / "llmjp_v4a_unigram_196k.model")
    names = [tok.id_to_piece(i) for i in range(len(tok)) if tok.piece_type(i) == "user_defined"]
    for name in names[:20]:
        text = f"a{name}b".replace("\u2581", " ")
        assert "user_defined" in map(tok.piece_type, tok.encode(text))
        ids = tok.encode(text, user_defined=False)
        assert "user_defined" not in map(tok.piece_type, ids)
        assert tok.decode(ids) == text
        symbol = tok.piece_to_id(name)
        assert symbol in tok.encode(f"a{name}b", user_defined=False, allow_special=[name])


# -- named special pieces -----------------------------------------------------------------------------------------


def special(tok, name):
    return tok.piece_to_id(name)


def test_allow_special(tok):
    tool, both = special(tok, "<tool>"), special(tok, "<tool>x")
    assert tool not in tok.encode("a<tool>b")
    assert tok.encode("a<tool>b", allow_special=["<tool>"]) == [
        *tok.encode("a"),
        tool,
        *tok.encode("b", prefix_space=False),
    ]
    assert tok.encode("<tool>", allow_special=("<tool>",)) == [tool]
    assert tok.encode("<tool><tool>x", allow_special={"<tool>", "<tool>x"}) == [tool, both]
    assert tok.encode("<tool>x", allow_special=["<tool>"]) == [tool, *tok.encode("x", prefix_space=False)]
    assert tok.encode("a<tool></s>", allow_special="all") == [*tok.encode("a"), tool, 2]
    assert tok.encode("<<tool>", allow_special=iter([b"<tool>"])) == [*tok.encode("<"), tool]
    assert tok.encode("", allow_special=["<tool>"]) == []
    assert tok.encode("a<tool>", allow_special=[]) == tok.encode("a<tool>")
    assert tok.encode("a", allow_special=["<tool>"], bos=True, eos=True) == [1, *tok.encode("a"), 2]
    # In the text as given: another spelling of the same character is another text.
    assert special(tok, "<é>") in tok.encode("<é>", allow_special=["<é>"])
    assert special(tok, "<é>") not in tok.encode("<e\u0301>", allow_special=["<é>"])
    assert special(tok, "<é>") in tok.encode(b"\xff<\xc3\xa9>\xff", allow_special=["<é>"])


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(["a", " ", "ab", "<tool>", "<tool>x", "</s>", "<s", "x", "[X]", "é", "\n"]), max_size=12)
)
def test_what_is_left_of_a_text_comes_back(tok, parts):
    """No space is put before a text after a special token, so none is to be taken off a prompt that begins with one."""
    text = "".join(parts)
    own_prefix = False if text.startswith(("<tool>", "</s>")) else None
    names = ["<tool>", "</s>"]
    rest = text.replace("<tool>", "\ue000").replace("</s>", "\ue000")
    for given_text in (text, text.encode()):
        ids = tok.encode(given_text, allow_special=names)
        assert tok.decode(ids, prefix_space=own_prefix) == rest.replace("\ue000", "")
        assert [i for i in ids if tok.piece_type(i) == "control"] == [
            special(tok, name) for name in _in_order(text, names)
        ]
    segments = [part for k, p in enumerate(rest.split("\ue000")) for part in ([Control("<s>")] * (k > 0) + [Text(p)])]
    assert tok.decode(tok.encode_segments(segments), prefix_space=own_prefix) == rest.replace("\ue000", "")


def _in_order(text, names):
    found, pos = [], 0
    while pos < len(text):
        name = next((name for name in names if text.startswith(name, pos)), None)
        found += [name] if name else []
        pos += len(name) if name else 1
    return found


def test_visible_special_pieces(tok):
    x = special(tok, "[X]")
    assert tok.encode("[X]ab", user_defined=False, allow_special=["[X]"]) == [x, *tok.encode("ab", prefix_space=False)]
    for text in ("[X]ab", " [X]", "[X] ab[X]", "a[X]", "[Xa][X]"):
        assert tok.decode(tok.encode(text, allow_special=["[X]"])) == text
        assert tok.decode(tok.encode(text, user_defined=False, allow_special=["[X]"])) == text
    assert tok.encode_segments([Control("<unk>"), Text("a")])[0] == tok.unk_id


def test_segments(tok):
    segments = [
        Control("<s>"),
        Text("<s>ab"),
        Control("<tool>"),
        Text(""),
        Text(" ab"),
        Text(b"\xff[X]"),
        Control("</s>"),
    ]
    ids = tok.encode_segments(segments)
    assert [i for i in ids if tok.piece_type(i) == "control"] == [1, special(tok, "<tool>"), 2]
    assert tok.decode_bytes(ids) == b"<s>ab ab\xff[X]"
    assert ids[1:-1].count(1) == 0
    assert special(tok, "[X]") in ids
    assert special(tok, "[X]") not in tok.encode_segments(segments, user_defined=False)
    assert tok.encode_segments([]) == tok.encode_segments([Text("")]) == []
    assert tok.encode_segments([Text("ab")]) == tok.encode("ab")
    assert tok.encode_segments([Text("ab")], prefix_space=False) == tok.encode("ab", prefix_space=False)
    assert tok.encode_segments((s for s in [Text("a")]), bos=True, eos=True) == [1, *tok.encode("a"), 2]


@pytest.mark.parametrize("dummy", [False, True])
def test_spaces_beside_special_pieces_where_extra_ones_are_removed(dummy):
    tok = load(lossless=False, add_dummy_prefix=dummy, remove_extra_whitespaces=True)
    tool, space = special(tok, "<tool>"), special(tok, "\u2581")

    def pieces(text):
        return [tok.id_to_piece(i) for i in tok.encode(text, allow_special=["<tool>"])]

    start = ["\u2581ab"] if dummy else ["ab"]
    assert pieces("  ab  <tool>  ab ") == [*start, "<tool>", *start]
    assert pieces("ab<tool>ab") == [*start, "<tool>", "ab"]
    assert pieces("<tool> ab") == ["<tool>", *start]
    assert pieces(" <tool> <tool>ab") == ["<tool>", "<tool>", "ab"]
    assert tok.encode(" <tool> ", allow_special=["<tool>"]) == [tool]
    assert space not in tok.encode("<tool>ab", allow_special=["<tool>"])


def test_the_space_behind_texts():
    spec = TrainerSpec(
        model_type="unigram", vocab_size=len(PIECES), byte_fallback=True, treat_whitespace_as_suffix=True
    )
    tok = Tokenizer.load(write_model(PIECES, spec, NormalizerSpec(remove_extra_whitespaces=False)))
    pieces = [tok.id_to_piece(i) for i in tok.encode("ab<tool>ab<tool>", allow_special=["<tool>"])]
    assert pieces == ["ab", "\u2581", "<tool>", "ab", "\u2581", "<tool>"]


@pytest.mark.parametrize("call", ["encode", "segments"])
def test_names_that_are_no_special_pieces(tok, call):
    def use(name):
        if call == "encode":
            return tok.encode("a", allow_special=[name])
        return tok.encode_segments([Control(name)])

    for name in ("<nothing>", "", "\u2581nothing", b"\xff"):
        with pytest.raises(OptionError, match="is not a piece of the model"):
            use(name)
    for name, kind in (("a", "normal"), ("<0x41>", "byte")):
        with pytest.raises(OptionError, match=f"{name}.*type {kind}"):
            use(name)
    for name in (1, None, ["<s>"]):
        with pytest.raises(ArgumentTypeError):
            use(name)


def test_bad_arguments(tok):
    for names in ("<tool>", b"<tool>", 5, None):
        with pytest.raises(ArgumentTypeError):
            tok.encode("a", allow_special=names)
    for segments in (["a"], [Text("a"), 5], 5, [Text(5)], [Text(None)]):
        with pytest.raises(ArgumentTypeError):
            tok.encode_segments(segments)
    with pytest.raises(ArgumentTypeError):
        tok.encode(5, allow_special=["<tool>"])
    with pytest.raises(TextError, match="lone surrogate"):
        tok.encode("a<tool>\ud800", allow_special=["<tool>"])
    for option in ("prefix_space", "user_defined"):
        for value in ("no", 1, 0, [], "True"):
            for use in (tok.encode, tok.spans, tok.pieces):
                with pytest.raises(ArgumentTypeError, match=option):
                    use("a", **{option: value})
    with pytest.raises(ArgumentTypeError, match="user_defined"):
        tok.encode("a", user_defined=None)


def test_segments_are_values():
    assert Control("<s>") == Control("<s>") != Control("</s>")
    assert len({Text("a"), Text("a"), Text(b"a")}) == 2
    assert spm_lite.Control is Control
    with pytest.raises(AttributeError):
        Control("<s>").name = "</s>"
    with pytest.raises(AttributeError):
        Text("a").text = "b"


# -- texts that go on ---------------------------------------------------------------------------------------------

ANY = st.text(st.one_of(st.sampled_from(" \u2581ab日[X]\n"), st.characters(exclude_categories=["Cs"])), max_size=12)


@settings(deadline=None)
@given(ANY, ANY)
def test_texts_that_go_on(tok, a, b):
    first, second = tok.encode(a), tok.encode(b, prefix_space=False)
    assert tok.decode(first) + tok.decode(second, prefix_space=False) == a + b
    assert tok.decode_bytes(first) + tok.decode_bytes(second, prefix_space=False) == (a + b).encode()
    if a:
        assert tok.decode(first + second) == a + b
    assert tok.decode(tok.encode(a, prefix_space=True), prefix_space=True) == a
    assert tok.decode(tok.encode(a, prefix_space=False), prefix_space=False) == a


@settings(deadline=None)
@given(st.data())
def test_ids_that_go_on(tok, data):
    ids = st.lists(st.integers(0, len(PIECES) - 1), max_size=8)
    a, b = data.draw(ids), data.draw(ids)
    if tok.decode_bytes(a):
        whole = tok.decode_bytes(a + b)
        assert tok.decode_bytes(a) + tok.decode_bytes(b, prefix_space=False) == whole


@pytest.mark.parametrize("seed", range(100))
def test_prefix_space_is_that_of_another_model(seed):
    rng = random.Random(seed)
    pieces = random_pieces(rng, rng.random() < 0.4)
    byte_fallback = any(kind == BYTE for _, _, kind in pieces)
    spec = TrainerSpec(
        model_type=TYPES[seed % 4],
        vocab_size=len(pieces),
        byte_fallback=byte_fallback,
        treat_whitespace_as_suffix=rng.random() < 0.2,
    )
    rules = random_normalizer(rng)
    fields = {
        name: getattr(rules, name)
        for name in ("precompiled_charsmap", "remove_extra_whitespaces", "escape_whitespaces")
    }
    twins = {
        dummy: Tokenizer.load(write_model(pieces, spec, NormalizerSpec(add_dummy_prefix=dummy, **fields)))
        for dummy in (False, True)
    }
    for _ in range(10):
        text = random_text(rng, False, rng.choice([b" ", b"  "])).decode()
        for own in (False, True):
            for wanted in (False, True):
                tok, twin = twins[own], twins[wanted]
                assert tok.encode(text, prefix_space=wanted) == twin.encode(text)
                assert tok.pieces(text, prefix_space=wanted) == twin.pieces(text)
                assert tok.spans(text, prefix_space=wanted) == twin.spans(text)
                assert tok.encode_batch([text], prefix_space=wanted) == twin.encode_batch([text])
                assert tok.count(text, limit=5, prefix_space=wanted) == twin.count(text, limit=5)
                assert tok.truncate(text, 5, prefix_space=wanted) == twin.truncate(text, 5)
            assert twins[own].encode(text, prefix_space=None) == twins[own].encode(text)


@pytest.mark.thread_unsafe
def test_caches_of_all_variants(tok):
    for options in ({}, {"prefix_space": False}, {"user_defined": False}):
        tok.encode("ab ab", **options)
    assert tok.info.cache_used <= tok.info.cache_limit
    tok.clear_cache()
    assert tok.info.cache_used == 0
