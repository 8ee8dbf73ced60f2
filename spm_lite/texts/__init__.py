"""Values of Python, numpy and Arrow to UTF-8 and to ids, and ids back to such values.

In: str, bytes, arrays, tables, lists of ids. Out: views of UTF-8, and `Batch`, `lists` or Arrow columns of ids.
It must not open files, and must not know pieces.
"""
