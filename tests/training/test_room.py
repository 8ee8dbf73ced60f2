"""Room in the vocabulary: what a message says when there is too little, and that its remedies work."""

from collections.abc import Iterator
from typing import Any

import pytest

from spm_lite import OptionError, SpmLiteError, Tokenizer, TrainingError, train
from spm_lite.training.count_table import CountTable
from spm_lite.training.room import SMALL

LINES = ["the miller sells flour to the baker", "children throw stones from the bridge"] * 40
HAN = ["".join(chr(0x4E00 + (7 * i + j * j) % 300) for j in range(40)) for i in range(90)]


class Unread:
    """Texts that must not be read."""

    def __iter__(self) -> Iterator[str]:
        raise AssertionError("the text was read")


def refused(source: Any, **options: Any) -> SpmLiteError:
    with pytest.raises((OptionError, TrainingError)) as caught:
        train(source, **options)
    return caught.value


def test_what_takes_the_room_and_what_frees_it() -> None:
    error = refused(LINES, vocab_size=100)
    assert isinstance(error, TrainingError)
    assert str(error) == (
        "Vocabulary size is too small: 100 vs 279. Increase vocab_size to at least 279, or give byte_fallback=False "
        "(then 23 are enough, and the model is not lossless). It must hold 256 byte pieces, 3 special pieces and 20 "
        "characters."
    )
    assert error.remedies == ({"vocab_size": 279}, {"byte_fallback": False})


@pytest.mark.parametrize("model_type", ["unigram", "bpe"])
def test_the_sizes_are_the_smallest(model_type: str) -> None:
    for options in ({"vocab_size": 279}, {"vocab_size": 23, "byte_fallback": False}):
        assert len(train(LINES, model_type=model_type, **options)) == options["vocab_size"]
        options["vocab_size"] -= 1
        assert isinstance(refused(LINES, model_type=model_type, **options), TrainingError)


def test_coverage_is_offered_where_it_helps() -> None:
    assert "character_coverage" not in str(refused(LINES, vocab_size=100, character_coverage=0.98))
    assert "character_coverage" not in str(refused(LINES, vocab_size=277))
    error = refused(HAN, vocab_size=555, character_coverage=1.0)
    coverage = next(remedy for remedy in error.remedies if "character_coverage" in remedy)
    assert f"character_coverage={coverage['character_coverage']} (then " in str(error)
    assert len(train(HAN, vocab_size=555, **coverage)) == 555


@pytest.mark.parametrize(
    ("options", "remedy"),
    [
        ({"vocab_size": 22}, {"byte_fallback": False, "vocab_size": 23}),
        ({"vocab_size": 21, "character_coverage": 0.98}, {"byte_fallback": False, "bos_id": -1, "eos_id": -1}),
        ({"vocab_size": 22}, {"byte_fallback": False, "character_coverage": 0.9864}),
        ({"vocab_size": 278}, {"bos_id": -1, "eos_id": -1}),
        ({"vocab_size": 279, "required_chars": "xyz"}, {"required_chars": ""}),
        ({"vocab_size": 279, "control_symbols": ["<a>"]}, {"control_symbols": []}),
        ({"vocab_size": 279, "user_defined_symbols": ["<a>"]}, {"user_defined_symbols": []}),
        ({"vocab_size": 270, "model_type": "bpe"}, {"character_coverage": "auto"}),
        ({"vocab_size": 100, "lossless": True}, {"byte_fallback": False, "lossless": False}),
    ],
    ids=str,
)
def test_every_option_that_frees_room(options: dict[str, Any], remedy: dict[str, Any]) -> None:
    error = refused(LINES, **options)
    assert remedy in error.remedies
    assert all(name in str(error) for name in remedy)
    try:
        train(LINES, **{**options, **remedy})
    except TrainingError as next_error:
        assert "too high" in str(next_error)


WORDPIECE = {"model_type": "wordpiece", "control_symbols": ["[MASK]", "<a>"]}


