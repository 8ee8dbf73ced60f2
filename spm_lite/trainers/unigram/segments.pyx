from libc.stdint cimport uint32_t
from libcpp.vector cimport vector

from spm_lite.trainers.unigram.candidates cimport Candidates, Segment


cdef enum Sizes:
    LONG = 1 << 14          # characters; shorter segments stay as they are
    MIN_PART = 1 << 10      # fewer cuts cost less memory


cdef int cut_long_segments(Candidates candidates) except -1 nogil:
    """Replace each long segment by its parts.

    Every segmentation of the whole is one of each part, so nothing changes but the rounding of sums.
    """
    cdef vector[Segment] segments
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
    candidates.segments.swap(segments)
    return 0


cdef int cut_segment(Candidates candidates, Segment segment, vector[Segment]& parts) except -1 nogil:
    """Add the parts of one segment, in order."""
    cdef uint32_t end = segment.begin + segment.length
    cdef uint32_t reach = segment.begin     # where the pieces that begin before `place` end at the latest
    cdef uint32_t place
    cdef Segment part = Segment(segment.count, segment.begin, 0)
    for place in range(segment.begin, end):
        # A last part of one character would have to be counted apart, so it is not cut off.
        if place == reach and place - part.begin >= MIN_PART and place + 1 < end:
            part.length = place - part.begin
            parts.push_back(part)
            part.begin = place
        reach = max(reach, place + candidates.pieces[candidates.longest[place]].length)
    part.length = end - part.begin
    parts.push_back(part)
    return 0
