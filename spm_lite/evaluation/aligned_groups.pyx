"""Walks over the tokens of two tokenizers side by side, and closes a group where no token of either is open.

The hot loop is that of `GroupWorker.add_groups`. Header: aligned_groups.pxd.
"""

cimport cython
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint8_t

from spm_lite.base.system.arrays cimport Int32Array, Int64Array
from spm_lite.base.unicode.split_classes cimport split_classes, white_at, white_before
from spm_lite.encode.shares cimport TextWorker, run_block
from spm_lite.encode.spans cimport SPAN_BLOCK_BYTES, SPAN_SHARE_BYTES
from spm_lite.texts.text_view cimport TextBlock, Texts, TextView
from spm_lite.texts.transcode cimport transcode_views

from spm_lite.errors import TextError
from spm_lite.texts.text_view import name


@cython.final
cdef class GroupArrays:
    """Groups of the tokens of many texts, and the bytes that no token covers."""

    def __cinit__(self):
        self.spans, self.a_counts, self.b_counts = Int32Array(), Int32Array(), Int32Array()
        self.a_gaps, self.b_gaps = Int32Array(), Int32Array()

    cdef int add(self, const int32_t* span, int32_t n_a, int32_t n_b, bint goes_on) except -1 nogil:
        """Add a group. goes_on: it is joined to the group before it."""
        cdef size_t last = self.a_counts.size - 1
        if goes_on:
            self.spans.data[2 * last + 1] = span[1]
            self.a_counts.data[last] = self.a_counts.data[last] + n_a
            self.b_counts.data[last] = self.b_counts.data[last] + n_b
            return 0
        self.spans.append(span, 2)
        self.a_counts.append(&n_a, 1)
        self.b_counts.append(&n_b, 1)
        return 0


@cython.final
cdef class GroupWorker(TextWorker):
    """Groups the tokens of texts [begin, end) of a block."""

    cdef int work(self) except -1 nogil:
        cdef Py_ssize_t i, k
        cdef TokenRow a, b
        cdef size_t n_before
        for i in range(self.begin, self.end):
            k = self.first_text + i
            a = start_row(self.a_places, self.a_offsets + k)
            b = start_row(self.b_places, self.b_offsets + k)
            self.found.a_gap_offsets.data[k + 1] = add_gaps(&a, self.texts[i].size, self.found.a_gaps)
            self.found.b_gap_offsets.data[k + 1] = add_gaps(&b, self.texts[i].size, self.found.b_gaps)
            n_before = self.found.a_counts.size
            self.add_groups(&a, &b, &self.texts[i])
            self.found.offsets.data[k + 1] = <int64_t> (self.found.a_counts.size - n_before)
        return 0

    cdef int add_groups(self, TokenRow* a, TokenRow* b, const TextView* text) except -1 nogil:
        """Add the groups of a text. Tokens without a byte are in the group of the next one of their row, or the last.

        Where a row has only such tokens, they are in the first group; if no token has a byte, all are one empty group.
        """
        cdef int32_t span[2]
        cdef size_t first_a, first_b
        cdef int32_t end = -1       # of the group before
        cdef bint goes_on
        while a.wide < a.n or b.wide < b.n:
            span[0] = span[1] = min(next_begin(a), next_begin(b))
            first_a, first_b = a.next, b.next
            while take_tokens(a, span) | take_tokens(b, span):
                pass
            goes_on = self.classes != NULL and end >= 0 and not ends_word(self.classes, text, end, span[0])
            self.found.add(span, <int32_t> (a.next - first_a), <int32_t> (b.next - first_b), goes_on)
            end = span[1]
        if a.next < a.n or b.next < b.n:
            span[0] = span[1] = a.places[0] if a.n else b.places[0]
            self.found.add(span, <int32_t> a.n, <int32_t> b.n, False)
        return 0


cdef TokenRow start_row(const int32_t* places, const int64_t* offsets) noexcept nogil:
    """The tokens of the text whose offset, in the ids of all texts, is the first of `offsets`."""
    cdef TokenRow row = TokenRow(places + 2 * offsets[0], <size_t> (offsets[1] - offsets[0]), 0, 0)
    find_wide(&row)
    return row


cdef inline void find_wide(TokenRow* row) noexcept nogil:
    """Move `wide` to the next token that covers a byte."""
    while row.wide < row.n and row.places[2 * row.wide] == row.places[2 * row.wide + 1]:
        row.wide += 1


cdef inline int32_t next_begin(const TokenRow* row) noexcept nogil:
    return row.places[2 * row.wide] if row.wide < row.n else INT32_MAX


