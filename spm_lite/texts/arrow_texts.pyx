"""Takes the arrays of a source, checks their layout, and shows each text in its buffer.

`view_block` is the loop. `view_text` finds a text by short or long offsets or by its string view.
Header: arrow_texts.pxd.
"""

cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint8_t
from libc.string cimport memcpy

from spm_lite.texts.arrow_columns cimport NO_TABLE, damaged, find_column, first_null, take_column
from spm_lite.texts.arrow_streams cimport ArrowArray, ArrowSchema, ArrowStream
from spm_lite.texts.text_view cimport TextBlock, TextView, view_bytes

from spm_lite.errors import ArgumentTypeError, TextError
from spm_lite.texts.text_view import name

cdef enum:
    INLINE = 12             # bytes of the longest text that stands in its StringView
    VIEW_SIZE = 16          # bytes of a StringView

cdef int64_t MAX_TEXTS = INT64_MAX // VIEW_SIZE      # most places of an array, so that no offset of bytes overflows

cdef dict LAYOUTS = {
    b"n": NO_VALUES, b"u": SHORT_OFFSETS, b"z": SHORT_OFFSETS, b"U": LONG_OFFSETS, b"Z": LONG_OFFSETS,
    b"vu": VIEWS, b"vz": VIEWS,
}
cdef tuple BYTE_FORMS = (b"z", b"Z", b"vz")


@cython.final
cdef class ArrowTexts(Texts):
    """The texts of one or several objects with `__arrow_c_array__` or `__arrow_c_stream__`, read in place.

    Raises ArgumentTypeError if one is not a column of strings or bytes. Raises TextError for a null, and for an array
    that breaks the rules of the interface, as far as that can be detected.
    """

    def __cinit__(self, source, column=None, bint nulls_are_empty=False, Py_ssize_t first=0):
        """source: such an object, an ArrowStream for its next array, or a list of them.

        column: of tables, the name of the texts; None: the only one.
        nulls_are_empty: a null is an empty text. first: the number of the first text, for messages.
        """
        self.chunks = []
        self.column = column
        self.nulls_are_empty = nulls_are_empty
        self.first = first
        for part in source if type(source) is list else [source]:
            if hasattr(part, "__arrow_c_array__"):
                self.take_array(part)
            elif isinstance(part, ArrowStream):
                self.take_stream(part, False)
            else:
                self.take_stream(ArrowStream(part), True)

    def __iter__(self):
        """Yield each text as bytes."""
        cdef ArrowChunk chunk
        cdef Py_ssize_t i
        for chunk in self.chunks:
            for i in range(chunk.begin, chunk.end):
                yield chunk.text(i)

    def as_objects(self):
        """Yield each text in the type of the column, str or bytes; a string that is not UTF-8 as bytes."""
        for text in self:
            if not self.holds_bytes:
                try:
                    text = text.decode()
                except UnicodeDecodeError:
                    pass
            yield text

    cdef int take_array(self, object source) except -1:
        cdef ArrowSchema* schema
        cdef ArrowArray* array
        schema_capsule, array_capsule = source.__arrow_c_array__()  # they release a struct that is not moved
        schema = <ArrowSchema*> PyCapsule_GetPointer(schema_capsule, b"arrow_schema")
        array = <ArrowArray*> PyCapsule_GetPointer(array_capsule, b"arrow_array")
        self.take_form(schema)
        return self.add(self.taken(array))

    cdef int take_stream(self, ArrowStream stream, bint is_whole) except -1:
        """Take the next array of a stream; with `is_whole`, all of them."""
        self.take_form(&stream.schema)
        while stream.has_next:
            self.take_next(stream)
            if not is_whole:
                break
        return 0

    cdef int take_next(self, ArrowStream stream) except -1:
        """Take the texts of the next array, and release the rest of it."""
        cdef ArrowArray array = stream.next_array
        stream.next_array.release = NULL
        try:
            self.add(self.taken(&array))
        finally:
            if array.release != NULL:  # a table, of which one column was taken
                array.release(&array)
        return stream.read()

    cdef int take_form(self, const ArrowSchema* schema) except -1:
        """Set the layout of the column, its place in a table, and whether it holds bytes."""
        self.place = find_column(schema, self.column)
        form = form_of(schema if self.place == NO_TABLE else schema.children[self.place])
        self.layout = LAYOUTS[form]
        self.holds_bytes = form in BYTE_FORMS
        return 0

    cdef ArrowChunk taken(self, ArrowArray* array):
        """Return a new owner of the texts of an array; its producer need no longer release them."""
        cdef ArrowChunk chunk = ArrowChunk()
        if self.place != NO_TABLE:
            take_column(array, self.place, &chunk.array)
        elif array.release == NULL:
            raise TextError("texts is an Arrow array that was released before: make a new one")
        else:
            chunk.array = array[0]
            array.release = NULL
        chunk.layout = self.layout
        return chunk

    cdef int add(self, ArrowChunk chunk) except -1:
        """Append the texts of a chunk."""
        chunk.begin = self.n
        chunk.check()
        if chunk.array.length > MAX_TEXTS - self.n:
            raise damaged(f"{self.n} texts and {chunk.array.length} more are too many")
        chunk.end = self.n = self.n + <Py_ssize_t> chunk.array.length
        if chunk.end > chunk.begin:
            if self.nulls_are_empty:
                chunk.may_hold_nulls = chunk.array.null_count != 0
            else:
                chunk.refuse_nulls(self.first)
            self.chunks.append(chunk)
        return 0

    cdef Py_ssize_t view_block(self, Py_ssize_t begin, int64_t n_bytes, TextBlock block) except -1:
        cdef ArrowChunk chunk
        cdef TextView view
        cdef Py_ssize_t i = begin, k = chunk_of(self.chunks, begin)
        block.clear()
        while i < self.n and (n_bytes > 0 or i == begin):
            chunk = self.chunks[k]
            while i < chunk.end and (n_bytes > 0 or i == begin):
                chunk.view_text(i, &view)
                block.views.push_back(view)
                n_bytes -= view.size + 1
                i += 1
            k += 1
        return i