@pytest.mark.parametrize(
    ("size", "remedy"),
    [
        (33, {"control_symbols": []}),
        (31, {"bos_id": -1, "eos_id": -1, "pad_id": -1}),
        (30, {"required_chars": ""}),
        (20, {"vocab_size": 34}),
    ],
    ids=str,
)
def test_every_option_that_frees_room_in_a_wordpiece_model(size: int, remedy: dict[str, Any]) -> None:
    options = {**WORDPIECE, "vocab_size": size, "required_chars": "yz"}
    texts = ["abcdefghijklm nopqrstuvwx"] * 5
    error = refused(texts, **options)
    assert f"Vocabulary size is too small: {size} vs 34" in str(error)
    assert remedy in error.remedies
    for changes in error.remedies:
        assert len(train(texts, **{**options, "hard_vocab_limit": False, **changes}))


def test_characters_of_a_wordpiece_model() -> None:
    """Required characters are pieces in both places; a coverage that helps is offered, and no other."""
    tok = train(LINES, model_type="wordpiece", vocab_size=90, hard_vocab_limit=False, required_chars="é")
    assert tok.unk_id not in tok.encode("é éé")
    assert "character_coverage" not in str(refused(LINES, model_type="wordpiece", vocab_size=7))
    error = refused(HAN, model_type="wordpiece", normalization="identity", vocab_size=340, character_coverage=1.0)
    coverage = next(remedy for remedy in error.remedies if "character_coverage" in remedy)
    options = {"hard_vocab_limit": False, "vocab_size": 340, **coverage}
    assert len(train(HAN, model_type="wordpiece", normalization="identity", **options)) <= 340
    texts = ["a" * 200]
    error = refused(texts, model_type="wordpiece", vocab_size=256, required_chars="a")
    assert len(train(texts, model_type="wordpiece", required_chars="a", **error.remedies[0])) == 7


def test_the_smallest_byte_level_model() -> None:
    for size in (1, 257):
        error = refused(LINES, model_type="byte_bpe", vocab_size=size)
        assert f"{size} vs 258" in str(error)
    assert len(train(LINES, model_type="byte_bpe", vocab_size=258)) == 258


def test_no_byte_pieces_to_free() -> None:
    for options in ({"byte_fallback": False}, {"character_coverage": "auto", "model_type": "bpe"}, {"unk_id": -1}):
        error = refused(LINES, vocab_size=10, **options)
        assert all("byte_fallback" not in remedy for remedy in error.remedies)


@pytest.mark.parametrize(
    "options",
    [
        {"vocab_size": 259},
        {"vocab_size": 259, "model_type": "bpe"},
        {"vocab_size": 259, "model_type": "char"},
        {"vocab_size": 258, "model_type": "word"},
        {"vocab_size": 261, "required_chars": "ab"},
        {"vocab_size": 261, "required_chars": "ab", "model_type": "char"},
        {"vocab_size": 999, "required_chars": "a b"},
        {"vocab_size": 999, "required_chars": "a", "user_defined_symbols": ["a"]},
        {"vocab_size": 999, "bos_piece": "</s>"},
        {"vocab_size": 999, "unk_piece": "<0x41>"},
        {"vocab_size": 999, "control_symbols": ["a", "a"]},
        {"vocab_size": 999, "pad_id": 999},
        {"vocab_size": 999, "lossless": True, "byte_fallback": False},
        {"vocab_size": 999, "memory_limit": "64MB", "reference_rules": True},
        {"vocab_size": 10**6, "memory_limit": "64MB"},
        {"vocab_size": 999, "seed": 2**70},
    ],
    ids=str,
)
def test_refused_before_the_text_is_read(options: dict[str, Any]) -> None:
    assert isinstance(refused(Unread(), **options), OptionError)


