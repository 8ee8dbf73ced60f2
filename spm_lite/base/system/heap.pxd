"""Two calls to the heap that Cython does not know: fill a vector with an error if memory runs out, and trim."""

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
    # Make the vector `n` copies of the value. Cython believes that `assign` of a value cannot fail, so a lack of
    # memory there would end the process.
    void refill "spm_lite_refill"[Vector, Value](Vector& values, size_t n, Value value) except + nogil
    # Return freed memory to the system, so that a phase does not start with what the phase before has left.
    void give_back_memory() noexcept nogil


cdef enum:
    TRIM_AFTER = 1 << 22        # bytes that are freed step by step between two calls of give_back_memory
