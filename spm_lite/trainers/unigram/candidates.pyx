from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.system.heap cimport refill
from spm_lite.base.unicode.utf8 cimport read_char
from spm_lite.counts.chunk_table cimport Chunk
from spm_lite.trainers.unigram.renaming cimport rename_all

from spm_lite.errors import TrainingError


cdef extern from "Python.h":
    str PyUnicode_FromKindAndData(int kind, const void* data, Py_ssize_t length)


cdef enum Unicode:
    N_CODE_POINTS = 0x110000
    FOUR_BYTES = 4      # a kind of str: a code point takes 4 bytes

cdef uint64_t MAX_SYMBOLS = 0xFFFFFFFE


cdef class Candidates:
    """The corpus and the candidates, at first the single characters of the alphabet.

    alphabet: distinct characters, in any order; NUL is ignored.
    """

    def __init__(self, alphabet: str) -> None:
        cdef uint32_t code_point
        for code_point in sorted({ord(character) for character in alphabet} - {0}):
            self.alphabet.push_back(code_point)
        self.n_characters = <uint32_t> self.alphabet.size()
        refill(self.character_counts, self.n_characters, 0)
        refill(self.lone_counts, self.n_characters, 0)

    def __len__(self) -> int:
        return self.pieces.size()

    cdef int load(self, const uint8_t* texts, const Chunk* chunks, size_t n_chunks) except -1 nogil:
        """Take the chunks as segments: characters outside the alphabet and bytes that are not UTF-8 cut them."""
        cdef vector[uint32_t] places
        cdef size_t i
        cdef uint64_t n_bytes = 0
        refill(places, N_CODE_POINTS + 1, CUT)
        for i in range(self.alphabet.size()):
            places[self.alphabet[i]] = <uint32_t> i + 1
        for i in range(n_chunks):
            n_bytes += chunks[i].size + 1
        if n_bytes < 1 << 20:
            self.symbols.reserve(n_bytes + self.n_characters)
        for i in range(n_chunks):
            self.load_chunk(texts + chunks[i].begin, chunks[i].size, chunks[i].count, places.data())
        self.symbols.shrink_to_fit()
        return self.add_alphabet()

    cdef int load_chunk(
        self, const uint8_t* text, uint32_t size, uint64_t count, const uint32_t* places,
    ) except -1 nogil:
        cdef uint32_t begin = <uint32_t> self.symbols.size()
        cdef uint32_t pos = 0, code_point = 0, symbol
        cdef int32_t step
        if self.symbols.size() + size + self.n_characters > MAX_SYMBOLS:
            raise TrainingError(
                f"the distinct texts have more than {MAX_SYMBOLS} characters, the most that one training can hold: "
                "use less text, or stronger normalization"
            )
        while pos < size:
            step = read_char(text + pos, size - pos, &code_point)
            symbol = CUT if step == 0 else places[code_point]
            pos += max(step, 1)
            if symbol != CUT:
                self.symbols.push_back(symbol)
                self.character_counts[symbol - 1] += count
            else:
                begin = self.close_segment(begin, count)
        self.close_segment(begin, count)
        return 0

    cdef uint32_t close_segment(self, uint32_t begin, uint64_t count) except? 0xFFFFFFFF nogil:
        """End the segment that starts at `begin`; returns where the next starts. A lone character is only counted."""
        cdef uint32_t length = <uint32_t> self.symbols.size() - begin
        cdef Segment segment = Segment(count, begin, length)
        if length == 1:
            self.lone_counts[self.symbols.back() - 1] += count
            self.symbols.pop_back()
        elif length > 1:
            self.segments.push_back(segment)
            self.symbols.push_back(CUT)
        return <uint32_t> self.symbols.size()

    cdef int add_alphabet(self) except -1 nogil:
        """The alphabet as text and as the first pieces."""
        cdef uint32_t i, begin = <uint32_t> self.symbols.size()
        cdef Piece piece
        for i in range(self.n_characters):
            piece = Piece(begin + i, 1, i)
            self.pieces.push_back(piece)
            self.symbols.push_back(i + 1)
        self.longest.resize(self.symbols.size())
        for i in range(<uint32_t> self.symbols.size()):
            self.longest[i] = self.symbols[i] - 1  # NOT_A_PIECE for CUT
        return 0

    cdef int keep(self, const uint8_t* is_kept, uint32_t n_threads, uint32_t* new_ids) except -1 nogil:
        """Drop the pieces that are not kept; single characters always are.

        is_kept, new_ids: an entry per piece; new_ids is filled with each piece's new id, or with that of the longest
        kept piece that it begins with.
        """
        cdef uint32_t n_pieces = <uint32_t> self.pieces.size()
        cdef uint32_t piece_id, n_kept = 0
        cdef Piece piece
        for piece_id in range(n_pieces):
            piece = self.pieces[piece_id]
            if piece.length > 1:
                piece.shorter = new_ids[piece.shorter]  # a prefix comes earlier, so it has its new id
                if not is_kept[piece_id]:
                    new_ids[piece_id] = piece.shorter
                    continue
            else:
                piece.shorter = n_kept
            self.pieces[n_kept] = piece
            new_ids[piece_id] = n_kept
            n_kept += 1
        self.pieces.resize(n_kept)
        if n_kept < n_pieces:
            rename_all(self.longest.data(), self.longest.size(), new_ids, n_threads)
        return 0

    cdef str text(self, uint32_t piece_id):
        """A piece as text."""
        cdef Piece piece = self.pieces[piece_id]
        cdef vector[uint32_t] code_points
        cdef uint32_t i
        for i in range(piece.length):
            code_points.push_back(self.alphabet[self.symbols[piece.begin + i] - 1])
        return PyUnicode_FromKindAndData(FOUR_BYTES, code_points.data(), piece.length)
