"""The interface of all segmenters: normalized text -> tokens; with checks for signals and stopped threads."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.base.system.atomics cimport atomic
from spm_lite.base.system.signals cimport check_signals
from spm_lite.base.unicode.utf8 cimport char_size, lead_size
from spm_lite.vocab.vocab cimport Vocab


cdef struct Token:
    # One piece of a normalized text.
    int32_t piece_id    # -1 or the UNKNOWN piece's id: no piece matches
    int32_t begin       # byte offsets into the normalized text
    int32_t end


cdef inline int32_t unit_size(const uint8_t* text, int32_t size, bint compact) noexcept nogil:
    """Bytes of the character that `text` (at least 1 byte) starts with, as a segmenter sees characters.

    Compact text is well-formed, except for single ill-formed bytes that a lossless model keeps. Other text is split
    by the lead byte only.
    """
    cdef int32_t n
    if compact:
        n = char_size(text, size)
        return n if n else 1
    n = lead_size(text[0])
    return n if n < size else size


cdef enum:
    PAUSE_BYTES = 1 << 20       # of text between two checks for signals
    TOKENS_AT_ONCE = 1 << 12    # about as many tokens come from one call of `segment_next`


cdef class Scratch:
    """Buffers of one call or one thread; each segmenter has its own kind."""

    cdef int64_t n_done     # bytes of text, or equivalent work, since the last check for signals
    cdef atomic[int64_t]* n_stopped     # number of stopped threads of the job; NULL: there is one thread only
    cdef int32_t sure_end       # of `segment_next`: tokens up to this byte offset will not be withdrawn

    cdef void start(self) noexcept nogil    # forget the last text


cdef int give_up() except -1 nogil      # raise Stopped


cdef inline int look_around(Scratch scratch) except -1 nogil:
    """Raise Stopped if another thread of the job has stopped, or the exception of a signal."""
    if scratch.n_stopped != NULL and scratch.n_stopped.load():
        give_up()
    return check_signals()


cdef inline int go_on(Scratch scratch, int64_t n_bytes) except -1 nogil:
    """Count `n_bytes` of text as done, and call `look_around` once per PAUSE_BYTES."""
    scratch.n_done += n_bytes
    if scratch.n_done >= PAUSE_BYTES:
        scratch.n_done = 0
        look_around(scratch)
    return 0


cdef class Segmenter:
    """Best segmentation under one vocabulary. Tokens join to the text; unknown tokens are not yet joined to runs."""

    cdef readonly Vocab vocab
    cdef readonly bint compact

    cdef Scratch new_scratch(self)
    cdef int segment(
        self, const uint8_t* text, int32_t size, Scratch scratch, vector[Token]& tokens,
    ) except -1 nogil                   # `tokens` is overwritten
    # The same, a part at a time: `tokens` is overwritten with the next tokens from byte offset `begin` on. Return where
    # they end. Call `scratch.start` before a text, then pass 0, then the offset returned. An offset below `begin` is
    # the last `sure_end`: the tokens after it are withdrawn, and others follow.
    cdef int32_t segment_next(
        self, const uint8_t* text, int32_t size, int32_t begin, Scratch scratch, vector[Token]& tokens,
    ) except -1 nogil
