"""Compiled rules back to a list of rules."""

from libc.stdint cimport uint8_t, uint32_t
from libcpp.vector cimport vector


cdef list decompile_rules(const vector[uint32_t]& units, const vector[uint8_t]& targets)
