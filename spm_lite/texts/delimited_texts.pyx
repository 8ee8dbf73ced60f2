"""Cuts blocks of bytes at a separator (`find`), and keeps the blocks alive. Header: delimited_texts.pxd."""

cimport cython
from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memchr, memcmp

from spm_lite.texts.text_view cimport NO_PLACE, TextBlock, TextView, view_bytes

from spm_lite.errors import TextError


@cython.final
cdef class Documents(Texts):
    """Texts of successive blocks of bytes, which are held while this object lives.

    separator: ends a text, wherever it stands; overlapping ones are read from the left. b"": each block is one text.
    max_size: bytes, below 2^31.
    """

    def __cinit__(self, bytes separator not None, int64_t max_size):
        self.separator = separator
        self.max_size = max_size
        self.memory = []

    def add(self, const uint8_t[::1] block not None, int64_t searched, bint is_end):
        """Add the texts that end in a block; return how many bytes they have, separators included.

        searched: bytes from the first on in which no separator begins. is_end: the block's end ends the last text,
        unless that is empty and there is a separator. Raises TextError above `max_size`, after adding earlier texts.
        """
        cdef const uint8_t* data = &block[0] if block.shape[0] else <const uint8_t*> b""
        cdef int64_t size = block.shape[0], begin = 0, end, step = len(self.separator)
        cdef Py_ssize_t n_before = self.n
        try:
            if step:
                end = find(data, max(searched, 0), size, self.separator)
                while end >= 0:
                    self.append(data + begin, end - begin)
                    begin = end + step
                    end = find(data, begin, size, self.separator)
            if is_end and (begin < size or not step):
                self.append(data + begin, size - begin)
                begin = size
        finally:
            if self.n > n_before:
                self.memory.append(block)
        return begin

    cdef int append(self, const uint8_t* data, int64_t size) except -1:
        cdef TextView view
        if size > self.max_size:
            raise TextError(f"{size} bytes are more than the {self.max_size} of one text: split it")
        view_bytes(data, size, NO_PLACE, &view)
        self.views.push_back(view)
        self.n += 1
        self.n_bytes += size
        return 0

    def to_list(self):
        """Return all texts as a list of bytes."""
        cdef TextView view
        return [(<const char*> view.data)[: view.size] for view in self.views]

    def text(self, Py_ssize_t index):
        """Return one text as bytes."""
        if not 0 <= index < self.n:
            raise IndexError(f"text {index}: there are {self.n}")
        return (<const char*> self.views[index].data)[: self.views[index].size]

    cdef Py_ssize_t view_block(self, Py_ssize_t begin, int64_t n_bytes, TextBlock block) except -1:
        cdef Py_ssize_t i = begin
        block.clear()
        while i < self.n and (n_bytes > 0 or i == begin):
            block.views.push_back(self.views[i])
            n_bytes -= self.views[i].size + 1
            i += 1
        return i


cdef int64_t find(const uint8_t* data, int64_t begin, int64_t end, bytes separator) noexcept:
    """Return where the first separator (1 byte or more) begins within [begin, end); -1: nowhere."""
    cdef const uint8_t* wanted = <const uint8_t*> <const char*> separator
    cdef int64_t size = len(separator), last = end - size
    cdef const uint8_t* found
    while begin <= last:
        found = <const uint8_t*> memchr(data + begin, wanted[0], <size_t> (last - begin + 1))
        if found == NULL:
            break
        begin = found - data
        if memcmp(found, wanted, <size_t> size) == 0:
            return begin
        begin += 1
    return -1
