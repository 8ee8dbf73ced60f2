cimport cython
from cpython.ref cimport Py_DECREF, Py_INCREF, Py_XDECREF, PyObject
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from spm_lite.normalize.space_mark cimport is_space_mark
from spm_lite.segment.piece_units cimport MARKED, ODD, PieceUnits, make_room
from spm_lite.segment.short_texts cimport SHORT_BYTES, ShortText, copy_ascii, fetch, is_ascii
from spm_lite.segment.strings cimport string_of_ascii, string_of_units
from spm_lite.vocab.vocab cimport BYTE, CONTROL, UNKNOWN, is_plain

cdef enum Blocks:
    BRIEF_IDS = 1 << 12     # ids: their text is made before another thread is to run
    IDS_AT_ONCE = 64        # whose texts are written without asking for more room


@cython.final
cdef class StrDecoder:
    """ids -> str, by the rules of the Decoder that makes it and with what it says that each piece adds.

    ASCII is copied as bytes; from the first other character on, units are.
    """

    def __dealloc__(self):
        Py_XDECREF(self.units.load())

    cdef object decode(self, const int32_t* ids, int64_t n_ids, vector[uint16_t]& room):
        """The text of ids that are all in range; None if only their bytes tell what it is.

        room: what it holds is of no use before and afterwards.
        """
        cdef PieceUnits units
        cdef size_t size = 0
        cdef int64_t n_done
        cdef int32_t traits
        if n_ids < BRIEF_IDS:
            n_done = self.append_ascii(ids, n_ids, room, &size)
        else:
            with nogil:
                n_done = self.append_ascii(ids, n_ids, room, &size)
        if n_done == n_ids:
            return string_of_ascii(<const uint8_t*> room.data(), <Py_ssize_t> size)
        units = self.piece_units()
        if n_ids < BRIEF_IDS:
            traits = units.append_text(ids + n_done, n_ids - n_done, room, &size)
        else:
            with nogil:
                traits = units.append_text(ids + n_done, n_ids - n_done, room, &size)
        return None if traits & ODD else string_of_units(room.data(), <Py_ssize_t> size, traits)

    cdef int64_t append_ascii(
        self, const int32_t* ids, int64_t n_ids, vector[uint16_t]& room, size_t* size,
    ) except -1 nogil:
        """Write a text's beginning as bytes, up to a piece that is long or not ASCII; return the number of its ids.

        It is 0 if they add nothing: then the start of the text goes on.
        """
        cdef const int32_t* id = ids
        cdef const int32_t* end = ids + n_ids
        cdef const int32_t* stop
        cdef uint8_t* to
        if self.drops:
            id += self.append_start(ids, n_ids, room, size)
            if size[0] == 0:
                return 0 if id < end else n_ids
        while id < end:
            stop = id + min(end - id, <int64_t> IDS_AT_ONCE)
            make_room(room, 0, (size[0] + (stop - id) * sizeof(ShortText)) // sizeof(uint16_t) + 1)
            to = <uint8_t*> room.data() + size[0]
            fetch(self.shorts, id, stop)
            id = copy_ascii(self.shorts, id, stop, &to)
            size[0] = to - <uint8_t*> room.data()
            if id < stop:
                break
        return id - ids if size[0] else 0

    cdef int64_t append_start(
        self, const int32_t* ids, int64_t n_ids, vector[uint16_t]& room, size_t* size,
    ) except -1 nogil:
        """Pass control pieces, and write the first other one, if it is ASCII, without the space that is dropped."""
        cdef const ShortText* piece
        cdef int64_t i = 0
        cdef int32_t n_dropped
        while i < n_ids and self.vocab.types[ids[i]] == CONTROL:
            i += 1
        if i == n_ids:
            return i
        piece = self.shorts + ids[i]
        n_dropped = self.is_marked(ids[i])
        if piece.size <= n_dropped or not is_ascii(piece):
            return i
        make_room(room, 0, sizeof(ShortText) // sizeof(uint16_t))
        memcpy(room.data(), &piece.bytes[n_dropped], SHORT_BYTES - n_dropped)
        size[0] = piece.size - n_dropped
        return i + 1

    cdef bint starts_with_mark(self, int32_t piece_id) noexcept nogil:
        """Whether the piece, as the vocabulary has it, begins with U+2581."""
        cdef int64_t begin = self.vocab.begins[piece_id]
        return is_space_mark(self.vocab.texts.data() + begin, self.vocab.begins[piece_id + 1] - begin)

    cdef bint is_marked(self, int32_t piece_id) noexcept nogil:
        """Whether what the piece adds begins with a space that may be dropped."""
        return is_plain(self.vocab.types[piece_id]) and self.starts_with_mark(piece_id)

    cdef PieceUnits piece_units(self):
        """What each piece adds, as units."""
        cdef PieceUnits made
        cdef PyObject* kept = self.units.load()
        if kept == NULL:
            made = self.new_units()
            Py_INCREF(made)
            if self.units.compare_exchange_strong(kept, <PyObject*> made):
                return made
            Py_DECREF(made)  # another thread was first
        return <PieceUnits> kept

    cdef PieceUnits new_units(self):
        cdef PieceUnits units = PieceUnits()
        cdef const uint8_t* text
        cdef int64_t size
        cdef int32_t i
        cdef uint32_t traits
        units.drops = self.drops
        units.drops_once = self.drops_once
        units.entries.resize(self.vocab.size)
        for i in range(self.vocab.size):
            text = self.texts + self.begins[i]
            size = self.begins[i + 1] - self.begins[i]
            if self.vocab.types[i] == BYTE:
                units.set_byte(i, text[0])
                continue
            traits = MARKED if self.is_marked(i) else 0
            if self.vocab.types[i] == UNKNOWN and size == 0 and self.starts_with_mark(i):
                traits = ODD  # it may end the start of a text though it adds nothing
            units.set_piece(i, text, size, traits)
        return units