cdef inline bint take_tokens(TokenRow* row, int32_t* span) noexcept nogil:
    """Take the tokens that begin with the span or inside it, and make it longer by them. Whether there was any."""
    cdef size_t first = row.next
    while row.wide < row.n and (row.places[2 * row.wide] < span[1] or row.places[2 * row.wide] == span[0]):
        span[1] = max(span[1], row.places[2 * row.wide + 1])
        row.wide += 1
        row.next = row.wide
        find_wide(row)
    if row.wide == row.n:
        row.next = row.n
    return row.next > first


cdef int64_t add_gaps(const TokenRow* row, int32_t size, Int32Array gaps) except -1 nogil:
    """Add the parts of a text of `size` bytes that no token of the row covers. Return how many there are."""
    cdef size_t n_before = gaps.size, i
    cdef int32_t gap[2]
    cdef int32_t end
    gap[0] = 0  # all before is covered, or in a gap that was added
    for i in range(row.n + 1):
        gap[1] = row.places[2 * i] if i < row.n else size
        end = row.places[2 * i + 1] if i < row.n else INT32_MAX
        if end == gap[1]:
            continue  # a token without a byte
        if gap[1] > gap[0]:
            gaps.append(gap, 2)
        gap[0] = max(gap[0], end)
    return <int64_t> (gaps.size - n_before) // 2


cdef bint ends_word(const uint8_t* classes, const TextView* text, int32_t begin, int32_t end) noexcept nogil:
    """Whether a word ends between two bytes: white space begins there after another character."""
    cdef int32_t pos
    for pos in range(max(begin, 1), min(end, text.size - 1) + 1):
        if white_at(classes, text.data + pos, text.size - pos) and not white_before(classes, text.data, pos):
            return True
    return False


def group_tokens(
    Texts texts not None, const int32_t[::1] a_places, const int64_t[::1] a_offsets, const int32_t[::1] b_places,
    const int64_t[::1] b_offsets, bint words, int num_threads,
):
    """Return the GroupArrays of two tokenizers.

    a_places, b_places: begin and end of each token in bytes, in the order of the text, and not outside it. a_offsets,
    b_offsets: one for each text and the end. words: groups are joined to words. num_threads: at least 1.
    """
    cdef GroupArrays result = GroupArrays()
    cdef GroupWorker worker
    cdef Py_ssize_t begin = 0
    cdef list workers = [], busy
    result.offsets = zeros(texts.n + 1)
    result.a_gap_offsets = zeros(texts.n + 1)
    result.b_gap_offsets = zeros(texts.n + 1)
    for _ in range(num_threads):
        worker = GroupWorker()
        worker.classes = split_classes() if words else NULL
        worker.a_places = &a_places[0] if a_places.shape[0] else NULL
        worker.b_places = &b_places[0] if b_places.shape[0] else NULL
        worker.a_offsets, worker.b_offsets = &a_offsets[0], &b_offsets[0]
        worker.found = result
        if workers:
            worker.found = GroupArrays()
            worker.found.offsets = result.offsets
            worker.found.a_gap_offsets, worker.found.b_gap_offsets = result.a_gap_offsets, result.b_gap_offsets
        workers.append(worker)
    while begin < texts.n:
        busy = run_block(workers, texts, &begin, SPAN_BLOCK_BYTES, SPAN_SHARE_BYTES, 1)
        for worker in busy[1:]:
            move(worker.found.spans, result.spans)
            move(worker.found.a_counts, result.a_counts)
            move(worker.found.b_counts, result.b_counts)
            move(worker.found.a_gaps, result.a_gaps)
            move(worker.found.b_gaps, result.b_gaps)
    result.offsets.add_up()
    result.a_gap_offsets.add_up()
    result.b_gap_offsets.add_up()
    return result


cdef Int64Array zeros(Py_ssize_t n):
    cdef Int64Array values = Int64Array()
    values.data.resize(n, 0)
    return values


cdef int move(Int32Array values, Int32Array to) except -1:
    """Append values to others, and empty the first array."""
    to.append(values.data, values.size)
    values.size = 0
    return 0


def strings_of(Texts texts not None, Py_ssize_t begin, int64_t n_bytes):
    """Return the texts from `begin` on, about `n_bytes` but at least one, as str. Raises TextError if they are not."""
    cdef TextBlock block = TextBlock()
    cdef Py_ssize_t i
    cdef list result = []
    texts.view_block(begin, n_bytes, block)
    transcode_views(block.views, begin, block.transcoded)
    for i in range(<Py_ssize_t> block.views.size()):
        try:
            result.append(PyUnicode_DecodeUTF8(<const char*> block.views[i].data, block.views[i].size, NULL))
        except UnicodeDecodeError as error:
            raise TextError(
                f"{name(begin + i)} is not UTF-8 from byte {error.start} on, but tokenizers of other packages take "
                "only str: decode it with errors='replace', or load both tokenizers by spm_lite.load"
            ) from None
    return result
