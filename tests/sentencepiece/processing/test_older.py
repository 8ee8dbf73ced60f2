"""What only sentencepiece 0.2.1 could; expected values were read off that version with the same model."""

import pytest

import spm_lite
from spm_lite import SentencePieceProcessor

pytestmark = pytest.mark.thread_unsafe  # options that an object keeps

TEXT = "hello world"


def test_encode_extra_options_in_the_order_written(ours):
    ids, bos, eos = ours.encode(TEXT), ours.bos_id(), ours.eos_id()
    assert ours.SetEncodeExtraOptions("bos:eos:reverse")
    assert ours.encode(TEXT) == [eos, *ids[::-1], bos]
    assert ours.encode([TEXT, ""]) == [[eos, *ids[::-1], bos], [eos, bos]]
    assert ours.encode(TEXT, add_bos=True) == [bos, eos, *ids[::-1], bos]
    pieces = ours.encode(TEXT, return_type="proto").pieces
    assert [(p.id, p.begin, p.end, p.HasField("surface")) for p in pieces][:: len(pieces) - 1] == [
        (eos, len(TEXT), len(TEXT), False),
        (bos, 0, 0, False),
    ]
    assert ours.SetEncodeExtraOptions("reverse:bos") and ours.encode(TEXT) == [bos, *ids[::-1]]
    assert ours.SetEncodeExtraOptions("unk") and ours.encode("zz", return_type=str) == ["\u2581", "<unk>"]
    assert ours.SetEncodeExtraOptions("") and ours.encode(TEXT) == ids
    with pytest.raises(RuntimeError, match='option "foo" is not available'):
        ours.SetEncodeExtraOptions("bos:foo")


def test_decode_extra_options(ours):
    ids = ours.encode(TEXT)
    assert ours.SetDecodeExtraOptions("reverse:bos")
    assert ours.decode(ids[::-1]) == TEXT
    assert ours.decode([ids[::-1], ids[::-1]]) == [TEXT, TEXT]
    assert ours.decode(ours.encode(TEXT, return_type=str)[::-1]) == TEXT
    assert [p.id for p in ours.decode(ids, return_type="proto").pieces] == [ours.bos_id(), *ids[::-1]]


def test_vocabulary(ours, tmp_path):
    pieces = ours.encode(TEXT, return_type=str)
    assert ours.SetVocabulary(["\u2581he", "ll"])
    assert ours.encode("hello", return_type=str) == ["\u2581he", "ll", "o"]
    assert ours.is_unused(ours.piece_to_id("\u2581hello")) and not ours.is_unused(ours.piece_to_id("o"))
    assert ours.encode("<sep>", return_type=str)[-1] == "<sep>"  # user-defined symbols stay
    assert ours.ResetVocabulary() and ours.encode(TEXT, return_type=str) == pieces
    assert not ours.is_unused(ours.piece_to_id("never"))
    path = tmp_path / "words"
    path.write_bytes("\u2581he\t5\tmore\nll\r\nlo\t4\r\n".encode())
    assert ours.LoadVocabulary(path, 2) and ours.encode("hello", return_type=str) == ["\u2581he", "l", "lo"]
    with pytest.raises(OSError, match="nowhere") as info:
        ours.LoadVocabulary(tmp_path / "nowhere", 1)
    assert isinstance(info.value, RuntimeError)
    with pytest.raises(TypeError):
        ours.SetVocabulary("hello")


def test_normalizer_spec(ours):
    assert ours.OverrideNormalizerSpec(add_dummy_prefix=False, remove_extra_whitespaces="f")
    assert ours.normalize(" a  b") == "\u2581a\u2581\u2581b"
    with pytest.raises(RuntimeError, match='unknown field name "foo"'):
        ours.OverrideNormalizerSpec(foo=True)
    with pytest.raises(ValueError, match="as bool"):
        ours.OverrideNormalizerSpec(add_dummy_prefix="x")


