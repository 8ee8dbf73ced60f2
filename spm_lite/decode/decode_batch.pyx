"""Decodes a batch in blocks: threads write UTF-16 units or bytes, then the caller makes the objects.

With one thread, `strings_of_lists` and `strings_of_flat` make each str at once. Header: decode_batch.pxd.
"""

cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.exc cimport PyErr_CheckSignals
from cpython.list cimport PyList_CheckExact
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t
from libcpp.vector cimport vector

from spm_lite.base.system.thread_tasks cimport Worker, run_workers
from spm_lite.decode.decoder cimport Decoder
from spm_lite.decode.str_decoder cimport AS_BYTES, string_of_written
from spm_lite.decode.strings cimport string_of
from spm_lite.decode.utf16_pieces cimport NO_UTF16
from spm_lite.texts.id_reader cimport check_ids, fetch_list, read_ids

from spm_lite.arguments import as_ids

cdef enum:
    PAUSE_IDS = 1 << 16     # ids that one thread decodes between two checks for signals, where other threads may run
    SHARE_IDS = 1 << 14     # ids: fewer are not worth a thread
    BLOCK_IDS = 1 << 20     # ids per thread between two checks for signals


def decode_lists(Decoder decoder not None, lists, int num_threads, bint raw):
    """Return the texts of many sequences of ids: a list of str, or of bytes if `raw`."""
    cdef vector[int32_t] ids
    cdef vector[int64_t] offsets
    if num_threads == 1 and not raw:
        return strings_of_lists(decoder, lists)
    offsets.push_back(0)
    for i, sequence in enumerate(lists):
        if not PyList_CheckExact(sequence):
            sequence = as_ids(sequence, i)
        read_ids(sequence, i, decoder.vocab.size, ids)
        offsets.push_back(<int64_t> ids.size())
    return decode_all(decoder, ids.data(), offsets.data(), <Py_ssize_t> offsets.size() - 1, num_threads, raw)


def decode_flat(
    Decoder decoder not None, const int32_t[::1] ids not None, const int64_t[::1] offsets not None, int num_threads,
    bint raw,
):
    """Return the texts of flat ids, where text i has ids[offsets[i] : offsets[i + 1]]: str, or bytes if `raw`.

    Raises ValueError unless offsets ascend, from 0 or more to at most len(ids).
    """
    cdef Py_ssize_t n_texts = offsets.shape[0] - 1, i
    cdef vector[int32_t] own_ids
    cdef vector[int64_t] own_offsets
    # Copies: another thread may write to the caller's arrays meanwhile.
    if n_texts < 0:
        raise ValueError("offsets hold at least one number, the beginning of the first text")
    for i in range(n_texts + 1):
        own_offsets.push_back(offsets[i])
        if own_offsets[i] < (own_offsets[i - 1] if i else 0) or own_offsets[i] > ids.shape[0]:
            raise ValueError(f"offset {offsets[i]} of text {i} is not within the {ids.shape[0]} ids in order")
    if ids.shape[0]:
        own_ids.assign(&ids[0], &ids[0] + ids.shape[0])
    for i in range(n_texts):
        check_ids(own_ids.data() + own_offsets[i], own_offsets[i + 1] - own_offsets[i], i, decoder.vocab.size)
    if num_threads == 1 and not raw:
        return strings_of_flat(decoder, own_ids.data(), own_offsets.data(), n_texts)
    return decode_all(decoder, own_ids.data(), own_offsets.data(), n_texts, num_threads, raw)


cdef list strings_of_lists(Decoder decoder, lists):
    """Return the texts of many sequences of ids as str; each sequence is decoded as soon as it is read."""
    cdef vector[int32_t] ids
    cdef vector[uint16_t] room
    cdef list texts = []
    cdef int64_t n_ids = 0
    cdef Py_ssize_t i = 0
    for sequence in lists:
        if not PyList_CheckExact(sequence):
            sequence = as_ids(sequence, i)
        if PyList_CheckExact(lists):
            fetch_list(lists, i)
        ids.clear()
        read_ids(sequence, i, decoder.vocab.size, ids)
        texts.append(decoder.string_of_ids(ids.data(), <int64_t> ids.size(), room))
        i += 1
        pause(<int64_t> ids.size(), &n_ids)
    return texts


cdef list strings_of_flat(Decoder decoder, const int32_t* ids, const int64_t* offsets, Py_ssize_t n_texts):
    """Return the texts of flat ids as str. All ids must be in range."""
    cdef vector[uint16_t] room
    cdef list texts = []
    cdef int64_t n_ids = 0
    cdef Py_ssize_t i
    for i in range(n_texts):
        texts.append(decoder.string_of_ids(ids + offsets[i], offsets[i + 1] - offsets[i], room))
        pause(offsets[i + 1] - offsets[i], &n_ids)
    return texts


