"""Count tables as Arrow streams, by the C stream interface: rows of text and count, some thousands at a time.

`get_next` fills one array. The texts stay in the table, which each array keeps alive.
"""

from cpython.ref cimport Py_DECREF, Py_INCREF, PyObject
from libc.errno cimport ENOMEM
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from spm_lite.texts.arrow_streams cimport (
    ARROW_FLAG_NULLABLE, ArrowArray, ArrowArrayStream, ArrowSchema, PyCapsule_GetPointer, PyCapsule_New, drop_schema,
)
from spm_lite.training.counts.chunk_table cimport Chunk, ChunkTable

cdef extern from "Python.h":
    int Py_IsInitialized() noexcept nogil

cdef enum:
    CHUNKS_PER_BLOCK = 1 << 16
    BYTES_PER_BLOCK = 1 << 24       # of texts, or one longer text


def table_schema(bytes metadata=b""):
    """Return a capsule with the type of a table: struct<text: binary, count: int64>.

    metadata: of the schema, as Arrow encodes it (`encoded_metadata`).
    """
    cdef ArrowSchema* schema = <ArrowSchema*> calloc(1, sizeof(ArrowSchema))
    if schema == NULL:
        raise MemoryError
    capsule = PyCapsule_New(schema, b"arrow_schema", &drop_schema)
    if fill_schema(schema, metadata, len(metadata)):
        raise MemoryError
    return capsule


def table_stream(ChunkTable table not None, bytes metadata=b""):
    """Return a capsule with a stream of the rows of a table in canonical order, some thousands at a time.

    The texts are not copied: each array keeps the table alive, which must not change any more.
    """
    cdef ArrowArrayStream* stream = <ArrowArrayStream*> calloc(1, sizeof(ArrowArrayStream))
    if stream == NULL:
        raise MemoryError
    capsule = PyCapsule_New(stream, b"arrow_array_stream", &drop_stream)
    cdef StreamParts* parts = <StreamParts*> calloc(1, sizeof(StreamParts) + len(metadata))
    if parts == NULL:
        raise MemoryError
    parts.n_metadata = len(metadata)
    memcpy(&parts.metadata[0], <const char*> metadata, len(metadata))
    parts.chunks, parts.n_chunks, parts.texts = table.chunks.data(), table.chunks.size(), table.texts.data()
    parts.table = <PyObject*> table
    Py_INCREF(table)
    stream.get_schema, stream.get_next = &get_schema, &get_next
    stream.get_last_error, stream.release = &get_last_error, &release_stream
    stream.private_data = parts
    return capsule


cdef struct StreamParts:
    # The memory that a stream points to.
    PyObject* table             # owned
    const Chunk* chunks
    uint64_t n_chunks
    const uint8_t* texts
    uint64_t next               # the first chunk that was not given
    size_t n_metadata
    char[8] metadata            # or more


cdef struct ColumnParts:
    # The memory that one column points to.
    PyObject* table             # owned; NULL: a column of numbers
    const void* buffers[3]
    void* numbers

cdef struct TableParts:
    # The memory that the array of a table points to.
    ArrowArray columns[2]
    ArrowArray* children[2]
    const void* buffers[1]

cdef struct SchemaParts:
    ArrowSchema columns[2]
    ArrowSchema* children[2]
    char[8] metadata            # or more


cdef int get_schema(ArrowArrayStream* stream, ArrowSchema* schema) noexcept nogil:
    cdef StreamParts* parts = <StreamParts*> stream.private_data
    return fill_schema(schema, &parts.metadata[0], parts.n_metadata)


cdef int fill_schema(ArrowSchema* schema, const char* metadata, size_t n_metadata) noexcept nogil:
    """Fill the schema of a table; ENOMEM: there is no memory."""
    cdef SchemaParts* parts = <SchemaParts*> calloc(1, sizeof(SchemaParts) + n_metadata)
    cdef int i
    if parts == NULL:
        return ENOMEM
    memset(schema, 0, sizeof(ArrowSchema))
    memcpy(&parts.metadata[0], metadata, n_metadata)
    for i in range(2):
        parts.columns[i].format = b"l" if i else b"z"
        parts.columns[i].name = b"count" if i else b"text"
        parts.columns[i].flags = ARROW_FLAG_NULLABLE  # as in other libraries, so that the types are equal
        parts.columns[i].release = &release_schema
        parts.children[i] = &parts.columns[i]
    schema.format = b"+s"
    schema.name = b""
    schema.metadata = &parts.metadata[0] if n_metadata else NULL
    schema.n_children = 2
    schema.children = parts.children
    schema.release = &release_schema
    schema.private_data = parts
    return 0


