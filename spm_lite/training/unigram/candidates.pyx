"""Loads chunks as segments, drops pieces by renaming ids on several threads, and cuts long segments.

Header: candidates.pxd.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.system.heap cimport refill
from spm_lite.base.system.thread_tasks cimport TaskThread, run_tasks
from spm_lite.base.unicode.utf8 cimport read_char
from spm_lite.training.counts.chunk_table cimport ChunkTable, Origin
from spm_lite.training.counts.cluster_places cimport append_begins
from spm_lite.training.trainer_interface cimport str_of

from spm_lite.errors import TrainingError

cdef enum:
    PLACES_PER_TASK = 1 << 20


cdef struct Renaming:
    # The data that the tasks of one rename_all share.
    uint32_t* places
    size_t n_places
    const uint32_t* new_ids


cdef int rename_block(void* job, uint32_t task, const TaskThread* worker) except -1 nogil:
    cdef Renaming* renaming = <Renaming*> job
    cdef size_t begin = <size_t> task * PLACES_PER_TASK
    rename(renaming.places + begin, min(<size_t> PLACES_PER_TASK, renaming.n_places - begin), renaming.new_ids)
    return 0


cdef int rename_all(uint32_t* places, size_t n_places, const uint32_t* new_ids, uint32_t n_threads) except -1 nogil:
    """Replace each piece id as `rename` does, on several threads: one block of places per task."""
    cdef Renaming renaming = Renaming(places, n_places, new_ids)
    return run_tasks(rename_block, &renaming, <uint32_t> (n_places // PLACES_PER_TASK + 1), n_threads)


cdef enum:
    N_CODE_POINTS = 0x110000

cdef uint64_t MAX_SYMBOLS = 0xFFFFFFFE


cdef class Candidates:
    """The corpus and its candidates, which at first are the single characters of the alphabet.

    alphabet: distinct characters, in any order; NUL is ignored.
    """

    def __cinit__(self, alphabet: str) -> None:
        cdef uint32_t code_point
        for code_point in sorted({ord(character) for character in alphabet} - {0}):
            self.alphabet.push_back(code_point)
        self.n_characters = <uint32_t> self.alphabet.size()
        self.divisor = 1
        refill(self.character_counts, self.n_characters, 0)
        refill(self.lone_counts, self.n_characters, 0)

    def __len__(self) -> int:
        return self.pieces.size()

    cdef int load(self, ChunkTable counts) except -1 nogil:
        """Load the chunks as segments, cut at characters outside the alphabet and at bytes that are not UTF-8."""
        cdef vector[uint32_t] places
        cdef vector[uint8_t] chunk_begins
        cdef size_t i
        cdef uint64_t n_bytes = counts.texts.size() + counts.chunks.size()
        self.divisor = counts.divisor
        refill(places, N_CODE_POINTS + 1, CUT)
        for i in range(self.alphabet.size()):
            places[self.alphabet[i]] = <uint32_t> i + 1
        if n_bytes < 1 << 20:
            self.symbols.reserve(n_bytes + self.n_characters)
        for i in range(counts.chunks.size()):
            self.load_chunk(counts, i, places.data(), chunk_begins)
        self.symbols.shrink_to_fit()
        return self.add_alphabet()

    cdef int load_chunk(
        self, ChunkTable counts, size_t i, const uint32_t* places, vector[uint8_t]& chunk_begins,
    ) except -1 nogil:
        cdef const uint8_t* text = counts.texts.data() + counts.chunks[i].begin
        cdef uint32_t size = counts.chunks[i].size
        cdef uint64_t count = counts.chunks[i].count
        cdef uint32_t begin = <uint32_t> self.symbols.size()
        cdef uint32_t pos = 0, code_point = 0, symbol
        cdef int32_t step
        cdef size_t n_read = 0
        if self.symbols.size() + size + self.n_characters > MAX_SYMBOLS:
            raise TrainingError(
                f"the distinct texts have more than {MAX_SYMBOLS} characters, the most that one training can hold: "
                "use less text, or stronger normalization"
            )
        if self.by_graphemes:
            chunk_begins.clear()
            append_begins(text, size, False, chunk_begins)
        while pos < size:
            step = read_char(text + pos, size - pos, &code_point)
            symbol = CUT if step == 0 else places[code_point]
            pos += max(step, 1)
            if symbol != CUT:
                self.symbols.push_back(symbol)
                self.character_counts[symbol - 1] += count
            else:
                begin = self.close_segment(begin, counts, i)
            if self.by_graphemes:  # of CUT it is that of the character that is not in the alphabet
                self.begins.resize(self.symbols.size(), chunk_begins[n_read])
                n_read += 1
        begin = self.close_segment(begin, counts, i)
        if self.by_graphemes:
            self.begins.resize(begin, True)
        return 0

    cdef uint32_t close_segment(self, uint32_t begin, ChunkTable counts, size_t i) except? 0xFFFFFFFF nogil:
        """End a segment of chunk `i` that starts at `begin`; return where the next starts.

        A lone character is only counted.
        """
        cdef uint32_t length = <uint32_t> self.symbols.size() - begin
        cdef uint64_t count = counts.chunks[i].count
        cdef Segment segment = Segment(count, begin, length)
        if length == 1:
            self.lone_counts[self.symbols.back() - 1] += count
            self.symbols.pop_back()
        elif length > 1:
            self.segments.push_back(segment)
            self.symbols.push_back(CUT)
            if not counts.origins.empty():
                self.origins.push_back(counts.origins[i])
        return <uint32_t> self.symbols.size()

    cdef int add_alphabet(self) except -1 nogil:
        """Append the alphabet to the symbols, and make its characters the first pieces."""
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

    cdef int drop_pieces(self) except -1 nogil:
        """Drop all pieces but the single characters."""
        cdef size_t i
        self.pieces.resize(self.n_characters)
        for i in range(self.longest.size()):
            self.longest[i] = self.symbols[i] - 1  # NOT_A_PIECE for CUT
        return 0

    cdef int keep(self, const uint8_t* is_kept, uint32_t n_threads, uint32_t* new_ids) except -1 nogil:
        """Drop the pieces that are not kept; single characters always stay.

        is_kept: one entry per piece. new_ids: filled: for a piece that is kept, its new id; else the new id of the
        longest kept piece that is a prefix of it.
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
        """Return the characters that the symbols of a piece stand for."""
        cdef Piece piece = self.pieces[piece_id]
        cdef vector[uint32_t] code_points
        cdef uint32_t i
        for i in range(piece.length):
            code_points.push_back(self.alphabet[self.symbols[piece.begin + i] - 1])
        return str_of(code_points.data(), piece.length)

    cdef Candidates copy(self):
        cdef Candidates result = Candidates("")
        with nogil:
            result.alphabet = self.alphabet
            result.character_counts = self.character_counts
            result.lone_counts = self.lone_counts
            result.segments = self.segments
            result.origins = self.origins
            result.by_graphemes = self.by_graphemes
            result.begins = self.begins
            result.divisor = self.divisor
            result.symbols = self.symbols
            result.longest = self.longest
            result.pieces = self.pieces
            result.n_characters = self.n_characters
        return result


