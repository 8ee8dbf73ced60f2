"""The list of merges of a model: what is refused, and that it is written as it was read."""

import pytest

import spm_lite
from spm_lite.errors import ModelError, OptionError
from spm_lite.kinds import NORMAL, UNKNOWN
from spm_lite.specs import NormalizerSpec, TrainerSpec
from spm_lite.vocab.merge_list import MergeList
from spm_lite.vocab.messages import extension_of, serialize
from spm_lite.vocab.model_file import read_model
from spm_lite.vocab.model_writer import write_model

ENTRIES = [("<unk>", 0.0, UNKNOWN), *((text, -float(i), NORMAL) for i, text in enumerate(["a", "b", "ab", "##b"]))]
SPEC = NormalizerSpec("identity", b"", False, False, True)


def model(merges, model_type="bpe", entries=ENTRIES):
    spec = TrainerSpec(model_type=model_type, vocab_size=len(entries), byte_fallback=False)
    return write_model(entries, spec, SPEC, merges=merges)


def test_a_list_is_read_as_it_was_written():
    for merges in (
        MergeList([1, 2, 3]),
        MergeList([1, 4, 3, 1, 4, 3], True, True, b"##", b"</w>"),
        MergeList(),
    ):
        found = read_model(model(merges), "x").vocab.merge_list
        assert (found.ids(), [*found], len(found)) == (merges.ids(), [*merges], len(merges))
        assert found.serialize() == merges.serialize()
        assert (found.fuse_unknown, found.whole_pieces) == (merges.fuse_unknown, merges.whole_pieces)
        assert (found.continuing_prefix, found.word_suffix) == (merges.continuing_prefix, merges.word_suffix)
        assert found.is_by_part() == (merges.word_suffix != b"")


@pytest.mark.parametrize(
    ("ids", "prefix", "message"),
    [
        ([1, 2, 9], b"", "the merge 0 is of the pieces 1 and 2 to 9, but there are 5 pieces"),
        ([1, 2, 3, 2, 1, 3], b"", "the merge 1 makes b'ab' of b'b' and b'a', which do not join"),
        ([1, 4, 3], b"", "which do not join"),
        ([1, 2, 3], b"##", "which do not join"),
        ([1, 2, 3], b"#" * 33, "has 33 bytes: at most 32"),
    ],
)
def test_damaged_lists_are_errors(ids, prefix, message):
    with pytest.raises(ModelError, match=message):
        read_model(model(MergeList(ids, False, False, prefix)), "x")


def test_a_list_has_three_ids_for_each_merge():
    with pytest.raises(ModelError, match="2 ids, which are not three"):
        MergeList([1, 2])
    message = read_model(model(MergeList([1, 2, 3])), "x").message()
    extension_of(message).merge_list.merges.append(1)
    with pytest.raises(ModelError, match="4 ids, which are not three"):
        read_model(serialize(message), "x")


def test_a_list_needs_its_version_and_type():
    message = read_model(model(MergeList([1, 2, 3])), "x").message()
    extension_of(message).format_version = 3
    with pytest.raises(ModelError, match=r"format version 4|names no family"):
        read_model(serialize(message), "x")
    with pytest.raises(ModelError, match="a char model has a list of merges"):
        read_model(model(MergeList([1, 2, 3]), "char"), "x")


def test_sentencepiece_refuses_the_file():
    spm = pytest.importorskip("sentencepiece")
    with pytest.raises((RuntimeError, OSError)):
        spm.SentencePieceProcessor(model_proto=model(MergeList([1, 2, 3])))


def test_files_that_cannot_hold_a_list_say_so(tmp_path):
    tok = spm_lite.load(model(MergeList([1, 2, 3])))
    with pytest.raises(OptionError):
        tok.to_tiktoken(tmp_path / "x.tiktoken")
    with pytest.raises(OptionError, match="list of its merges"):
        tok.to_gguf(tmp_path / "x.gguf")
    with pytest.raises(OptionError, match="list of its merges"):
        tok.with_vocab_size(4)
