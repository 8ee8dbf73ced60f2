"""The compiled base of a Tokenizer: its parts, and the two calls that must be fast for one short text.

For short texts, parsing arguments in Python costs more than encoding.
"""

from spm_lite.encode.encoder cimport Encoder


cdef class EncodingMethods:
    cdef public Encoder _encoder
    cdef public object _decoder
    cdef public object _file            # a ModelFile
    cdef public object _report          # a TrainingReport, or None
    cdef public object _variants        # encoders and decoders under other options
    cdef public object _segmentations   # a Distribution; None: not made yet
    cdef object __weakref__
