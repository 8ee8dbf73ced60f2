"""Moves the columns out of each table, and checks and adds row after row. The hot loop is that of `add_rows`.

Header: arrow_rows.pxd.
"""

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from spm_lite.base.system.heap cimport give_back_memory
from spm_lite.texts.arrow_columns cimport find_column, take_column
from spm_lite.texts.arrow_streams cimport ArrowArray, ArrowSchema, ArrowStream
from spm_lite.texts.arrow_texts cimport ArrowTexts
from spm_lite.texts.text_view cimport TextBlock
from spm_lite.training.counts.chunk_table cimport ChunkTable
from spm_lite.training.counts.cut_rules cimport NO_FAULT

from spm_lite.errors import ArgumentTypeError, ModelError, OptionError

cdef enum:
    BLOCK_BYTES = 1 << 22       # of texts between two looks at the memory and for Ctrl-C
    ALL_ADDED = -1

cdef dict FORMS = {b"i": INT32, b"I": UINT32, b"l": INT64, b"L": UINT64, b"n": NO_NUMBERS}


@cython.final
cdef class NumberColumn:

    def __dealloc__(self):
        if self.array.release != NULL:
            self.array.release(&self.array)

    cdef int check(self) except -1:
        """Raise ModelError if the array breaks a rule of its layout."""
        cdef ArrowArray* array = &self.array
        if self.form == NO_NUMBERS:
            return 0
        if array.n_buffers != 2 or array.buffers == NULL or (array.length > 0 and array.buffers[1] == NULL):
            raise ModelError("the Arrow column of counts is damaged: it has no numbers")
        return 0

    cdef int64_t value(self, int64_t row) noexcept nogil:
        """Return the number of a row; -1 if it is null, below 0, or 2^63 and more."""
        cdef int64_t i = self.array.offset + row, wide = 0
        cdef const uint8_t* bits
        cdef const uint8_t* numbers
        cdef int32_t narrow = 0  # numbers are copied, since buffers need not be aligned
        if self.form == NO_NUMBERS:
            return -1
        bits, numbers = <const uint8_t*> self.array.buffers[0], <const uint8_t*> self.array.buffers[1]
        if self.array.null_count != 0 and bits != NULL and not bits[i >> 3] >> (i & 7) & 1:
            return -1
        if self.form == INT64 or self.form == UINT64:
            memcpy(&wide, numbers + i * <int64_t> sizeof(wide), sizeof(wide))
            return max(wide, <int64_t> -1)
        memcpy(&narrow, numbers + i * <int64_t> sizeof(narrow), sizeof(narrow))
        return max(narrow, -1) if self.form == INT32 else <uint32_t> narrow


