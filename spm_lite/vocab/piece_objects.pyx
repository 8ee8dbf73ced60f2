"""Makes the str or bytes object of a piece on first use, and answers questions about one piece or a list.

Header: piece_objects.pxd.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_CheckExact, PyBytes_GET_SIZE
from cpython.list cimport PyList_CheckExact
from cpython.long cimport PyLong_AsLongAndOverflow, PyLong_CheckExact
from cpython.tuple cimport PyTuple_CheckExact
from cpython.unicode cimport PyUnicode_CheckExact
from libc.stdint cimport int32_t, int64_t, uint8_t

from spm_lite.vocab.vocab cimport Vocab

from spm_lite.errors import IdError


@cython.final
cdef class PieceObjects:
    """One str and one bytes object for each piece, shared by all results of `id_to_piece` and of encoding."""

    def __cinit__(self, Vocab vocab not None):
        self.vocab = vocab
        self.strings = None
        self.data = None

    cdef object string_of(self, int32_t piece_id):
        """A piece as str; ill-formed bytes become lone surrogates (surrogateescape)."""
        if self.strings is None:
            with cython.critical_section(self):  # without the GIL: a list that another thread reads is never replaced
                if self.strings is None:
                    self.strings = [None] * self.vocab.size
        known = self.strings[piece_id]
        if known is None:
            known = self.vocab.text(piece_id).decode("utf-8", "surrogateescape")
            self.strings[piece_id] = known
        return known

    cdef object data_of(self, int32_t piece_id):
        """A piece as bytes."""
        if self.data is None:
            with cython.critical_section(self):  # without the GIL: a list that another thread reads is never replaced
                if self.data is None:
                    self.data = [None] * self.vocab.size
        known = self.data[piece_id]
        if known is None:
            known = self.vocab.text(piece_id)
            self.data[piece_id] = known
        return known

    def string(self, int32_t piece_id):
        """A piece as str. Raises IdError for an id outside the vocabulary."""
        if not 0 <= piece_id < self.vocab.size:
            raise IdError(
                f"OUT_OF_RANGE: piece id is out of range. It is {piece_id}, ids are 0 to {self.vocab.size - 1}"
            )
        return self.string_of(piece_id)


cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL

cdef enum Question:
    ID, STRING, SCORE, TYPE

cdef enum:
    NO_ID = -2      # `Vocab.find` gives -1 for a string that is no piece, if there is no unknown piece


cdef inline int32_t id_within(object value, int32_t size) except -3:
    """Convert a Python int to an id of the vocabulary; NO_ID for any other value."""
    cdef int overflow = 0
    cdef long number
    if not PyLong_CheckExact(value):
        return NO_ID
    number = PyLong_AsLongAndOverflow(value, &overflow)
    return <int32_t> number if overflow == 0 and 0 <= number < size else <int32_t> NO_ID


cdef inline int32_t id_of(Vocab vocab, object piece) except -3:
    """The id of a piece; NO_ID: it is neither bytes nor str that UTF-8 can encode."""
    cdef Py_ssize_t size = 0
    cdef const char* text
    if PyUnicode_CheckExact(piece):
        try:
            text = PyUnicode_AsUTF8AndSize(piece, &size)
        except UnicodeEncodeError:
            return NO_ID
        return vocab.find(<const uint8_t*> text, <int64_t> size)
    if PyBytes_CheckExact(piece):
        return vocab.find(<const uint8_t*> PyBytes_AS_STRING(piece), <int64_t> PyBytes_GET_SIZE(piece))
    return NO_ID


cdef inline object answer(Question question, Vocab vocab, PieceObjects objects, object asked, int piece_type):
    cdef int32_t piece_id = id_of(vocab, asked) if question == ID else id_within(asked, vocab.size)
    if piece_id == NO_ID:
        return None
    if question == ID:
        return piece_id
    if question == STRING:
        return objects.string_of(piece_id)
    if question == SCORE:
        return vocab.scores[piece_id]
    return vocab.types[piece_id] == piece_type


cdef inline object answers(Question question, Vocab vocab, PieceObjects objects, object asked, int piece_type):
    """Answer for one item, or for each item of a list or tuple; None if any item is invalid.

    An argument that the question does not need is None or 0.
    """
    cdef list found
    if not (PyList_CheckExact(asked) or PyTuple_CheckExact(asked)):
        return answer(question, vocab, objects, asked, piece_type)
    found = []
    for one in asked:
        known = answer(question, vocab, objects, one, piece_type)
        if known is None:
            return None
        found.append(known)
    return found


def find_ids(Vocab vocab not None, pieces):
    """The id of a piece, as `Vocab.find_id` gives it, or a list of ids. Here and below None for invalid arguments."""
    return answers(ID, vocab, None, pieces, 0)


def find_strings(PieceObjects objects not None, ids):
    """The string of a piece, or a list of strings."""
    return answers(STRING, objects.vocab, objects, ids, 0)


def find_scores(Vocab vocab not None, ids):
    """The score of a piece, or a list of scores."""
    return answers(SCORE, vocab, None, ids, 0)


def are_of_type(Vocab vocab not None, ids, int piece_type):
    """Whether a piece has this type, or a list with an entry for each piece."""
    return answers(TYPE, vocab, None, ids, piece_type)


def are_ids(Vocab vocab not None, list ids not None):
    """Whether all items are ids of the vocabulary."""
    for number in ids:
        if id_within(number, vocab.size) == NO_ID:
            return False
    return True
