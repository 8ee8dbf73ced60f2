"""`SpmLiteTokenizer`: a class of transformers for models of this package."""

import copy
import pickle

import pytest
from oracle.fast_tokenizers import needs_transformers

import spm_lite

pytestmark = needs_transformers
LINES = [
    "The quick brown fox, doesn't it?", "naïve café 42", "日本語のテキスト", "ภาษาไทย", "  two  spaces ", "a\0b",
    "emoji 👩\u200d👩\u200d👧 e\u0301 ab", "", "<s> the</s> x",
]  # fmt: skip
SIZES = {"unigram": 330, "bpe": 330, "char": 330, "word": 279, "byte_bpe": 300, "byte": None, "wordpiece": 200}
NEW = "a <new>zzz <|im|>b"


@pytest.fixture(scope="module", params=SIZES)
def native(request):
    if request.param == "byte":
        return spm_lite.byte_tokenizer()
    return spm_lite.train(LINES * 20, model_type=request.param, vocab_size=SIZES[request.param], hard_vocab_limit=False)


@pytest.fixture
def own(native):
    from spm_lite.transformers import SpmLiteTokenizer

    return SpmLiteTokenizer(native)


def ids_of(tokenizer):
    return tokenizer(LINES)["input_ids"]


def test_the_ids_of_the_model(native, own):
    wanted = [native.encode(text, allow_special="all") for text in LINES]
    if native.model_type == "wordpiece":
        wanted = [[native.bos_id, *ids, native.eos_id] for ids in wanted]
    assert ids_of(own) == wanted
    assert [own(text)["input_ids"] for text in LINES] == wanted
    assert own.convert_tokens_to_ids(own.tokenize(LINES[0])) == native.encode(LINES[0])
    assert own.convert_tokens_to_ids([*own.tokenize(LINES[0])]) == native.encode(LINES[0])
    assert own("<s>x", split_special_tokens=True, add_special_tokens=False)["input_ids"] == native.encode("<s>x")


def test_copies_are_equal(own, tmp_path):
    from transformers import AutoTokenizer

    own.save_pretrained(tmp_path)
    for other in (pickle.loads(pickle.dumps(own)), copy.deepcopy(own), AutoTokenizer.from_pretrained(tmp_path)):
        assert type(other) is type(own)
        assert ids_of(other) == ids_of(own)
        assert other.all_special_tokens == own.all_special_tokens
        assert len(other) == len(own) == len(own.get_vocab())


def test_the_folder_of_to_hf_gives_the_same(native, own, tmp_path):
    from transformers import AutoTokenizer

    if native.model_type in ("word", "byte"):
        pytest.skip("to_hf writes no such model, or with other ids for unknown words")
    native.to_hf(tmp_path, allow=("metaspace", "unused", "stranded", "unknown"))
    other = AutoTokenizer.from_pretrained(tmp_path)
    for options in ({}, {"truncation": True, "max_length": 7}, {"return_special_tokens_mask": True}):
        for inputs in ([LINES], [LINES, LINES[::-1]]):
            if len(inputs) == 2 and "truncation" in options:
                continue  # classes of transformers in Python cut pairs in another way than those of tokenizers
            theirs, ours = other(*inputs, **options), own(*inputs, **options)
            assert ours["input_ids"] == theirs["input_ids"]
            assert ours.get("special_tokens_mask") == theirs.get("special_tokens_mask") or "<s>" in LINES[-1]
    for ids in ids_of(own):
        for skips in (True, False):
            text = other.decode(ids, skip_special_tokens=skips)
            assert own.decode(ids, skip_special_tokens=skips) == text


def test_texts_come_back(native, own):
    if native.info.is_lossless:
        assert [own.decode(own.encode(text, add_special_tokens=False)) for text in LINES] == LINES


def test_tokens_that_are_added_later(own, tmp_path):
    from transformers import AutoTokenizer

    size = len(own)
    assert own.add_tokens(["<new>", "zzz"]) == 2
    own.add_special_tokens({"additional_special_tokens": ["<|im|>"]})
    assert len(own) == size + 3 and own.vocab_size == size
    ids = own(NEW, add_special_tokens=False)["input_ids"]
    assert [i for i in ids if i >= size] == [size, size + 1, size + 2]
    own.save_pretrained(tmp_path)
    other = AutoTokenizer.from_pretrained(tmp_path)
    assert other(NEW, add_special_tokens=False)["input_ids"] == ids
    assert len(other) == len(own)


def test_padding_and_roles(own):
    if own.pad_token is None:
        own.add_special_tokens({"pad_token": "<pad>"})
    batch = own(LINES, padding=True)
    assert len({*map(len, batch["input_ids"])}) == 1
    assert batch["attention_mask"][0].count(1) == len(own(LINES[0])["input_ids"])


def test_options_that_cannot_be_done():
    from transformers import AddedToken

    from spm_lite.transformers import SpmLiteTokenizer

    own = SpmLiteTokenizer(spm_lite.train(["the cat"] * 9, model_type="bpe", vocab_size=270))
    with pytest.raises(spm_lite.OptionError, match="lstrip=True"):
        own.add_tokens([AddedToken("<x>", lstrip=True)])
    with pytest.raises(IndexError, match="the id 999 is outside"):
        own.convert_ids_to_tokens(999)
    model = spm_lite.train(["the cat"] * 9, model_type="bpe", vocab_size=270, bos_id=-1)
    with pytest.raises(spm_lite.OptionError, match="add_bos_token=True"):
        SpmLiteTokenizer(model, add_bos_token=True)


def test_the_options_stay_in_a_folder(tmp_path):
    from transformers import AutoTokenizer

    from spm_lite.errors import OptionError
    from spm_lite.transformers import SpmLiteTokenizer

    native = spm_lite.train(LINES * 20, model_type="bpe", vocab_size=330)
    tok = SpmLiteTokenizer(native, add_bos_token=True, add_eos_token=True)
    ids = tok("the fox").input_ids
    assert ids == [native.bos_id, *native.encode("the fox"), native.eos_id]
    tok.save_pretrained(tmp_path)
    assert AutoTokenizer.from_pretrained(tmp_path)("the fox").input_ids == ids
    assert SpmLiteTokenizer.from_pretrained(tmp_path)("the fox").input_ids == ids
    assert spm_lite.load(tmp_path).encode("the fox") == native.encode("the fox")
    with pytest.raises(OptionError, match="write add_bos_token="):
        SpmLiteTokenizer(native, bos=True)
    with pytest.raises(OptionError, match=r"there is no spm_lite\.model"):
        SpmLiteTokenizer()