cdef enum:
    LONG = 1 << 14          # characters; shorter segments are not cut
    MIN_PART = 1 << 10      # characters of a part at least: fewer parts take less memory


cdef int cut_long_segments(Candidates candidates) except -1 nogil:
    """Cut each long segment into parts at places that no piece crosses.

    Every segmentation of the whole is one segmentation of each part, so only the rounding of sums changes.
    """
    cdef vector[Segment] segments
    cdef vector[Origin] origins
    cdef size_t i
    cdef bint has_long = False
    for i in range(candidates.segments.size()):
        has_long = has_long or candidates.segments[i].length >= LONG
    if not has_long:
        return 0
    for i in range(candidates.segments.size()):
        if candidates.segments[i].length < LONG:
            segments.push_back(candidates.segments[i])
        else:
            cut_segment(candidates, candidates.segments[i], segments)
        if not candidates.origins.empty():
            origins.resize(segments.size(), candidates.origins[i])
    candidates.segments.swap(segments)
    candidates.origins.swap(origins)
    return 0


cdef int cut_segment(Candidates candidates, Segment segment, vector[Segment]& parts) except -1 nogil:
    """Append the parts of one segment, in order."""
    cdef uint32_t end = segment.begin + segment.length
    cdef uint32_t reach = segment.begin     # the last end of all pieces that begin before `place`
    cdef uint32_t place
    cdef Segment part = Segment(segment.count, segment.begin, 0)
    for place in range(segment.begin, end):
        # No last part of one character is cut off: a segment has at least two.
        if place == reach and place - part.begin >= MIN_PART and place + 1 < end:
            part.length = place - part.begin
            parts.push_back(part)
            part.begin = place
        reach = max(reach, place + candidates.pieces[candidates.longest[place]].length)
    part.length = end - part.begin
    parts.push_back(part)
    return 0
