"""Merge windows: BPE of a long chunk in overlapping parts, so that memory does not grow with the chunk.

Why it is exact: tokens are the result of BPE if and only if every two neighbours, merged without the others, stay as
they are. (The first merge across a border would happen with these two alone as well.) A window proves that for the
neighbours in it, and begins where a token of the window before begins. So if two windows share a token, the result is
the first one's tokens up to it, and the second one's after it.

The proof is complete at the end of the chunk only: where two windows share no token, the tokens before them may be
wrong too. Then the chunk is merged again in larger windows; the largest holds all of it.
"""

from libc.stdint cimport INT32_MAX, int32_t
from libcpp.vector cimport vector

from spm_lite.encode.segment.merge_array cimport FEW_SYMBOLS
from spm_lite.encode.segment.segmenter cimport Token


cdef enum:
    SHARED_PART = 3         # two windows overlap by at least this part of their symbols: a third
    GROWTH = 1 << 5         # of windows that are merged with a heap
    LARGEST = 1 << 20       # symbols of a window after which the next is the whole chunk


cdef inline int32_t larger_window(int32_t n_symbols, int32_t smallest) noexcept nogil:
    """Return the symbols of the windows to try after `n_symbols`. smallest: of those that are merged with a heap."""
    if n_symbols <= FEW_SYMBOLS:
        return smallest
    return n_symbols * GROWTH if n_symbols < LARGEST else INT32_MAX


cdef inline bint find_shared(
    const vector[Token]& last, const vector[Token]& window, size_t* n_last, size_t* n_skipped,
) noexcept nogil:
    """Find the first token of a window that the window before has too. False: none.

    n_last, n_skipped: become the numbers of tokens before it in `last` and `window`; both begin at the same place.
    """
    cdef const Token* a = last.data()
    cdef const Token* b = window.data()
    cdef size_t k = 0, i = 0
    while k < last.size() and i < window.size():
        if a[k].begin == b[i].begin and a[k].end == b[i].end:
            n_last[0], n_skipped[0] = k, i
            return True
        if a[k].end <= b[i].end:
            k += 1
        else:
            i += 1
    return False


cdef inline size_t next_window(
    const vector[Token]& window, size_t first, int32_t latest, bint is_last,
) noexcept nogil:
    """Return which token of a window the next one begins with, `first` or a later one; 0: none. Last: all tokens.

    latest: a byte offset; the next window begins there or before.
    """
    cdef const Token* token = window.data()
    cdef size_t k = window.size()
    if is_last:
        return k
    while k > first and token[k - 1].begin > latest:
        k -= 1
    return k - 1 if k > first else 0
