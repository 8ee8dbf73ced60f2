"""Serializes results as the protobuf messages SentencePieceText and NBestSentencePieceText."""

from libc.stdint cimport int64_t, uint8_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.decode.decoded_text cimport DecodedText
from spm_lite.encode.encoded_text cimport EncodedText, Span
from spm_lite.vocab.vocab cimport Vocab
from spm_lite.vocab.wire cimport put_bytes, put_float, put_text, put_varint, varint_size

cdef enum:
    # Tags (field number and wire type) of the fields written below, one byte each.
    TEXT = 0x0A
    PIECES = 0x12
    SCORE = 0x1D
    PIECE = 0x0A
    ID = 0x10
    SURFACE = 0x1A
    BEGIN = 0x20
    END = 0x28
    NBESTS = 0x0A


def write_text(
    bytes text not None, list pieces not None, list ids not None, list surfaces not None, list offsets not None,
    score=None,
):
    """Serialize a SentencePieceText.

    ids: -1 is written as 4294967295, as by sentencepiece. surfaces: None: the field is left out. offsets: (begin, end)
    pairs. score: None: left out. Raises ValueError unless pieces, ids, surfaces and offsets have the same length.
    """
    cdef vector[uint8_t] out
    cdef bytes piece, surface
    cdef const uint8_t* shown = NULL
    cdef Py_ssize_t shown_size, i
    if not len(pieces) == len(ids) == len(surfaces) == len(offsets):
        raise ValueError(
            f"{len(pieces)} pieces, {len(ids)} ids, {len(surfaces)} surfaces, {len(offsets)} offsets: must be as many"
        )
    put_bytes(out, TEXT, text)
    for i in range(len(pieces)):
        piece, surface = pieces[i], surfaces[i]
        begin, end = offsets[i]
        shown_size = -1
        if surface is not None:
            shown, shown_size = <const uint8_t*> <const char*> surface, len(surface)
        put_piece(
            out, <const uint8_t*> <const char*> piece, len(piece), <uint32_t> <int64_t> ids[i], shown, shown_size,
            begin, end,
        )
    return finished(out, score)


def write_encoded(EncodedText encoded not None, score=None):
    """Serialize an EncodedText as a SentencePieceText, without a Python object per field."""
    cdef vector[uint8_t] out
    cdef Vocab vocab
    cdef const uint8_t* piece
    cdef const Span* span
    cdef bytes shown
    cdef int64_t piece_size
    cdef size_t i
    if encoded.objects is None:
        raise ValueError("this EncodedText holds nothing: it comes from `Encoder.encode_text`")
    vocab = encoded.objects.vocab
    put_text(out, TEXT, encoded.view.data, encoded.view.size)
    for i in range(encoded.spans.size()):
        span = &encoded.spans[i]
        if encoded.is_own(span):
            piece = vocab.texts.data() + vocab.begins[span.piece_id]
            piece_size = vocab.begins[span.piece_id + 1] - vocab.begins[span.piece_id]
        else:
            shown = encoded.show(span)
            piece, piece_size = <const uint8_t*> <const char*> shown, len(shown)
        put_piece(
            out, piece, piece_size, <uint32_t> span.piece_id, encoded.view.data + span.begin,
            span.end - span.begin if span.has_surface else -1, span.begin, span.end,
        )
    return finished(out, score)


def write_decoded(DecodedText decoded not None):
    """Serialize a DecodedText as a SentencePieceText."""
    cdef vector[uint8_t] out
    cdef const uint8_t* surfaces = decoded.decoded.data()
    cdef bytes piece
    cdef int64_t begin
    cdef size_t i
    if decoded.text is None:
        raise ValueError("this DecodedText holds nothing: it comes from `decode_text`")
    put_bytes(out, TEXT, decoded.text)
    for i in range(decoded.ends.size()):
        piece = decoded.texts[i]
        begin = decoded.begin(i)
        put_piece(
            out, <const uint8_t*> <const char*> piece, len(piece), <uint32_t> <int64_t> decoded.piece_ids[i],
            surfaces + begin, decoded.ends[i] - begin, <uint32_t> begin, <uint32_t> decoded.ends[i],
        )
    return finished(out, None)


cdef int put_piece(
    vector[uint8_t]& out, const uint8_t* piece, int64_t piece_size, uint32_t piece_id, const uint8_t* surface,
    int64_t surface_size, uint32_t begin, uint32_t end,
) except -1:
    """Append the message of one piece. surface_size: bytes; -1: no surface."""
    cdef int64_t size = 1 + varint_size(piece_size) + piece_size + 1 + varint_size(piece_id)
    size += 1 + varint_size(begin) + 1 + varint_size(end)
    if surface_size >= 0:
        size += 1 + varint_size(surface_size) + surface_size
    out.push_back(PIECES)
    put_varint(out, size)
    put_text(out, PIECE, piece, piece_size)
    out.push_back(ID)
    put_varint(out, piece_id)
    if surface_size >= 0:
        put_text(out, SURFACE, surface, surface_size)
    out.push_back(BEGIN)
    put_varint(out, begin)
    out.push_back(END)
    put_varint(out, end)
    return 0


cdef bytes finished(vector[uint8_t]& out, object score):
    """Return the message as bytes, after adding the score unless it is None."""
    if score is not None:
        out.push_back(SCORE)
        put_float(out, score)
    return (<const char*> out.data())[: out.size()]


def write_nbest(list texts not None):
    """Serialize an NBestSentencePieceText from serialized SentencePieceTexts."""
    cdef vector[uint8_t] out
    for text in texts:
        put_bytes(out, NBESTS, text)
    return (<const char*> out.data())[: out.size()] if out.size() else b""
