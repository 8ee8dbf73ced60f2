# cython: binding=False, embedsignature=True, embedsignature.format=clinic
# (binding=False: methods check the type of self.)
"""Decodes one id at a time, and gives text out as soon as no later id can change it.

`add_piece` has the rules for one piece, and `add_byte` those for a run of byte pieces. Header: stream.pxd.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.exc cimport PyErr_CheckSignals
from cpython.long cimport PyLong_CheckExact
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy, memmove
from libcpp.vector cimport vector

from spm_lite.base.unicode.utf8 cimport char_size, is_utf8, may_become_char
from spm_lite.decode.decoder cimport Decoder
from spm_lite.decode.decode_rules cimport drop_leading_space
from spm_lite.decode.str_decoder cimport starts_with_mark
from spm_lite.normalize.streamed cimport StreamedNormalizer
from spm_lite.texts.id_reader cimport read_ids
from spm_lite.vocab.vocab cimport BYTE, CONTROL, UNKNOWN

# cython: binding=False, embedsignature=True, embedsignature.format=clinic
# (binding=False: methods check the type of self.)
cimport cython

from spm_lite.arguments import as_id, as_ids, as_int
from spm_lite.errors import ArgumentTypeError

cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object number, int* overflow) except? -1
    object PyUnicode_DecodeUTF8Stateful(const char* text, Py_ssize_t size, const char* errors, Py_ssize_t* consumed)

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

cdef enum:
    BLOCK_IDS = 1 << 16         # ids after which a long call looks for signals

cdef const uint8_t* REPLACEMENT = b"\xEF\xBF\xBD"      # U+FFFD, for a byte that starts no character


cdef class DecodeStream:
    """Base of the streams of str and of bytes. A stream decodes one text, and serves one thread at a time."""

    def __cinit__(self, Decoder decoder not None, *_, **__):
        self.decoder = decoder
        if decoder.denormalizer is not None:
            self.denormalizer = StreamedNormalizer(decoder.denormalizer)
        self.start()

    cdef void start(self) noexcept nogil:
        """Begin a new text."""
        self.at_start = True
        self.has_text = False
        self.run.size = 0
        self.tail.size = 0

    cdef int copy_into(self, DecodeStream other) except -1:
        """Copy the state of this stream into `other`."""
        other.decoder = self.decoder
        other.denormalizer = None if self.denormalizer is None else self.denormalizer.copy()
        other.raw = self.raw
        other.keeps_surrogates = self.keeps_surrogates
        other.at_start = self.at_start
        other.has_text = self.has_text
        other.run = self.run
        other.tail = self.tail
        return 0

    def push(self, piece_id):
        """Return the text that this id makes certain; often there is none.

        Args:
            piece_id: an id of the vocabulary.
        Returns:
            A str, or bytes from a ByteStream.
        Raises:
            IdError: an id outside the vocabulary.
            ArgumentTypeError: anything but an integer. The stream is then unchanged.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> stream = tok.stream()
        >>> [stream.push(i) for i in tok.encode("é")]
        ['', 'é']
        """
        cdef int32_t number = self.checked_id(piece_id)
        cdef vector[uint8_t] out
        cdef const uint8_t* text
        cdef Py_ssize_t size = 0
        with cython.critical_section(self):
            text = self.plain_text(number, &size)
            if text == NULL:
                self.add_ids(&number, 1, out)
                text, size = out.data(), <Py_ssize_t> out.size()
            return self.give(text, size, False)

    def push_many(self, ids):
        """Return the text that several ids make certain.

        Args:
            ids: a list, tuple, range or integer array.
        Returns:
            A str, or bytes from a ByteStream.
        Raises:
            IdError: an id is outside the vocabulary.
            ArgumentTypeError: an item is not an integer.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> tok.stream().push_many(tok.encode("abc"))
        'abc'
        """
        cdef vector[uint8_t] out
        with cython.critical_section(self):
            self.add_many(ids, out)
            return self.give(out.data(), <Py_ssize_t> out.size(), False)

    def flush(self):
        """Return the rest of the text, as no id follows. Then the stream is as new.

        Returns:
            A str, or bytes from a ByteStream.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> stream = tok.stream()
        >>> stream.push(tok.encode("é")[0]), stream.flush()
        ('', '�')
        """
        cdef vector[uint8_t] out
        with cython.critical_section(self):
            self.finish(out)
            rest = self.give(out.data(), <Py_ssize_t> out.size(), True)
            self.start()
        return rest

    def copy(self):
        """Return a new stream with the same state, to continue with other ids.

        Returns:
            A TextStream, or a ByteStream of one.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> stream = tok.stream()
        >>> _ = stream.push(tok.encode("é")[0])
        >>> stream.copy().push(tok.encode("é")[1])
        'é'
        """
        cdef DecodeStream other = type(self)(self.decoder)
        with cython.critical_section(self):
            self.copy_into(other)
        return other

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    cdef object give(self, const uint8_t* data, Py_ssize_t size, bint is_last):
        """Return text in the type of this stream. data: UTF-8."""
        raise NotImplementedError

    def prime(self, ids):
        """Take ids as a beginning that is already decoded: they return no text, and later ids continue their text.

        Args:
            ids: a list, tuple, range or integer array.
        Raises:
            IdError: an id is outside the vocabulary.
            ArgumentTypeError: an item is not an integer.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> stream = tok.stream()
        >>> stream.prime(tok.encode("a"))
        >>> stream.push_many(tok.encode("bc"))
        'bc'
        """
        self.push_many(ids)

    def __reduce__(self):
        raise ArgumentTypeError("a stream cannot be pickled: keep the ids, and prime a new stream with them")

    cdef int32_t checked_id(self, object item) except -1:
        """Return the item as an id of the vocabulary. Raises ArgumentTypeError, IdError."""
        cdef int overflow = 0
        cdef long long number
        if not PyLong_CheckExact(item):
            item = as_int(item, "an id")
        number = PyLong_AsLongLongAndOverflow(item, &overflow)
        if overflow or number < 0 or number >= self.decoder.vocab.size:
            as_id(item, self.decoder.vocab.size)  # raises
        return <int32_t> number

    cdef inline const uint8_t* plain_text(self, int32_t piece_id, Py_ssize_t* size) noexcept nogil:
        """Return what a piece adds, inside a text without a denormalizer and outside runs of bytes; NULL elsewhere.

        size: set to its bytes.
        """
        cdef const int64_t* begins
        if self.at_start or self.run.size or self.denormalizer is not None:
            return NULL
        if self.decoder.vocab.types[piece_id] == BYTE:
            return NULL
        begins = self.decoder.begins.data() + piece_id
        size[0] = begins[1] - begins[0]
        if self.decoder.vocab.is_bytes and not self.raw and not is_utf8(self.decoder.texts.data() + begins[0], size[0]):
            return NULL
        return self.decoder.texts.data() + begins[0]

    cdef int add_ids(self, const int32_t* ids, int64_t n_ids, vector[uint8_t]& out) except -1 nogil:
        """Decode ids of the vocabulary; append the text that has become certain to `out`."""
        cdef vector[uint8_t] decoded
        cdef int64_t i
        if self.denormalizer is None:
            for i in range(n_ids):
                self.add_piece(ids[i], out)
            return 0
        for i in range(n_ids):
            self.add_piece(ids[i], decoded)
        return self.denormalizer.add(decoded.data(), decoded.size(), out)

    cdef int add_piece(self, int32_t piece_id, vector[uint8_t]& out) except -1 nogil:
        """Append one piece, by the rules of `Decoder.append_piece`."""
        cdef uint8_t piece_type = self.decoder.vocab.types[piece_id]
        cdef const uint8_t* text = self.decoder.texts.data() + self.decoder.begins[piece_id]
        cdef const uint8_t* end = self.decoder.texts.data() + self.decoder.begins[piece_id + 1]
        cdef bint has_space
        if piece_type == BYTE:
            self.has_text = True
            return self.add_byte(text[0], out)
        if self.decoder.vocab.is_bytes and piece_type != CONTROL:
            self.at_start = False
            while text < end:
                self.add_byte(text[0], out)
                text += 1
            return 0
        self.end_run(out)
        if self.has_text:
            self.at_start = False
        if piece_type == CONTROL:
            return 0
        if self.at_start:
            has_space = starts_with_mark(self.decoder.vocab, piece_id)
            text += drop_leading_space(&self.decoder.leading, has_space, piece_type == UNKNOWN, &self.at_start)
        if text != end:
            self.has_text = True
            self.at_start = False
            out.insert(out.end(), text, end)
        return 0

    cdef int add_byte(self, uint8_t byte, vector[uint8_t]& out) except -1 nogil:
        """Append the byte of a byte piece: at once if `raw`, else with the last byte of its character."""
        cdef int32_t size
        if self.raw:
            out.push_back(byte)
            return 0
        self.run.data[self.run.size] = byte
        self.run.size += 1
        while self.run.size:
            size = self.run_char_size()
            if size < 0:
                return 0
            if size:
                out.insert(out.end(), self.run.data, self.run.data + size)
            else:
                out.insert(out.end(), REPLACEMENT, REPLACEMENT + 3)
                size = 1
            self.run.size -= size
            memmove(self.run.data, self.run.data + size, self.run.size)
        return 0

    cdef int end_run(self, vector[uint8_t]& out) except -1 nogil:
        """End a run of byte pieces: each pending byte is ill-formed and becomes U+FFFD."""
        for _ in range(self.run.size):
            out.insert(out.end(), REPLACEMENT, REPLACEMENT + 3)
        self.run.size = 0
        return 0

    cdef int32_t run_char_size(self) noexcept nogil:
        """Return the size of the character that the pending bytes start with; 0: ill-formed, -1: not complete yet."""
        cdef const uint8_t* run = self.run.data
        cdef int32_t size = char_size(run, self.run.size)
        if size or may_become_char(run, self.run.size):
            return size if size else -1
        if self.keeps_surrogates and run[0] == 0xED and run[1] >= 0xA0 and run[1] <= 0xBF:
            if self.run.size == 2:
                return -1
            return 3 if run[2] & 0xC0 == 0x80 else 0
        return 0

    cdef int finish(self, vector[uint8_t]& out) except -1 nogil:
        """Append the rest of the text."""
        cdef vector[uint8_t] decoded
        if self.denormalizer is None:
            return self.end_run(out)
        self.end_run(decoded)
        self.denormalizer.add(decoded.data(), decoded.size(), out)
        return self.denormalizer.finish(out)

    cdef int add_many(self, object ids, vector[uint8_t]& out) except -1:
        """Check all ids, then decode them. On any error the stream stays as it was."""
        cdef vector[int32_t] checked
        cdef DecodeStream before = DecodeStream.__new__(DecodeStream, self.decoder)
        cdef int64_t begin = 0, end
        read_ids(as_ids(ids), -1, self.decoder.vocab.size, checked)
        self.copy_into(before)
        try:
            while begin < <int64_t> checked.size():
                end = min(begin + BLOCK_IDS, <int64_t> checked.size())
                self.add_ids(checked.data() + begin, end - begin, out)
                begin = end
                PyErr_CheckSignals()
        except BaseException:
            before.copy_into(self)
            raise
        return 0


@cython.final
cdef class TextStream(DecodeStream):
    """Decodes ids that come one by one to str. Made by `Tokenizer.stream`.

    The texts of `push`, `push_many` and the final `flush` join to `Tokenizer.decode` of all ids, whatever they are.
    Text is returned as soon as no later id can change it. Pending text is at most 3 bytes of an incomplete character.
    A denormalizer adds 3 more bytes, and the beginning of a rule, which is shorter than the longest rule. If it removes
    spaces at the end, it adds their number. So an id takes constant time and memory.
    """

    def __cinit__(self, Decoder decoder not None, bint keeps_surrogates=False):
        self.keeps_surrogates = keeps_surrogates

    cdef object give(self, const uint8_t* data, Py_ssize_t size, bint is_last):
        """Return text as str; an incomplete character at its end is kept for the next call."""
        cdef const char* errors = "surrogatepass" if self.keeps_surrogates else "replace"
        cdef vector[uint8_t] joined
        cdef Py_ssize_t n_read = size
        if self.tail.size:
            joined.assign(self.tail.data, self.tail.data + self.tail.size)
            if size:
                joined.insert(joined.end(), data, data + size)
            data, size = joined.data(), <Py_ssize_t> joined.size()
        if size == 0:
            return ""
        if is_last:
            return PyUnicode_DecodeUTF8(<const char*> data, size, errors)
        text = PyUnicode_DecodeUTF8Stateful(<const char*> data, size, errors, &n_read)
        self.tail.size = <int32_t> (size - n_read)
        memcpy(self.tail.data, data + n_read, size - n_read)
        return text


@cython.final
cdef class ByteStream(DecodeStream):
    """Decodes ids to bytes that join to `Tokenizer.decode_bytes` of all ids. Made by `Tokenizer.stream_bytes`."""

    def __cinit__(self, Decoder decoder not None):
        self.raw = True

    cdef object give(self, const uint8_t* data, Py_ssize_t size, bint is_last):
        return PyBytes_FromStringAndSize(<const char*> data, size)


set_public_name(TextStream, "spm_lite.TextStream")
set_public_name(ByteStream, "spm_lite.ByteStream")