def test_large_texts_are_not_read_to_name_the_exact_size() -> None:
    assert "for any text: 100 vs 260" in str(refused(["a" * SMALL, "b"], vocab_size=100))
    assert "too small: 100 vs 262" in str(refused(["ab" * 9], vocab_size=100))
    assert "too small: 100 vs 262" in str(refused(CountTable.count(iter(["ab" * 9])), vocab_size=100))


def smallest_char_model(**options: Any) -> Tokenizer:
    return train(HAN, model_type="char", add_dummy_prefix=False, **options)


def test_a_char_model_keeps_the_space() -> None:
    for size in (260, 300, 9999):
        tok = smallest_char_model(vocab_size=size)
        assert tok.info.is_lossless
        assert tok.decode(tok.encode(" 他 说 ")) == " 他 说 "
    assert smallest_char_model(vocab_size=260).id_to_piece(259) == "\u2581"
    assert refused(HAN, model_type="char", vocab_size=259).remedies[0] == {"vocab_size": 260}
    assert "\u2581" not in smallest_char_model(vocab_size=280, byte_fallback=False)
    assert "\u2581" in smallest_char_model(vocab_size=280, lossless="strict")


@pytest.mark.parametrize("model_type", ["unigram", "bpe", "char"])
def test_required_characters_are_always_pieces(model_type: str) -> None:
    tok = train(["aaab" * 9], model_type=model_type, vocab_size=264, required_chars="a\u6f22z", hard_vocab_limit=False)
    assert all(character in tok for character in "a\u6f22z\u2581")


def test_fewer_pieces_than_asked_for() -> None:
    error = refused(LINES, vocab_size=5000, pad_id=4999)
    size = error.remedies[0]["vocab_size"]
    assert f"(5000). Please set it to a value <= {size}, with pad_id=3. (Or" in str(error)
    assert 259 < len(train(LINES, vocab_size=5000, **error.remedies[1])) <= size
    assert len(train(LINES, **{**error.remedies[0], "pad_id": 3})) == size
    hanging = refused(LINES, vocab_size=5000, pad_id=4999, hard_vocab_limit=False)
    assert hanging.remedies == ({"pad_id": 3},)
    assert train(LINES, vocab_size=5000, hard_vocab_limit=False, **hanging.remedies[0]).pad_id == 3


def test_a_count_table_offers_only_what_it_can_do() -> None:
    table = CountTable.count(iter(LINES))
    error = refused(table, vocab_size=100, control_symbols=[])
    assert error.remedies == ({"vocab_size": 279},)
    error = refused(table, vocab_size=270, model_type="bpe")
    assert error.remedies == ({"vocab_size": 279}, {"character_coverage": "auto"})
    as_usual = {"separator": "\n", "paragraphs": False}
    assert refused(table, vocab_size=300, separator=None).remedies == (as_usual,)


def test_texts_of_special_pieces_alone() -> None:
    """A Unigram model would have no piece that stands for text."""
    options = {"vocab_size": 300, "hard_vocab_limit": False, "control_symbols": ["<a>"], "add_dummy_prefix": False}
    error = refused(["<a>" * 9] * 3, byte_fallback=False, **options)
    assert "besides special pieces" in str(error)
    assert error.remedies == ()
    error = refused(["<a>" * 999 + "b"], byte_fallback=False, character_coverage=0.98, **options)
    assert error.remedies == ({"character_coverage": 1.0},)
    assert "b" in train(["<a>" * 999 + "b"], **{**options, **error.remedies[0]})
    assert train(["<a>" * 9] * 3, model_type="bpe", byte_fallback=False, **options).vocab_size == 4


def test_a_required_character_that_is_a_special_piece_in_the_original() -> None:
    options = {"vocab_size": 300, "hard_vocab_limit": False, "unk_piece": "a", "reference_rules": True}
    error = refused(["b ab b"] * 9, required_chars="az", **options)
    assert "a is already defined" in str(error)
    assert error.remedies == ({"required_chars": "z"},)
    assert "z" in train(["b ab b"] * 9, **{**options, **error.remedies[0]})
