# cython: binding=False, embedsignature=True, embedsignature.format=clinic
# (binding=False: methods check the type of self.)
"""Many streams in one call: the loops of `push` and `flush`. The rules are those of stream.pyx."""

cimport cython
from cpython.long cimport PyLong_CheckExact
from libc.stdint cimport int32_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.decode.stream cimport DecodeStream, set_public_name

from spm_lite.arguments import as_ids, as_int
from spm_lite.errors import ArgumentTypeError, IdError, OptionError

cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object number, int* overflow) except? -1

cdef enum:
    NO_ID = -1
    MOST_STREAMS = 1 << 24


@cython.final
cdef class BatchStream:
    """Decodes many texts at once, each in a place of its own: `push` takes one id for each, and costs one call for all.

    Each place is a copy of a stream, with its options and its state. What a TextStream or a ByteStream says about text,
    stop strings and `prime` holds for it. A text that ends makes room for another one: `flush_one` returns its rest,
    and `prime` begins the next. Only one thread at a time may use it.

    Args:
        stream: made by `Tokenizer.stream`. It stays as it is.
        n: how many texts are decoded at once.
    Raises:
        OptionError: n is below 0, or too large.

    >>> import spm_lite
    >>> tok = spm_lite.byte_tokenizer()
    >>> batch = spm_lite.BatchStream(tok.stream(stop="b"), 2)
    >>> [batch.push(ids) for ids in zip(tok.encode("abc"), tok.encode("xyz"))], batch.stopped
    ([['a', 'x'], ['', 'y'], ['', 'z']], ['b', None])
    """

    cdef list streams
    cdef int32_t vocab_size
    cdef object empty       # the text of no id

    def __cinit__(self, DecodeStream stream not None, n):
        cdef vector[uint8_t] nothing
        n = as_int(n, "n")
        if not 0 <= n <= MOST_STREAMS:
            raise OptionError(f"n {n}: the number of texts must be 0 to {MOST_STREAMS}")
        self.streams = [stream.copy() for _ in range(n)]
        self.empty = stream.as_text(nothing)
        self.vocab_size = stream.decoder.vocab.size

    def __len__(self):
        return len(self.streams)

    def push(self, ids):
        """Return the text that one more id makes certain, for each place.

        Args:
            ids: a list, tuple or integer array with an id for each place; -1: the place gets none this time.
        Returns:
            A list of str, or of bytes. After a stop string there is no more text in a place.
        Raises:
            IdError: an id is outside the vocabulary. No place has changed then.
            ArgumentTypeError: an item is not an integer.
            OptionError: there are more ids than places, or fewer.

        >>> import spm_lite
        >>> batch = spm_lite.BatchStream(spm_lite.byte_tokenizer().stream(), 2)
        >>> a, b = spm_lite.byte_tokenizer().encode("ab")
        >>> batch.push([a, b]), batch.push([-1, a])
        (['a', 'b'], ['', 'a'])
        """
        cdef vector[int32_t] checked
        cdef DecodeStream stream
        cdef Py_ssize_t i
        cdef list texts = []
        with cython.critical_section(self):
            self.read_ids(as_ids(ids), checked)
            for i in range(<Py_ssize_t> checked.size()):
                stream = self.streams[i]
                texts.append(self.empty if checked[i] == NO_ID else stream.push_id(checked[i]))
        return texts

    cdef int read_ids(self, object ids, vector[int32_t]& checked) except -1:
        """Append an id, or NO_ID, for each place."""
        cdef int overflow = 0
        cdef long long number
        for item in ids:
            if not PyLong_CheckExact(item):
                item = as_int(item, f"item {checked.size()} of ids")
            number = PyLong_AsLongLongAndOverflow(item, &overflow)
            if overflow or not NO_ID <= number < self.vocab_size:
                raise IdError(
                    f"id {item} at position {checked.size()} is outside the vocabulary: ids are 0 to "
                    f"{self.vocab_size - 1}, and -1 for a place that gets none"
                )
            checked.push_back(<int32_t> number)
        if <Py_ssize_t> checked.size() != len(self.streams):
            raise OptionError(
                f"{checked.size()} ids for {len(self.streams)} places: give one for each, and -1 where there is none"
            )
        return 0

    def flush(self):
        """Return the rest of each text, as no id follows. Then all places are as new.

        Returns:
            A list of str, or of bytes.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> batch = spm_lite.BatchStream(tok.stream(), 2)
        >>> batch.push([tok.encode("é")[0], -1]), batch.flush()
        (['', ''], ['�', ''])
        """
        with cython.critical_section(self):
            return [(<DecodeStream> stream).rest() for stream in self.streams]

    def flush_one(self, place):
        """Return the rest of one text. Then its place is as new.

        Args:
            place: from 0 on.
        Returns:
            A str, or bytes.
        Raises:
            IdError: there is no such place.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> batch = spm_lite.BatchStream(tok.stream(), 2)
        >>> _ = batch.push([tok.encode("é")[0], -1])
        >>> batch.flush_one(0)
        '�'
        """
        with cython.critical_section(self):
            return self.stream_at(place).rest()

    def prime(self, place, ids):
        """Take ids as a beginning of one text that is already decoded, as `TextStream.prime` does.

        Args:
            place: from 0 on.
            ids: a list, tuple, range or integer array.
        Raises:
            IdError: there is no such place, or an id is outside the vocabulary.
            SpmLiteError: as in `TextStream.prime`.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> batch = spm_lite.BatchStream(tok.stream(), 1)
        >>> batch.prime(0, tok.encode("a"))
        >>> batch.push(tok.encode("b"))
        ['b']
        """
        with cython.critical_section(self):
            self.stream_at(place).prime(ids)

    @property
    def stopped(self):
        """For each place, the stop string that ended its text, or None: a list.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> batch = spm_lite.BatchStream(tok.stream(stop="a"), 2)
        >>> batch.push(tok.encode("ab")), batch.stopped
        (['', 'b'], ['a', None])
        """
        with cython.critical_section(self):
            return [stream.stopped for stream in self.streams]

    cdef DecodeStream stream_at(self, object place):
        """Return the stream of a place. Raises ArgumentTypeError, IdError."""
        cdef object number = as_int(place, "a place")
        if not 0 <= number < len(self.streams):
            raise IdError(f"place {number} of {len(self.streams)}: must be 0 to {len(self.streams) - 1}")
        return self.streams[number]

    def __reduce__(self):
        raise ArgumentTypeError("a stream cannot be pickled: keep the ids, and prime a new one with them")


set_public_name(BatchStream, "spm_lite.BatchStream")
