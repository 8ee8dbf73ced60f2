# cython: binding=False, embedsignature=True, embedsignature.format=clinic
# (binding=False: methods check the type of self.)
"""Decodes one id at a time, and gives text out as soon as no later id can change it.

`add_piece` has the rules for one piece, and `add_byte` those for a run of byte pieces. Stop strings and spans look at
what they give: `add_checked_id`. Header: stream.pxd.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.exc cimport PyErr_CheckSignals
from cpython.long cimport PyLong_CheckExact
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy, memmove
from libcpp.algorithm cimport binary_search
from libcpp.vector cimport vector

from spm_lite.base.unicode.utf8 cimport BYTE_UNIT, char_size, is_utf8, may_become_char
from spm_lite.decode.decoded_spans cimport read_units
from spm_lite.decode.decoder cimport Decoder
from spm_lite.decode.decode_rules cimport drop_leading_space
from spm_lite.decode.stop_strings cimport StopStrings
from spm_lite.decode.str_decoder cimport starts_with_mark
from spm_lite.decode.streamed_spans cimport EndCarrier, StreamedSpans
from spm_lite.normalize.streamed cimport StreamedNormalizer
from spm_lite.texts.id_reader cimport read_ids
from spm_lite.vocab.vocab cimport BYTE, CONTROL, UNKNOWN

from spm_lite.arguments import as_id, as_ids, as_int
from spm_lite.errors import ArgumentTypeError, OptionError

cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object number, int* overflow) except? -1
    object PyUnicode_DecodeUTF8Stateful(const char* text, Py_ssize_t size, const char* errors, Py_ssize_t* consumed)

cdef enum:
    BLOCK_IDS = 1 << 16         # ids after which a long call looks for signals

cdef const uint8_t* REPLACEMENT = b"\xEF\xBF\xBD"      # U+FFFD, for a byte that starts no character


cdef class DecodeStream:
    """Base of the streams of str and of bytes. A stream decodes one text, and serves one thread at a time.

    stops: strings that end the text. skipped: ids that are left out. skips_special: so are control pieces and the
    unknown piece.
    """

    def __cinit__(
        self, Decoder decoder not None, *_, StopStrings stops or None=None, skipped=(), bint skips_special=False, **__,
    ):
        self.decoder = decoder
        if decoder.denormalizer is not None:
            self.denormalizer = StreamedNormalizer(decoder.denormalizer)
        self.stops = stops
        self.stop.stopped = -1
        self.skips_special = skips_special
        if skipped:
            for piece_id in sorted(set(skipped)):
                self.skipped.push_back(piece_id)
        self.start()

    cdef void start(self) noexcept:
        """Begin a new text. What stopped the last one is known until ids come."""
        cdef int32_t stopped = self.stop.stopped
        self.at_start = True
        self.has_text = False
        self.run.size = 0
        self.tail.size = 0
        self.has_ids = False
        self.spans = None
        self.is_plain = self.stops is None and not self.skips_special and self.skipped.empty()
        if self.denormalizer is not None:
            self.denormalizer.start()  # a text that was stopped has not finished it
            self.denormalizer.keeps_steps = False
            self.denormalizer.steps.clear()
        if self.stops is not None:
            self.stops.start(&self.stop)
            self.stop.stopped = stopped

    cdef int copy_into(self, DecodeStream other) except -1:
        """Copy the state of this stream into `other`."""
        other.decoder = self.decoder
        other.denormalizer = None if self.denormalizer is None else self.denormalizer.copy()
        other.raw = self.raw
        other.keeps_surrogates = self.keeps_surrogates
        other.is_plain = self.is_plain
        other.skips_special = self.skips_special
        other.skipped = self.skipped
        other.stops = self.stops
        other.stop = self.stop
        other.has_ids = self.has_ids
        other.spans = None if self.spans is None else self.spans.copy()
        other.at_start = self.at_start
        other.has_text = self.has_text
        other.run = self.run
        other.tail = self.tail
        return 0

    @property
    def stopped(self):
        """The stop string that ended the text, as the caller gave it, or None.

        Of several that begin at the same place, it is the longest that was complete with the id that made the end
        certain. After `flush` it tells of the text that ended, until ids of the next one come.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> stream = tok.stream(stop=["cd"])
        >>> stream.push(tok.encode("abcde")), stream.stopped
        ('ab', 'cd')
        """
        with cython.critical_section(self):
            return None if self.stops is None else self.stops.found_string(&self.stop)

    def push(self, piece_id):
        """Return the text that this id makes certain; often there is none.

        Args:
            piece_id: an id of the vocabulary, or several, as for `push_many`.
        Returns:
            A str, or bytes from a ByteStream. After a stop string there is no more text: what follows is dropped.
        Raises:
            IdError: an id outside the vocabulary.
            ArgumentTypeError: anything but an integer or a series of them. The stream is then unchanged.
            OptionError: `push_spans` has begun this text.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> stream = tok.stream()
        >>> [stream.push(i) for i in tok.encode("é")]
        ['', 'é']
        """
        cdef int32_t number
        if not PyLong_CheckExact(piece_id) and are_several(piece_id):
            return self.push_many(piece_id)
        number = self.checked_id(piece_id)
        with cython.critical_section(self):
            return push_plain(self, number) if self.is_plain else self.push_filtered(number)

    cdef object push_id(self, int32_t piece_id):
        """Return the text that an id of the vocabulary makes certain."""
        return push_plain(self, piece_id) if self.is_plain else self.push_filtered(piece_id)

    cdef object push_filtered(self, int32_t piece_id):
        """Return the text that an id makes certain and that no stop string may take."""
        cdef vector[uint8_t] out
        self.refuse_spans()
        self.add_checked_id(piece_id, out)
        return self.as_text(out)

    def push_many(self, ids):
        """Return the text that several ids make certain.

        Args:
            ids: a list, tuple, range or integer array.
        Returns:
            A str, or bytes from a ByteStream.
        Raises:
            IdError: an id is outside the vocabulary.
            ArgumentTypeError: an item is not an integer.
            OptionError: `push_spans` has begun this text.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> tok.stream().push_many(tok.encode("abc"))
        'abc'
        """
        cdef vector[int32_t] checked
        cdef vector[uint8_t] out
        with cython.critical_section(self):
            if not self.is_plain:
                self.refuse_spans()
                self.read_many(ids, checked)
                self.add_checked_ids(checked, out)
                return self.as_text(out)
            self.add_many(ids, out)
            return self.give(out.data(), <Py_ssize_t> out.size(), False)

    def push_spans(self, ids):
        """Return (text, begin, end) of each id whose text is certain, in their order. Other ids wait.

        Take either `push_spans` or `push` for the ids of a text. `flush_spans` returns the ids that still wait. Then
        each id has had its span, and the spans are those of `decode_spans(ids, unit="byte")`: an id that adds no text
        has an empty one, and text that several ids make together belongs to the last of them. A stop string, and what
        follows it, belongs to no id.

        Args:
            ids: an id, or several, as for `push`.
        Returns:
            A list of tuples: a str (bytes from a ByteStream), and its begin and end in bytes of the UTF-8 of the text
            since the first call. Text of `prime` and of earlier `push` does not count.
        Raises:
            IdError: an id is outside the vocabulary.
            ArgumentTypeError: an item is not an integer.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> stream = tok.stream()
        >>> [stream.push_spans(i) for i in tok.encode("aé")]
        [[('a', 0, 1)], [], [('', 1, 1), ('é', 1, 3)]]
        """
        cdef vector[int32_t] checked
        cdef vector[uint8_t] out
        if PyLong_CheckExact(ids) or not are_several(ids):
            ids = [self.checked_id(ids)]
        with cython.critical_section(self):
            self.read_many(ids, checked)
            self.begin_spans()
            self.add_checked_ids(checked, out)
            return self.take_spans(self.stop.is_over)

    def flush_spans(self):
        """Return the spans of all ids that wait, as no id follows. Then the stream is as new.

        Returns:
            A list, as `push_spans` does.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> stream = tok.stream()
        >>> stream.push_spans(tok.encode("é")[0]), stream.flush_spans()
        ([], [('�', 0, 3)])
        """
        cdef vector[uint8_t] out
        with cython.critical_section(self):
            self.begin_spans()
            self.add_rest(out)
            spans = self.take_spans(True)
            self.start()
        return spans

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
        with cython.critical_section(self):
            return self.rest()

    cdef object rest(self):
        """Return the rest of the text, and begin a new one."""
        cdef vector[uint8_t] out
        if self.is_plain:
            self.finish(out)
            rest = self.give(out.data(), <Py_ssize_t> out.size(), True)
        else:
            self.add_rest(out)
            rest = self.as_text(out if self.spans is None else self.spans.text)
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

    cdef int add_chars(self, const uint8_t* data, Py_ssize_t size, bint is_last, vector[uint8_t]& out) except -1:
        """Append the characters that are complete, as stop strings are found in them."""
        raise NotImplementedError

    cdef const char* errors(self) noexcept nogil:
        return NULL

    cdef object as_text(self, const vector[uint8_t]& text):
        """Return text of whole characters in the type of this stream."""
        cdef const char* errors = self.errors()
        if errors == NULL:
            return PyBytes_FromStringAndSize(<const char*> text.data(), <Py_ssize_t> text.size())
        return PyUnicode_DecodeUTF8(<const char*> text.data(), <Py_ssize_t> text.size(), errors)

    def prime(self, ids):
        """Take ids as a beginning that is already decoded: they return no text, and later ids continue their text.

        The text of later ids is what is missing: what `push` of all ids returns, without what it returns of these ones.
        A character that these ids leave incomplete is returned whole by the id that completes it. Stop strings are
        found in the text after these ids alone, never across their end.

        Args:
            ids: a list, tuple, range or integer array.
        Raises:
            IdError: an id is outside the vocabulary.
            ArgumentTypeError: an item is not an integer.
            OptionError: ids were pushed before, and the stream has stop strings, or they had spans. Other streams take
                ids that are decoded elsewhere at any time.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> stream = tok.stream()
        >>> stream.prime(tok.encode("a"))
        >>> stream.push_many(tok.encode("bc"))
        'bc'
        """
        cdef vector[uint8_t] out
        with cython.critical_section(self):
            if self.has_ids and (self.stops is not None or self.spans is not None):
                raise OptionError("prime after push: ids of a prompt come first; flush ends the text before")
            self.add_many(ids, out)
            self.give(out.data(), <Py_ssize_t> out.size(), False)
            self.stop.stopped = -1

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
        self.denormalizer.add(decoded.data(), decoded.size(), out)
        return self.take_steps()

    cdef int take_steps(self) except -1 nogil:
        """Give the steps of the denormalizer to the spans."""
        cdef size_t i
        if self.spans is not None:
            for i in range(self.denormalizer.steps.size()):
                self.spans.rules.steps.push_back(self.denormalizer.steps[i])
            self.denormalizer.steps.clear()
        return 0

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
        return 0 if self.spans is None else self.spans.pieces.add_step(1, end - text)

    cdef int add_byte(self, uint8_t byte, vector[uint8_t]& out) except -1 nogil:
        """Append the byte of a byte piece: at once if `raw`, else with the last byte of its character."""
        cdef int32_t size
        cdef bint is_char
        if self.raw:
            out.push_back(byte)
            return 0 if self.spans is None else self.spans.pieces.add_step(1, 1)
        self.run.data[self.run.size] = byte
        self.run.size += 1
        while self.run.size:
            size = self.run_char_size()
            if size < 0:
                return 0
            is_char = size > 0
            if is_char:
                out.insert(out.end(), self.run.data, self.run.data + size)
            else:
                out.insert(out.end(), REPLACEMENT, REPLACEMENT + 3)
                size = 1
            if self.spans is not None:
                self.spans.pieces.add_step(size, size if is_char else 3)
            self.run.size -= size
            memmove(self.run.data, self.run.data + size, self.run.size)
        return 0

    cdef int end_run(self, vector[uint8_t]& out) except -1 nogil:
        """End a run of byte pieces: each pending byte is ill-formed and becomes U+FFFD."""
        for _ in range(self.run.size):
            out.insert(out.end(), REPLACEMENT, REPLACEMENT + 3)
            if self.spans is not None:
                self.spans.pieces.add_step(1, 3)
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
        self.denormalizer.finish(out)
        return self.take_steps()

    cdef int read_many(self, object ids, vector[int32_t]& checked) except -1:
        """Append ids, all of the vocabulary. Raises ArgumentTypeError, IdError."""
        return read_ids(as_ids(ids), -1, self.decoder.vocab.size, checked)

    cdef int add_many(self, object ids, vector[uint8_t]& out) except -1:
        """Check all ids, then decode them, without stop strings. On any error the stream stays as it was."""
        cdef vector[int32_t] checked
        cdef DecodeStream before = DecodeStream.__new__(DecodeStream, self.decoder)
        cdef int64_t begin = 0, end, i, n_ids = 0
        self.read_many(ids, checked)
        self.copy_into(before)
        if not self.is_plain:
            for i in range(<int64_t> checked.size()):
                checked[n_ids] = checked[i]
                n_ids += not self.is_skipped(checked[i])
            checked.resize(n_ids)
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

    # Streams that are not plain: each id by itself, since a stop string may end the text.

    cdef bint is_skipped(self, int32_t piece_id) noexcept nogil:
        cdef uint8_t kind = self.decoder.vocab.types[piece_id]
        if self.skips_special and (kind == CONTROL or kind == UNKNOWN):
            return True
        return not self.skipped.empty() and binary_search(self.skipped.begin(), self.skipped.end(), piece_id)

    cdef int refuse_spans(self) except -1:
        if self.spans is not None:
            raise OptionError("push after push_spans: take push_spans for all ids of a text, or flush before the next")
        return 0

    cdef int add_checked_ids(self, const vector[int32_t]& ids, vector[uint8_t]& ready) except -1:
        """Add ids of the vocabulary. A signal that ends the call leaves the stream as it was."""
        cdef DecodeStream before
        cdef int64_t i
        if ids.size() == 1:  # no time for a signal, and none for a copy
            return self.add_checked_id(ids[0], ready)
        before = DecodeStream.__new__(DecodeStream, self.decoder)
        self.copy_into(before)
        try:
            for i in range(<int64_t> ids.size()):
                self.add_checked_id(ids[i], ready)
                if i % BLOCK_IDS == BLOCK_IDS - 1:
                    PyErr_CheckSignals()
        except BaseException:
            before.copy_into(self)
            raise
        return 0

    cdef int add_checked_id(self, int32_t piece_id, vector[uint8_t]& ready) except -1:
        """Append the text that an id makes certain and that no stop string may still take."""
        cdef vector[uint8_t] decoded, chars
        cdef const uint8_t* text = NULL
        cdef Py_ssize_t size = 0
        cdef bint is_skipped = self.is_skipped(piece_id) or (self.stops is not None and self.stop.is_over)
        self.has_ids = True
        if not self.stop.is_over:
            self.stop.stopped = -1  # of the text before
        if self.spans is not None:
            self.spans.add_id(0 if is_skipped else self.n_bytes(piece_id))
        if is_skipped:
            return 0
        if self.spans is None:
            text = self.plain_text(piece_id, &size)
        if text == NULL:
            self.add_ids(&piece_id, 1, decoded)
            text, size = decoded.data(), <Py_ssize_t> decoded.size()
        self.add_chars(text, size, False, chars)
        return self.filter(chars, ready)

    cdef int64_t n_bytes(self, int32_t piece_id) noexcept nogil:
        """Return the bytes that a piece adds to a run of bytes; other pieces of text count as one."""
        cdef uint8_t kind = self.decoder.vocab.types[piece_id]
        if kind == CONTROL:
            return 0
        if self.decoder.vocab.is_bytes:
            return self.decoder.begins[piece_id + 1] - self.decoder.begins[piece_id]
        return 1

    cdef int add_rest(self, vector[uint8_t]& ready) except -1:
        """Append the rest of the text, up to a stop string."""
        cdef vector[uint8_t] decoded, chars
        cdef size_t n_before
        if self.stops is None or not self.stop.is_over:
            self.finish(decoded)
            self.add_chars(decoded.data(), <Py_ssize_t> decoded.size(), True, chars)
            self.filter(chars, ready)
        if self.stops is not None:
            n_before = ready.size()
            self.stops.finish(&self.stop, ready)
            if self.spans is not None:
                self.spans.text.insert(self.spans.text.end(), ready.begin() + n_before, ready.end())
        return 0

    cdef int filter(self, const vector[uint8_t]& text, vector[uint8_t]& ready) except -1:
        """Append text that no stop string may still take."""
        cdef size_t n_before = ready.size()
        if self.stops is None:
            ready.insert(ready.end(), text.begin(), text.end())
        else:
            self.stops.feed(&self.stop, text.data(), <int64_t> text.size(), ready)
        if self.spans is not None:
            self.spans.text.insert(self.spans.text.end(), ready.begin() + n_before, ready.end())
        return 0

    cdef int begin_spans(self) except -1:
        """Count ids and text from here on. Text that is pending belongs to the first id."""
        cdef EndCarrier last
        if self.spans is not None:
            return 0
        self.spans = StreamedSpans()
        self.spans.pieces = last = EndCarrier()
        last.n_read = -self.run.size
        if self.denormalizer is not None:
            self.spans.rules = last = EndCarrier()
            last.n_read = -<int64_t> self.denormalizer.waiting.size()
            last.n_written = self.denormalizer.n_held()
            self.denormalizer.keeps_steps = True
        if not self.raw:
            self.spans.chars = last = EndCarrier()
            last.n_read = -self.tail.size
        if self.stops is not None:
            last.n_written += self.stops.depths[self.stop.node]
        self.is_plain = False
        return 0

    cdef list take_spans(self, bint is_over):
        """Return the spans of the ids whose text is certain, or of all."""
        self.spans.carry(is_over)
        return self.spans.take(is_over, self.errors())


cdef inline object push_plain(DecodeStream stream, int32_t piece_id):
    """Return the text that an id makes certain, where nothing is skipped, searched for or counted."""
    cdef vector[uint8_t] out
    cdef Py_ssize_t size = 0
    cdef const uint8_t* text = stream.plain_text(piece_id, &size)
    if text == NULL:
        stream.add_ids(&piece_id, 1, out)
        text, size = out.data(), <Py_ssize_t> out.size()
    return stream.give(text, size, False)


cdef bint are_several(object item) except -1:
    """Whether an argument is a series of ids, and not one."""
    if isinstance(item, (str, bytes, bytearray, memoryview)):
        return False
    return hasattr(type(item), "__iter__") and getattr(item, "ndim", 1) != 0


@cython.final
cdef class TextStream(DecodeStream):
    """Decodes ids that come one by one to str. Made by `Tokenizer.stream`.

    The texts of `push`, `push_many` and the final `flush` join to `Tokenizer.decode` of all ids, whatever they are.
    Text is returned as soon as no later id can change it. Pending text is at most 3 bytes of an incomplete character.
    A denormalizer adds 3 more bytes, and the beginning of a rule, which is shorter than the longest rule. If it removes
    spaces at the end, it adds their number. A stop string adds the text that may become one. So an id takes constant
    time and memory.
    """

    def __cinit__(
        self, Decoder decoder not None, bint keeps_surrogates=False, *, stops=None, skipped=(), skips_special=False,
    ):
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

    cdef int add_chars(self, const uint8_t* data, Py_ssize_t size, bint is_last, vector[uint8_t]& out) except -1:
        """Append the UTF-8 of the str that `give` makes."""
        cdef vector[uint8_t] joined
        cdef const uint8_t* text
        cdef Py_ssize_t n_text = 0
        if self.tail.size == 0 and is_utf8(data, size):
            out.insert(out.end(), data, data + size)
            return 0 if self.spans is None else self.add_char_steps(data, size)
        joined.assign(self.tail.data, self.tail.data + self.tail.size)
        joined.insert(joined.end(), data, data + size)
        encoded = self.give(data, size, is_last).encode("utf-8", "surrogatepass")
        text, n_text = <const uint8_t*> PyBytes_AS_STRING(encoded), PyBytes_GET_SIZE(encoded)
        out.insert(out.end(), text, text + n_text)
        if self.spans is None:
            return 0
        return self.add_char_steps(joined.data(), <int64_t> joined.size() - (0 if is_last else self.tail.size))

    cdef int add_char_steps(self, const uint8_t* text, int64_t size) except -1 nogil:
        """Tell the spans which bytes become characters of the str."""
        cdef int64_t pos = 0, n_read, n_written = 0
        while pos < size:
            n_read = read_units(text + pos, size - pos, BYTE_UNIT, &n_written)
            if self.keeps_surrogates and size - pos >= 3 and text[pos] == 0xED and text[pos + 1] >= 0xA0:
                n_read = n_written = 3  # a lone surrogate
            self.spans.chars.add_step(n_read, n_written)
            pos += n_read
        return 0

    cdef const char* errors(self) noexcept nogil:
        return "surrogatepass" if self.keeps_surrogates else "replace"


@cython.final
cdef class ByteStream(DecodeStream):
    """Decodes ids to bytes that join to `Tokenizer.decode_bytes` of all ids. Made by `Tokenizer.stream`."""

    def __cinit__(self, Decoder decoder not None, *, stops=None, skipped=(), skips_special=False):
        self.raw = True

    cdef object give(self, const uint8_t* data, Py_ssize_t size, bint is_last):
        return PyBytes_FromStringAndSize(<const char*> data, size)

    cdef int add_chars(self, const uint8_t* data, Py_ssize_t size, bint is_last, vector[uint8_t]& out) except -1:
        out.insert(out.end(), data, data + size)
        return 0

    cdef const char* errors(self) noexcept nogil:
        return NULL


set_public_name(TextStream, "spm_lite.TextStream")
set_public_name(ByteStream, "spm_lite.ByteStream")
