"""UTF-8 -> str."""

from libc.stdint cimport uint8_t


cdef object string_of(const uint8_t* text, Py_ssize_t size)     # ill-formed bytes become U+FFFD
