"""Long segments cut again, where no candidate lies any more: more to share among threads, less to hold at once."""

from spm_lite.trainers.unigram.candidates cimport Candidates


cdef int cut_long_segments(Candidates candidates) except -1 nogil
