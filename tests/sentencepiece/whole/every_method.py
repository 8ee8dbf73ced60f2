"""A program that uses every name of the drop-in; `mypy --strict` accepts it, and it runs."""

from __future__ import annotations

import io
import pickle
import sys
import tempfile
from pathlib import Path

import spm_lite as spm
from spm_lite import sentencepiece_model_pb2, sentencepiece_pb2

TEXTS = ["hello world", "this is a test"]


def load(path: str) -> spm.SentencePieceProcessor:
    data = Path(path).read_bytes()
    sp = spm.SentencePieceProcessor(model_file=path)
    sp = spm.SentencePieceProcessor(model_proto=data, add_bos=False, return_type=str)
    sp = spm.SentencePieceProcessor.from_file(path, alpha=0.2)
    sp = spm.SentencePieceProcessor.from_proto(data)
    message = sentencepiece_model_pb2.ModelProto.FromString(data)
    done: bool = sp.Load(model_file=path) and sp.load(model_proto=message)
    done = sp.LoadFromFile(path) and sp.load_from_file(path)
    done = sp.LoadFromSerializedProto(data) and sp.load_from_serialized_proto(data)
    sp.Init(model_file=path)
    sp.init(model_file=path)
    copied: spm.SentencePieceProcessor = pickle.loads(pickle.dumps(sp))
    assert done and copied.serialized_model_proto() == data
    return copied


def encode(sp: spm.SentencePieceProcessor) -> None:
    text = TEXTS[0]
    ids: list[int] = sp.EncodeAsIds(text)
    rows: list[list[int]] = sp.encode_as_ids(TEXTS)
    pieces: list[str] = sp.EncodeAsPieces(text) + sp.encode_as_pieces(text, reverse=True)
    proto = sp.EncodeAsProto(text)
    assert isinstance(proto, sentencepiece_pb2.SentencePieceText) and proto == sp.encode_as_proto(text)
    data: bytes = sp.EncodeAsSerializedProto(text) + sp.encode_as_serialized_proto(text)
    assert data and pieces and rows[0] == ids
    mapping = sp.EncodeAsOffsetMapping(text)
    assert mapping == sp.encode_as_offset_mapping(text)
    immutable = sp.EncodeAsImmutableProto(text)
    assert immutable == sp.encode_as_immutable_proto(text)
    assert [piece.piece for piece in immutable.pieces] == sp.EncodeAsPieces(text)
    assert (sp.EncodeAsNumpy(text) == sp.encode_as_numpy(text)).all()
    assert sp.Encode(text) == sp.encode(text) == sp.Tokenize(text) == sp.tokenize(text) == ids
    assert sp.ParallelEncode(text, chunk_len=9) == sp.parallel_encode(text, chunk_len=9) == ids
    assert sp.ParallelEncodeAsIds(text, chunk_len=9) == sp.parallel_encode_as_ids(text, chunk_len=9)
    assert sp.ParallelEncodeAsPieces(text, chunk_len=9) == sp.parallel_encode_as_pieces(text, chunk_len=9)
    assert (sp.ParallelEncodeAsNumpy(text, chunk_len=9) == sp.parallel_encode_as_numpy(text, chunk_len=9)).all()
    assert sp.ParallelEncodeAsProto(text, chunk_len=9) == sp.parallel_encode_as_proto(text, chunk_len=9)
    assert sp.Normalize(text) == sp.normalize(text)


def several(sp: spm.SentencePieceProcessor) -> None:
    text = TEXTS[0]
    best: list[list[int]] = sp.NBestEncodeAsIds(text, 3)
    assert sp.NBestEncode(text, nbest_size=3) == sp.nbest_encode(text, nbest_size=3) == best
    assert sp.nbest_encode_as_ids(text, 3) == best
    assert sp.NBestEncodeAsPieces(text, 3) == sp.nbest_encode_as_pieces(text, 3)
    assert len(sp.NBestEncodeAsNumpy(text, 3)) == len(sp.nbest_encode_as_numpy(text, 3))
    assert sp.NBestEncodeAsProto(text, 3) == sp.nbest_encode_as_proto(text, 3)
    assert sp.NBestEncodeAsSerializedProto(text, 3) == sp.nbest_encode_as_serialized_proto(text, 3)
    nbest = sp.NBestEncodeAsImmutableProto(text, 3)
    assert nbest == sp.nbest_encode_as_immutable_proto(text, 3) and len(nbest.nbests) == 3
    spm.SetRandomGeneratorSeed(1)
    spm.set_random_generator_seed(2)
    drawn: list[int] = sp.SampleEncodeAsIds(text, -1, 0.5) + sp.sample_encode_as_ids(text, 8, 0.5)
    strings: list[str] = sp.SampleEncodeAsPieces(text) + sp.sample_encode_as_pieces(text)
    assert drawn and strings
    assert len(sp.SampleEncodeAsNumpy(text)) and len(sp.sample_encode_as_numpy(text))
    assert sp.SampleEncodeAsProto(text).text == sp.sample_encode_as_proto(text).text
    assert sp.SampleEncodeAsSerializedProto(text) and sp.sample_encode_as_serialized_proto(text)
    assert sp.SampleEncodeAsImmutableProto(text).text == sp.sample_encode_as_immutable_proto(text).text
    scored = sp.SampleEncodeAndScoreAsIds(text, 2) + sp.sample_encode_and_score_as_ids(text, 2)
    score: float = scored[0][1] + sp.SampleEncodeAndScore(text, num_samples=2, wor=True)[0][1]
    score += sp.sample_encode_and_score(text, num_samples=1)[0][1]
    assert score <= 0
    assert sp.SampleEncodeAndScoreAsPieces(text, 2) and sp.sample_encode_and_score_as_pieces(text, 2)
    assert sp.SampleEncodeAndScoreAsSerializedProto(text) and sp.sample_encode_and_score_as_serialized_proto(text)
    assert sp.SampleEncodeAndScoreAsImmutableProto(text).nbests
    assert sp.sample_encode_and_score_as_immutable_proto(text).nbests
    assert sp.CalculateEntropy(text, 0.5) == sp.calculate_entropy(text, 0.5)