cdef int get_next(ArrowArrayStream* stream, ArrowArray* array) noexcept nogil:
    """Fill the array of the next chunks; a released one at the end. ENOMEM: there is no memory."""
    cdef StreamParts* parts = <StreamParts*> stream.private_data
    cdef uint64_t begin = parts.next, end = begin, n_bytes = 0
    memset(array, 0, sizeof(ArrowArray))
    while end < parts.n_chunks and end - begin < CHUNKS_PER_BLOCK:
        if end > begin and n_bytes + parts.chunks[end].size > BYTES_PER_BLOCK:
            break
        n_bytes += parts.chunks[end].size
        end += 1
    if end == begin:
        return 0
    if fill_table(array, parts, begin, end):
        return ENOMEM
    parts.next = end
    return 0


cdef int fill_table(ArrowArray* array, const StreamParts* parts, uint64_t begin, uint64_t end) noexcept nogil:
    """Fill an array with chunks begin <= i < end, whose texts stand one after the other."""
    cdef uint64_t n = end - begin, i
    cdef const Chunk* chunks = parts.chunks + begin
    cdef TableParts* table = <TableParts*> calloc(1, sizeof(TableParts))
    cdef ColumnParts* texts = <ColumnParts*> calloc(1, sizeof(ColumnParts))
    cdef ColumnParts* counts = <ColumnParts*> calloc(1, sizeof(ColumnParts))
    cdef int32_t* offsets = <int32_t*> malloc((n + 1) * sizeof(int32_t))
    cdef int64_t* numbers = <int64_t*> malloc(n * sizeof(int64_t))
    if table == NULL or texts == NULL or counts == NULL or offsets == NULL or numbers == NULL:
        free(table)
        free(texts)
        free(counts)
        free(offsets)
        free(numbers)
        return ENOMEM
    offsets[0] = 0
    for i in range(n):
        offsets[i + 1] = offsets[i] + <int32_t> chunks[i].size
        numbers[i] = <int64_t> chunks[i].count
    with gil:
        Py_INCREF(<object> parts.table)
    texts.table = parts.table
    texts.numbers, texts.buffers[1], texts.buffers[2] = offsets, offsets, parts.texts + chunks[0].begin
    counts.numbers, counts.buffers[1] = numbers, numbers
    fill_column(&table.columns[0], texts, n, 3)
    fill_column(&table.columns[1], counts, n, 2)
    for i in range(2):
        table.children[i] = &table.columns[i]
    array.length = <int64_t> n
    array.n_buffers = 1
    array.buffers = table.buffers
    array.n_children = 2
    array.children = table.children
    array.release = &release_table
    array.private_data = table
    return 0


cdef void fill_column(ArrowArray* array, ColumnParts* parts, uint64_t n, int n_buffers) noexcept nogil:
    array.length = <int64_t> n
    array.n_buffers = n_buffers
    array.buffers = parts.buffers
    array.release = &release_column
    array.private_data = parts


cdef const char* get_last_error(ArrowArrayStream* stream) noexcept nogil:
    return b"no memory"


cdef void release_schema(ArrowSchema* schema) noexcept nogil:
    cdef int64_t i
    for i in range(schema.n_children):
        if schema.children[i].release != NULL:  # not moved elsewhere
            schema.children[i].release(schema.children[i])
    free(schema.private_data)
    schema.release = NULL


cdef void release_table(ArrowArray* array) noexcept nogil:
    cdef int64_t i
    for i in range(array.n_children):
        if array.children[i].release != NULL:
            array.children[i].release(array.children[i])
    free(array.private_data)
    array.release = NULL


cdef void release_column(ArrowArray* array) noexcept nogil:
    """Free a column; callable from any thread, with or without the interpreter."""
    cdef ColumnParts* parts = <ColumnParts*> array.private_data
    release_object(parts.table)
    free(parts.numbers)
    free(parts)
    array.release = NULL


cdef void release_stream(ArrowArrayStream* stream) noexcept nogil:
    cdef StreamParts* parts = <StreamParts*> stream.private_data
    release_object(parts.table)
    free(parts)
    stream.release = NULL


cdef void release_object(PyObject* owner) noexcept nogil:
    if owner != NULL and Py_IsInitialized():
        with gil:
            Py_DECREF(<object> owner)


cdef void drop_stream(PyObject* capsule) noexcept:
    cdef ArrowArrayStream* stream = <ArrowArrayStream*> PyCapsule_GetPointer(capsule, b"arrow_array_stream")
    if stream.release != NULL:
        stream.release(stream)
    free(stream)
