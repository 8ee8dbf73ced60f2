"""Decodes piece by piece and notes where the text of each ends. `decode_text` is the entry.

Header: decoded_text.pxd.
"""

cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.base.unicode.utf8 cimport lead_size
from spm_lite.decode.decode_rules cimport append_run_ends
from spm_lite.decode.decoder cimport Decoder, DecodeState
from spm_lite.texts.id_reader cimport read_ids
from spm_lite.vocab.vocab cimport BYTE

from spm_lite.errors import TextError


@cython.final
cdef class DecodedText:
    """The pieces of one decoded text. Made by `decode_text`."""

    def __len__(self):
        return len(self.texts)

    def ids(self):
        """Return the id of each piece's text; -1: unknown text in a model without unknown piece."""
        return list(self.piece_ids)

    def pieces(self):
        """Return the text of each piece as bytes."""
        return list(self.texts)

    def piece_strings(self):
        """Return the text of each piece as str; bytes that are not UTF-8 become lone surrogates."""
        return [piece.decode("utf-8", "surrogateescape") for piece in self.texts]

    def surfaces(self):
        """Return what each piece added to the text before the denormalizer, as bytes."""
        cdef const char* decoded = <const char*> self.decoded.data()
        cdef size_t i
        return [
            PyBytes_FromStringAndSize(decoded + self.begin(i), self.ends[i] - self.begin(i))
            for i in range(self.ends.size())
        ]

    def byte_offsets(self):
        """Return (begin, end) of each piece in bytes of the text before the denormalizer."""
        cdef size_t i
        return [(self.begin(i), self.ends[i]) for i in range(self.ends.size())]

    def char_offsets(self):
        """Return (begin, end) of each piece: the number of whole characters of `text` before each byte offset.

        Raises TextError if a denormalizer has made the text shorter than an offset.
        """
        cdef int64_t pos = 0, n_chars = 0
        cdef list offsets = []
        cdef size_t i
        for i in range(self.ends.size()):
            begin = self.count_chars(self.begin(i), &pos, &n_chars)
            offsets.append((begin, self.count_chars(self.ends[i], &pos, &n_chars)))
        return offsets

    cdef int64_t begin(self, size_t i) noexcept nogil:
        """Return where piece `i` begins in `decoded`."""
        return self.ends[i - 1] if i else 0

    cdef int64_t count_chars(self, int64_t offset, int64_t* pos, int64_t* n_chars) except -1:
        """Return the number of whole characters before byte `offset`. `pos` and `n_chars`, the count so far, move."""
        cdef const uint8_t* text = <const uint8_t*> <const char*> self.text
        cdef int64_t size = len(self.text)
        if offset > size:
            raise TextError(
                f"Invalid piece offsets in SentencePieceText: byte {offset} is beyond the {size} bytes of the text, "
                "which the model's denormalizer has changed; ask for offsets in bytes"
            )
        while pos[0] < offset and pos[0] + lead_size(text[pos[0]]) <= offset:
            pos[0] += lead_size(text[pos[0]])
            n_chars[0] += 1
        return n_chars[0]

    cdef int add_piece(self, Decoder decoder, bytes piece, DecodeState* state) except -1:
        cdef const uint8_t* text = <const uint8_t*> <const char*> piece
        cdef int32_t piece_id = decoder.vocab.find(text, len(piece))
        if piece_id >= 0 and decoder.vocab.types[piece_id] == BYTE:
            decoder.append_piece(text, len(piece), piece_id, state, False, self.decoded)
        else:
            self.end_run(decoder, state)
            decoder.append_piece(text, len(piece), piece_id, state, False, self.decoded)
            self.ends.push_back(<int64_t> self.decoded.size())
        self.texts.append(piece)
        self.piece_ids.append(piece_id)
        return 0

    cdef int end_run(self, Decoder decoder, DecodeState* state) except -1:
        """Finish a run of byte pieces: the last piece of a character spans it, the others are empty before it."""
        if not state.in_run:
            return 0
        append_run_ends(
            self.decoded.data() + state.run_begin, <int64_t> (self.decoded.size() - state.run_begin),
            <int64_t> state.run_begin, self.ends,
        )
        return decoder.end_run(state, False, self.decoded)

    cdef int finish(self, Decoder decoder, DecodeState* state) except -1:
        cdef vector[uint8_t] text
        self.end_run(decoder, state)
        text.assign(self.decoded.begin(), self.decoded.end())
        decoder.denormalize(0, text)
        self.text = PyBytes_FromStringAndSize(<const char*> text.data(), <Py_ssize_t> text.size())
        return 0


def decode_text(Decoder decoder not None, items, bint are_pieces):
    """Return the DecodedText of a sequence of ids, or of piece strings (bytes).

    An id stands for its string. If a control and a plain piece share a string, it means the control piece.
    Raises the errors of `Decoder.decode`.
    """
    cdef DecodedText result = DecodedText()
    cdef DecodeState state = DecodeState(0, 0, False, True, False)
    cdef vector[int32_t] ids
    cdef size_t i
    result.texts, result.piece_ids = [], []
    if are_pieces:
        for piece in items:
            result.add_piece(decoder, piece, &state)
    else:
        read_ids(items, -1, decoder.vocab.size, ids)
        for i in range(ids.size()):
            result.add_piece(decoder, decoder.vocab.text(ids[i]), &state)
    result.finish(decoder, &state)
    return result
