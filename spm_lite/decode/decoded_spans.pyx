"""Finds where the text of each id ends, carries the ends through the denormalizer, and counts them in the unit.

`DecodedSpanWorker.work` has these three steps for each text. Header: decoded_spans.pxd.
"""

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint8_t
from libc.string cimport memset
from libcpp.vector cimport vector

from spm_lite.base.system.arrays cimport Int32Array, reserve_values
from spm_lite.base.system.thread_tasks cimport Worker, run_workers
from spm_lite.base.unicode.utf8 cimport Unit, char_size
from spm_lite.decode.decode_rules cimport append_run_ends
from spm_lite.decode.decoder cimport Decoder, DecodeState
from spm_lite.normalize.normalizer cimport WideStep
from spm_lite.texts.id_reader cimport check_ids, read_ids
from spm_lite.vocab.vocab cimport BYTE, CONTROL

from spm_lite.errors import TextError

cdef enum:
    SHARE_IDS = 1 << 14     # ids: fewer are not worth a thread
    BLOCK_IDS = 1 << 20     # ids per thread between two checks for signals


@cython.final
cdef class DecodedSpanWorker(Worker):
    """Finds the spans of the ids of texts [begin, end)."""

    cdef int work(self) except -1 nogil:
        cdef Py_ssize_t i
        for i in range(self.begin, self.end):
            self.fill_text(self.ids + self.offsets[i], self.offsets[i + 1] - self.offsets[i])
            if self.decoder.denormalizer is not None:
                self.denormalize()
            self.fill_places(self.places + 2 * self.offsets[i])
        return 0

    cdef int fill_text(self, const int32_t* ids, int64_t n_ids) except -1 nogil:
        """Fill `text` and `ends` with the text of ids before the denormalizer. All ids must be in range."""
        cdef DecodeState state = DecodeState(0, 0, False, True, True)
        cdef const int64_t* begins = self.decoder.vocab.begins.data()
        cdef const uint8_t* pieces = self.decoder.vocab.texts.data()
        cdef int64_t i, begin
        cdef bint is_byte
        self.text.clear()
        self.ends.clear()
        self.ends.reserve(n_ids)
        if self.decoder.vocab.is_bytes:
            return self.fill_bytes(ids, n_ids)
        for i in range(n_ids):
            begin = begins[ids[i]]
            is_byte = self.decoder.vocab.types[ids[i]] == BYTE
            if not is_byte:
                self.end_run(&state)
            self.decoder.append_piece(pieces + begin, begins[ids[i] + 1] - begin, ids[i], &state, False, self.text)
            if not is_byte:
                self.ends.push_back(<int64_t> self.text.size())
        return self.end_run(&state)

    cdef int fill_bytes(self, const int32_t* ids, int64_t n_ids) except -1 nogil:
        """Fill `text` and `ends` where pieces are bytes.

        A piece may hold the end of a character. The last such character and the piece end at the same place.
        """
        cdef DecodeState state = DecodeState(0, 0, False, True, True)
        cdef vector[int64_t] byte_ends      # of each byte of the run: where its character ends in the decoded text
        cdef const int64_t* begins = self.decoder.begins.data()
        cdef int64_t i = 0, first, size
        while i < n_ids:
            state = DecodeState(self.text.size(), 0, False, True, True)
            first = i
            while i < n_ids and self.decoder.vocab.types[ids[i]] != CONTROL:
                self.decoder.append_byte_piece(ids[i], &state, False, self.text)
                i += 1
            byte_ends.clear()
            byte_ends.push_back(<int64_t> state.begin)
            if state.in_run:
                append_run_ends(
                    self.text.data() + state.begin, <int64_t> (self.text.size() - state.begin), <int64_t> state.begin,
                    byte_ends,
                )
            self.decoder.end_run(&state, False, self.text)
            size = 0
            while first < i:
                size += begins[ids[first] + 1] - begins[ids[first]]
                self.ends.push_back(byte_ends[size])
                first += 1
            if i < n_ids:
                self.ends.push_back(<int64_t> self.text.size())
                i += 1
        return 0

    cdef int end_run(self, DecodeState* state) except -1 nogil:
        """Finish a run of byte pieces, and add the ends of its ids."""
        cdef int64_t begin = <int64_t> state.run_begin
        if not state.in_run:
            return 0
        append_run_ends(self.text.data() + begin, <int64_t> self.text.size() - begin, begin, self.ends)
        return self.decoder.end_run(state, False, self.text)

    cdef int denormalize(self) except -1 nogil:
        """Replace `text` by its denormalized form, and each end by the place where the rest of the text begins in it.

        One rule may rewrite the texts of several ids. The new text belongs to the last of them, like a character made
        of several byte pieces.
        """
        cdef vector[uint8_t] before = self.text, untrimmed
        cdef vector[int32_t] align
        cdef vector[WideStep] steps
        cdef int32_t size = 0
        cdef int64_t place = 0, end
        cdef size_t i, k = 0
        self.decoder.denormalize(0, self.text)  # it checks the size, and removes spaces at the end
        size = <int32_t> before.size()
        self.decoder.denormalizer.normalize_start(before.data(), size, size, untrimmed, align, steps)
        for i in range(self.ends.size()):
            end = self.ends[i]
            while k < steps.size() and steps[k].end <= end:
                k += 1
            if k < steps.size() and steps[k].begin < end:
                end = steps[k].begin
            else:
                end = char_begin(before.data(), size, end)
            while place < <int64_t> untrimmed.size() and align[place] < end:
                place += 1
            self.ends[i] = min(place, <int64_t> self.text.size())
        return 0

    cdef int fill_places(self, int32_t* places) except -1 nogil:
        """Fill begin and end of each id, in `unit`. A character belongs to the id that ends it."""
        cdef const uint8_t* text = self.text.data()
        cdef int64_t size = <int64_t> self.text.size(), pos = 0, n_units = 0, n_bytes, n_more = 0
        cdef size_t i
        for i in range(self.ends.size()):
            places[2 * i] = <int32_t> n_units
            while pos < self.ends[i]:
                n_bytes = read_units(text + pos, size - pos, self.unit, &n_more)
                if pos + n_bytes > self.ends[i]:
                    break
                pos += n_bytes
                n_units += n_more
            if n_units > INT32_MAX:
                with gil:
                    raise TextError(f"offsets in the decoded text exceed {INT32_MAX}: decode it in parts")
            places[2 * i + 1] = <int32_t> n_units
        return 0


