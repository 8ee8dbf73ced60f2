"""The read-only objects of sentencepiece 0.2.1."""

import pickle

import pytest

from spm_lite import ImmutableNBestSentencePieceText, ImmutableSentencePieceText
from spm_lite.sentencepiece_pb2 import SentencePieceText

TEXT = "hello 日本語 😀 zz"


@pytest.fixture
def result(ours):
    return ours.EncodeAsImmutableProto(TEXT)


def test_offsets_count_code_points(ours, result):
    assert result.text == TEXT and result.text_as_bytes == TEXT.encode()
    mapping = ours.encode(TEXT, return_type="offset_mapping")
    assert [(p.begin, p.end) for p in result.pieces] == mapping["offsets"]
    assert [p.piece for p in result.pieces] == mapping["pieces"]
    assert [p.piece_as_bytes for p in result.pieces] == ours.encode(TEXT, return_type=bytes)
    assert all(p.surface == TEXT[p.begin : p.end] and p.surface_as_bytes == p.surface.encode() for p in result.pieces)
    assert ours.DecodeIdsAsImmutableProto([p.id for p in ours.EncodeAsImmutableProto("hello world").pieces]) == (
        ours.EncodeAsImmutableProto("hello world")
    )


def test_bytes_are_those_of_the_message(ours, result):
    """Only the offsets differ: 0.2.1 counted code points there too."""
    message = SentencePieceText.FromString(result.SerializeAsString())
    assert [(p.begin, p.end) for p in message.pieces] == [(p.begin, p.end) for p in result.pieces]
    assert message.text == TEXT and [p.surface for p in message.pieces] == [p.surface for p in result.pieces]
    ascii_only = ours.EncodeAsImmutableProto("hello zz")
    assert ascii_only.SerializeAsString() == ours.encode("hello zz", return_type="serialized_proto")
    assert pickle.loads(pickle.dumps(result)) == result
    assert result != ours.EncodeAsImmutableProto("hello") and result != TEXT


def test_equality_and_hash(ours, result):
    again = ours.EncodeAsImmutableProto(TEXT)
    assert result == again and len({result, again}) == 1
    assert result.pieces[0] == again.pieces[0] and len({result.pieces[0], again.pieces[0]}) == 1


def test_sequences(result):
    assert result.pieces[-1] == list(result.pieces)[-1] and result.pieces[::-1] == list(reversed(result.pieces))
    with pytest.raises(IndexError, match="piece index is out of range"):
        result.pieces[len(result.pieces)]
    with pytest.raises(TypeError, match="not str"):
        result.pieces["0"]
    with pytest.raises(AttributeError):
        result.pieces[0].id = 3


def test_text_form(ours):
    assert str(ours.EncodeAsImmutableProto("he")) == (
        f'text: "he"\nscore: 0.0\npieces {{\npiece: "▁he"\nid: {ours.piece_to_id("▁he")}\nsurface: "he"\n'
        "begin: 0\nend: 2\n}"
    )
    assert str(ImmutableSentencePieceText()) == 'text: ""\nscore: 0.0\n'


def test_nbest(ours):
    result = ours.NBestEncodeAsImmutableProto("hello", 3)
    assert result.SerializeAsString() == ours.NBestEncodeAsSerializedProto("hello", 3)
    assert [nbest.text for nbest in result.nbests] == ["hello"] * 3
    assert result.nbests[0].score >= result.nbests[1].score
    assert str(result).startswith('nbests {\ntext: "hello"\nscore: ')
    with pytest.raises(IndexError, match="nbests index is out of range"):
        result.nbests[3]
    assert len(ImmutableNBestSentencePieceText().nbests) == 0
