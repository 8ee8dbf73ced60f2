from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.ref cimport PyObject
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free

from spm_lite.texts.arrow cimport ARROW_FLAG_NULLABLE, ArrowArray, ArrowSchema

cdef extern from "Python.h":
    int Py_IsInitialized() noexcept nogil
    # A capsule that is being destroyed is no `object`: its references must not be counted.
    object PyCapsule_New(void* pointer, const char* name, void (*destructor)(PyObject*) noexcept)
    void* PyCapsule_GetPointer(PyObject* capsule, const char* name) noexcept


def lists_schema():
    """Return a capsule with the type of a column: large_list<item: int32>."""
    cdef ArrowSchema* schema = <ArrowSchema*> allocated(sizeof(ArrowSchema))
    capsule = PyCapsule_New(schema, b"arrow_schema", &drop_schema)
    cdef SchemaParts* parts = <SchemaParts*> allocated(sizeof(SchemaParts))
    fill_schema(&parts.item, b"i", b"item", NULL)
    fill_schema(schema, b"+L", b"", parts)
    return capsule


def lists_array(ids, offsets):
    """Return a capsule with a column: list i is ids[offsets[i] : offsets[i + 1]].

    ids, offsets: contiguous memory of int32 and int64, offsets rising from 0 or more to at most the number of ids. It
    is not copied, and is kept alive as long as the column needs it.
    """
    cdef ArrowArray* lists = <ArrowArray*> allocated(sizeof(ArrowArray))
    capsule = PyCapsule_New(lists, b"arrow_array", &drop_array)  # from here on the capsule releases all that is filled
    cdef ArrayParts* parts = fill_array(lists, offsets)
    lists.length = parts.numbers.len // <Py_ssize_t> sizeof(int64_t) - 1
    cdef ArrayParts* item_parts = fill_array(&parts.item, ids)
    parts.item.length = item_parts.numbers.len // <Py_ssize_t> sizeof(int32_t)
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


cdef void drop_schema(PyObject* capsule) noexcept:
    cdef ArrowSchema* schema = <ArrowSchema*> PyCapsule_GetPointer(capsule, b"arrow_schema")
    if schema.release != NULL:
        schema.release(schema)
    free(schema)


cdef void drop_array(PyObject* capsule) noexcept:
    cdef ArrowArray* array = <ArrowArray*> PyCapsule_GetPointer(capsule, b"arrow_array")
    if array.release != NULL:
        array.release(array)
    free(array)
