"""An accelerated tokenizer gives what the original gives, in all fields and after all changes."""

import copy
import json
import os
import pickle
import random
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from oracle.fast_tokenizers import KINDS, LINES, TEXTS, make, needs_transformers

pytestmark = needs_transformers
OPTIONS = [
    {},
    {"add_special_tokens": False},
    {"truncation": True, "max_length": 8},
    {"truncation": True, "max_length": 8, "stride": 3, "return_overflowing_tokens": True},
    {"padding": True},
    {"padding": "max_length", "max_length": 30, "truncation": True},
    {"padding": True, "pad_to_multiple_of": 8, "padding_side": "left"},
    {"return_offsets_mapping": True, "return_special_tokens_mask": True, "return_length": True},
    {
        "truncation": True, "max_length": 7, "padding": True, "stride": 2, "return_overflowing_tokens": True,
        "return_offsets_mapping": True, "return_token_type_ids": True,
    },
    {"split_special_tokens": True},
    {"return_attention_mask": False, "return_token_type_ids": True},
]  # fmt: skip
PAIR_OPTIONS = [
    *OPTIONS,
    {"truncation": "only_first", "max_length": 60},
    {"truncation": "only_second", "max_length": 60},
    {"truncation": "longest_first", "max_length": 9, "return_overflowing_tokens": True, "stride": 1},
]


@pytest.fixture(params=KINDS)
def pair(request):
    from spm_lite.transformers import accelerate

    original = make(request.param)
    return original, accelerate(original)


def result(call):
    """What a call returns, or the text of its error."""
    try:
        return dict(call())
    except BaseException as error:  # tokenizers panics for a long stride
        return str(error)


def check(pair, *inputs, **options):
    """The accelerated tokenizer gives the result of the original, or raises its error."""
    original, fast = pair
    assert result(lambda: fast(*inputs, **options)) == result(lambda: original(*inputs, **options)), (inputs, options)


def test_all_fields_of_all_options_are_equal(pair):
    original, fast = pair
    rng = random.Random(3)
    for side in ("right", "left"):
        original.truncation_side = fast.truncation_side = side
        for options in OPTIONS:
            for one in [TEXTS, *TEXTS]:
                check(pair, one, **options)
        for options in PAIR_OPTIONS:
            for _ in range(20):
                check(pair, *rng.sample(TEXTS, 2), **options)
            check(pair, TEXTS, TEXTS[::-1], **options)


def test_words_are_equal(pair):
    lists = [text.split(" ") for text in TEXTS]
    for options in PAIR_OPTIONS:
        check(pair, lists, is_split_into_words=True, **options)
        check(pair, lists[0], lists[1], is_split_into_words=True, **options)


def test_encodings_are_equal(pair):
    original, fast = pair
    for options in OPTIONS[:9]:
        theirs, own = original(TEXTS, **options), fast(TEXTS, **options)
        for one, other in zip(theirs.encodings, own.encodings, strict=True):
            for name in (
                "ids", "type_ids", "tokens", "offsets", "attention_mask", "special_tokens_mask", "word_ids",
                "sequence_ids", "n_sequences",
            ):  # fmt: skip
                assert getattr(one, name) == getattr(other, name), (options, name, one.tokens)
            assert [part.ids for part in one.overflowing] == [part.ids for part in other.overflowing]
            assert len(one) == len(other)
            assert repr(one) == repr(other)
            assert pickle.loads(pickle.dumps(other)).offsets == one.offsets
        for i in range(len(TEXTS)):
            assert theirs.word_ids(i) == own.word_ids(i)
            assert theirs.tokens(i) == own.tokens(i)
            assert [theirs.char_to_token(i, at) for at in range(9)] == [own.char_to_token(i, at) for at in range(9)]
            for at in range(min(4, len(own["input_ids"][i]))):
                assert theirs.token_to_chars(i, at) == own.token_to_chars(i, at)


