"""Finds the part of a text for each id: by the sizes of cached pieces, or by the tokens if some text is unknown.

`SpanFinder.add` chooses. `spans_of`, `spans_batch` and `encode_texts` are the entries. Header: spans.pxd.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.base.system.arrays cimport Int32Array, Int64Array, reserve_values
from spm_lite.base.system.thread_tasks cimport Worker, run_workers
from spm_lite.base.unicode.space_mark cimport is_space_mark
from spm_lite.base.unicode.split_classes cimport split_classes
from spm_lite.base.unicode.utf8 cimport BLOCK_BYTES, Unit, char_size
from spm_lite.encode.covered_bytes cimport ByteMap, cover_bytes, start_map
from spm_lite.encode.encoded_text cimport EncodedText, Span
from spm_lite.encode.encoder cimport Encoder, EncodeScratch
from spm_lite.encode.segment.segmenter cimport unit_size
from spm_lite.encode.shares cimport TextWorker, run_block
from spm_lite.texts.text_view cimport Texts, TextView, view_utf8
from spm_lite.vocab.vocab cimport BYTE, Vocab, is_plain

from spm_lite.errors import TextError

cdef enum:
    SPACE = 0x20


cdef enum:
    # Of an id, in place of the bytes of its piece:
    NO_SIZE = -1        # it is unknown, or its piece matches no text
    BYTE_PIECE = -2     # it is a byte of a character that has no piece

cdef enum:
    MOST_SKIPPED = 16   # texts between two tries of the cache, if all tries before found unknown text
    LONG_TEXT = 1 << 16     # bytes: for one text, looking at all pieces pays only if it is long


@cython.final
cdef class PieceSizes:
    """How much normalized text each id covers."""


cdef void close_gaps(vector[Span]& spans) noexcept nogil:
    """Let each span go on to the next one: text between them is in no part, and dropped."""
    cdef size_t i
    for i in range(1, spans.size()):
        spans[i - 1].end = max(spans[i - 1].end, spans[i].begin)


@cython.final
cdef class SpanFinder:
    """Finds the ids of one text after the other, and the part of the text that each comes from."""

    cdef int add(self, const TextView* text) except -1 nogil:
        """Add the ids of a UTF-8 text and their places."""
        if self.sizes is not None:
            if self.n_skipped < self.n_to_skip:
                self.n_skipped += 1
            elif self.add_known(text):
                self.n_to_skip = 0
                return 0
            else:  # the next texts are likely to have unknown text too
                self.n_to_skip = min(2 * self.n_to_skip + 1, <int> MOST_SKIPPED)
                self.n_skipped = 0
        self.spans.clear()
        self.encoder.find_pieces(text, self.scratch, self.scratch.text.bytes, self.spans)
        if self.classes == NULL:
            close_gaps(self.spans)
        self.add_spans(text)
        if self.keeps_unknown:
            self.add_unknown_sizes(self.scratch.text.bytes.data())
        return 0

    cdef bint add_known(self, const TextView* text) except -1 nogil:
        """Add the ids of a text from the chunk cache; False: some text is unknown, and nothing was added.

        The pieces join to the normalized text, so their sizes tell their places in it.
        """
        cdef vector[uint8_t]* normalized = &self.scratch.text.bytes
        cdef size_t n_before = self.ids.size, n, i
        cdef UnitCounter counter
        cdef const int32_t* align
        cdef int32_t* places
        cdef int32_t size
        self.encoder.normalizer.normalize_into(text.data, text.size, normalized[0], &self.scratch.align)
        size = <int32_t> normalized.size()
        normalized.resize(<size_t> size + BLOCK_BYTES)  # zeros, which the search for cuts reads
        self.scratch.chunks.start()
        self.encoder.chunks.encode_part(normalized.data(), size, self.scratch.chunks, self.ids, n_before)
        n = self.ids.size - n_before
        reserve_values(self.places, 2 * n)
        places = self.places.data + self.places.size
        if not self.walk(self.ids.data + n_before, n, size, places):
            self.ids.size = n_before
            return False
        if self.classes != NULL:
            self.cover(text, size, places, n)
        else:
            counter = start_counter(text, self.unit)
            align = self.scratch.align.data()
            for i in range(2 * n):
                places[i] = count_units_before(&counter, align[places[i]])
        self.places.size += 2 * n
        return True

    cdef bint walk(self, const int32_t* ids, size_t n, int32_t size, int32_t* places) noexcept nogil:
        """Set `places` to where ids begin and end in the normalized text of `size` bytes; False: not known from them.

        A character without a piece is several byte pieces; all but the last are empty at its start.
        """
        cdef const uint8_t* text = self.scratch.text.bytes.data()
        cdef const int32_t* sizes = self.sizes.bytes.data()
        cdef int32_t pos = 0, step, n_bytes
        cdef size_t i = 0
        while i < n:
            step = sizes[ids[i]] if ids[i] >= 0 else <int32_t> NO_SIZE
            n_bytes = 1
            if step == <int32_t> BYTE_PIECE and pos < size:
                step = unit_size(text + pos, size - pos, True)
                n_bytes = 3 if text[pos] == SPACE else step
            if step <= 0 or pos + step > size or i + <size_t> n_bytes > n:
                return False
            while n_bytes > 1:
                places[2 * i] = places[2 * i + 1] = pos
                n_bytes -= 1
                i += 1
            places[2 * i] = pos
            pos += step
            places[2 * i + 1] = pos
            i += 1
        return pos == size

    cdef int add_spans(self, const TextView* text) except -1 nogil:
        """Add the ids of a text, taken from `spans`, and their places."""
        cdef UnitCounter counter = start_counter(text, self.unit)
        cdef size_t n = self.spans.size(), i
        cdef int32_t* ids
        cdef int32_t* places
        reserve_values(self.ids, n)
        reserve_values(self.places, 2 * n)
        ids = self.ids.data + self.ids.size
        places = self.places.data + self.places.size
        for i in range(n):
            ids[i] = self.spans[i].piece_id
        if self.classes != NULL:
            for i in range(n):
                places[2 * i] = self.spans[i].text_begin
                places[2 * i + 1] = self.spans[i].text_end if self.spans[i].has_surface else self.spans[i].text_begin
            self.cover(text, <int32_t> self.scratch.text.bytes.size(), places, n)
        else:
            for i in range(n):
                places[2 * i] = count_units_before(&counter, self.spans[i].begin)
                places[2 * i + 1] = count_units_before(&counter, self.spans[i].end)
        self.ids.size += n
        self.places.size += 2 * n
        return 0

    cdef void cover(self, const TextView* text, int32_t size, int32_t* places, size_t n) noexcept nogil:
        """Turn the places of `n` ids in the normalized text of `size` bytes into the bytes that they cover."""
        cdef ByteMap map = start_map(
            text.data, self.scratch.text.bytes.data(), self.scratch.align.data(), size, self.classes,
        )
        cover_bytes(&map, places, n)

    cdef int add_unknown_sizes(self, const uint8_t* normalized) except -1 nogil:
        """Add the sizes of the unknown ids of `spans`."""
        cdef int32_t sizes[2]
        cdef const Span* span
        cdef size_t i
        for i in range(self.spans.size()):
            span = &self.spans[i]
            if span.piece_id == self.encoder.vocab.unknown_index or span.piece_id < 0:
                count_surface(normalized + span.text_begin, span.text_end - span.text_begin, sizes)
                self.unknown_sizes.append(sizes, 2)
        return 0


cdef void count_surface(const uint8_t* text, int32_t size, int32_t* sizes) noexcept nogil:
    """Set `sizes` to the bytes and the characters of normalized text, in which U+2581 counts as one space."""
    cdef int32_t pos = 0, step
    sizes[0] = size
    sizes[1] = 0
    while pos < size:
        if is_space_mark(text + pos, size - pos):
            sizes[0] -= 2
        step = char_size(text + pos, size - pos)
        pos += step if step else 1
        sizes[1] += 1


cdef SpanFinder new_finder(Encoder encoder, PieceSizes sizes, Unit unit):
    cdef SpanFinder finder = SpanFinder()
    finder.encoder = encoder
    finder.sizes = sizes
    finder.scratch = encoder.take_scratch()
    finder.unit = unit
    finder.ids = Int32Array()
    finder.places = Int32Array()
    finder.unknown_sizes = Int32Array()
    return finder


cdef PieceSizes sizes_of(Encoder encoder):
    """Return the sizes of the pieces; None: texts are not cut, or pieces may not join to the text, as in WordPiece."""
    cdef PieceSizes sizes = PieceSizes()
    cdef Vocab vocab = encoder.vocab
    cdef vector[uint8_t] text
    cdef int32_t i
    if encoder.chunks is None or vocab.word_rules is not None or vocab.merge_list is not None:
        return None
    if vocab.has_parts:  # unknown text side by side may be one id or several
        return None
    sizes.bytes.resize(vocab.size, <int32_t> NO_SIZE)
    for i in range(vocab.size):
        if i == vocab.unknown_index:
            continue
        if vocab.types[i] == BYTE:
            sizes.bytes[i] = <int32_t> BYTE_PIECE
        elif is_plain(vocab.types[i]):
            text.clear()
            sizes.bytes[i] = vocab.matchable(i, encoder.normalizer.compact, text)
    return sizes


@cython.final
cdef class SpanWorker(TextWorker):
    """Finds the spans of texts [begin, end) of a block."""

    cdef int work(self) except -1 nogil:
        cdef size_t n_before
        cdef Py_ssize_t i
        for i in range(self.begin, self.end):
            n_before = self.finder.ids.size
            self.finder.add(&self.texts[i])
            self.counts[i] = <int64_t> (self.finder.ids.size - n_before)
        return 0


def spans_of(Encoder encoder not None, text, int unit):
    """Return [(begin, end)] of each id of a str or bytes object. unit: 0 bytes, 1 characters, 2 UTF-16 code units.

    Each span begins where the one before it ends. If one character becomes several ids, all but the last have an empty
    span at its start.
    """
    cdef TextView view
    cdef SpanFinder finder
    cdef int32_t* places
    cdef size_t i
    view_utf8(text, &view)
    finder = new_finder(encoder, sizes_of(encoder) if view.size > LONG_TEXT else None, <Unit> unit)
    try:
        with nogil:
            finder.add(&view)
    except TextError:
        encoder.give_back(finder.scratch, view.size)
        raise
    encoder.give_back(finder.scratch, view.size)
    places = finder.places.data
    return [(places[2 * i], places[2 * i + 1]) for i in range(finder.ids.size)]


def spans_batch(Encoder encoder not None, Texts texts not None, int unit, int num_threads, bint is_exact=False):
    """Return (ids, offsets, places) of many texts; ids, offsets: as in `encode_batch`; places: begin and end per id.

    is_exact: places are the bytes that each id covers, as in covered_bytes.pxd; the unit must be bytes.
    """
    cdef SpanWorker worker
    cdef SpanFinder first
    cdef Int64Array offsets = Int64Array()
    cdef Py_ssize_t begin = 0
    cdef PieceSizes sizes = sizes_of(encoder)
    cdef list workers = [], busy
    for _ in range(num_threads):
        worker = SpanWorker()
        worker.finder = new_finder(encoder, sizes, <Unit> unit)
        worker.finder.classes = split_classes() if is_exact else NULL
        workers.append(worker)
    first = (<SpanWorker> workers[0]).finder
    offsets.data.resize(texts.n + 1, 0)
    while begin < texts.n:
        for worker in workers:
            worker.counts = &offsets.data[begin + 1]
        busy = run_block(workers, texts, &begin, SPAN_BLOCK_BYTES, SPAN_SHARE_BYTES, 1)
        for worker in busy[1:]:
            first.ids.append(worker.finder.ids.data, worker.finder.ids.size)
            first.places.append(worker.finder.places.data, worker.finder.places.size)
            worker.finder.ids.size = worker.finder.places.size = 0
    for worker in workers:
        encoder.give_back(worker.finder.scratch, SPAN_BLOCK_BYTES)
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
    for worker in workers:
        encoder.give_back(worker.scratch, SPAN_BLOCK_BYTES)
    return results
