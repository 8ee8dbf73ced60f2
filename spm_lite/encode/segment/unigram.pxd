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
    LIMIT_BITS = 29     # sums in double precision: beyond 2 to this power, chunks are searched anew
    BLOCK_SIZE = 4096   # characters after which a block ends, at the next place that no piece spans
    MOST_ARRIVALS = 1 << 14     # of a block, at about a time; of those before them, only the steps are kept


cdef struct Arrival:
    # The best path found so far that ends before one character.
    double score        # sum of its scores, added from left to right in the precision of the model
    int32_t piece_id    # its last piece
    int32_t begin       # the character that this piece starts with; -1: not reached


cdef struct Search:
    # How far the search in a block has come; indices of `chars` and `arrivals`.
    int32_t begin       # arrivals up to here are final
    int32_t frontier    # arrivals up to here are set
    int32_t n_read      # characters


@cython.final
cdef class UnigramScratch(Scratch):
    cdef double score                   # of the path up to `block_end`
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
    cdef bint is_double                 # scores and their sums are in double precision, else in single
    cdef bint restarts                  # sums begin anew at each space mark
    cdef bint is_space_known            # a piece covers the space mark alone
    cdef vector[uint8_t] ends_sums      # per id: an added token, after which sums begin anew; empty: none does
    cdef vector[uint8_t] begins_sums    # per id: a piece that begins with the space mark; empty if not `restarts`
    cdef vector[double] path_scores     # per id: the score that a path gets for it
    cdef int32_t most_arrivals          # MOST_ARRIVALS, or less in tests
    cdef double unknown_score           # of a character that no piece covers
    cdef double greatest_score          # largest absolute score of any edge

    cdef int fill_scores(self) except -1
    cdef int fill_restarts(self) except -1
    cdef int fill_trie(self) except -1
    cdef bint is_restart(self, const uint8_t* text, int32_t size, int32_t begin, UnigramScratch scratch) noexcept nogil
    cdef double score_at_end(self, const uint8_t* text, int32_t size, UnigramScratch scratch) noexcept nogil
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
        self, const uint8_t* text, int32_t size, double* score, UnigramScratch scratch, vector[Token]& tokens,
    ) except -1 nogil
    cdef int32_t find_ids(
        self, const uint8_t* text, int32_t size, UnigramScratch scratch, int32_t* ids, float* limit,
    ) except -1 nogil
    cdef int find_tokens(self, UnigramScratch scratch, vector[Token]& tokens) except -1 nogil
    cdef float limit_of(self, double margin, int32_t n_chars) noexcept nogil
    cdef float double_limit_of(self, double margin, int32_t n_chars) noexcept nogil
    cdef inline double add_double(self, int32_t piece_id, double sum) noexcept nogil:
        """The sum in double precision after one more piece of a path. It may begin anew before or after the piece."""
        if not self.ends_sums.empty() and self.ends_sums[piece_id]:
            return 0.0
        if self.restarts and self.begins_sums[piece_id]:
            sum = 0.0
        return self.path_scores[piece_id] + sum

    cdef inline double add(self, double score, double sum) noexcept nogil:
        """A sum, rounded as the model does it. In single precision both are float: rounding twice changes nothing."""
        return score + sum if self.is_double else <double> <float> (score + sum)

    cdef double find_margin(self, const uint8_t* text, int32_t size, UnigramScratch scratch) except? -1.0 nogil
    cdef int32_t find_path(
        self, const uint8_t* text, int32_t size, double* score, UnigramScratch scratch,
    ) except -1 nogil
    cdef int open_block(
        self, const uint8_t* text, int32_t size, double score, UnigramScratch scratch,
    ) except -1 nogil
    cdef int search_on(
        self, const uint8_t* text, int32_t size, int32_t stop, UnigramScratch scratch,
    ) except -1 nogil
    cdef int32_t reach(self) noexcept nogil
    cdef int drop_arrivals(self, UnigramScratch scratch) except -1 nogil
    cdef int32_t read_chars(
        self, const uint8_t* text, int32_t size, int32_t n_read, int64_t n_wanted, UnigramScratch scratch,
    ) except -1 nogil