def test_encodings_can_be_changed(pair):
    original, fast = pair
    for text in LINES:
        one, other = original(text).encodings[0], fast(text).encodings[0]
        for encoding in (one, other):
            encoding.truncate(5)
            encoding.pad(9, direction="left", pad_id=3, pad_token="<pad>")
        for name in ("ids", "tokens", "offsets", "attention_mask", "type_ids", "special_tokens_mask", "sequence_ids"):
            assert getattr(one, name) == getattr(other, name), name
        assert len(one.overflowing) == len(other.overflowing)


def test_texts_of_ids_are_equal(pair):
    original, fast = pair
    rng = random.Random(7)
    size = len(original)
    for n in [1, 2, 3, 5, 9] * 60:
        ids = [rng.randrange(size) for _ in range(n)]
        for skips in (True, False):
            assert fast.decode(ids, skip_special_tokens=skips) == original.decode(ids, skip_special_tokens=skips), ids
    for text in TEXTS:
        ids = original(text)["input_ids"]
        assert fast.decode(ids) == original.decode(ids)
    many = original(TEXTS)["input_ids"]
    assert fast.batch_decode(many, skip_special_tokens=True) == original.batch_decode(many, skip_special_tokens=True)
    assert fast.decode([]) == original.decode([])
    assert fast.decode([size + 5]) == original.decode([size + 5])
    assert fast.tokenize(LINES[0]) == original.tokenize(LINES[0])
    names = original.tokenize(LINES[1])
    assert fast.convert_tokens_to_ids(names) == original.convert_tokens_to_ids(names)
    assert fast.convert_ids_to_tokens(many[0]) == original.convert_ids_to_tokens(many[0])
    assert fast.convert_tokens_to_string(names) == original.convert_tokens_to_string(names)


def test_changes_count(pair):
    from tokenizers import AddedToken, normalizers, processors

    original, fast = pair
    fast(TEXTS)

    def check():
        assert fast(TEXTS)["input_ids"] == original(TEXTS)["input_ids"]
        assert len(fast) == len(original)
        assert fast.get_vocab() == original.get_vocab()

    for tok in pair:
        tok.add_tokens(["quick", AddedToken("lazy", rstrip=True)])
    check()
    for tok in pair:
        tok.add_special_tokens({"additional_special_tokens": ["<turn>"]})
    assert fast("a<turn>b")["input_ids"] == original("a<turn>b")["input_ids"]
    assert fast.decode(fast("a<turn>b")["input_ids"], True) == original.decode(fast("a<turn>b")["input_ids"], True)
    check()
    for tok in pair:
        tok.backend_tokenizer.normalizer = normalizers.Lowercase()
    check()
    end = original.convert_tokens_to_ids(original.eos_token)
    for tok in pair:
        tok.backend_tokenizer.post_processor = processors.TemplateProcessing(
            single="$A <e> <e>", special_tokens=[("<e>", end)]
        )
    check()
    for tok in pair:
        tok.padding_side = "left"
    assert fast(TEXTS, padding=True)["input_ids"] == original(TEXTS, padding=True)["input_ids"]


def test_a_component_that_is_changed_in_place_counts():
    from spm_lite.transformers import accelerate

    original = make("byte_bpe")
    fast = accelerate(original)
    for tok in (original, fast):
        tok.backend_tokenizer.pre_tokenizer.add_prefix_space = True
    assert fast("The")["input_ids"] == original("The")["input_ids"]
    part = [tok.backend_tokenizer.pre_tokenizer for tok in (original, fast)]
    assert fast("The")["input_ids"] == original("The")["input_ids"]
    for one in part:
        one.add_prefix_space = False
    assert fast("The")["input_ids"] == original("The")["input_ids"]


