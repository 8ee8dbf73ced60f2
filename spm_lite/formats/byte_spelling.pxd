"""The byte alphabet of GPT-2 for C callers: the bytes that a text in it spells are appended to a vector."""

from libc.stdint cimport uint8_t
from libcpp.vector cimport vector


cdef bint append_unspelled(str text, vector[uint8_t]& out) except -1
