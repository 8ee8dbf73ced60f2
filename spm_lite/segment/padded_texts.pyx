cimport cython
from cpython.buffer cimport PyBUF_ND, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from spm_lite.normalize.utf8 cimport encode_char
from spm_lite.segment.texts cimport TextView, view_bytes

from spm_lite.errors import TextError
from spm_lite.segment.texts import lone_surrogate, name

cdef enum CodePoints:
    CODE_POINT = 4          # bytes
    MOST_UTF8 = 4           # bytes that one becomes
    LAST_CODE_POINT = 0x10FFFF

cdef enum Blocks:
    # What is tested at once: compilers make wide instructions of such loops.
    BLOCK_BYTES = 64
    BLOCK_LENGTH = 16       # code points


cdef class PaddedTexts(Texts):
    """The memory of a flat, contiguous array, held while this lives."""

    def __cinit__(self, array):
        PyObject_GetBuffer(array, &self.buffer, PyBUF_ND)
        if self.buffer.ndim != 1:
            raise ValueError(f"the array has {self.buffer.ndim} dimensions: must be flat")
        self.data = <const uint8_t*> self.buffer.buf
        self.item_size = self.buffer.itemsize
        self.n = self.buffer.shape[0]

    def __dealloc__(self):
        PyBuffer_Release(&self.buffer)


@cython.final
cdef class PaddedBytes(PaddedTexts):

    cdef Py_ssize_t view_block(self, Py_ssize_t begin, int64_t n_bytes, vector[TextView]& views) except -1:
        cdef const uint8_t* item
        cdef TextView view
        cdef Py_ssize_t i = begin, size
        views.clear()
        while i < self.n and (n_bytes > 0 or i == begin):
            item = self.data + i * self.item_size
            size = size_without_padding(item, self.item_size)
            view_bytes(item, size, i, &view)
            views.push_back(view)
            n_bytes -= size + 1
            i += 1
        return i


@cython.final
cdef class PaddedStrings(PaddedTexts):

    def __init__(self, array):
        if self.item_size % CODE_POINT:
            raise ValueError(f"entries of {self.item_size} bytes: must be code points of {CODE_POINT}")

    cdef Py_ssize_t view_block(self, Py_ssize_t begin, int64_t n_bytes, vector[TextView]& views) except -1:
        cdef Py_ssize_t end = self.measure_block(begin, n_bytes, views)
        self.encode_block(begin, views)
        return end

    cdef Py_ssize_t measure_block(self, Py_ssize_t begin, int64_t n_bytes, vector[TextView]& views) except -1:
        """Let `views` show the code points themselves, and make room for them as UTF-8; the end is returned."""
        cdef const uint8_t* item
        cdef TextView view
        cdef Py_ssize_t i = begin, length
        cdef size_t room = 0
        views.clear()
        while i < self.n and (n_bytes > 0 or i == begin):
            item = self.data + i * self.item_size
            length = (size_without_padding(item, self.item_size) + CODE_POINT - 1) // CODE_POINT
            view_bytes(item, length, i, &view)
            views.push_back(view)
            room += <size_t> (length * MOST_UTF8)
            n_bytes -= length + 1
            i += 1
        if self.encoded.size() <= room:
            self.encoded.resize(room + 1)  # never none, so that every text has a place
        return i

    cdef int encode_block(self, Py_ssize_t begin, vector[TextView]& views) except -1:
        """Let `views`, of code points so far, show their UTF-8."""
        cdef uint8_t* out = self.encoded.data()
        cdef const uint8_t* source
        cdef int64_t size
        cdef int32_t place = 0
        cdef uint32_t wrong = 0
        cdef size_t i
        for i in range(views.size()):
            source = views[i].data
            size = encode_text(source, views[i].size, out, &place, &wrong)
            if size < 0:
                raise wrong_code_point(begin + <Py_ssize_t> i, wrong, place)
            view_bytes(out, size, begin + <Py_ssize_t> i, &views[i])
            out += size
        return 0


cdef inline Py_ssize_t size_without_padding(const uint8_t* item, Py_ssize_t size) noexcept nogil:
    """Bytes of an entry without the NULs at its end."""
    while size >= BLOCK_BYTES and is_all_nul(item + size - BLOCK_BYTES):
        size -= BLOCK_BYTES
    while size > 0 and item[size - 1] == 0:
        size -= 1
    return size


cdef inline bint is_all_nul(const uint8_t* block) noexcept nogil:
    cdef uint8_t found = 0
    cdef int k
    for k in range(BLOCK_BYTES):
        found |= block[k]
    return found == 0


cdef int64_t encode_text(
    const uint8_t* source, int32_t length, uint8_t* out, int32_t* place, uint32_t* wrong,
) noexcept nogil:
    """Write code points as UTF-8; its bytes, or -1 with the first code point that has none, and its place."""
    cdef int64_t size = 0
    cdef uint32_t code_point = 0
    cdef int32_t i = 0, end
    while i < length:
        end = min(i, length - <int32_t> BLOCK_LENGTH) + BLOCK_LENGTH
        if end - i == BLOCK_LENGTH and narrow_ascii(source + <int64_t> i * CODE_POINT, out + size):
            i = end
            size += BLOCK_LENGTH
        while i < end:
            memcpy(&code_point, source + <int64_t> i * CODE_POINT, CODE_POINT)  # numpy does not always align
            if code_point > LAST_CODE_POINT or code_point & <uint32_t> 0xFFFFF800 == 0xD800:
                place[0], wrong[0] = i, code_point
                return -1
            size += encode_char(code_point, out + size)
            i += 1
    return size


cdef inline bint narrow_ascii(const uint8_t* source, uint8_t* out) noexcept nogil:
    """Write a block of code points, and tell whether all are ASCII; otherwise what is written means nothing."""
    cdef uint32_t block[BLOCK_LENGTH]
    cdef uint32_t found = 0
    cdef int k
    memcpy(block, source, sizeof(block))
    for k in range(BLOCK_LENGTH):
        found |= block[k]
        out[k] = <uint8_t> block[k]
    return found < 0x80


cdef object wrong_code_point(Py_ssize_t index, uint32_t code_point, int32_t place):
    """The error of a text that holds at character `place` what UTF-8 cannot spell."""
    if code_point <= LAST_CODE_POINT:
        return lone_surrogate(index, code_point, place)
    return TextError(f"{name(index)} holds {code_point:#x} at character {place}: code points end at 0x10ffff")