def test_option_unk_of_a_decoder(ours):
    """Pieces outside the vocabulary count as the unknown piece, in plain text as well."""
    assert ours.decode(["zz"]) == "zz"
    assert ours.SetDecodeExtraOptions("unk") and ours.decode(["zz"]) == " \u2047 "
    message = ours.decode(["zz", "he"], return_type="proto")
    assert [(p.piece, p.surface) for p in message.pieces] == [("<unk>", " \u2047 "), ("he", "he")]


def test_empty_options_are_none(ours):
    assert ours.SetEncodeExtraOptions(":bos:") and ours.encode("he", return_type=str) == ["<s>", "\u2581he"]


def test_return_type_in_the_second_place(ours):
    assert ours.encode(TEXT, str) == ours.encode(TEXT, return_type=str)
    assert ours.nbest_encode(TEXT, str, nbest_size=2) == ours.nbest_encode_as_pieces(TEXT, 2)
    with pytest.raises(TypeError, match="return_type"):
        ours.encode(TEXT, str, True)


def test_immutable_by_its_old_name_only(ours):
    assert ours.encode(TEXT, out_type="immutable_proto") == ours.EncodeAsImmutableProto(TEXT)
    processor = SentencePieceProcessor(model_proto=ours.serialized_model_proto(), out_type="immutable_proto")
    assert processor.encode(TEXT).text == TEXT
    for call in (ours.encode, ours.decode, lambda _, return_type: SentencePieceProcessor(return_type=return_type)):
        with pytest.raises(ValueError, match="immutable_proto"):
            call(TEXT, return_type="immutable_proto")
    with pytest.raises(RuntimeError, match="not supported in proto API"):
        ours.EncodeAsImmutableProto(TEXT, add_bos=True)


def test_samples_with_scores(ours):
    spm_lite.set_random_generator_seed(1)
    for out_type in (int, str, "serialized_proto", "immutable_proto"):
        ours.SampleEncodeAndScore([TEXT, "hello"], out_type=out_type, num_samples=3, wor=True)
    best = ours.encode(TEXT)
    drawn = ours.SampleEncodeAndScoreAsIds(TEXT, 4, 0.5, wor=True, include_best=True)
    assert drawn[0] == (best, 0.0) and len({tuple(ids) for ids, _ in drawn}) == 4
    assert all(ours.decode(ids) == TEXT and score <= 0 for ids, score in drawn)
    for number in (0, -1, 2**64):
        with pytest.raises(RuntimeError, match="positive"):
            ours.SampleEncodeAndScore(TEXT, num_samples=number)
    with pytest.raises(RuntimeError, match="wor = True"):
        ours.SampleEncodeAndScore(TEXT, num_samples=2, include_best=True)
    assert ours.CalculateEntropy([TEXT, "he"], 0.5) == [ours.calculate_entropy(t, 0.5) for t in (TEXT, "he")]


def test_lone_surrogates_are_refused_as_by_encode(ours):
    for call in (ours.encode, ours.nbest_encode, ours.SampleEncodeAndScore, ours.CalculateEntropy):
        with pytest.raises(RuntimeError, match=r"U\+D800") as info:
            call("\ud800")
        assert isinstance(info.value, spm_lite.TextError)


def test_missing_file_is_the_error_of_both_versions(tmp_path):
    with pytest.raises(OSError, match="nowhere") as info:
        SentencePieceProcessor(model_file=tmp_path / "nowhere.model")
    assert isinstance(info.value, RuntimeError)


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_vocabulary_files_from_any_system(ours, tmp_path, bom, end, last):
    path = tmp_path / "words"
    path.write_bytes(bom + end.join(["\u2581he\t5".encode(), b"lo"]) + (end if last else b""))
    assert ours.LoadVocabulary(path, 1) and ours.encode("hello", return_type=str) == ["\u2581he", "l", "lo"]