def decode(sp: spm.SentencePieceProcessor) -> None:
    ids, pieces = sp.EncodeAsIds(TEXTS[0]), sp.EncodeAsPieces(TEXTS[0])
    pool = spm.ThreadPool(2)
    assert sp.Decode([ids, ids], thread_pool=pool) == [TEXTS[0]] * pool.num_threads()
    assert sp.decode(ids) == sp.Detokenize(ids) == sp.detokenize(pieces) == TEXTS[0]
    assert sp.DecodeIds(ids) == sp.decode_ids(ids) == sp.DecodePieces(pieces) == sp.decode_pieces(pieces)
    assert sp.DecodeIdsAsProto(ids) == sp.decode_ids_as_proto(ids)
    assert sp.DecodePiecesAsProto(pieces) == sp.decode_pieces_as_proto(pieces)
    assert sp.DecodeIdsAsSerializedProto(ids) == sp.decode_ids_as_serialized_proto(ids)
    assert sp.DecodePiecesAsSerializedProto(pieces) == sp.decode_pieces_as_serialized_proto(pieces)
    assert sp.DecodeIdsAsImmutableProto(ids) == sp.decode_ids_as_immutable_proto(ids)
    assert sp.DecodePiecesAsImmutableProto(pieces) == sp.decode_pieces_as_immutable_proto(pieces)


def look(sp: spm.SentencePieceProcessor) -> None:
    size: int = sp.GetPieceSize()
    assert size == sp.get_piece_size() == sp.piece_size() == sp.vocab_size() == len(sp)
    piece: str = sp.IdToPiece(5)
    pieces: list[str] = sp.id_to_piece([5, 6])
    number: int = sp.PieceToId(piece)
    numbers: list[int] = sp.piece_to_id(pieces)
    assert [number] == numbers[:1] and sp[piece] == number
    score: float = sp.GetScore(5)
    assert [score] == sp.get_score([5])
    flags: list[bool] = [sp.IsUnknown(5), sp.IsControl(5), sp.IsUnused(5), sp.IsByte(5)]
    assert flags == [*sp.is_unknown([5]), *sp.is_control([5]), *sp.is_unused([5]), *sp.is_byte([5])]
    assert sp.unk_id() >= 0 and sp.bos_id() >= -1 and sp.eos_id() >= -1 and sp.pad_id() >= -1


def change(sp: spm.SentencePieceProcessor, folder: Path) -> None:
    assert sp.SetEncodeExtraOptions("bos:eos") and sp.set_encode_extra_options("")
    assert sp.SetDecodeExtraOptions("reverse") and sp.set_decode_extra_options("")
    assert sp.SetVocabulary(["hello"]) and sp.set_vocabulary([b"hello"])
    words = folder / "vocabulary.txt"
    words.write_text("hello\t3\nworld\n", encoding="utf-8")
    assert sp.LoadVocabulary(words, 1) and sp.load_vocabulary(str(words), 2)
    assert sp.ResetVocabulary() and sp.reset_vocabulary()
    assert sp.OverrideNormalizerSpec(add_dummy_prefix=False) and sp.override_normalizer_spec(add_dummy_prefix=True)


def train(folder: Path) -> None:
    corpus = folder / "corpus.txt"
    corpus.write_text("hello world\nthis is a test\n" * 50, encoding="utf-8")
    model = io.BytesIO()
    spm.SentencePieceTrainer.Train(sentence_iterator=iter(TEXTS * 50), model_writer=model, vocab_size=17)
    spm.SentencePieceTrainer.train(input=corpus, model_prefix=folder / "m", vocab_size=30, model_type="bpe")
    normalizer = spm.SentencePieceNormalizer(model_proto=model.getvalue())
    normalizer = spm.SentencePieceNormalizer(norm_map=[("a", "b")])
    text: str = normalizer.Normalize("a")
    assert text == normalizer.normalize("a") and normalizer.Decompile() == normalizer.decompile() == [("a", "b")]
    assert normalizer.serialized_model_proto() and normalizer.serialized_normalizer_spec()
    load_normalizer(normalizer, str(folder / "m.model"))


def load_normalizer(normalizer: spm.SentencePieceNormalizer, path: str) -> None:
    assert normalizer.LoadFromRuleName("nfkc") and normalizer.load_from_rule_name("nfkc_cf")
    assert normalizer.LoadFromFile(path) and normalizer.load_from_file(path)
    data = normalizer.serialized_model_proto()
    assert normalizer.LoadFromSerializedProto(data) and normalizer.load_from_serialized_proto(data)
    table = Path(path).with_suffix(".tsv")
    table.write_text("61\t62\n", encoding="utf-8")
    assert normalizer.LoadFromRuleTSV(table) and normalizer.load_from_rule_t_s_v(str(table))


def main(path: str) -> None:
    spm.SetMinLogLevel(2)
    spm.set_min_log_level(2)
    spm.SetNBestTimeout(0)
    spm.set_nbest_timeout(30_000)
    with tempfile.TemporaryDirectory() as name:
        sp = load(path)
        encode(sp)
        several(sp)
        decode(sp)
        look(sp)
        change(sp, Path(name))
        train(Path(name))


if __name__ == "__main__":
    main(sys.argv[1])
