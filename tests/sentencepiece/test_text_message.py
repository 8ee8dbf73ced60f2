"""Serialized texts against the message classes that read them."""

import pytest

from spm_lite import Tokenizer
from spm_lite.decode.decoded_text import DecodedText, decode_text
from spm_lite.encode.encoded_text import EncodedText
from spm_lite.sentencepiece.text_message import write_decoded, write_encoded, write_nbest, write_text
from spm_lite.specs import NormalizerSpec, TrainerSpec
from spm_lite.vocab.messages import message_class
from spm_lite.vocab.model_writer import write_model


@pytest.mark.compiled_protobuf
def test_fields():
    message = message_class("SentencePieceText").FromString(
        write_text(b"ab c", [b"ab", b"\xff"], [7, -1], [b"ab", None], [(0, 2), (300, 70000)], -1.5)
    )
    assert (message.text, message.score) == ("ab c", -1.5)
    first, second = message.pieces
    assert (first.piece, first.id, first.surface, first.begin, first.end) == ("ab", 7, "ab", 0, 2)
    assert (second.id, second.HasField("surface"), second.begin, second.end) == (2**32 - 1, False, 300, 70000)
    assert not message_class("SentencePieceText").FromString(write_text(b"", [], [], [], [])).HasField("score")


def test_lists_of_other_lengths():
    for lists in (([b"a"], [], [], []), ([], [1], [b"a"], [(0, 1)]), ([b"a"], [1], [b"a"], [])):
        with pytest.raises(ValueError, match="must be as many"):
            write_text(b"a", *lists)


def test_texts_that_nobody_filled():
    with pytest.raises(ValueError, match="holds nothing"):
        write_encoded(EncodedText())
    with pytest.raises(ValueError, match="holds nothing"):
        write_decoded(DecodedText())


@pytest.fixture
def tok():
    pieces = [(b"<unk>", 0.0, 2), (b"a", -1.0, 1), ("\u2581a".encode(), -0.5, 1), (b"</s>", 0.0, 3)]
    spec = TrainerSpec(model_type="unigram", vocab_size=len(pieces), byte_fallback=False)
    return Tokenizer.load(write_model(pieces, spec, NormalizerSpec()))


def test_a_decoded_text_is_written_alike(tok):
    """A control piece has an empty surface, which is not the same as none."""
    for ids in ([], [3], [2, 1, 0, 3, 1]):
        decoded = decode_text(tok._decoder, ids, False)
        fields = decoded.pieces(), decoded.ids(), decoded.surfaces(), decoded.byte_offsets()
        assert write_decoded(decoded) == write_text(decoded.text, *fields)


def test_an_encoded_text_is_written_alike(tok):
    encoder = tok._encoder
    written = []
    for text in (b"", b"a a", "aéz a".encode()):
        encoded = encoder.encode_text(text)
        fields = encoded.pieces(), encoded.ids(), encoded.surfaces(), encoded.byte_offsets()
        written.append(write_encoded(encoded, 0.25))
        assert written[-1] == write_text(text, *fields, 0.25)
        assert write_encoded(encoded) == write_text(text, *fields)
    found = message_class("NBestSentencePieceText").FromString(write_nbest(written))
    assert [text.SerializeToString(deterministic=True) for text in found.nbests] == written
    assert write_nbest([]) == b""