def test_copies_and_pickles_are_accelerated(pair):
    from spm_lite.transformers.backend import Backend

    original, fast = pair
    for other in (copy.deepcopy(fast), copy.copy(fast), pickle.loads(pickle.dumps(fast))):
        assert type(other) is type(original)
        assert isinstance(other._tokenizer, Backend)
        assert other(TEXTS)["input_ids"] == original(TEXTS)["input_ids"]
    other = copy.deepcopy(fast)
    other.add_tokens(["jumps over"])
    assert fast(LINES)["input_ids"] == original(LINES)["input_ids"]
    assert other(LINES)["input_ids"] != original(LINES)["input_ids"]


def test_saved_files_are_those_of_the_original(pair, tmp_path):
    original, fast = pair
    fast(TEXTS, padding=True, truncation=True, max_length=9)
    original(TEXTS, padding=True, truncation=True, max_length=9)
    original.save_pretrained(tmp_path / "one")
    fast.save_pretrained(tmp_path / "two")
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert sorted(path.name for path in (tmp_path / "two").iterdir()) == names
    for name in names:
        assert (tmp_path / "two" / name).read_bytes() == (tmp_path / "one" / name).read_bytes(), name


def test_threads_share_a_tokenizer(pair):
    original, fast = pair
    wanted = [original(text)["input_ids"] for text in TEXTS]
    wrong = []

    def work():
        for _ in range(5):
            found = [fast(text)["input_ids"] for text in TEXTS]
            offsets = [fast(text).encodings[0].offsets for text in TEXTS[:3]]
            if found != wanted or len(offsets) != 3:
                wrong.append(found)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_foreign_inputs_get_the_errors_of_the_original(pair):
    original, fast = pair
    for wrong in (5, None, [5], [None], "\ud800", ["a", "\udfff"], [["a", 5]]):
        errors = []
        for tok in pair:
            try:
                tok(wrong)
                errors.append(None)
            except Exception as error:
                errors.append((type(error), str(error)))
        assert errors[0] == errors[1], wrong
    assert fast([""])["input_ids"] == original([""])["input_ids"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_is_free_of_the_locks_of_other_threads():
    from spm_lite.transformers import accelerate

    fast = accelerate(make("llama"))
    texts = [*TEXTS, "\u2603 which no piece covers"]
    expected = fast(texts, return_offsets_mapping=True).data
    backend = fast._tokenizer
    held, is_over = threading.Event(), threading.Event()

    def hold():
        with backend._lock, backend._snapshot.lock:
            held.set()
            is_over.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            fast.add_tokens([])
            code = 0 if fast(texts, return_offsets_mapping=True).data == expected else 2
        finally:
            os._exit(code)
    is_over.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_threads_forks_pickles_and_copies():
    program = Path(__file__).resolve().parents[2] / "tools" / "soak" / "accelerated_calls.py"
    if not program.is_file():
        pytest.skip("no source tree")
    ran = subprocess.run([sys.executable, str(program), "--rounds", "1"], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert json.loads(ran.stdout.splitlines()[-1])["calls"] > 0


@pytest.mark.parametrize("kind", KINDS)
def test_added_tokens_that_are_normalized_are_decoded_as_the_original_does(kind):
    from tokenizers import AddedToken

    from spm_lite.transformers import accelerate

    for is_early in (True, False):
        original, fast = make(kind), None
        if not is_early:
            fast = accelerate(original)
        for one in (original, fast):
            if one is not None:
                one.add_tokens(["NewWord"])
                one.add_tokens([AddedToken("<USR>", special=True, normalized=True)])
        fast = fast or accelerate(original)
        ids = original("a NewWord b <USR>").input_ids
        for skips in (True, False):
            assert fast.decode(ids, skip_special_tokens=skips) == original.decode(ids, skip_special_tokens=skips)
            assert fast.batch_decode([ids], skip_special_tokens=skips) == original.batch_decode(
                [ids], skip_special_tokens=skips
            )
        assert fast.convert_ids_to_tokens(ids) == original.convert_ids_to_tokens(ids)
