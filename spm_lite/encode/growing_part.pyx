"""Keeps points from which encoding can go on. A branch shares what is there, and copies what it changes.

`append` encodes from the last point on, `replace` from the last one before the edit, up to where all goes on as before.
Header: growing_part.pxd.
"""

cimport cython
from cpython.buffer cimport PyBuffer_FillInfo
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy
from libcpp.vector cimport vector

from spm_lite.base.system.arrays cimport Int32Array
from spm_lite.base.unicode.utf8 cimport count_chars
from spm_lite.encode.encoder cimport BRIEF_SIZE, Encoder, EncodeScratch
from spm_lite.encode.resume_points cimport MOST_PENDING, ResumePoint, advance, can_resume, finish
from spm_lite.texts.text_view cimport TextView, view_utf8

from spm_lite.errors import OptionError

cdef enum:
    LEAST_ROOM = 64     # ids of a block


@cython.final
cdef class IdBlock:
    """Memory of ids, which numpy shows without a copy."""

    def __cinit__(self, Py_ssize_t capacity):
        self.data = <int32_t*> malloc(<size_t> capacity * sizeof(int32_t))
        if self.data == NULL:
            raise MemoryError
        self.capacity = capacity

    def __dealloc__(self):
        free(self.data)

    def __getbuffer__(self, Py_buffer* buffer, int flags):
        PyBuffer_FillInfo(buffer, self, self.data, self.capacity * <Py_ssize_t> sizeof(int32_t), True, flags)


