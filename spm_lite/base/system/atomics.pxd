"""Numbers and pointers that several threads change at once."""


cdef extern from "<atomic>" namespace "std" nogil:
    cdef cppclass atomic[T]:
        T load()
        void store(T)           # first of all where it is no attribute: before C++20 it begins with anything
        T exchange(T)
        T fetch_add(T)          # of numbers