cdef inline int pause(int64_t n_new, int64_t* n_ids) except -1:
    """Every PAUSE_IDS ids, check for signals and release the GIL once. n_ids: ids since then."""
    n_ids[0] += n_new + 1  # empty texts take time too
    if n_ids[0] > PAUSE_IDS:
        n_ids[0] = 0
        PyErr_CheckSignals()
        with nogil:
            pass
    return 0


cdef list decode_all(
    Decoder decoder, const int32_t* ids, const int64_t* offsets, Py_ssize_t n_texts, int num_threads, bint raw,
):
    """Decode in blocks, each on several threads. All ids must be in range."""
    cdef DecodeWorker worker
    cdef Py_ssize_t begin = 0, end, n_workers
    cdef int64_t limit
    cdef list texts = [], workers = []
    for _ in range(num_threads):
        worker = DecodeWorker()
        worker.decoder = decoder
        worker.ids = ids
        worker.offsets = offsets
        worker.raw = raw
        worker.in_units = decoder.strings is not None and not raw
        workers.append(worker)
    while begin < n_texts:
        limit = offsets[begin] + <int64_t> BLOCK_IDS * num_threads
        end = begin + 1
        while end < n_texts and offsets[end + 1] <= limit and end - begin < BLOCK_IDS:
            end += 1
        n_workers = max(1, min(num_threads, (offsets[end] - offsets[begin]) // SHARE_IDS))
        share_out(workers, n_workers, offsets, begin, end)
        run_workers(workers[:n_workers])
        for worker in workers[:n_workers]:
            if worker.in_units:
                worker.append_strings(texts)
            else:
                worker.append_texts(texts)
        begin = end
        PyErr_CheckSignals()
    return texts


@cython.final
cdef class DecodeWorker(Worker):
    """Decodes texts [begin, end) of a batch, up to the point where Python objects are needed."""

    cdef int work(self) except -1 nogil:
        cdef Py_ssize_t i
        self.units.clear()
        self.out.clear()
        self.sizes.clear()
        self.traits.clear()
        for i in range(self.begin, self.end):
            if self.in_units:
                self.write_units(i)
            else:
                self.write_bytes(i)
        return 0

    cdef int write_units(self, Py_ssize_t i) except -1 nogil:
        cdef size_t size = 0
        cdef int32_t traits = self.decoder.strings.write(
            self.ids + self.offsets[i], self.offsets[i + 1] - self.offsets[i], self.room, &size,
        )
        if traits & NO_UTF16:
            size = 0
        self.units.insert(self.units.end(), self.room.begin(), self.room.begin() + n_units(size, traits))
        self.sizes.push_back(<int64_t> size)
        self.traits.push_back(traits)
        return 0

    cdef int write_bytes(self, Py_ssize_t i) except -1 nogil:
        cdef size_t n_before = self.out.size()
        self.decoder.append_text(
            self.ids + self.offsets[i], self.offsets[i + 1] - self.offsets[i], self.raw, self.out,
        )
        self.sizes.push_back(<int64_t> (self.out.size() - n_before))
        return 0

    cdef int append_strings(self, list texts) except -1:
        """Append the texts that `write_units` has written."""
        cdef const uint16_t* units = self.units.data()
        cdef const int64_t* offsets = self.offsets + self.begin
        cdef size_t i
        for i in range(self.sizes.size()):
            if self.traits[i] & NO_UTF16:
                texts.append(self.decoder.string_of_bytes(self.ids + offsets[i], offsets[i + 1] - offsets[i]))
            else:
                texts.append(string_of_written(units, self.sizes[i], self.traits[i]))
            units += n_units(self.sizes[i], self.traits[i])
        return 0

    cdef int append_texts(self, list texts) except -1:
        """Append the texts that `write_bytes` has written."""
        cdef const uint8_t* text = self.out.data()
        cdef size_t i
        for i in range(self.sizes.size()):
            if self.raw:
                texts.append(PyBytes_FromStringAndSize(<const char*> text, self.sizes[i]))
            else:
                texts.append(string_of(text, <Py_ssize_t> self.sizes[i]))
            text += self.sizes[i]
        return 0


cdef inline size_t n_units(size_t size, int32_t traits) noexcept nogil:
    """The number of units that a text of `size` units or bytes takes up."""
    return (size + 1) // 2 if traits == AS_BYTES else size


cdef int share_out(
    list workers, Py_ssize_t n_workers, const int64_t* offsets, Py_ssize_t begin, Py_ssize_t end,
) except -1:
    """Give each of the first `n_workers` about the same number of ids."""
    cdef DecodeWorker worker
    cdef int64_t total = offsets[end] - offsets[begin], first = offsets[begin]
    cdef Py_ssize_t i, k = begin
    for i in range(n_workers):
        worker = workers[i]
        worker.begin = k
        while k < end and (i == n_workers - 1 or offsets[k] - first < total * (i + 1) // n_workers):
            k += 1
        worker.end = k
    return 0
