"""Finds a column in a schema, and moves it out of the array of the table after a check of its bounds and nulls.

Header: arrow_columns.pxd.
"""

from libc.stdint cimport int64_t, uint8_t

from spm_lite.texts.arrow_streams cimport ArrowArray, ArrowSchema

from spm_lite.errors import ArgumentTypeError, OptionError, TextError


cdef int find_column(const ArrowSchema* schema, object column) except -2:
    """Return the place of a column in a table; NO_TABLE if the schema is that of one column alone.

    column: its name; None: the only one. Raises OptionError if the table has none of this name.
    """
    cdef int64_t i
    cdef list names = [], places
    if schema.release == NULL or schema.format == NULL:
        raise damaged("its schema is released or has no format")
    if <bytes> schema.format != b"+s":
        return NO_TABLE
    for i in range(schema.n_children):
        name = schema.children[i].name
        names.append((<bytes> name).decode("utf-8", "replace") if name != NULL else "")
    shown = ", ".join(map(repr, names[:9]))
    if column is None:
        if len(names) == 1:
            return 0
        raise ArgumentTypeError(f"texts is an Arrow table: pass one of its columns, or name it by column= ({shown})")
    places = [place for place, name in enumerate(names) if name == column]
    if len(places) != 1:
        raise OptionError(
            f"column={column!r:.40}: the table has {len(places) or 'no'} such column{'s' * (len(places) > 1)}; it has "
            f"{shown}",
            remedies=[{"column": name} for name in names[:9] if names.count(name) == 1],
        )
    return <int> places[0]


cdef int take_column(ArrowArray* table, int place, ArrowArray* column) except -1:
    """Move one column out of a table; the caller releases both. Raises TextError for a null row."""
    cdef ArrowArray* child
    cdef int64_t null = table.length
    if table.release == NULL:
        raise TextError("texts is an Arrow table that was released before: make a new one")
    if table.length < 0 or table.offset < 0 or table.n_children <= place or table.children == NULL:
        raise damaged(f"{table.n_children} columns, length {table.length}, offset {table.offset}")
    if table.null_count != 0 and table.n_buffers > 0 and table.buffers != NULL and table.buffers[0] != NULL:
        null = first_null(<const uint8_t*> table.buffers[0], table.offset, table.length)
    if null < table.length:
        raise TextError(f"row {null} of the Arrow table is null: leave it out")
    child = table.children[place]
    if child.release == NULL or child.length < 0 or child.offset < 0 or child.length - table.length < table.offset:
        raise damaged(f"a column of {child.length} rows in a table of {table.length} after {table.offset}")
    column[0] = child[0]
    child.release = NULL
    if table.offset > 0 or child.length != table.length:
        column.offset += table.offset
        column.length = table.length
        column.null_count = 0 if column.null_count == 0 else -1  # not known of a part
    return 0


cdef int64_t first_null(const uint8_t* bits, int64_t offset, int64_t length) noexcept nogil:
    """Return the first of `length` values whose bit is 0; `length`: none. offset: place of the first bit."""
    cdef int64_t i = 0, bit
    while i < length:
        bit = offset + i
        if bit & 7 == 0 and length - i >= 8 and bits[bit >> 3] == 0xFF:
            i += 8
            continue
        if not bits[bit >> 3] >> (bit & 7) & 1:
            return i
        i += 1
    return length


cdef object damaged(reason):
    """Return the error of an array that breaks the rules of the interface."""
    return TextError(f"texts is an Arrow array that is damaged: {reason}")
