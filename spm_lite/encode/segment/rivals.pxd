"""Rivals: the two best paths to each place of a chunk, which tell by how much the best one wins; header only."""

from libc.stdint cimport int32_t, uint32_t, uint64_t

from spm_lite.encode.segment.char_trie cimport CharNode, TextChar, may_advance


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
