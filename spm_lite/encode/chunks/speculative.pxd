"""Speculative encoding. Runs of chunks of a Unigram model are encoded before the preceding score is known; header only.

The best path of a chunk can depend on that score (see `ChunkEncoder`), but rarely does. So several threads encode parts
of a text side by side. Afterwards the scores of the runs are checked, and only runs that do not hold are encoded again.
"""

from libc.stdint cimport int32_t
from libcpp.vector cimport vector


cdef enum:
    AHEAD_LIMIT = 97000     # absolute preceding score up to which nearly all chunks hold; beyond 100,000 none do
    MOST_UNKNOWN = 256      # characters of one run: so few that their scores mostly stay within its limit


cdef struct SpeculativeRun:
    # Chunks in a row that hold up to one limit. The run begins where the run before it ends.
    int32_t end             # byte offset in the text
    int32_t n_unknown       # the run is so many unknown characters, each a chunk; 0: it has none
    size_t last_id          # number of ids from the start of the part to the end of the run
    float limit             # absolute score before each of its chunks up to which the ids hold; 0: it has no ids


cdef inline int end_run(vector[SpeculativeRun]& runs, int32_t end, size_t last_id) except -1 nogil:
    """Append a run of all chunks since the last run, if there are any; it holds up to AHEAD_LIMIT."""
    if end > (0 if runs.empty() else runs.back().end):
        runs.push_back(SpeculativeRun(end, 0, last_id, <float> AHEAD_LIMIT))
    return 0


cdef inline int add_chunk(
    vector[SpeculativeRun]& runs, int32_t end, size_t last_id, float limit, bint is_unknown,
) except -1 nogil:
    """Append a run of one chunk; an unknown character after others extends their run instead."""
    cdef SpeculativeRun* last
    if is_unknown and not runs.empty():
        last = &runs.back()
        if 0 < last.n_unknown < MOST_UNKNOWN:
            last.end, last.last_id, last.n_unknown = end, last_id, last.n_unknown + 1
            return 0
    runs.push_back(SpeculativeRun(end, is_unknown, last_id, limit))
    return 0
