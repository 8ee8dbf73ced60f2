"""The calls of a Tokenizer that take one text: of a short one, arguments would cost more than the work."""

from spm_lite.encode.encoder cimport Encoder


cdef class SingleCalls:
    cdef public Encoder _encoder
