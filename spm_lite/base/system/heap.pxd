"""Two heap calls that Cython lacks: fill a vector, with an error if memory runs out, and malloc_trim."""


cdef extern from *:
    """
    #include <cstdlib>
    #ifdef __GLIBC__
    #include <malloc.h>
    #endif

    template <class Vector, class Value>
    inline void spm_lite_refill(Vector& values, size_t n, Value value) { values.assign(n, value); }

    static inline void give_back_memory() {
    #ifdef __GLIBC__
        malloc_trim(0);
    #endif
    }
    """
    # Fill the vector with `n` copies of the value. Cython declares `assign` of a value as unable to fail, so a lack of
    # memory there would end the process.
    void refill "spm_lite_refill"[Vector, Value](Vector& values, size_t n, Value value) except + nogil
    # Return freed memory to the system, so that a phase does not start with the memory of the phase before.
    void give_back_memory() noexcept nogil


cdef enum:
    TRIM_AFTER = 1 << 22        # bytes that are freed step by step between two calls of give_back_memory
