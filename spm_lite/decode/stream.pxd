"""Decode a stream: ids to text, one id at a time."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.decode.decoder cimport Decoder
from spm_lite.decode.stop_strings cimport StopState, StopStrings
from spm_lite.decode.streamed_spans cimport StreamedSpans
from spm_lite.normalize.streamed cimport StreamedNormalizer


cdef extern from *:
    """
    /* Set the place where users find a compiled class. A static type has it in its name, others in their dictionary. */
    static int spm_lite_set_public_name(PyObject* kind, const char* full_name) {
        PyTypeObject* type = (PyTypeObject*) kind;
        PyObject* module;
        int error;
        if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE)) {
            type->tp_name = full_name;
            return 0;
        }
        module = PyUnicode_FromString("spm_lite");
        if (module == NULL) return -1;
        error = PyDict_SetItemString(type->tp_dict, "__module__", module);
        Py_DECREF(module);
        PyType_Modified(type);
        return error;
    }
    """
    int set_public_name "spm_lite_set_public_name"(object kind, const char* full_name) except -1


cdef struct Unfinished:
    # The first bytes of a character that is not complete.
    int32_t size
    uint8_t data[4]


cdef class DecodeStream:
    """The state of decoding one text. The denormalizer keeps its own state."""

    cdef Decoder decoder
    cdef StreamedNormalizer denormalizer    # None: the decoded text is the text
    cdef bint raw               # bytes of byte pieces are kept even if ill-formed
    cdef bint keeps_surrogates  # three bytes that encode a lone surrogate are a character
    cdef bint is_plain          # nothing is skipped, no string stops the text, and no spans are wanted
    cdef bint skips_special     # control pieces and the unknown piece are left out
    cdef vector[int32_t] skipped        # other ids that are left out, ascending
    cdef StopStrings stops      # None: no string ends the text
    cdef StopState stop
    cdef bint has_ids           # some ids were pushed: of streams that are not plain
    cdef StreamedSpans spans    # None: not wanted
    cdef bint at_start          # no visible text so far: a leading space is dropped
    cdef bint has_text          # some piece has added text
    cdef Unfinished run         # pending bytes at the end of a run of byte pieces
    cdef Unfinished tail        # pending bytes at the end of the text, not yet given as str

    cdef void start(self) noexcept
    cdef int copy_into(self, DecodeStream other) except -1
    cdef object give(self, const uint8_t* data, Py_ssize_t size, bint is_last)      # as str or bytes
    cdef int add_chars(self, const uint8_t* data, Py_ssize_t size, bint is_last, vector[uint8_t]& out) except -1
    cdef object as_text(self, const vector[uint8_t]& text)      # of whole characters
    cdef object push_id(self, int32_t piece_id)
    cdef object push_filtered(self, int32_t piece_id)
    cdef object rest(self)      # then the stream is as new
    cdef int refuse_spans(self) except -1
    cdef int64_t n_bytes(self, int32_t piece_id) noexcept nogil
    cdef int take_steps(self) except -1 nogil
    cdef bint is_skipped(self, int32_t piece_id) noexcept nogil
    cdef int add_checked_id(self, int32_t piece_id, vector[uint8_t]& ready) except -1
    cdef int add_checked_ids(self, const vector[int32_t]& ids, vector[uint8_t]& ready) except -1
    cdef int add_rest(self, vector[uint8_t]& ready) except -1
    cdef int filter(self, const vector[uint8_t]& text, vector[uint8_t]& ready) except -1
    cdef int begin_spans(self) except -1
    cdef list take_spans(self, bint is_over)
    cdef const char* errors(self) noexcept nogil    # of Python's decoder of UTF-8; NULL: bytes are wanted
    cdef int32_t checked_id(self, object item) except -1
    cdef const uint8_t* plain_text(self, int32_t piece_id, Py_ssize_t* size) noexcept nogil    # NULL: use `add_ids`
    cdef int add_ids(self, const int32_t* ids, int64_t n_ids, vector[uint8_t]& out) except -1 nogil
    cdef int add_piece(self, int32_t piece_id, vector[uint8_t]& out) except -1 nogil
    cdef int add_byte(self, uint8_t byte, vector[uint8_t]& out) except -1 nogil
    cdef int end_run(self, vector[uint8_t]& out) except -1 nogil
    cdef int32_t run_char_size(self) noexcept nogil
    cdef int finish(self, vector[uint8_t]& out) except -1 nogil
    cdef int add_many(self, object ids, vector[uint8_t]& out) except -1
    cdef int read_many(self, object ids, vector[int32_t]& checked) except -1


@cython.final
cdef class TextStream(DecodeStream):
    cdef int add_char_steps(self, const uint8_t* text, int64_t size) except -1 nogil


@cython.final
cdef class ByteStream(DecodeStream):
    pass
