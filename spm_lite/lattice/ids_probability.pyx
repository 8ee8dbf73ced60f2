from cython.operator cimport dereference
from libc.math cimport HUGE_VAL, exp, fabs, isfinite, log1p
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libcpp.map cimport map
from libcpp.utility cimport pair
from libcpp.vector cimport vector

from spm_lite.encode.encoded_text cimport escape
from spm_lite.lattice.lattice cimport FoundEdge, Lattice
from spm_lite.lattice.path_scores cimport PathVocab, score_of


cdef inline uint64_t pack(int32_t place, int32_t n_taken, bint is_unknown) noexcept nogil:
    """A state: a place, how many ids lead to it, whether the last one is the unknown piece's. Earlier places first."""
    return <uint64_t> place << 32 | <uint64_t> n_taken << 1 | <uint64_t> is_unknown


cdef inline double add_logs(double x, double y) noexcept nogil:
    """log(exp(x) + exp(y)) of finite numbers."""
    return max(x, y) + log1p(exp(-fabs(x - y)))


cdef double log_probability_of(
    PathVocab vocab, Lattice lattice, const uint8_t* text, const int32_t* ids, int32_t n_ids,
) except? 1.0 nogil:
    """Logarithm of the sum of exp(score) over the paths that become the ids; -inf: there is none.

    Several paths become the same ids where a run of unknown characters is one id, or byte pieces spell several.
    """
    cdef map[uint64_t, double] sums
    cdef vector[int32_t] leaving
    cdef const FoundEdge* found = lattice.found.data()
    cdef uint64_t state, next
    cdef int32_t unknown_id = unknown_of(vocab), i, n_taken
    cdef double score, sum, total = -HUGE_VAL
    cdef pair[map[uint64_t, double].iterator, bint] arrived
    lattice.list_leaving(leaving)
    sums.insert(pair[uint64_t, double](0, 0.0))
    while not sums.empty():
        state = dereference(sums.begin()).first
        sum = dereference(sums.begin()).second
        sums.erase(state)
        n_taken = <int32_t> ((state & <uint32_t> 0xFFFFFFFF) >> 1)
        if <int32_t> (state >> 32) == lattice.n_places:
            if n_taken == n_ids:
                total = add_logs(total, sum) if isfinite(total) else sum
            continue
        for i in range(leaving[state >> 32], leaving[(state >> 32) + 1]):
            n_taken = <int32_t> ((state & <uint32_t> 0xFFFFFFFF) >> 1)
            if not take_edge(vocab, lattice, text, found[i], ids, n_ids, state & 1, &n_taken):
                continue
            score = score_of(vocab, found[i].piece_id)
            next = pack(found[i].end, n_taken, found[i].piece_id == unknown_id)
            arrived = sums.insert(pair[uint64_t, double](next, sum + score))
            if not arrived.second:  # another path was there
                dereference(arrived.first).second = add_logs(dereference(arrived.first).second, sum + score)
    return total


cdef bint take_edge(
    PathVocab vocab, Lattice lattice, const uint8_t* text, FoundEdge edge, const int32_t* ids, int32_t n_ids,
    bint was_unknown, int32_t* n_taken,
) except -1 nogil:
    """Whether the next ids are those of the edge; if so they are taken."""
    cdef vector[uint8_t] values
    cdef int32_t begin = lattice.offsets[edge.begin]
    cdef size_t i
    if edge.piece_id != unknown_of(vocab) or not vocab.segmenter.vocab.byte_fallback:
        if edge.piece_id == unknown_of(vocab) and was_unknown:
            return True  # a run of unknown characters is one id
        if n_taken[0] == n_ids or ids[n_taken[0]] != edge.piece_id:
            return False
        n_taken[0] += 1
        return True
    escape(text + begin, lattice.offsets[edge.end] - begin, vocab.segmenter.compact, values)
    for i in range(values.size()):
        if n_taken[0] == n_ids or ids[n_taken[0]] != vocab.segmenter.vocab.byte_ids[values[i]]:
            return False
        n_taken[0] += 1
    return True


cdef inline int32_t unknown_of(PathVocab vocab) noexcept nogil:
    return vocab.segmenter.vocab.unknown_index
