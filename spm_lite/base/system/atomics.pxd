"""std::atomic: numbers and pointers that several threads change at once."""


cdef extern from "<atomic>" namespace "std" nogil:
    cdef cppclass atomic[T]:
        T load()
        void store(T)           # call it first, unless it is an attribute: before C++20 the first value is undefined
        T exchange(T)
        T fetch_add(T)          # for numbers
