"""The places where a piece may be learned under `graphemes`: it lies within one grapheme cluster, or is whole ones.

Superwords of whole words keep the same rule with words in the place of clusters.

Clusters are those of the chunk's text. The same string may be in place in one word and out of place in another: `नम` is
two clusters in `नमक`, but `म` is half of one in `नमी`. So the rule looks at places, not at strings. A string counts at
its places in the text that keep the rule, and is learned if it counts often enough there. What is learned is then
merged wherever it stands, since encoding joins strings without a look at what follows. A single character or byte lies
within a cluster, so it is always in place.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.unicode.graphemes cimport START_OF_TEXT, GraphemeContext, next_char
from spm_lite.base.unicode.space_mark cimport is_space_mark
from spm_lite.base.unicode.utf8 cimport char_size


cdef inline const uint8_t* places_of(const vector[uint8_t]& begins) noexcept nogil:
    """Return the bytes, or NULL if there are none: clusters do not matter then."""
    if begins.empty():
        return NULL
    return begins.data()


cdef inline bint is_in_place(const uint8_t* begins, uint64_t begin, uint64_t end) noexcept nogil:
    """Whether units [begin, end) are in place.

    begins: for each unit and the one after it, whether a cluster begins; NULL: every place is right.
    """
    cdef uint64_t i
    if begins == NULL or (begins[begin] and begins[end]):
        return True
    for i in range(begin + 1, end):
        if begins[i]:
            return False
    return True


cdef inline int append_begins(
    const uint8_t* text, int64_t size, bint in_bytes, vector[uint8_t]& begins,
) except -1 nogil:
    """Append, for each character of a text or each of its bytes, whether a cluster begins there."""
    cdef GraphemeContext context = GraphemeContext(START_OF_TEXT, 0)
    cdef bint is_begin = False
    cdef int32_t step
    while size > 0:
        step = next_char(text, size, &context, &is_begin)
        begins.push_back(is_begin)
        if in_bytes:
            begins.resize(begins.size() + <size_t> step - 1, 0)
        text += step
        size -= step
    return 0


cdef inline int append_word_begins(
    const uint8_t* text, int64_t size, bint in_bytes, vector[uint8_t]& begins,
) except -1 nogil:
    """Append, for each character of a phrase or each of its bytes, whether a word begins there, with its space."""
    cdef int64_t pos = 0
    while pos < size:
        begins.push_back(text[pos] == 0x20 if in_bytes else is_space_mark(text + pos, size - pos))
        pos += 1 if in_bytes else max(char_size(text + pos, <int32_t> (size - pos)), 1)
    return 0