@cython.final
cdef class ArrowChunk:

    def __dealloc__(self):
        if self.array.release != NULL:
            self.array.release(&self.array)

    cdef int check(self) except -1:
        """Raise TextError if the array breaks a rule of its layout."""
        cdef ArrowArray* array = &self.array
        cdef int64_t n_wanted = 3
        if array.length < 0 or array.offset < 0 or array.null_count < -1:
            raise damaged(f"length {array.length}, offset {array.offset}, null_count {array.null_count}")
        if array.length > MAX_TEXTS or array.offset > MAX_TEXTS - array.length:
            raise damaged(f"length {array.length} after offset {array.offset} is too long")
        if array.n_children != 0 or array.dictionary != NULL:
            raise damaged("it has children or a dictionary")
        if self.layout == NO_VALUES:
            return 0
        if array.n_buffers < n_wanted or (self.layout != VIEWS and array.n_buffers > n_wanted):
            raise damaged(f"{array.n_buffers} buffers where {n_wanted} are due")
        if array.buffers == NULL:
            raise damaged("it has no buffers")
        if array.length > 0 and array.buffers[1] == NULL:
            raise damaged(f"{array.length} texts without a place")
        if array.null_count > 0 and array.buffers[0] == NULL:
            raise damaged(f"{array.null_count} nulls, but nothing says which")
        return 0

    cdef int refuse_nulls(self, Py_ssize_t first) except -1:
        """Raise TextError naming the first null of an array that is not empty. first: number of the first text."""
        cdef int64_t i = 0
        if self.layout != NO_VALUES:
            if self.array.null_count == 0 or self.array.buffers[0] == NULL:
                return 0
            i = first_null(<const uint8_t*> self.array.buffers[0], self.array.offset, self.array.length)
        if i < self.array.length:
            raise TextError(
                f"{name(first + self.begin + i)} is null: fill it, such as with fill_null(''), or leave it out with "
                "drop_null()"
            )
        return 0

    cdef bytes text(self, Py_ssize_t index):
        """Return a copy of a text."""
        cdef TextView view
        self.view_text(index, &view)
        return PyBytes_FromStringAndSize(<const char*> view.data, view.size)

    cdef int view_text(self, Py_ssize_t index, TextView* view) except -1:
        cdef int64_t i = self.array.offset + (index - self.begin), size = 0
        cdef const uint8_t* data = NULL
        cdef int is_wrong
        if self.may_hold_nulls and self.is_null(i):
            is_wrong = find_between(NULL, 0, 0, &data, &size)
        elif self.layout == SHORT_OFFSETS:
            is_wrong = self.find_short(i, &data, &size)
        elif self.layout == LONG_OFFSETS:
            is_wrong = self.find_long(i, &data, &size)
        else:
            is_wrong = self.find_view(i, &data, &size)
        if is_wrong:
            raise damaged(f"{name(index)} lies outside the buffers")
        return view_bytes(data, size, index, view)

    cdef bint is_null(self, int64_t i) noexcept nogil:
        """Whether value i, counted from the start of the buffers, is null."""
        cdef const uint8_t* bits
        if self.layout == NO_VALUES:
            return True
        bits = <const uint8_t*> self.array.buffers[0]
        return bits != NULL and not bits[i >> 3] >> (i & 7) & 1

    # Find value i: 0, or -1 if it lies outside the buffers. Fields are copied, since buffers need not be aligned.

    cdef int find_short(self, int64_t i, const uint8_t** data, int64_t* size) noexcept nogil:
        cdef int32_t bounds[2]
        memcpy(bounds, <const uint8_t*> self.array.buffers[1] + i * <int64_t> sizeof(int32_t), sizeof(bounds))
        return find_between(self.array.buffers[2], bounds[0], bounds[1], data, size)

    cdef int find_long(self, int64_t i, const uint8_t** data, int64_t* size) noexcept nogil:
        cdef int64_t bounds[2]
        memcpy(bounds, <const uint8_t*> self.array.buffers[1] + i * <int64_t> sizeof(int64_t), sizeof(bounds))
        return find_between(self.array.buffers[2], bounds[0], bounds[1], data, size)

    cdef int find_view(self, int64_t i, const uint8_t** data, int64_t* size) noexcept nogil:
        cdef const uint8_t* place = <const uint8_t*> self.array.buffers[1] + i * VIEW_SIZE
        cdef int64_t n_data = self.array.n_buffers - 3, room = 0
        cdef StringView text
        memcpy(&text, place, VIEW_SIZE)
        size[0] = text.size
        if text.size <= INLINE:
            data[0] = place + sizeof(int32_t)
            return 0 if text.size >= 0 else -1
        if not 0 <= text.buffer < n_data or text.offset < 0 or self.array.buffers[n_data + 2] == NULL:
            return -1
        memcpy(
            &room, <const uint8_t*> self.array.buffers[n_data + 2] + <int64_t> text.buffer * <int64_t> sizeof(int64_t),
            sizeof(room),
        )
        if text.size > room - text.offset or self.array.buffers[2 + text.buffer] == NULL:
            return -1
        data[0] = <const uint8_t*> self.array.buffers[2 + text.buffer] + text.offset
        return 0


