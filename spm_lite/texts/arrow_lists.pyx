"""Fills the structs of Arrow's C data interface over arrays that stay where they are, and releases them.

Header: arrow_lists.pxd.
"""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.ref cimport PyObject
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from spm_lite.texts.arrow_streams cimport (
    ARROW_FLAG_NULLABLE, ArrowArray, ArrowSchema, PyCapsule_GetPointer, PyCapsule_New, drop_schema,
)

from spm_lite.errors import ArgumentTypeError

# Formats of Arrow by name, whose bytes the schemas point to; of an item, also its type in numpy.
cdef dict LISTS = {form: form for form in (b"+l", b"+L")}
cdef dict ITEMS = {form: form for form in (b"i", b"l", b"I", b"L", b"s", b"S")}
ITEM_TYPES = {b"i": "int32", b"l": "int64", b"I": "uint32", b"L": "uint64", b"s": "int16", b"S": "uint16"}

cdef extern from "Python.h":
    int Py_IsInitialized() noexcept nogil
    int PyCapsule_IsValid(object capsule, const char* name) noexcept


def wanted_type(capsule):
    """Return the type that a consumer asks for: (format of the lists, format of an item, name of an item).

    capsule: with an ArrowSchema; None: the type that needs no copy. Raises ArgumentTypeError for a type that is no
    list of integers.
    """
    cdef const ArrowSchema* schema
    cdef const ArrowSchema* item
    if capsule is None:
        return b"+L", b"i", b"item"
    if not PyCapsule_IsValid(capsule, b"arrow_schema"):
        raise ArgumentTypeError("requested_schema is not a capsule of an Arrow type")
    schema = <const ArrowSchema*> PyCapsule_GetPointer(<PyObject*> capsule, b"arrow_schema")
    form = <bytes> schema.format
    if form in (b"+l", b"+L") and schema.n_children == 1:
        item = schema.children[0]
        if item.dictionary == NULL and <bytes> item.format in ITEM_TYPES:
            return form, <bytes> item.format, <bytes> item.name if item.name != NULL else b"item"
    raise ArgumentTypeError(
        f"a batch of ids as an Arrow column of format {form.decode('utf-8', 'replace')!r:.40}: ask for list or "
        "large_list of integers, such as pyarrow.list_(pyarrow.int32())"
    )


def lists_schema(form=b"+L", item_form=b"i", item_name=b"item"):
    """Return a capsule with the type of a column, by default large_list<item: int32>."""
    cdef ArrowSchema* schema = <ArrowSchema*> allocated(sizeof(ArrowSchema))
    capsule = PyCapsule_New(schema, b"arrow_schema", &drop_schema)
    cdef SchemaParts* parts = <SchemaParts*> allocated(sizeof(SchemaParts))
    cdef char* name = <char*> allocated(len(item_name) + 1)  # lives as long as the item, which may be moved elsewhere
    memcpy(name, <const char*> item_name, len(item_name))
    fill_schema(&parts.item, ITEMS[item_form], name, NULL)
    parts.item.private_data = name
    fill_schema(schema, LISTS[form], b"", parts)
    return capsule


def lists_array(ids, offsets):
    """Return a capsule with a column: list i is ids[offsets[i] : offsets[i + 1]].

    ids, offsets: flat arrays of the types of the column, offsets rising from 0 or more to at most the number of ids.
    They are not copied, and are kept alive as long as the column needs them.
    """
    cdef ArrowArray* lists = <ArrowArray*> allocated(sizeof(ArrowArray))
    capsule = PyCapsule_New(lists, b"arrow_array", &drop_array)  # from here on the capsule releases all that is filled
    cdef ArrayParts* parts = fill_array(lists, offsets)
    lists.length = parts.numbers.len // <Py_ssize_t> offsets.itemsize - 1
    cdef ArrayParts* item_parts = fill_array(&parts.item, ids)
    parts.item.length = item_parts.numbers.len // <Py_ssize_t> ids.itemsize
    parts.children[0] = &parts.item
    lists.children = parts.children
    lists.n_children = 1
    return capsule


cdef void* allocated(size_t size) except NULL:
    cdef void* block = calloc(1, size)
    if block == NULL:
        raise MemoryError
    return block


cdef void fill_schema(ArrowSchema* schema, const char* form, const char* name, SchemaParts* parts) noexcept:
    """Fill the schema of one level. parts: of a list; NULL: a level of numbers."""
    schema.format = form
    schema.name = name
    schema.flags = ARROW_FLAG_NULLABLE  # as in the lists of other libraries, so that the types are equal
    schema.release = &release_schema
    schema.private_data = parts
    if parts != NULL:
        parts.children[0] = &parts.item
        schema.children = parts.children
        schema.n_children = 1


cdef ArrayParts* fill_array(ArrowArray* array, object numbers) except NULL:
    """Make an array of `numbers`, which it keeps alive; the caller sets the length."""
    cdef ArrayParts* parts = <ArrayParts*> allocated(sizeof(ArrayParts))
    try:
        PyObject_GetBuffer(numbers, &parts.numbers, PyBUF_SIMPLE)
    except BaseException:
        free(parts)
        raise
    parts.buffers[1] = parts.numbers.buf
    array.n_buffers = 2
    array.buffers = parts.buffers
    array.release = &release_array
    array.private_data = parts
    return parts


cdef void release_schema(ArrowSchema* schema) noexcept nogil:
    cdef ArrowSchema* item = schema.children[0] if schema.n_children else NULL
    if item != NULL and item.release != NULL:  # not moved elsewhere
        item.release(item)
    free(schema.private_data)
    schema.release = NULL


cdef void release_array(ArrowArray* array) noexcept nogil:
    """Free an array; callable from any thread, with or without the interpreter."""
    cdef ArrayParts* parts = <ArrayParts*> array.private_data
    if parts.item.release != NULL:  # not moved elsewhere
        parts.item.release(&parts.item)
    if Py_IsInitialized():
        with gil:
            PyBuffer_Release(&parts.numbers)
    free(parts)
    array.release = NULL


cdef void drop_array(PyObject* capsule) noexcept:
    cdef ArrowArray* array = <ArrowArray*> PyCapsule_GetPointer(capsule, b"arrow_array")
    if array.release != NULL:
        array.release(array)
    free(array)
