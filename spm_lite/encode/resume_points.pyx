"""Encodes a text as far as no later text changes its ids (`advance`), or to its end (`finish`), from a point on.

Header: resume_points.pxd.
"""

cimport cython
from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint8_t
from libc.string cimport memcmp, memset
from libcpp.vector cimport vector

from spm_lite.base.system.arrays cimport Int32Array
from spm_lite.base.unicode.utf8 cimport BLOCK_BYTES, NO_CHAR
from spm_lite.encode.chunks.chunk_cutter cimport CutState
from spm_lite.encode.chunks.chunk_solver cimport ChunkScratch, RunningScore
from spm_lite.encode.chunks.pair_cuts cimport Scan
from spm_lite.encode.encoder cimport Encoder, EncodeScratch
from spm_lite.normalize.normalizer cimport Normalizer, Reading
from spm_lite.normalize.rules.unicode_form cimport UnicodeForm
from spm_lite.normalize.text_writer cimport refuse_length
from spm_lite.texts.text_view cimport NO_PLACE, SOUND, TextView

cdef enum:
    SPACE = 0x20


@cython.final
cdef class ResumePoint:
    """A new one is the start of a text."""

    def __cinit__(self):
        self.cut = CutState(0, 0, Scan(0, NO_CHAR), False, 0, 0, 0)
        self.score = RunningScore(0.0, 0, 0.0)

    cdef int64_t n_pending(self) noexcept nogil:
        return max(self.n_seen - self.at, <int64_t> 0) + self.n_rest + <int64_t> self.formed.size()

    cdef ResumePoint copy(self):
        cdef ResumePoint other = ResumePoint()
        other.n_seen, other.n_ids, other.at = self.n_seen, self.n_ids, self.at
        other.is_open, other.after_space = self.is_open, self.after_space
        other.formed = self.formed
        other.rest.assign(self.rest.begin(), self.rest.begin() + self.n_rest)
        other.n_rest = self.n_rest
        other.cut, other.was_unknown, other.score = self.cut, self.was_unknown, self.score
        return other

    cdef void move(self, int64_t n_bytes, int64_t n_ids) noexcept nogil:
        """Shift this point: the text before it has so many bytes and ids more."""
        self.n_seen += n_bytes
        self.at += n_bytes
        self.n_ids += n_ids

    cdef bint goes_on_as(self, ResumePoint other, int64_t n_bytes) noexcept nogil:
        """Whether the same text after both gives the same ids, if scores do not count.

        n_bytes: how many more bytes stand before this point.
        """
        return (
            self.n_seen == other.n_seen + n_bytes and self.at == other.at + n_bytes
            and self.is_open == other.is_open and self.after_space == other.after_space
            and self.was_unknown == other.was_unknown
            and self.cut.begin == other.cut.begin and self.cut.scan.pos == other.cut.scan.pos
            and self.cut.scan.left == other.cut.scan.left
            and self.n_rest == other.n_rest and memcmp(self.rest.data(), other.rest.data(), self.n_rest) == 0
            and self.formed == other.formed
        )


cdef bint can_resume(Encoder encoder):
    """Whether ids before some place stay. Steps of tokenizers' files and added tokens may look at all of a text."""
    cdef Normalizer normalizer = encoder.normalizer
    if encoder.chunks is None or normalizer.is_whole:
        return False
    return normalizer.form is None or type(normalizer.form) is UnicodeForm


