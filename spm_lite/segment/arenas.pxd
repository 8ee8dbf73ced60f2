"""Arenas, the megabytes that Python's allocator of small objects takes from the system, while lists are built and after.

What is done to them holds for the whole process. Nothing of it is done before the first large batch of lists, on
systems other than Linux, and in Python without the GIL, which has no arenas.
"""


# While it is True, each new arena has its pages at once. To be undone before another thread may run.
cdef void take_arenas_whole(bint whole) noexcept
cdef void release_arenas() noexcept