@cython.final
cdef class RowCounter:

    def __cinit__(self, begin, spill=None, str name="the Arrow table of counts"):
        """begin: called with the metadata of each schema; returns the CutRules for the texts, or None: any will do.

        spill: takes full tables. name: of the source, for messages.
        """
        self.begin, self.spill, self.name = begin, spill, name
        self.table = ChunkTable()

    def add(self, source):
        """Add the rows of an object with `__arrow_c_array__` or `__arrow_c_stream__`. Equal texts add up.

        Raises ModelError, naming the row, for a text that is no chunk, or a count that is not 1..2^63 - 1.
        """
        cdef ArrowStream stream
        cdef ArrowArray array
        cdef const ArrowSchema* schema
        if hasattr(source, "__arrow_c_array__"):
            schema_capsule, array_capsule = source.__arrow_c_array__()
            schema = <const ArrowSchema*> PyCapsule_GetPointer(schema_capsule, b"arrow_schema")
            self.rules = self.begin(metadata_of(schema.metadata))
            self.add_array(schema, <ArrowArray*> PyCapsule_GetPointer(array_capsule, b"arrow_array"))
            return
        stream = ArrowStream(source)
        self.rules = self.begin(metadata_of(stream.schema.metadata))
        while stream.has_next:
            array = stream.next_array
            stream.next_array.release = NULL
            try:
                self.add_array(&stream.schema, &array)
            finally:
                if array.release != NULL:
                    array.release(&array)
            stream.read()

    cdef int add_array(self, const ArrowSchema* schema, ArrowArray* array) except -1:
        """Add the rows of one table. Its columns are moved out of it; the caller releases the rest."""
        cdef ArrowTexts texts = ArrowTexts([])
        cdef NumberColumn counts = NumberColumn()
        cdef int place
        cdef int64_t row
        if schema.release != NULL and schema.format != NULL and <bytes> schema.format != b"+s":
            raise ArgumentTypeError(f"{self.name} is one column: pass a table of text and count")
        try:
            place = find_column(schema, "count")
        except OptionError as error:
            raise ArgumentTypeError(f"{self.name} has no column of counts: {error}") from None
        form = <bytes> schema.children[place].format if schema.children[place].dictionary == NULL else b""
        if form not in FORMS:
            raise ArgumentTypeError(
                f"{self.name} has counts of the Arrow format {form.decode('utf-8', 'replace')!r:.40}, not of integers "
                "of 32 or 64 bits: cast them to int64"
            )
        counts.form = FORMS[form]
        texts.column, texts.first = "text", self.n_rows
        texts.take_form(schema)
        take_column(array, place, &counts.array)
        counts.check()
        texts.add(texts.taken(array))
        row = self.add_rows(texts, counts)
        if row != ALL_ADDED:
            chunk = next(iter([text for i, text in enumerate(texts) if i == row]))
            raise ModelError(f"{self.name}, row {self.n_rows + row}: {self.fault(chunk, counts.value(row))}")
        self.n_rows += texts.n
        return 0

    cdef int64_t add_rows(self, ArrowTexts texts, NumberColumn counts) except -2:
        """Add all rows up to the first that is wrong, and return that; ALL_ADDED: none is."""
        cdef TextBlock block = TextBlock()
        cdef Py_ssize_t begin = 0, end = 0
        cdef int64_t row, count
        cdef int32_t size
        cdef const uint8_t* text
        while begin < texts.n:
            end = texts.view_block(begin, BLOCK_BYTES, block)
            with nogil:
                for row in range(begin, end):
                    text, size = block.views[row - begin].data, block.views[row - begin].size
                    count = counts.value(row)
                    if count < 1 or size < 1:
                        return row
                    if self.rules is not None and self.rules.fault_of(text, size, self.scratch) != NO_FAULT:
                        return row
                    self.table.add(text, <uint32_t> size, <uint64_t> count)
            begin = end
            if self.spill is not None and self.table.memory() > self.spill.table_bytes:
                self.spill.spill([self.table])
            PyErr_CheckSignals()
        return ALL_ADDED

    cdef object fault(self, bytes chunk, int64_t count):
        """Return, in words, what is wrong with a row."""
        shown = repr(chunk if len(chunk) <= 60 else chunk[:60])
        if count < 1:
            return f"{shown} has a count that is null or not 1..2^63 - 1"
        reason = self.rules.why_no_chunk(chunk) if self.rules is not None else "since it is empty"
        return f"{shown} is not a chunk under these options, {reason}"

    def finish(self):
        """Return the table of all rows, in canonical order, and empty the counter.

        With a spill that was used, the table is as large as its budget allows. Raises TrainingError for a count of
        2^63 or more.
        """
        cdef ChunkTable table = self.table
        self.table = ChunkTable()
        if self.spill is not None and self.spill.n_spills > 0:
            table = self.spill.finish([table])
        else:
            with nogil:
                give_back_memory()
                table.sort()
                give_back_memory()
        table.check_counts()
        return table


cdef dict metadata_of(const char* place):
    """Return the metadata of a schema. NULL: there is none."""
    cdef dict result = {}
    cdef int32_t n = 0, _i
    if place != NULL:
        memcpy(&n, place, sizeof(n))
        place += sizeof(n)
        for _i in range(n):
            key = next_text(&place)
            result[key] = next_text(&place)
    return result


cdef bytes next_text(const char** place):
    """Return the text at a place, and move the place to its end."""
    cdef int32_t size = 0
    memcpy(&size, place[0], sizeof(size))
    if size < 0:
        raise ModelError("the metadata of the Arrow table is damaged: a text of less than 0 bytes")
    text = place[0][sizeof(size):sizeof(size) + size]
    place[0] += sizeof(size) + size
    return text
