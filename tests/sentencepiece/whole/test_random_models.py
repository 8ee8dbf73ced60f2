"""Small random models of every kind: the drop-in gives what sentencepiece gives, byte for byte."""

import random

import pytest
import sentencepiece
from google.protobuf.internal import api_implementation
from oracle.random_models import TYPES, random_model, random_text
from oracle.slow import slow_after

from spm_lite import SentencePieceProcessor

N_MODELS = 4 * 400
SHARE = 20  # models of a test


def same(ours, ref, call):
    """Whether both give the same, or an error of the same kind; a piece that is not UTF-8 cannot be a str there."""
    try:
        theirs = call(ref)
    except UnicodeDecodeError:
        return
    except (RuntimeError, ValueError, IndexError) as error:
        with pytest.raises(type(error)):
            call(ours)
    else:
        assert call(ours) == theirs


def compare_texts(ours, ref, rng):
    ill_formed = rng.random() < 0.3
    texts = [random_text(rng, ill_formed, rng.choice([b" ", b"  ", "\u2581".encode()])) for _ in range(12)]
    for kind in (int, bytes, "serialized_proto", "offset_mapping"):
        same(ours, ref, lambda sp, kind=kind: sp.encode(texts, return_type=kind))
    same(ours, ref, lambda sp: sp.normalize(texts, with_offsets=True))
    for n in (1, 7):
        same(ours, ref, lambda sp, n=n: sp.nbest_encode(texts, nbest_size=n, return_type="serialized_proto"))
    # The original's parallel form loses pieces where a rule makes several of one character; ours is the plain one.
    assert ours.parallel_encode(texts, chunk_len=5, return_type=bytes) == ours.encode(texts, return_type=bytes)
    strings = [text.decode() for text in texts] if not ill_formed else []
    for call in (
        lambda sp: sp.encode(strings, return_type="offset_mapping"),
        lambda sp: sp.normalize(strings, with_offsets=True),
        lambda sp: sp.encode(strings, return_type=str, emit_unk_piece=True, reverse=True),
        lambda sp: sp.encode(strings, add_bos=True, add_eos=True, reverse=True),
    ):
        same(ours, ref, call)


def compare_ids(ours, ref, rng):
    size = ref.get_piece_size()
    rows = [rng.choices(range(size), k=rng.randrange(1, 10)) for _ in range(12)]
    pieces = [[rng.choice([b"a", b"\xe2\x96\x81x", b"<unk>", b"zz", b""]) for _ in row] for row in rows]
    for items in (rows, pieces):
        same(ours, ref, lambda sp, items=items: sp.decode(items, return_type=bytes))
        same(ours, ref, lambda sp, items=items: sp.decode(items, return_type="serialized_proto"))
        same(ours, ref, lambda sp, items=items: sp.decode(items, return_type="offset_mapping", return_bytes=True))


def compare_vocabulary(ours, ref):
    ids = range(ref.get_piece_size())
    for name in ("unk_id", "bos_id", "eos_id", "pad_id", "get_piece_size"):
        assert getattr(ours, name)() == getattr(ref, name)(), name
    if api_implementation.Type() != "python":  # which holds no pieces that are not UTF-8
        assert ours.serialized_model_proto() == ref.serialized_model_proto()
    for name in ("get_score", "is_unknown", "is_control", "is_unused", "is_byte"):
        assert getattr(ours, name)(ids) == getattr(ref, name)(ids), name


@pytest.mark.slow
@pytest.mark.parametrize("first", slow_after(10, range(0, N_MODELS, SHARE)))
def test_random_models(first):
    for number in range(first, first + SHARE):
        rng = random.Random(number)
        data = random_model(rng, TYPES[number % 4])
        ref = sentencepiece.SentencePieceProcessor()
        try:
            ref.LoadFromSerializedProto(data)
        except RuntimeError:
            with pytest.raises(RuntimeError):
                SentencePieceProcessor(model_proto=data)
            continue
        ours = SentencePieceProcessor(model_proto=data)
        compare_vocabulary(ours, ref)
        compare_texts(ours, ref, rng)
        compare_ids(ours, ref, rng)
