"""SentencePieceText and NBestSentencePieceText, serialized: what programs exchange about an encoded text."""

from libc.stdint cimport int64_t, uint8_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.io.wire cimport put_bytes, put_float, put_text, put_varint, varint_size
from spm_lite.segment.encoded cimport EncodedText, Span
from spm_lite.vocab.vocab cimport Vocab

cdef enum Tags:
    # Field number and wire type of what is written below, one byte each.
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
    """A serialized SentencePieceText.

    pieces: bytes; ids: -1 is written as 4294967295, as the original does; surfaces: bytes, None: the field is left out;
    offsets: (begin, end) pairs. All four are of the same length, else ValueError. score: None: left out.
    """
    cdef vector[uint8_t] out
    cdef bytes piece, surface
    cdef uint32_t begin, end, piece_id
    cdef int64_t size
    cdef Py_ssize_t i
    if not len(pieces) == len(ids) == len(surfaces) == len(offsets):
        raise ValueError(
            f"{len(pieces)} pieces, {len(ids)} ids, {len(surfaces)} surfaces, {len(offsets)} offsets: must be as many"
        )
    put_bytes(out, TEXT, text)
    for i in range(len(pieces)):
        piece, surface = pieces[i], surfaces[i]
        piece_id = <uint32_t> <int64_t> ids[i]
        begin, end = offsets[i]
        size = 1 + varint_size(len(piece)) + len(piece) + 1 + varint_size(piece_id)
        size += 1 + varint_size(begin) + 1 + varint_size(end)
        if surface is not None:
            size += 1 + varint_size(len(surface)) + len(surface)
        out.push_back(PIECES)
        put_varint(out, size)
        put_bytes(out, PIECE, piece)
        out.push_back(ID)
        put_varint(out, piece_id)
        if surface is not None:
            put_bytes(out, SURFACE, surface)
        out.push_back(BEGIN)
        put_varint(out, begin)
        out.push_back(END)
        put_varint(out, end)
    if score is not None:
        out.push_back(SCORE)
        put_float(out, score)
    return (<const char*> out.data())[: out.size()]


def write_encoded(EncodedText encoded not None, score=None):
    """The same of an EncodedText, without a Python object for each of its fields."""
    cdef vector[uint8_t] out
    cdef Vocab vocab
    cdef const uint8_t* piece
    cdef const Span* span
    cdef bytes shown
    cdef int64_t size, piece_size, surface_size
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
        size = 1 + varint_size(piece_size) + piece_size + 1 + varint_size(<uint32_t> span.piece_id)
        size += 1 + varint_size(span.begin) + 1 + varint_size(span.end)
        surface_size = span.end - span.begin
        if span.has_surface:
            size += 1 + varint_size(surface_size) + surface_size
        out.push_back(PIECES)
        put_varint(out, size)
        put_text(out, PIECE, piece, piece_size)
        out.push_back(ID)
        put_varint(out, <uint32_t> span.piece_id)
        if span.has_surface:
            put_text(out, SURFACE, encoded.view.data + span.begin, surface_size)
        out.push_back(BEGIN)
        put_varint(out, span.begin)
        out.push_back(END)
        put_varint(out, span.end)
    if score is not None:
        out.push_back(SCORE)
        put_float(out, score)
    return (<const char*> out.data())[: out.size()]


def write_nbest(list texts not None):
    """A serialized NBestSentencePieceText of serialized texts."""
    cdef vector[uint8_t] out
    for text in texts:
        put_bytes(out, NBESTS, text)
    return (<const char*> out.data())[: out.size()] if out.size() else b""
