"""encode() and count() in Cython: for short texts, parsing arguments in Python costs more than encoding."""

from spm_lite.encode.encoder cimport Encoder


cdef class SingleCalls:
    cdef public Encoder _encoder
