"""Unigram segmentation: the path with the largest sum of scores (Viterbi search).

`Rivals` are the two best paths to each place of a chunk. They tell by how much the best one wins, and so for which
scores before the chunk its ids hold.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.system.arrays cimport Int32Array
from spm_lite.encode.segment.char_trie cimport CharCodes, CharNode, CharTrie, TextChar, may_advance
from spm_lite.encode.segment.segmenter cimport Scratch, Segmenter, Token


cdef struct Rivals:
    # The two best paths that end before one character; a score of -infinity: there is none.
    double best
    double second
    uint64_t last       # last piece of the best path: index of its first character << 32 | its node in the CharTrie


cdef inline void arrive_from(
    const CharNode* nodes, const TextChar* chars, int32_t begin, Rivals* rivals,
) noexcept nogil:
    """Extend the two best paths that end at `begin` by every piece that starts there.

    A node where no piece ends has score -infinity, so adding it changes nothing and needs no branch.
    """
    cdef const TextChar* next_char = chars + begin + 1
    cdef Rivals* end = rivals + begin + 1
    cdef uint64_t begin_bits = <uint64_t> begin << 32
    cdef double best = rivals[begin].best, second = rivals[begin].second
    cdef uint32_t place = chars[begin].code, child
    cdef const CharNode* node = nodes + place
    while True:
        arrive(best + node.score, second + node.score, begin_bits | place, end)
        if not may_advance(node, next_char.code):
            break
        child = node.base + next_char.code
        node = nodes + child
        if node.parent != place:
            break
        place = child
        next_char += 1
        end += 1


cdef inline void arrive(double best, double second, uint64_t piece, Rivals* rivals) noexcept nogil:
    """Keep the two best of the present paths and of two new ones that end with `piece`.

    Without a branch: which path wins is unpredictable.
    """
    cdef uint64_t wins = <uint64_t> 0 - <uint64_t> (best > rivals.best)
    rivals.second = max(max(rivals.second, second), min(rivals.best, best))
    rivals.best = max(rivals.best, best)
    rivals.last ^= (piece ^ rivals.last) & wins


cdef enum:
    BLOCK_SIZE = 4096   # characters after which a block ends, at the next place that no piece spans
    MOST_ARRIVALS = 1 << 14     # of a block, at about a time; of those before them, only the steps are kept


cdef struct Arrival:
    # The best path found so far that ends before one character.
    float score         # sum of its scores, in single precision, added from left to right
    int32_t piece_id    # its last piece
    int32_t begin       # the character that this piece starts with; -1: not reached


cdef struct Search:
    # How far the search in a block has come; indices of `chars` and `arrivals`.
    int32_t begin       # arrivals up to here are final
    int32_t frontier    # arrivals up to here are set
    int32_t n_read      # characters


@cython.final
cdef class UnigramScratch(Scratch):
    cdef float score                    # of the path up to `block_end`
    cdef int32_t block_begin            # byte offsets of the block whose path is found
    cdef int32_t block_end
    cdef Search search
    cdef vector[TextChar] chars         # of one block or chunk; without those dropped at the start of a long block
    cdef vector[Arrival] arrivals       # of one block, without those dropped at its start
    # Of a long block; by byte offset: the bytes of the last piece of the best path that ends there. Once the path is
    # known: the bytes of its piece that begins there.
    cdef Int32Array steps
    cdef vector[Rivals] rivals          # of one chunk
    cdef int32_t n_chars                # characters of that chunk


@cython.final
cdef class UnigramSegmenter(Segmenter):
    cdef CharTrie trie                  # of the pieces that can be emitted
    cdef vector[float] path_scores      # per id: the score that a path gets for it
    cdef int32_t most_arrivals          # MOST_ARRIVALS, or less in tests
    cdef float unknown_score            # of a character that no piece covers
    cdef double greatest_score          # largest absolute score of any edge

    cdef int fill_scores(self) except -1
    cdef int fill_trie(self) except -1
    cdef int32_t append_next(
        self, const uint8_t* text, int32_t size, int32_t begin, UnigramScratch scratch, vector[Token]& tokens,
    ) except -1 nogil
    cdef int32_t id_between(
        self, const CharCodes* table, const uint8_t* text, int32_t begin, int32_t end,
    ) noexcept nogil
    cdef int32_t append_steps(
        self, const uint8_t* text, int32_t begin, UnigramScratch scratch, vector[Token]& tokens,
    ) except -1 nogil
    cdef int segment_from(
        self, const uint8_t* text, int32_t size, float* score, UnigramScratch scratch, vector[Token]& tokens,
    ) except -1 nogil
    cdef int32_t find_ids(
        self, const uint8_t* text, int32_t size, UnigramScratch scratch, int32_t* ids, float* limit,
    ) except -1 nogil
    cdef int find_tokens(self, UnigramScratch scratch, vector[Token]& tokens) except -1 nogil
    cdef float limit_of(self, double margin, int32_t n_chars) noexcept nogil
    cdef double find_margin(self, const uint8_t* text, int32_t size, UnigramScratch scratch) except? -1.0 nogil
    cdef int32_t find_path(
        self, const uint8_t* text, int32_t size, float* score, UnigramScratch scratch,
    ) except -1 nogil
    cdef int open_block(
        self, const uint8_t* text, int32_t size, float score, UnigramScratch scratch,
    ) except -1 nogil
    cdef int search_on(
        self, const uint8_t* text, int32_t size, int32_t stop, UnigramScratch scratch,
    ) except -1 nogil
    cdef int32_t reach(self) noexcept nogil
    cdef int drop_arrivals(self, UnigramScratch scratch) except -1 nogil
    cdef int32_t read_chars(
        self, const uint8_t* text, int32_t size, int32_t n_read, int64_t n_wanted, UnigramScratch scratch,
    ) except -1 nogil
