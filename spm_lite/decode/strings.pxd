"""Conversion of UTF-8, UTF-16 or ASCII to str."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t


cdef object string_of(const uint8_t* text, Py_ssize_t size)     # ill-formed bytes become U+FFFD
cdef object string_of_units(const uint16_t* units, Py_ssize_t n_units, uint32_t traits)     # well-formed
cdef object string_of_ascii(const uint8_t* text, Py_ssize_t size)