cdef int add_normalized(
    Normalizer normalizer, ResumePoint point, const uint8_t* text, int64_t begin, int64_t size, bint is_last,
) except -1 nogil:
    """Normalize what is certain of a text, or all of it, after `point.rest`. text, begin, size: as in `advance`."""
    cdef const uint8_t* source = text + (point.at - begin)
    cdef int64_t n_source = size - (point.at - begin)
    cdef int32_t stop, n_new
    cdef vector[uint8_t] changed
    cdef Reading reading = Reading(0, point.is_open, point.after_space)
    if n_source > INT32_MAX:
        refuse_length(INT32_MAX, n_source)
    if normalizer.form is not None:
        n_new = <int32_t> n_source if is_last else normalizer.form.last_begin(source, <int32_t> n_source)
        if normalizer.form.apply(source, n_new, changed, NULL, NULL):
            point.formed.insert(point.formed.end(), changed.begin(), changed.end())
        else:
            point.formed.insert(point.formed.end(), source, source + n_new)
        point.at += n_new
        source, n_source = point.formed.data(), <int64_t> point.formed.size()
    stop = <int32_t> n_source
    if not is_last:
        stop = max(<int32_t> n_source - normalizer.reach, 0)
        if stop == 0:
            return 0
        if not point.is_open and normalizer.remove_extra_whitespaces:
            if normalizer.skip_spaces(source, <int32_t> n_source) >= stop:
                return 0  # only spaces so far, which may all be removed
    point.n_rest = normalizer.add_part(
        &reading, source, <int32_t> n_source, stop, is_last, True, point.rest, point.n_rest,
    )
    point.is_open, point.after_space = reading.is_open, reading.after_space
    if normalizer.form is not None:
        point.formed.erase(point.formed.begin(), point.formed.begin() + reading.pos)
    else:
        point.at += reading.pos
    return 0


cdef int encode_rest(
    Encoder encoder, ResumePoint point, int32_t size, bint is_last, ChunkScratch chunks, Int32Array ids,
) except -1 nogil:
    """Add the ids of the first `size` bytes of `point.rest`, and remove what is in chunks from it."""
    cdef size_t n_first = ids.size
    cdef int32_t n_done
    if point.rest.size() < <size_t> point.n_rest + BLOCK_BYTES:
        point.rest.resize(<size_t> point.n_rest + BLOCK_BYTES)
    memset(point.rest.data() + point.n_rest, 0, BLOCK_BYTES)
    chunks.start()
    if chunks.cuts is not None:
        chunks.cuts.start(is_last)
    chunks.cut = point.cut
    chunks.cut.is_whole = is_last
    chunks.was_unknown = point.was_unknown
    chunks.score = point.score
    encoder.chunks.encode_part(point.rest.data(), size, chunks, ids, n_first)
    if is_last:
        return 0
    if encoder.chunks.unigram is not None:
        encoder.chunks.solver.add_scores(chunks, ids.data + n_first, ids.size - n_first)
    n_done = chunks.drop_done()
    point.rest.erase(point.rest.begin(), point.rest.begin() + n_done)
    point.n_rest -= n_done
    point.n_ids += <int64_t> (ids.size - n_first)
    point.cut = chunks.cut
    point.was_unknown = chunks.was_unknown
    point.score = RunningScore(chunks.score.exact, 0, chunks.score.bound)
    return 0


cdef int advance(
    Encoder encoder, ResumePoint point, const uint8_t* text, int64_t begin, int64_t size, EncodeScratch scratch,
    Int32Array ids,
) except -1 nogil:
    cdef int32_t n_sure
    add_normalized(encoder.normalizer, point, text, begin, size, False)
    point.n_seen = begin + size
    n_sure = point.n_rest
    if encoder.normalizer.remove_extra_whitespaces:
        while n_sure > 0 and point.rest[n_sure - 1] == <uint8_t> SPACE:
            n_sure -= 1
    return encode_rest(encoder, point, n_sure, False, scratch.chunks, ids)


cdef int finish(
    Encoder encoder, ResumePoint point, const uint8_t* text, int64_t begin, int64_t size, EncodeScratch scratch,
    Int32Array ids,
) except -1 nogil:
    cdef TextView view
    if encoder.chunks is None or point.n_seen == 0:
        if size > INT32_MAX:
            refuse_length(INT32_MAX, size)
        view = TextView(text, <int32_t> size, SOUND)
        return encoder.append_ids(&view, NO_PLACE, scratch, ids)
    add_normalized(encoder.normalizer, point, text, begin, size, True)
    return encode_rest(encoder, point, point.n_rest, True, scratch.chunks, ids)
