"""The texts of a batch that are Python objects."""

cimport cython

from spm_lite.texts.text_view cimport Texts


@cython.final
cdef class ObjectTexts(Texts):
    cdef readonly object items              # a tuple or list of str or bytes
