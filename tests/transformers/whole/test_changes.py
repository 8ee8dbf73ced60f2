"""What callers do to a tokenizer or to its results: the accelerated one stays like the original."""

import copy

import pytest
from oracle.fast_tokenizers import KINDS, LINES, make, needs_transformers

pytestmark = needs_transformers
LONG = " ".join(LINES * 4)


def both(kind, call):
    """What a call gives for an original and for its accelerated form; the texts of errors too."""
    from spm_lite.transformers import accelerate

    original = make(kind)
    fast = accelerate(original)
    found = []
    for tok in (original, fast):
        try:
            found.append(call(tok))
        except BaseException as error:  # a panic of tokenizers is no Exception
            found.append((type(error).__name__, str(error)))
    return found


def ids_are_edited(tok):
    found = tok(LINES, return_offsets_mapping=True)
    for ids in found["input_ids"]:
        ids[len(ids) // 2] = 1
        ids.append(2)
    return [(one.ids, len(one), one.word_ids, one.attention_mask) for one in found.encodings]


def parts_are_padded(tok):
    one = tok(LONG, truncation=True, max_length=8, return_overflowing_tokens=True).encodings[0]
    one.overflowing[0].pad(20)
    return [len(part) for part in one.overflowing]


def a_special_token_is_added_again(tok):
    name = tok.eos_token
    tok.add_tokens([name])
    ids = tok(f"a{name}b").input_ids
    return ids, tok.decode(ids, skip_special_tokens=True), tok(f"a{name}b", split_special_tokens=True).input_ids


def a_copy_is_changed(tok):
    from tokenizers import AddedToken, normalizers

    tok.add_tokens([AddedToken("FOO", normalized=True)])
    tok.backend_tokenizer.normalizer = normalizers.Lowercase()
    copied = copy.deepcopy(tok)
    first = copied("FOO foo bar").input_ids
    copied.add_tokens(["bar"])
    return first, tok("FOO foo bar").input_ids, len(tok), tok.get_added_vocab().get("bar")


def whole_words_are_added(tok):
    from tokenizers import AddedToken

    tok.add_tokens([AddedToken("ing", single_word=True, normalized=False)])
    found = tok("playing ing, sing")
    return found.word_ids(), found.encodings[0].offsets


def padding_has_sequences(tok):
    tok.backend_tokenizer.post_processor = None
    found = tok(LINES, padding=True)
    return [(one.sequence_ids, one.n_sequences) for one in found.encodings]


def pairs_have_a_stride(tok):
    return tok("a b c d e f", "x y", truncation="only_first", max_length=8, stride=4).input_ids


def a_part_is_in_python(tok):
    from tokenizers import pre_tokenizers

    class AtSpaces:
        def pre_tokenize(self, text):
            text.split(lambda i, part: part.split(" ", "removed"))

    try:
        tok.backend_tokenizer.pre_tokenizer = pre_tokenizers.PreTokenizer.custom(AtSpaces())
    except Exception as error:
        assert "serialized" in str(error)
    return tok("the quick fox").input_ids, tok("the fox", return_offsets_mapping=True).offset_mapping


def offsets_are_trimmed(tok):
    from tokenizers import processors

    tok.backend_tokenizer.post_processor = processors.ByteLevel(trim_offsets=True)
    return tok(LINES, return_offsets_mapping=True).offset_mapping


@pytest.mark.parametrize(
    "call",
    [
        ids_are_edited, parts_are_padded, a_special_token_is_added_again, a_copy_is_changed, whole_words_are_added,
        padding_has_sequences, pairs_have_a_stride, a_part_is_in_python, offsets_are_trimmed, lambda tok: tok("\udc00"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", KINDS)
def test_it_stays_like_the_original(kind, call):
    theirs, own = both(kind, call)
    assert own == theirs


def test_parts_of_a_long_text_ask_the_original_once(monkeypatch):
    from spm_lite.transformers import accelerate, backend

    fast = accelerate(make("wordpiece"))
    asked = []
    monkeypatch.setattr(backend.Call, "ask_later", lambda call, *given: asked.append(1) or call.ask(*given))
    text = LONG + " \u2603"  # one unknown character: the original knows the places
    found = fast(text, truncation=True, max_length=9, return_overflowing_tokens=True, return_offsets_mapping=True)
    assert len(found["input_ids"]) > 9
    assert len(asked) == 1


def test_a_part_in_python_is_refused_before_acceleration(tmp_path):
    from tokenizers import pre_tokenizers

    from spm_lite.errors import ArgumentTypeError
    from spm_lite.transformers import accelerate

    original = make("wordpiece")
    with pytest.raises(Exception, match="serialized"):
        original.backend_tokenizer.pre_tokenizer = pre_tokenizers.PreTokenizer.custom(object())
        original.backend_tokenizer.to_str()
    with pytest.raises(ArgumentTypeError, match="cannot be read: Custom PreTokenizer"):
        accelerate(original)


def test_programs_that_need_a_tokenizer_of_tokenizers():
    from tokenizers.decoders import DecodeStream

    from spm_lite.transformers import accelerate

    fast = accelerate(make("byte_bpe"))
    ids = fast("fox").input_ids[1:]
    stream = DecodeStream(skip_special_tokens=True)
    assert "".join(stream.step(fast.backend_tokenizer.original, i) or "" for i in ids) == "fox"
    backend = fast.backend_tokenizer
    plain = backend.encode("fox", add_special_tokens=False)
    assert backend.post_process(plain).ids == backend.encode("fox").ids
