"""Algorithms and calls of the machine over plain bytes and numbers, for use in every other room.

In: pointers, sizes, numbers. Out: the same. It must not know pieces, vocabularies, ids or models.
"""