cdef inline int find_between(
    const void* buffer, int64_t begin, int64_t end, const uint8_t** data, int64_t* size,
) noexcept nogil:
    """Find bytes [begin, end) of a buffer whose size is not known: 0, or -1 if the bounds are impossible."""
    if not 0 <= begin <= end or (end > begin and buffer == NULL):
        return -1
    data[0] = <const uint8_t*> buffer + begin if end > begin else <const uint8_t*> b""
    size[0] = end - begin
    return 0


cdef dict OTHER_COLUMNS = {  # what they hold -> the first letters of their formats
    "integers": (b"c", b"C", b"s", b"S", b"i", b"I", b"l", b"L"), "numbers": (b"e", b"f", b"g", b"d"),
    "booleans": (b"b",), "times": (b"t",), "nulls": (b"n",), "lists or rows": (b"+",),
}


cdef bytes form_of(const ArrowSchema* schema):
    """Return the format of a column of texts. Raises ArgumentTypeError for a column of something else."""
    if schema.format == NULL:
        raise damaged("its schema has no format")
    if schema.dictionary != NULL:
        raise ArgumentTypeError(
            "texts is a dictionary-encoded Arrow column: pass the strings themselves, such as after cast('string')"
        )
    form = <bytes> schema.format
    if form in LAYOUTS:
        return form
    what = next((kind for kind, forms in OTHER_COLUMNS.items() if form[:1] in forms), "something else")
    raise ArgumentTypeError(
        f"texts is an Arrow column of {what} (format {form.decode('utf-8', 'replace')!r:.40}, not of strings or "
        "bytes): pass a column of texts, or cast it to texts, such as by astype(str) in pandas or cast(str) in polars"
    )


cdef Py_ssize_t chunk_of(list chunks, Py_ssize_t index) except -1:
    """Return the place of the first chunk that ends after text `index`."""
    cdef Py_ssize_t low = 0, high = len(chunks), middle
    while low < high:
        middle = (low + high) // 2
        if (<ArrowChunk> chunks[middle]).end > index:
            high = middle
        else:
            low = middle + 1
    return low
