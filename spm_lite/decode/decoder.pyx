"""Decodes by texts of pieces that are made once (`fill_texts`); short ones are copied at a fixed size.

`append_text` is the driver, and `append_piece` has the rules. The hot loop is that of `append_short`.
Header: decoder.pxd.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_Check, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_Check
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy
from libcpp.vector cimport vector

from spm_lite.base.system.intrinsics cimport first_lowest, low_bytes
from spm_lite.base.unicode.space_mark cimport COPY_SLACK, copy_piece_unescaped, copy_unescaped, is_space_mark
from spm_lite.base.unicode.utf8 cimport encode_char, is_utf8
from spm_lite.decode.decode_rules cimport drop_leading_space, leading_space_rule, read_run_char
from spm_lite.decode.short_pieces cimport BYTE_TEXT, IDS_AT_ONCE, LONG_TEXT, SHORT_BYTES, ShortText
from spm_lite.decode.str_decoder cimport StrDecoder, string_of_written
from spm_lite.decode.strings cimport string_of
from spm_lite.decode.utf16_pieces cimport NO_UTF16
from spm_lite.normalize.normalizer cimport Normalizer
from spm_lite.texts.id_reader cimport read_ids
from spm_lite.vocab.vocab cimport BYTE, CONTROL, UNKNOWN, Vocab, byte_of_piece

from spm_lite.errors import ArgumentTypeError, TextError

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL

cdef enum:
    BRIEF_IDS = 1 << 12     # texts of fewer ids are decoded without releasing the GIL


@cython.final
cdef class Decoder:
    """Decodes ids to text, by SentencePiece's rules for leading spaces and for byte pieces.

    unk_surface: UTF-8 that the unknown piece decodes to. denormalizer: rules for the decoded text, or None.
    """

    def __cinit__(
        self, Vocab vocab not None, bint add_dummy_prefix, bint remove_extra_whitespaces, bytes unk_surface not None,
        Normalizer denormalizer or None,
    ):
        self.vocab = vocab
        self.remove_extra_whitespaces = remove_extra_whitespaces
        self.unk_surface = unk_surface
        self.denormalizer = denormalizer
        self.marks_words = vocab.word_rules is not None
        self.leading = leading_space_rule(add_dummy_prefix, remove_extra_whitespaces)
        self.fill_texts()
        if denormalizer is None:
            self.strings = self.new_strings()

    cdef StrDecoder new_strings(self):
        cdef StrDecoder strings = StrDecoder()
        strings.vocab = self.vocab
        strings.leading = self.leading
        strings.texts, strings.begins, strings.shorts = self.texts.data(), self.begins.data(), self.shorts.data()
        return strings

    cdef int fill_texts(self) except -1:
        """Fill `texts` and `shorts` with what pieces add if no space is dropped: text with spaces, a byte, nothing."""
        cdef Vocab vocab = self.vocab
        cdef const uint8_t* text
        cdef uint8_t* begin
        cdef uint8_t* end
        cdef int32_t i
        self.texts.resize(vocab.texts.size() + len(self.unk_surface) + <int> COPY_SLACK)  # it is read by `short_text`
        self.begins.resize(<size_t> vocab.size + 1)
        self.shorts.resize(vocab.size)
        end = self.texts.data()
        for i in range(vocab.size):
            begin = end
            text = vocab.texts.data() + vocab.begins[i]
            if vocab.types[i] == UNKNOWN:
                memcpy(end, <const char*> self.unk_surface, len(self.unk_surface))
                end += len(self.unk_surface)
            elif vocab.types[i] == BYTE:
                # The piece is <0xHH>: the vocabulary accepts no other.
                end[0] = <uint8_t> byte_of_piece(text, vocab.begins[i + 1] - vocab.begins[i])
                end += 1
            elif vocab.is_bytes and vocab.types[i] != CONTROL:
                memcpy(end, text, vocab.begins[i + 1] - vocab.begins[i])
                end += vocab.begins[i + 1] - vocab.begins[i]
            elif self.marks_words and vocab.types[i] != CONTROL:
                end = copy_word(text, vocab.begins[i + 1] - vocab.begins[i], end)
            elif vocab.types[i] != CONTROL:
                end = copy_piece_unescaped(
                    text, vocab.begins[i + 1] - vocab.begins[i], <int64_t> vocab.texts.size() - vocab.begins[i], end,
                )
            self.begins[i + 1] = end - self.texts.data()
            self.shorts[i] = short_text(begin, end - begin, vocab.types[i])
        self.texts.resize(end - self.texts.data())
        return 0

    cdef int append_text(self, const int32_t* ids, int64_t n_ids, bint raw, vector[uint8_t]& out) except -1 nogil:
        """Append the text of ids. All ids must be in range. raw: keep the bytes of byte pieces even if ill-formed."""
        cdef const uint8_t* piece
        cdef DecodeState state = DecodeState(out.size(), out.size(), False, True, True)
        cdef int64_t i = 0
        cdef int32_t piece_id
        if self.vocab.is_bytes:
            self.append_byte_pieces(ids, n_ids, &state, raw, out)
            return self.denormalize(state.begin, out)
        while i < n_ids:
            piece_id = ids[i]
            piece = self.vocab.texts.data() + self.vocab.begins[piece_id]
            self.append_piece(
                piece, self.vocab.begins[piece_id + 1] - self.vocab.begins[piece_id], piece_id, &state, raw, out,
            )
            i += 1
            if state.in_run:
                i += self.append_bytes(ids + i, n_ids - i, out)
            elif not state.at_start:
                i += self.append_short(ids + i, n_ids - i, out)
        self.end_run(&state, raw, out)
        return self.denormalize(state.begin, out)

    cdef int append_byte_pieces(
        self, const int32_t* ids, int64_t n_ids, DecodeState* state, bint raw, vector[uint8_t]& out,
    ) except -1 nogil:
        """Append the text of pieces that are bytes. All up to a control piece are one run, as byte pieces are."""
        cdef int64_t i
        for i in range(n_ids):
            self.append_byte_piece(ids[i], state, raw, out)
        return self.end_run(state, raw, out)

    cdef int append_byte_piece(
        self, int32_t piece_id, DecodeState* state, bint raw, vector[uint8_t]& out,
    ) except -1 nogil:
        """Append one piece where pieces are bytes; a control piece ends the run of bytes."""
        cdef const uint8_t* own = self.texts.data()
        if self.vocab.types[piece_id] == CONTROL:
            return self.end_run(state, raw, out)
        if not state.in_run:
            state.in_run = True
            state.run_begin = out.size()
        out.insert(out.end(), own + self.begins[piece_id], own + self.begins[piece_id + 1])
        return 0

    cdef int64_t append_short(self, const int32_t* ids, int64_t n_ids, vector[uint8_t]& out) except -1 nogil:
        """Append the text of ids up to one with long text or a byte piece; return the number of ids done."""
        cdef const ShortText* shorts = self.shorts.data()
        cdef const ShortText* piece
        cdef const int32_t* id = ids
        cdef const int32_t* end
        cdef size_t n_before
        cdef uint8_t* to
        while id < ids + n_ids:
            end = id + min(ids + n_ids - id, <int64_t> IDS_AT_ONCE)
            n_before = out.size()
            out.resize(n_before + (end - id) * sizeof(ShortText))
            to = out.data() + n_before
            while id < end:
                piece = shorts + id[0]
                if piece.size > SHORT_BYTES:
                    break
                memcpy(to, piece, sizeof(ShortText))  # a fixed size, often more than needed
                to += piece.size
                id += 1
            out.resize(to - out.data())
            if id < end:
                break
        return id - ids

    cdef int64_t append_bytes(self, const int32_t* ids, int64_t n_ids, vector[uint8_t]& out) except -1 nogil:
        """Append the bytes of byte pieces up to another piece; return the number of ids done."""
        cdef const ShortText* shorts = self.shorts.data()
        cdef int64_t i = 0
        while i < n_ids and shorts[ids[i]].size == BYTE_TEXT:
            out.push_back(shorts[ids[i]].bytes[0])
            i += 1
        return i

    cdef int append_piece(
        self, const uint8_t* text, int64_t size, int32_t piece_id, DecodeState* state, bint raw, vector[uint8_t]& out,
    ) except -1 nogil:
        """Append one piece. text: its string, which differs from the vocabulary's only for an unknown string."""
        cdef uint8_t piece_type = self.vocab.types[piece_id] if piece_id >= 0 else <uint8_t> UNKNOWN
        cdef const uint8_t* own = self.texts.data() + self.begins[piece_id] if piece_id >= 0 else NULL
        cdef const uint8_t* end
        if self.vocab.is_bytes and piece_id >= 0:
            return self.append_byte_piece(piece_id, state, raw, out)
        if piece_type == BYTE:
            if not state.in_run:
                state.in_run = True
                state.run_begin = out.size()
            out.push_back(own[0])
            return 0
        self.end_run(state, raw, out)
        if out.size() > state.begin:
            state.at_start = False
        if piece_type == CONTROL:
            return 0
        if piece_type == UNKNOWN:
            if piece_id >= 0 and self.is_own_text(text, size, piece_id):
                end = self.texts.data() + self.begins[piece_id + 1]
                out.insert(out.end(), own, end)
            else:
                out.insert(out.end(), text, text + size)
            # The space stays. SentencePiece still ends the start of the text here, except when it returns offsets.
            if state.is_plain:
                drop_leading_space(&self.leading, is_space_mark(text, size), True, &state.at_start)
        else:
            if drop_leading_space(&self.leading, is_space_mark(text, size), False, &state.at_start):
                text += 3
                size -= 3
            elif self.marks_words and is_space_mark(text, size):
                out.push_back(b" ")
                text += 3
                size -= 3
            append_inside(text, size, self.marks_words, out)
        if out.size() > state.begin:
            state.at_start = False
        return 0

    cdef bint is_own_text(self, const uint8_t* text, int64_t size, int32_t piece_id) noexcept nogil:
        """Whether `text` is the piece's string in the vocabulary."""
        cdef int64_t begin = self.vocab.begins[piece_id]
        return self.vocab.begins[piece_id + 1] - begin == size and (
            memcmp(self.vocab.texts.data() + begin, text, size) == 0
        )

    cdef int end_run(self, DecodeState* state, bint raw, vector[uint8_t]& out) except -1 nogil:
        """Finish a run of byte pieces: each ill-formed byte becomes U+FFFD, unless `raw`."""
        cdef vector[uint8_t] run
        if not state.in_run:
            return 0
        state.in_run = False
        if not raw and not is_utf8(out.data() + state.run_begin, <int64_t> (out.size() - state.run_begin)):
            run.assign(out.begin() + state.run_begin, out.end())
            out.resize(state.run_begin)
            append_well_formed(run.data(), run.size(), out)
        return 0

    cdef int denormalize(self, size_t begin, vector[uint8_t]& out) except -1 nogil:
        """Replace the text from `begin` on by its denormalized form, if the model has a denormalizer."""
        cdef vector[uint8_t] result
        if self.denormalizer is None:
            return 0
        if out.size() - begin > 0x7FFFFFFF:
            with gil:
                raise TextError(
                    f"the decoded text of {out.size() - begin} bytes is longer than 2147483647: decode it in parts"
                )
        self.denormalizer.normalize_into(out.data() + begin, <int32_t> (out.size() - begin), result, NULL)
        out.resize(begin)
        out.insert(out.end(), result.begin(), result.end())
        return 0

    def decode_bytes(self, ids, bint raw):
        """Return the text of a sequence of ids as bytes. raw: keep ill-formed bytes; else each becomes U+FFFD.

        Raises ArgumentTypeError for an id that is not an integer, IdError for one outside the vocabulary.
        """
        cdef vector[int32_t] checked
        cdef vector[uint8_t] out
        read_ids(ids, -1, self.vocab.size, checked)
        with nogil:
            self.append_text(checked.data(), <int64_t> checked.size(), raw, out)
        return PyBytes_FromStringAndSize(<const char*> out.data(), out.size())

    def decode(self, ids):
        """Return the text of a sequence of ids."""
        cdef vector[int32_t] checked
        cdef vector[uint16_t] room
        read_ids(ids, -1, self.vocab.size, checked)
        return self.string_of_ids(checked.data(), <int64_t> checked.size(), room)

    cdef object string_of_ids(self, const int32_t* ids, int64_t n_ids, vector[uint16_t]& room):
        """Return the text of ids. All ids must be in range. room: a buffer, whose content does not matter."""
        cdef size_t size = 0
        cdef int32_t traits = NO_UTF16
        if self.strings is not None:
            if n_ids < BRIEF_IDS:
                traits = self.strings.write(ids, n_ids, room, &size)
            else:
                with nogil:
                    traits = self.strings.write(ids, n_ids, room, &size)
        if traits & NO_UTF16:
            return self.string_of_bytes(ids, n_ids)
        return string_of_written(room.data(), size, traits)

    cdef object string_of_bytes(self, const int32_t* ids, int64_t n_ids):
        """Return the text of ids by way of its UTF-8. All ids must be in range."""
        cdef vector[uint8_t] out
        with nogil:
            self.append_text(ids, n_ids, False, out)
        return string_of(out.data(), <Py_ssize_t> out.size())

    def decode_pieces(self, pieces, bint raw, bint as_str=False):
        """Return the text of a sequence of piece strings as bytes; one outside the vocabulary stands for itself.

        pieces: bytes, or str in which lone surrogates stand for bytes that are not UTF-8. as_str: return str, with
        U+FFFD for ill-formed bytes. Raises ArgumentTypeError for other types, UnicodeEncodeError for other surrogates.
        """
        cdef vector[uint8_t] out
        cdef DecodeState state = DecodeState(0, 0, False, True, True)
        cdef const uint8_t* text = NULL
        cdef Py_ssize_t size = 0
        for piece in pieces:
            if PyUnicode_Check(piece):
                try:
                    text = <const uint8_t*> PyUnicode_AsUTF8AndSize(piece, &size)
                except UnicodeEncodeError:
                    piece = piece.encode("utf-8", "surrogateescape")
            if PyBytes_Check(piece):
                text, size = <const uint8_t*> PyBytes_AS_STRING(piece), PyBytes_GET_SIZE(piece)
            elif not PyUnicode_Check(piece):
                raise ArgumentTypeError(f"a piece is str or bytes, not {type(piece).__name__} {piece!r:.40}")
            self.append_piece(text, size, self.vocab.find(text, size), &state, raw, out)
        self.end_run(&state, raw, out)
        self.denormalize(0, out)
        if as_str:
            return string_of(out.data(), <Py_ssize_t> out.size())
        return PyBytes_FromStringAndSize(<const char*> out.data(), out.size())


