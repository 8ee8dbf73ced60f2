"""Arenas, which Python's allocator of small objects takes from the system: many at once, in large pages, all there.

Arenas that are taken one after the other lie side by side, so that many of them are made of whole large pages. The
system gives these in a tenth of the time that the same memory takes in small ones: a tenth less for the lists of ids
of large batches, and for decoding such.
"""

# From the first to the second, which is called in any case, this thread's arenas come so; all others' as usual, in
# interpreters with a lock of their own too. Such a pair within another ends it for this thread. n_expected: bytes of
# objects; 0: that is not known.
cdef void take_many_arenas(size_t n_expected) noexcept
cdef void take_arenas_as_usual() noexcept
