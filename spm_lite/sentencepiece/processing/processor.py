"""SentencePieceProcessor: its parts joined, and the table of its names for one return type each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spm_lite.sentencepiece.processing.lookup import PieceLookup
from spm_lite.sentencepiece.processing.older import OlderCalls
from spm_lite.sentencepiece.processing.processor_decoding import TextDecoder
from spm_lite.sentencepiece.returns import (
    OLD_IMMUTABLE,
    Decodes,
    Encodes,
    Lists,
    Samples,
    Scores,
    decodes,
    encodes,
    lists,
    name_methods,
    parallel,
    samples,
    scores,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from spm_lite.sentencepiece.immutable import ImmutableNBestSentencePieceText, ImmutableSentencePieceText


@name_methods
class SentencePieceProcessor(OlderCalls, TextDecoder, PieceLookup):
    """A model with the calls of sentencepiece 0.2.3, and the calls of 0.2.1 that 0.2.3 dropped.

    >>> processor = SentencePieceProcessor(model_file="m.model")
    >>> processor.decode(processor.encode("Hello world"))
    'Hello world'
    """

    __module__ = "spm_lite"  # where users find it; a pickle names this place

    EncodeAsIds: Encodes[list[int]] = encodes(int)
    EncodeAsPieces: Encodes[list[str]] = encodes(str)
    EncodeAsNumpy: Encodes[NDArray[np.int32]] = encodes("numpy")
    EncodeAsProto: Encodes[Any] = encodes("proto")
    EncodeAsOffsetMapping: Encodes[dict[str, Any]] = encodes("offset_mapping")
    EncodeAsSerializedProto: Encodes[bytes] = encodes("serialized_proto")
    EncodeAsImmutableProto: Encodes[ImmutableSentencePieceText] = encodes(OLD_IMMUTABLE)

    SampleEncodeAsIds: Samples[list[int]] = samples(int)
    SampleEncodeAsPieces: Samples[list[str]] = samples(str)
    SampleEncodeAsNumpy: Samples[NDArray[np.int32]] = samples("numpy")
    SampleEncodeAsProto: Samples[Any] = samples("proto")
    SampleEncodeAsSerializedProto: Samples[bytes] = samples("serialized_proto")
    SampleEncodeAsImmutableProto: Samples[ImmutableSentencePieceText] = samples(OLD_IMMUTABLE)

    NBestEncodeAsIds: Lists[list[list[int]]] = lists(int)
    NBestEncodeAsPieces: Lists[list[list[str]]] = lists(str)
    NBestEncodeAsNumpy: Lists[list[NDArray[np.int32]]] = lists("numpy")
    NBestEncodeAsProto: Lists[Any] = lists("proto")
    NBestEncodeAsSerializedProto: Lists[bytes] = lists("serialized_proto")
    NBestEncodeAsImmutableProto: Lists[ImmutableNBestSentencePieceText] = lists(OLD_IMMUTABLE)

    ParallelEncodeAsIds: Encodes[list[int]] = parallel(int)
    ParallelEncodeAsPieces: Encodes[list[str]] = parallel(str)
    ParallelEncodeAsNumpy: Encodes[NDArray[np.int32]] = parallel("numpy")
    ParallelEncodeAsProto: Encodes[Any] = parallel("proto")

    SampleEncodeAndScoreAsIds: Scores[list[tuple[list[int], float]]] = scores(int)
    SampleEncodeAndScoreAsPieces: Scores[list[tuple[list[str], float]]] = scores(str)
    SampleEncodeAndScoreAsSerializedProto: Scores[bytes] = scores("serialized_proto")
    SampleEncodeAndScoreAsImmutableProto: Scores[ImmutableNBestSentencePieceText] = scores(OLD_IMMUTABLE)

    DecodeIds: Decodes = decodes()
    DecodeIdsAsProto: Decodes = decodes("proto")
    DecodeIdsAsSerializedProto: Decodes = decodes("serialized_proto")
    DecodeIdsAsImmutableProto: Decodes = decodes(OLD_IMMUTABLE)
    DecodePieces: Decodes = decodes()
    DecodePiecesAsProto: Decodes = decodes("proto")
    DecodePiecesAsSerializedProto: Decodes = decodes("serialized_proto")
    DecodePiecesAsImmutableProto: Decodes = decodes(OLD_IMMUTABLE)

    encode_as_ids = EncodeAsIds
    encode_as_pieces = EncodeAsPieces
    encode_as_numpy = EncodeAsNumpy
    encode_as_proto = EncodeAsProto
    encode_as_offset_mapping = EncodeAsOffsetMapping
    encode_as_serialized_proto = EncodeAsSerializedProto
    encode_as_immutable_proto = EncodeAsImmutableProto

    sample_encode_as_ids = SampleEncodeAsIds
    sample_encode_as_pieces = SampleEncodeAsPieces
    sample_encode_as_numpy = SampleEncodeAsNumpy
    sample_encode_as_proto = SampleEncodeAsProto
    sample_encode_as_serialized_proto = SampleEncodeAsSerializedProto
    sample_encode_as_immutable_proto = SampleEncodeAsImmutableProto

    nbest_encode_as_ids = NBestEncodeAsIds
    nbest_encode_as_pieces = NBestEncodeAsPieces
    nbest_encode_as_numpy = NBestEncodeAsNumpy
    nbest_encode_as_proto = NBestEncodeAsProto
    nbest_encode_as_serialized_proto = NBestEncodeAsSerializedProto
    nbest_encode_as_immutable_proto = NBestEncodeAsImmutableProto

    parallel_encode_as_ids = ParallelEncodeAsIds
    parallel_encode_as_pieces = ParallelEncodeAsPieces
    parallel_encode_as_numpy = ParallelEncodeAsNumpy
    parallel_encode_as_proto = ParallelEncodeAsProto

    sample_encode_and_score_as_ids = SampleEncodeAndScoreAsIds
    sample_encode_and_score_as_pieces = SampleEncodeAndScoreAsPieces
    sample_encode_and_score_as_serialized_proto = SampleEncodeAndScoreAsSerializedProto
    sample_encode_and_score_as_immutable_proto = SampleEncodeAndScoreAsImmutableProto

    decode_ids = DecodeIds
    decode_ids_as_proto = DecodeIdsAsProto
    decode_ids_as_serialized_proto = DecodeIdsAsSerializedProto
    decode_ids_as_immutable_proto = DecodeIdsAsImmutableProto
    decode_pieces = DecodePieces
    decode_pieces_as_proto = DecodePiecesAsProto
    decode_pieces_as_serialized_proto = DecodePiecesAsSerializedProto
    decode_pieces_as_immutable_proto = DecodePiecesAsImmutableProto