@cython.final
cdef class Run:
    """A new one is empty, and begins at a point."""

    def __cinit__(self, ResumePoint first not None):
        self.begin, self.first_id = first.at, first.n_ids
        self.first = first
        self.point = first.copy()
        self.points = []
        self.block = IdBlock(LEAST_ROOM)

    cdef int put(self, int64_t at, const int32_t* ids, int64_t n) except -1:
        """Write ids from the number `at` of this run on; they are its last ones."""
        cdef IdBlock block
        if at + n > self.block.capacity:
            block = IdBlock(max(at + n, self.block.capacity + self.block.capacity // 2))
            memcpy(block.data, self.block.data, <size_t> at * sizeof(int32_t))
            self.block = block
        if n:
            memcpy(self.block.data + at, ids, <size_t> n * sizeof(int32_t))
        self.n_ids = at + n
        return 0


@cython.final
cdef class GrowingPart:
    """One text and its ids, for one encoder. Places of text are bytes of UTF-8.

    point_bytes: between two points that are kept, at least; others than the usual number are for tests.

    >>> import spm_lite
    >>> part = GrowingPart(spm_lite.byte_tokenizer()._encoder)
    >>> part.append("ab"), part.append("c"), part.n_ids
    (0, 2, 3)
    """

    def __cinit__(self, Encoder encoder not None, int64_t point_bytes=POINT_BYTES):
        self.encoder = encoder
        self.point_bytes = point_bytes
        self.resumes = can_resume(encoder)
        self.older = []
        self.run = Run(ResumePoint())

    @property
    def n_ids(self):
        """The number of ids."""
        return self.run.first_id + self.run.n_ids

    @property
    def n_bytes(self):
        """The bytes of the text."""
        return self.run.begin + <int64_t> self.run.text.size()

    cdef list stretches(self):
        """(run, end, last): all runs, and where the text and the ids end that count in each."""
        cdef Run run = self.run, before
        cdef list found = [(run, self.n_bytes, self.n_ids)]
        for before in reversed(self.older):
            found.append((before, run.begin, run.first_id))
            run = before
        found.reverse()
        return found

    def ids(self):
        """Blocks of memory and how many of their ids count: [(IdBlock, number)], which make all ids."""
        cdef Run run
        return [(run.block, last - run.first_id) for run, _, last in self.stretches()]

    def text(self):
        """The text, as UTF-8."""
        cdef Run run
        cdef Py_ssize_t size
        cdef list found = []
        for run, end, _ in self.stretches():
            size = end - run.begin
            found.append(PyBytes_FromStringAndSize(<const char*> run.text.data(), size))
        return b"".join(found)

    def near(self, int64_t begin, int64_t end):
        """Some bytes of the text, as far as there are any."""
        cdef Run run = self.run
        if begin < run.begin and self.older:
            return self.text()[max(begin, <int64_t> 0) : end]
        begin = min(max(begin, run.begin), self.n_bytes)
        end = max(min(end, self.n_bytes), begin)
        begin -= run.begin
        end -= run.begin
        return PyBytes_FromStringAndSize(<const char*> run.text.data() + begin, <Py_ssize_t> (end - begin))

    def branch(self):
        """A copy that shares what is there."""
        cdef GrowingPart other = GrowingPart.__new__(GrowingPart, self.encoder, self.point_bytes)
        with cython.critical_section(self):
            self.run.is_shared = True
            other.older = list(self.older)
            other.run = self.run
            other.n_chars = self.n_chars
        return other

    def append(self, str text not None):
        """Add text at the end; return the number of the first id that is new or another one than before."""
        cdef TextView view
        cdef size_t n_before
        cdef int64_t first
        view_utf8(text, &view)
        with cython.critical_section(self):
            if view.size == 0:
                return self.n_ids
            self.begin_call()
            try:
                self.open_run()
                n_before = self.run.text.size()
                self.run.text.insert(self.run.text.end(), view.data, view.data + view.size)
                try:
                    first = self.encode_on()
                except BaseException:
                    self.run.text.resize(n_before)
                    raise
                self.n_chars += len(text)
                return first
            finally:
                self.is_busy = False

    cdef int begin_call(self) except -1:
        """Refuse a second thread, which would change memory that the first one reads."""
        if self.is_busy:
            raise OptionError("another thread changes this text: give each thread a branch of its own")
        self.is_busy = True
        return 0

    cdef int open_run(self) except -1:
        """Make sure that `run` is this part's own."""
        cdef Run old = self.run, new
        cdef int64_t n_stay, at
        if not old.is_shared:
            return 0
        new = Run(old.point)
        at = new.begin - old.begin
        n_stay = new.first_id - old.first_id
        new.text.assign(old.text.begin() + at, old.text.end())
        new.put(0, old.block.data + n_stay, old.n_ids - n_stay)
        if n_stay or at:
            self.older.append(old)
        self.run = new
        return 0

    cdef int join(self) except -1:
        """Make one run of all, which is this part's own."""
        cdef Run run, new = Run(ResumePoint())
        cdef int64_t end, last, n = 0
        cdef ResumePoint point
        for run, end, last in self.stretches():
            new.text.insert(new.text.end(), run.text.begin(), run.text.begin() + (end - run.begin))
            new.put(n, run.block.data, last - run.first_id)
            n = new.n_ids
            for point in run.points:
                if point.at <= end and point.n_ids <= last:
                    new.points.append(point)
        new.point = self.run.point.copy()
        self.older = []
        self.run = new
        return 0

    cdef int64_t encode_on(self) except -1:
        """Encode from `run.point` to the end of the text; return the number of the first id that has changed."""
        cdef Run run = self.run
        cdef ResumePoint point = run.point.copy()
        cdef EncodeScratch scratch = self.encoder.take_scratch()
        cdef Int32Array found = scratch.output
        cdef int64_t first = point.n_ids, at = first - run.first_id, n_same
        cdef list points = []
        found.size = 0
        self.encode_to_end(point, last_seen(run.points, run.first), points, scratch, found)
        n_same = common_start(run.block.data + at, run.n_ids - at, found.data, <int64_t> found.size)
        points = run.points + points
        run.put(at + n_same, found.data + n_same, <int64_t> found.size - n_same)
        run.points = points
        run.point = point
        self.encoder.give_back(scratch, run.text.size())
        return first + n_same

    cdef int encode_to_end(
        self, ResumePoint point, int64_t last_kept, list points, EncodeScratch scratch, Int32Array found,
    ) except -1:
        """Add the ids of the text from `point` on, which moves on as far as ids stay.

        last_kept: bytes that the last kept point has seen. points: more of them are added.
        """
        cdef Run run = self.run
        cdef int64_t size = <int64_t> run.text.size(), target
        cdef ResumePoint end
        if self.resumes:
            target = max(last_kept + self.point_bytes, point.n_seen)
            while target < run.begin + size:
                while run.text[target - run.begin] & 0xC0 == 0x80:
                    target += 1
                    if target == run.begin + size:
                        break
                self.advance_to(point, target, scratch, found)
                if point.n_pending() <= MOST_PENDING:
                    points.append(point.copy())
                target += max(self.point_bytes, point.n_pending())  # so that what waits is read a few times only
            self.advance_to(point, run.begin + size, scratch, found)
        end = point.copy()
        if run.begin + size - point.at <= BRIEF_SIZE:
            return finish(self.encoder, end, run.text.data(), run.begin, size, scratch, found)
        with nogil:
            return finish(self.encoder, end, run.text.data(), run.begin, size, scratch, found)

    cdef int advance_to(
        self, ResumePoint point, int64_t end, EncodeScratch scratch, Int32Array found,
    ) except -1:
        """Move a point on as far as the text before `end` allows."""
        cdef Run run = self.run
        cdef int64_t size = end - run.begin
        if end - point.at <= BRIEF_SIZE:
            return advance(self.encoder, point, run.text.data(), run.begin, size, scratch, found)
        with nogil:
            return advance(self.encoder, point, run.text.data(), run.begin, size, scratch, found)

    def replace(self, int64_t begin, int64_t end, str text not None):
        """Put `text` in the place of some bytes; return (first, old, new): ids[first:old] became ids[first:new]."""
        cdef TextView view
        view_utf8(text, &view)
        if not 0 <= begin <= end <= self.n_bytes:
            raise OptionError(f"bytes {begin} to {end} are not a range of the text, which has {self.n_bytes}")
        with cython.critical_section(self):
            self.begin_call()
            try:
                return self.replace_bytes(begin, end, &view, len(text))
            finally:
                self.is_busy = False

    cdef tuple replace_bytes(self, int64_t begin, int64_t end, const TextView* view, int64_t n_chars):
        """What `replace` does. n_chars: of the new text."""
        cdef Run run
        cdef ResumePoint start
        cdef vector[uint8_t] removed
        cdef Py_ssize_t k
        if self.run.is_shared or begin < self.run.first.n_seen:
            self.join()
        run = self.run
        k = len(run.points)
        while k and (<ResumePoint> run.points[k - 1]).n_seen > begin:
            k -= 1
        start = run.points[k - 1] if k else run.first
        if run.point.n_seen <= begin:
            start = run.point
        removed.assign(run.text.begin() + (begin - run.begin), run.text.begin() + (end - run.begin))
        exchange(run.text, begin - run.begin, removed.size(), view.data, view.size)
        try:
            changed = self.encode_edited(start, k, end, view.size - (end - begin))
        except BaseException:
            exchange(run.text, begin - run.begin, view.size, removed.data(), removed.size())
            raise
        self.n_chars += n_chars - count_chars(removed.data(), <int64_t> removed.size())
        return changed

    cdef tuple encode_edited(self, ResumePoint start, Py_ssize_t n_kept, int64_t end, int64_t n_more):
        """Encode from `start` on, up to where all goes on as before the edit; return as `replace`.

        n_kept: kept points before the edit. end: where the edit ended in the old text. n_more: bytes that the text has
        more than before.
        """
        cdef Run run = self.run
        cdef ResumePoint point = start.copy(), old, met = None
        cdef EncodeScratch scratch = self.encoder.take_scratch()
        cdef Int32Array found = scratch.output
        cdef list points = run.points[:n_kept], moved = []
        cdef int64_t at = start.n_ids - run.first_id, n_same, n_end, n_old = run.n_ids - at, n_new
        cdef const int32_t* ids
        cdef Py_ssize_t k
        found.size = 0
        if self.resumes and self.encoder.chunks.unigram is None:
            for k in range(n_kept, len(run.points)):
                old = run.points[k]
                if old.at >= end and old.n_seen + n_more > point.n_seen:
                    self.advance_to(point, old.n_seen + n_more, scratch, found)
                    if point.n_pending() <= MOST_PENDING:
                        points.append(point.copy())
                    if point.goes_on_as(old, n_more):
                        met = old
                        break
        if met is None:
            self.encode_to_end(point, last_seen(points, run.first), points, scratch, found)
        else:
            n_old = met.n_ids - start.n_ids
            for old in [*run.points[k + 1 :], run.point]:
                old = old.copy()
                old.move(n_more, point.n_ids - met.n_ids)
                moved.append(old)
            point = moved.pop()
        n_new = <int64_t> found.size
        ids = run.block.data + at
        n_same = common_start(ids, n_old, found.data, n_new)
        n_end = common_end(ids + n_same, n_old - n_same, found.data + n_same, n_new - n_same)
        found.append(ids + n_old, run.n_ids - at - n_old)
        run.put(at + n_same, found.data + n_same, <int64_t> found.size - n_same)
        run.points = points + moved
        run.point = point
        self.encoder.give_back(scratch, run.text.size())
        return start.n_ids + n_same, start.n_ids + n_old - n_end, start.n_ids + n_new - n_end

    def byte_of(self, int64_t char):
        """The byte at which a character of the text begins."""
        cdef bytes text
        cdef const uint8_t* data = self.run.text.data()
        cdef int64_t size = <int64_t> self.run.text.size(), pos = 0
        if self.older:
            text = self.text()
            data, size = <const uint8_t*> <const char*> text, len(text)
        while pos < size and (char > 0 or data[pos] & 0xC0 == 0x80):
            char -= data[pos] & 0xC0 != 0x80
            pos += 1
        while pos < size and data[pos] & 0xC0 == 0x80:
            pos += 1
        return pos


cdef int64_t last_seen(list points, ResumePoint first) noexcept:
    """The bytes that the last of some points has seen. first: it stands before them."""
    return (<ResumePoint> points[len(points) - 1]).n_seen if points else first.n_seen


cdef int exchange(vector[uint8_t]& text, int64_t at, size_t n_removed, const uint8_t* data, size_t size) except -1:
    """Put other bytes in the place of some."""
    text.insert(text.begin() + at + n_removed, data, data + size)
    text.erase(text.begin() + at, text.begin() + at + n_removed)
    return 0


cdef int64_t common_start(const int32_t* a, int64_t n_a, const int32_t* b, int64_t n_b) noexcept nogil:
    """How many ids two lists share at their starts."""
    cdef int64_t n = 0
    while n < min(n_a, n_b) and a[n] == b[n]:
        n += 1
    return n


cdef int64_t common_end(const int32_t* a, int64_t n_a, const int32_t* b, int64_t n_b) noexcept nogil:
    """How many ids two lists share at their ends."""
    cdef int64_t n = 0
    while n < min(n_a, n_b) and a[n_a - 1 - n] == b[n_b - 1 - n]:
        n += 1
    return n