cdef inline ShortText short_text(const uint8_t* text, int64_t size, uint8_t piece_type) noexcept nogil:
    """Return a piece's text as a ShortText, without text if it is long. 16 bytes must be readable."""
    cdef ShortText kept
    cdef uint64_t words[2]
    cdef int64_t n = size if size <= SHORT_BYTES else 0
    memcpy(words, text, sizeof(ShortText))
    # In whole words: a wide read of bytes just written one by one stalls (store forwarding).
    words[0] &= first_lowest(low_bytes(min(n, <int64_t> 8)))
    words[1] &= first_lowest(low_bytes(max(n, <int64_t> 8) - 8))
    memcpy(&kept, words, sizeof(ShortText))
    kept.size = <uint8_t> LONG_TEXT if size > n else <uint8_t> BYTE_TEXT if piece_type == BYTE else <uint8_t> size
    return kept


cdef inline uint8_t* copy_word(const uint8_t* text, int64_t size, uint8_t* out) noexcept nogil:
    """Copy a piece with one U+2581 at its start as a space; return the end of the copy."""
    if is_space_mark(text, size):
        out[0] = b" "
        out += 1
        text += 3
        size -= 3
    memcpy(out, text, size)
    return out + size


cdef int append_inside(const uint8_t* text, int64_t size, bint keeps_marks, vector[uint8_t]& out) except -1 nogil:
    """Append a piece, each U+2581 as a space unless marks are kept."""
    cdef size_t n_before = out.size()
    if keeps_marks:
        out.insert(out.end(), text, text + size)
        return 0
    out.resize(n_before + size)
    out.resize(copy_unescaped(text, size, out.data() + n_before) - out.data())
    return 0


cdef int append_well_formed(const uint8_t* text, int64_t size, vector[uint8_t]& out) except -1 nogil:
    """Append a run of bytes as UTF-8, by the rule of `read_run_char`."""
    cdef int64_t pos = 0
    cdef uint32_t code_point = 0
    cdef uint8_t encoded[4]
    while pos < size:
        pos += read_run_char(text + pos, size - pos, &code_point)
        out.insert(out.end(), &encoded[0], &encoded[0] + encode_char(code_point, encoded))
    return 0