cdef int64_t char_begin(const uint8_t* text, int64_t size, int64_t pos) noexcept nogil:
    """Return where the well-formed character begins that holds bytes on both sides of `pos`; `pos`: there is none."""
    cdef int64_t begin = pos - 1
    if pos == size:
        return pos
    while begin > 0 and begin > pos - 3 and text[begin] & 0xC0 == 0x80:
        begin -= 1
    return begin if begin >= 0 and char_size(text + begin, size - begin) > pos - begin else pos


cdef list new_workers(Decoder decoder, int unit, int num_threads):
    cdef DecodedSpanWorker worker
    cdef list workers = []
    for _ in range(num_threads):
        worker = DecodedSpanWorker()
        worker.decoder = decoder
        worker.unit = <Unit> unit
        workers.append(worker)
    return workers


def decoded_spans(Decoder decoder not None, ids, int unit):
    """Return [(begin, end)] of each id in the text that ids decode to.

    unit: 0 bytes, 1 characters, 2 UTF-16 code units, of the str with U+FFFD for ill-formed bytes.
    Each span begins where the one before it ends, and the last one ends where the text does. Text that several ids make
    together belongs to the last of them; the others have an empty span before it.
    """
    cdef DecodedSpanWorker worker = new_workers(decoder, unit, 1)[0]
    cdef vector[int32_t] checked, places
    cdef int64_t offsets[2]
    cdef size_t i
    read_ids(ids, -1, decoder.vocab.size, checked)
    places.resize(2 * checked.size())
    offsets[0], offsets[1] = 0, <int64_t> checked.size()
    worker.ids, worker.offsets, worker.places = checked.data(), offsets, places.data()
    worker.begin, worker.end = 0, 1
    with nogil:
        worker.work()
    return [(places[2 * i], places[2 * i + 1]) for i in range(checked.size())]


def decoded_spans_flat(
    Decoder decoder not None, const int32_t[::1] ids not None, const int64_t[::1] offsets not None, int unit,
    int num_threads,
):
    """Return begin and end of each of flat ids, where text i has ids[offsets[i] : offsets[i + 1]].

    Offsets must ascend, from 0 or more to at most len(ids). An id of no text has begin and end 0.
    """
    cdef vector[int32_t] own_ids
    cdef vector[int64_t] own_offsets
    cdef DecodedSpanWorker worker
    cdef Int32Array places = Int32Array()
    cdef list workers = new_workers(decoder, unit, num_threads)
    cdef Py_ssize_t n_texts = offsets.shape[0] - 1, begin = 0
    # Copies: another thread may write to the caller's arrays meanwhile.
    if ids.shape[0]:
        own_ids.assign(&ids[0], &ids[0] + ids.shape[0])
    own_offsets.assign(&offsets[0], &offsets[0] + n_texts + 1)
    if n_texts:
        check_ids(own_ids.data() + own_offsets[0], own_offsets[n_texts] - own_offsets[0], -1, decoder.vocab.size)
    reserve_values(places, 2 * own_ids.size())
    places.size = 2 * own_ids.size()
    if places.size:
        memset(places.data, 0, places.size * sizeof(int32_t))
    for worker in workers:
        worker.ids, worker.offsets, worker.places = own_ids.data(), own_offsets.data(), places.data
    while begin < n_texts:
        begin = run_block(workers, own_offsets.data(), begin, n_texts)
        PyErr_CheckSignals()
    return places


cdef Py_ssize_t run_block(list workers, const int64_t* offsets, Py_ssize_t begin, Py_ssize_t n_texts) except -1:
    """Find the spans of some texts from `begin` on, a share of them on each thread; return where the next begin."""
    cdef DecodedSpanWorker worker
    cdef int64_t share = SHARE_IDS
    cdef Py_ssize_t first = begin
    cdef list busy = []
    share = min(max(share, (offsets[n_texts] - offsets[begin]) // <int64_t> len(workers) + 1), <int64_t> BLOCK_IDS)
    for worker in workers:
        worker.begin = first
        while first < n_texts and (first == worker.begin or offsets[first + 1] - offsets[worker.begin] <= share):
            first += 1
        worker.end = first
        if worker.begin < worker.end:
            busy.append(worker)
    run_workers(busy)
    return first
