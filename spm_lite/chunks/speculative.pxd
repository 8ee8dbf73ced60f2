"""Chunks of a Unigram model that were encoded before the score in front of them was known; header only.

Which of two paths is the best can depend on that score (see `chunks`), but rarely does. So what several threads have
encoded side by side is looked through once more, by scores alone, and only what does not hold is encoded again.
"""

from libc.stdint cimport int32_t
from libcpp.vector cimport vector


cdef enum:
    AHEAD_LIMIT = 97000     # absolute score in front up to which all but a few chunks hold; none do beyond 100,000
    MOST_UNKNOWN = 256      # characters of one run: mostly their scores are within reach of its limit


cdef struct SpeculativeRun:
    # Where it ends; it begins where the one before it ends.
    int32_t end             # in the text
    int32_t n_unknown       # it is as many unknown characters, each by itself; 0: it has none
    size_t last_id          # number of ids up to its end
    float limit             # absolute score in front of each of its chunks up to which the ids hold; 0: it has none


cdef inline int end_run(vector[SpeculativeRun]& runs, int32_t end, size_t last_id) except -1 nogil:
    """Let all chunks since the last run, if there are any, be one that holds up to AHEAD_LIMIT."""
    if end > (0 if runs.empty() else runs.back().end):
        runs.push_back(SpeculativeRun(end, 0, last_id, <float> AHEAD_LIMIT))
    return 0


cdef inline int add_chunk(
    vector[SpeculativeRun]& runs, int32_t end, size_t last_id, float limit, bint is_unknown,
) except -1 nogil:
    """Let one chunk be a run by itself, or unknown characters in a row be one."""
    cdef SpeculativeRun* last
    if is_unknown and not runs.empty():
        last = &runs.back()
        if 0 < last.n_unknown < MOST_UNKNOWN:
            last.end, last.last_id, last.n_unknown = end, last_id, last.n_unknown + 1
            return 0
    runs.push_back(SpeculativeRun(end, is_unknown, last_id, limit))
    return 0
