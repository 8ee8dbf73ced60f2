"""What Cython's vector does not tell of: filling one may find no memory; header only."""

cdef extern from *:
    """
    template <class Vector, class Value>
    inline void spm_lite_refill(Vector& values, size_t n, Value value) { values.assign(n, value); }
    """
    # Let there be `n` times the value, whatever was there. (Cython takes `assign` of a value for one that cannot fail,
    # and so the program would end.)
    void refill "spm_lite_refill"[Vector, Value](Vector& values, size_t n, Value value) except + nogil
