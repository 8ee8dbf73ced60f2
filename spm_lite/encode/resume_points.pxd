"""Points of a text from which its encoding goes on when more text follows: the ids before them stay."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.base.system.arrays cimport Int32Array
from spm_lite.encode.chunks.chunk_cutter cimport CutState
from spm_lite.encode.chunks.chunk_solver cimport RunningScore
from spm_lite.encode.encoder cimport Encoder, EncodeScratch


@cython.final
cdef class ResumePoint:
    cdef int64_t n_seen             # bytes of the text on which this point depends
    cdef int64_t n_ids              # ids that stay
    cdef int64_t at                 # the byte of the text at which the normalizer goes on
    cdef bint is_open, after_space  # of the normalizer, see `Reading`
    cdef vector[uint8_t] formed     # text before `at` in a form of Unicode, which the normalizer has not read
    cdef vector[uint8_t] rest       # normalized text that is not in chunks yet; bytes after `n_rest` mean nothing
    cdef int32_t n_rest
    cdef CutState cut               # how far `rest` is cut
    cdef bint was_unknown           # the last id that stays stands for a run of unknown characters
    cdef RunningScore score         # of the ids that stay

    cdef int64_t n_pending(self) noexcept nogil     # bytes that are read and may still change
    cdef ResumePoint copy(self)
    cdef void move(self, int64_t n_bytes, int64_t n_ids) noexcept nogil     # shift all places
    cdef bint goes_on_as(self, ResumePoint other, int64_t n_bytes) noexcept nogil


cdef enum:
    MOST_PENDING = 1 << 13      # bytes of a point that is kept: one in an endless word would hold all of it


cdef bint can_resume(Encoder encoder)       # False: a text must be encoded whole

# Add the ids that no later text changes to `ids`, and move `point` on. text: `size` bytes of sound UTF-8, all that is
# known; the byte at `text` is byte `begin` of the whole text, at most `point.at`.
cdef int advance(
    Encoder encoder, ResumePoint point, const uint8_t* text, int64_t begin, int64_t size, EncodeScratch scratch,
    Int32Array ids,
) except -1 nogil

# Add the ids of the rest of the text, which ends with `text`. Afterwards `point` is of no use: pass a copy.
cdef int finish(
    Encoder encoder, ResumePoint point, const uint8_t* text, int64_t begin, int64_t size, EncodeScratch scratch,
    Int32Array ids,
) except -1 nogil
