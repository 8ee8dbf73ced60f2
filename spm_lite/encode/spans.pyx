cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.base.system.arrays cimport Int32Array, Int64Array, reserve_values
from spm_lite.base.system.tasks cimport Worker, run_workers
from spm_lite.base.unicode.units cimport Unit
from spm_lite.encode.encoded_text cimport EncodedText, Span
from spm_lite.encode.encoder cimport Encoder, EncodeScratch
from spm_lite.encode.shares cimport TextWorker, run_block
from spm_lite.texts.text_view cimport Texts, TextView, view_utf8


@cython.final
cdef class SpanWorker(TextWorker):
    """Finds the spans of texts [begin, end) of a block."""

    cdef int work(self) except -1 nogil:
        cdef Py_ssize_t i
        for i in range(self.begin, self.end):
            self.fill_spans(self.texts[i])
            self.append_places(self.texts[i])
            self.counts[i] = <int64_t> self.spans.size()
        return 0

    cdef int fill_spans(self, TextView text) except -1 nogil:
        """Fill `spans` with the spans of one text, in bytes."""
        self.spans.clear()
        return self.encoder.find_pieces(&text, self.scratch, self.scratch.text.bytes, self.spans)

    cdef int append_places(self, TextView text) except -1 nogil:
        """Add the ids of one text, taken from `spans`, and their offsets in `unit`."""
        cdef UnitCounter counter = UnitCounter(text.data, text.size, self.unit, 0, 0)
        cdef size_t n = self.spans.size(), i
        cdef int32_t* ids
        cdef int32_t* places
        reserve_values(self.ids, n)
        reserve_values(self.places, 2 * n)
        ids = self.ids.data + self.ids.size
        places = self.places.data + self.places.size
        for i in range(n):
            ids[i] = self.spans[i].piece_id
            places[2 * i] = count_units_before(&counter, self.spans[i].begin)
            places[2 * i + 1] = count_units_before(&counter, self.spans[i].end)
        self.ids.size += n
        self.places.size += 2 * n
        return 0


cdef SpanWorker new_worker(Encoder encoder, int unit):
    cdef SpanWorker worker = SpanWorker()
    worker.encoder = encoder
    worker.scratch = encoder.take_scratch()
    worker.unit = <Unit> unit
    worker.ids = Int32Array()
    worker.places = Int32Array()
    return worker


def spans_of(Encoder encoder not None, text, int unit):
    """Return [(begin, end)] of each id of a str or bytes object. unit: 0 bytes, 1 characters, 2 UTF-16 code units.

    Each span begins where the one before it ends. If one character becomes several ids, all but the last have an empty
    span at its start.
    """
    cdef TextView view
    cdef SpanWorker worker
    cdef int32_t* places
    cdef size_t i
    view_utf8(text, &view)
    worker = new_worker(encoder, unit)
    try:
        with nogil:
            worker.fill_spans(view)
            worker.append_places(view)
    finally:
        encoder.give_back(worker.scratch, view.size)
    places = worker.places.data
    return [(places[2 * i], places[2 * i + 1]) for i in range(worker.ids.size)]


def spans_batch(Encoder encoder not None, Texts texts not None, int unit, int num_threads):
    """Return (ids, offsets, places) of many texts; ids, offsets: as in `encode_batch`; places: begin and end per id."""
    cdef SpanWorker worker, first
    cdef Int64Array offsets = Int64Array()
    cdef Py_ssize_t begin = 0
    cdef list workers = [new_worker(encoder, unit) for _ in range(num_threads)], busy
    first = workers[0]
    offsets.data.resize(texts.n + 1, 0)
    try:
        while begin < texts.n:
            for worker in workers:
                worker.counts = &offsets.data[begin + 1]
            busy = run_block(workers, texts, &begin, SPAN_BLOCK_BYTES, SPAN_SHARE_BYTES, 1)
            for worker in busy[1:]:
                first.ids.append(worker.ids.data, worker.ids.size)
                first.places.append(worker.places.data, worker.places.size)
                worker.ids.size = worker.places.size = 0
    finally:
        for worker in workers:
            encoder.give_back(worker.scratch, SPAN_BLOCK_BYTES)
    offsets.add_up()
    return first.ids, offsets, first.places


cdef struct TextPieces:
    # Pointers into one EncodedText: its text, and where its pieces are written.
    const TextView* view
    vector[uint8_t]* normalized
    vector[Span]* spans


@cython.final
cdef class PiecesWorker(Worker):
    """Finds the pieces of texts [begin, end); the caller keeps the texts alive."""

    cdef Encoder encoder
    cdef EncodeScratch scratch
    cdef const TextPieces* texts
    cdef Py_ssize_t begin, end

    cdef int work(self) except -1 nogil:
        cdef Py_ssize_t i
        for i in range(self.begin, self.end):
            self.encoder.find_pieces(
                self.texts[i].view, self.scratch, self.texts[i].normalized[0], self.texts[i].spans[0]
            )
        return 0


def encode_texts(Encoder encoder not None, list texts not None, int num_threads):
    """Return an EncodedText for each str or bytes object, equal to that of `Encoder.encode_text`, on several threads.

    num_threads: at least 1. An invalid text raises as in `encode_text`; of several, the first.
    """
    cdef vector[TextPieces] pieces
    cdef vector[Py_ssize_t] ends
    cdef EncodedText encoded
    cdef PiecesWorker worker
    cdef list results = [], workers = []
    cdef int64_t n_bytes = 0, share
    cdef Py_ssize_t i
    for text in texts:
        encoded = encoder.new_encoded_text(text)
        results.append(encoded)
        pieces.push_back(TextPieces(&encoded.view, &encoded.normalized, &encoded.spans))
        n_bytes += encoded.view.size + 1
    share = max(<int64_t> SPAN_SHARE_BYTES, n_bytes // num_threads + 1)
    n_bytes = 0
    for i in range(<Py_ssize_t> pieces.size()):
        n_bytes += pieces[i].view.size + 1
        if n_bytes >= share or i == <Py_ssize_t> pieces.size() - 1:
            ends.push_back(i + 1)
            n_bytes = 0
    try:
        for i in range(<Py_ssize_t> ends.size()):
            worker = PiecesWorker()
            worker.encoder = encoder
            worker.scratch = encoder.take_scratch()
            worker.texts = pieces.data()
            worker.begin = ends[i - 1] if i else 0
            worker.end = ends[i]
            workers.append(worker)
        if workers:
            run_workers(workers)
    finally:
        for worker in workers:
            encoder.give_back(worker.scratch, SPAN_BLOCK_BYTES)
    return results
