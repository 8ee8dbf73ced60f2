"""Reads each block once for its shape and once for each tokenizer, with a share of the texts per thread.

`Measurer.add` lists the steps. `OwnWorker.work` and `GivenWorker.work` are the loops over texts. Header: measurer.pxd.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport INT64_MAX, int32_t, int64_t
from libc.string cimport memcmp, memcpy
from libcpp.vector cimport vector

from spm_lite.base.system.arrays cimport Int32Array
from spm_lite.base.system.thread_tasks cimport run_workers
from spm_lite.base.unicode.utf8 cimport CHAR_UNIT, is_utf8
from spm_lite.decode.decoder cimport Decoder
from spm_lite.encode.encoder cimport Encoder
from spm_lite.encode.shares cimport TextWorker, cut_shares, total_size
from spm_lite.encode.spans cimport SPAN_BLOCK_BYTES, SPAN_SHARE_BYTES, PieceSizes, new_finder, sizes_of
from spm_lite.evaluation.figures.text_shape cimport LetterWord, ShapeSums, TextShape, add_fields
from spm_lite.evaluation.figures.token_sums cimport TextTokens, TokenSums
from spm_lite.texts.text_view cimport TextBlock, Texts, TextView
from spm_lite.texts.transcode cimport transcode_views
from spm_lite.training.counts.chunk_table cimport ChunkTable

cdef enum:
    MOST_CHANGED = 100      # texts of a block and a thread that are kept as examples


@cython.final
cdef class ShapeWorker(TextWorker):
    """Looks at the texts [begin, end) of a block."""

    cdef int work(self) except -1 nogil:
        cdef Py_ssize_t i
        self.shape.clear()
        for i in range(self.begin, self.end):
            self.shape.look_at(&self.texts[i])
        return 0


cdef class TokenWorker(TextWorker):
    """Adds up the tokens of the texts [begin, end) of a block."""


cdef inline const LetterWord* words_of(TextShape shape, Py_ssize_t i, size_t* n) noexcept nogil:
    """Return the letter words of the text with this number in the share, and set `n` to their number."""
    cdef size_t first = shape.ends[i - 1] if i else 0
    n[0] = shape.ends[i] - first
    return shape.letter_words.data() + first


@cython.final
cdef class OwnWorker(TokenWorker):
    """The tokens come from a tokenizer of ours, which is asked here."""

    cdef int work(self) except -1 nogil:
        cdef TextTokens tokens
        cdef size_t first
        cdef Py_ssize_t i
        for i in range(self.begin, self.end):
            if not self.keeps_ids:
                self.finder.ids.size = 0
            self.finder.places.size = 0
            self.finder.unknown_sizes.size = 0
            first = self.finder.ids.size
            self.finder.add(&self.texts[i])
            tokens.ids = self.finder.ids.data + first
            tokens.n = self.finder.ids.size - first
            tokens.places = self.finder.places.data
            tokens.unknown_sizes = self.finder.unknown_sizes.data
            tokens.words = words_of(self.shapes.shape, i - self.begin, &tokens.n_words)
            self.sums.add(&self.texts[i], tokens)
            if self.comes_back(&self.texts[i], tokens.ids, tokens.n):
                self.sums.totals.same += 1
            elif self.changed.size() < MOST_CHANGED:
                self.changed.push_back(<int32_t> i)
        return 0

    cdef bint comes_back(self, const TextView* text, const int32_t* ids, size_t n) except -1 nogil:
        """Whether decoding gives the text back; of text that is not UTF-8, its bytes."""
        cdef size_t i
        for i in range(n):
            if ids[i] < 0:
                return False
        self.decoded.clear()
        self.decoder.append_text(ids, <int64_t> n, not is_utf8(text.data, text.size), self.decoded)
        return (
            <int64_t> self.decoded.size() == text.size
            and (text.size == 0 or memcmp(self.decoded.data(), text.data, self.decoded.size()) == 0)
        )


@cython.final
cdef class GivenWorker(TokenWorker):
    """The tokens of the whole block are given."""

    cdef int work(self) except -1 nogil:
        cdef TextTokens tokens
        cdef Py_ssize_t i
        for i in range(self.begin, self.end):
            tokens.ids = self.ids + self.offsets[i]
            tokens.n = <size_t> (self.offsets[i + 1] - self.offsets[i])
            tokens.places = NULL
            if self.places != NULL:
                tokens.places = self.places + 2 * self.offsets[i]
            tokens.unknown_sizes = NULL
            tokens.words = words_of(self.shapes.shape, i - self.begin, &tokens.n_words)
            self.sums.add(&self.texts[i], tokens)
        return 0


@cython.final
cdef class Measurer:
    """Adds up the figures of one source for several tokenizers.

    num_threads: at least 1. skips_empty: texts without a byte do not count. counts_words: letter words are counted.
    """

    def __cinit__(self, int num_threads, bint skips_empty, bint counts_words):
        cdef ShapeWorker worker
        self.shapes = []
        for _ in range(num_threads):
            worker = ShapeWorker()
            worker.shape = TextShape()
            worker.shape.words = ChunkTable() if counts_words else None
            self.shapes.append(worker)
        self.readers = []
        self.encoders = []
        self.skips_empty = skips_empty

    def add_own(self, Encoder encoder not None, Decoder decoder not None, new_sums, bint keeps_ids):
        """Read the texts with a tokenizer of ours too. new_sums: makes a TokenSums for one thread."""
        cdef PieceSizes sizes = sizes_of(encoder)
        cdef OwnWorker worker
        cdef list workers = []
        for shapes in self.shapes:
            worker = OwnWorker()
            worker.shapes = shapes
            worker.sums = new_sums()
            worker.finder = new_finder(encoder, sizes, CHAR_UNIT)
            worker.finder.keeps_unknown = True
            worker.decoder = decoder
            worker.keeps_ids = keeps_ids
            workers.append(worker)
        self.encoders.append(encoder)
        self.readers.append(workers)

    def add_given(self, new_sums):
        """Take the tokens of another tokenizer too, which come with each block."""
        cdef GivenWorker worker
        cdef list workers = []
        for shapes in self.shapes:
            worker = GivenWorker()
            worker.shapes = shapes
            worker.sums = new_sums()
            workers.append(worker)
        self.readers.append(workers)

    def add(self, Texts texts not None, list given not None):
        """Read the texts of one block.

        given: for each tokenizer None, or (ids, offsets, places or None) of the texts that count, int32, int64, int32.
        Return (texts that count, all of them with LF before each but the very first, their bytes, their characters):
        numbers within the block and sizes are Int32Array.
        """
        cdef TextBlock block = TextBlock()
        cdef vector[TextView] views
        cdef Int32Array kept = Int32Array(), sizes = Int32Array(), characters = Int32Array()
        cdef ShapeWorker worker
        cdef int32_t i
        texts.view_block(0, INT64_MAX, block)
        transcode_views(block.views, 0, block.transcoded)
        for i in range(<int32_t> block.views.size()):
            if block.views[i].size > 0 or not self.skips_empty:
                views.push_back(block.views[i])
                kept.append(&i, 1)
                sizes.append(&block.views[i].size, 1)
        self.run(views, self.shapes)
        for arrays, workers in zip(given, self.readers, strict=True):
            if arrays is not None:
                ids, offsets, places = arrays
                set_given(workers, views.size(), ids, offsets, places)
            self.run(views, workers)
        for worker in self.shapes:
            if worker.begin < worker.end:
                characters.append(worker.shape.characters.data(), worker.shape.characters.size())
        return kept, self.joined(views), sizes, characters

    cdef int run(self, vector[TextView]& views, list workers) except -1:
        """Let workers do their shares of the texts, of about equal bytes."""
        cdef int64_t n_bytes = total_size(views.data(), <Py_ssize_t> views.size())
        cdef Py_ssize_t n_shares = max(1, min(<int64_t> len(workers), n_bytes // SPAN_SHARE_BYTES)), first = 0, k
        cdef vector[Py_ssize_t] ends
        cdef TextWorker worker
        cut_shares(views.data(), <Py_ssize_t> views.size(), n_bytes, n_shares, ends)
        for k in range(n_shares):
            worker = workers[k]
            worker.texts = views.data()
            worker.begin = first
            worker.end = first = ends[k]
        run_workers(workers[:n_shares])
        for k in range(n_shares, len(workers)):  # of an earlier block
            worker = workers[k]
            worker.begin = worker.end = 0
        PyErr_CheckSignals()
        return 0

    cdef bytes joined(self, const vector[TextView]& views):
        """Return the texts with LF before each but the first of all blocks."""
        cdef int64_t size = 0
        cdef size_t i
        cdef char* out
        for i in range(views.size()):
            size += views[i].size + (self.has_text or i > 0)
        result = PyBytes_FromStringAndSize(NULL, <Py_ssize_t> size)
        out = PyBytes_AS_STRING(result)
        for i in range(views.size()):
            if self.has_text:
                out[0] = c"\n"
                out += 1
            memcpy(out, views[i].data, <size_t> views[i].size)
            out += views[i].size
            self.has_text = True
        return result

    def take(self, int reader):
        """Return (ids, tokens of each text, rows of `LOSS_FIELDS`) of the last block for one tokenizer.

        All are Int32Array. ids are empty where they are not kept. The first of a row is the number of the text.
        """
        cdef TokenWorker worker
        cdef Int32Array ids = Int32Array(), lengths = Int32Array(), losses = Int32Array(), some
        cdef size_t i
        for worker in self.readers[reader]:
            if isinstance(worker, OwnWorker):
                some = (<OwnWorker> worker).finder.ids
                if (<OwnWorker> worker).keeps_ids:
                    ids.append(some.data, some.size)
                some.size = 0
            more, lost = worker.sums.take_texts()
            some = lost
            for i in range(0, some.size, 4):
                some.data[i] += <int32_t> lengths.size
            losses.append(some.data, some.size)
            some = more
            lengths.append(some.data, some.size)
        return ids, lengths, losses

    def take_changed(self, int reader):
        """Return the numbers of the first texts of the last block that decoding does not give back."""
        cdef TokenWorker worker
        cdef list changed = []
        for worker in self.readers[reader]:
            if isinstance(worker, OwnWorker):
                changed += (<OwnWorker> worker).changed
                (<OwnWorker> worker).changed.clear()
        return changed

    def word_tables(self):
        """The ChunkTable of letter words of each thread, and the bytes of memory that they take."""
        cdef ShapeWorker worker
        cdef list tables = []
        cdef int64_t size = 0
        for worker in self.shapes:
            if worker.shape.words is not None:
                size += <int64_t> worker.shape.words.memory()
                tables.append(worker.shape.words)
        return tables, size

    def shape(self):
        """Return the sums of all texts as a dict; `scripts` by number."""
        cdef ShapeWorker worker
        cdef ShapeSums total = (<ShapeWorker> self.shapes[0]).shape.sums
        for worker in self.shapes[1:]:
            add_fields(<int64_t*> &total, <const int64_t*> &worker.shape.sums, sizeof(ShapeSums))
        sums = dict(total)
        sums["scripts"] = {number: n for number, n in enumerate(sums["scripts"]) if n}
        return sums

    def sums(self, int reader):
        """Return the TokenSums of one tokenizer over all texts; to be called once, at the end."""
        cdef TokenWorker worker
        cdef TokenSums total = (<TokenWorker> self.readers[reader][0]).sums
        for worker in self.readers[reader][1:]:
            total.merge(worker.sums)
        return total

    def close(self):
        """Give the buffers of the threads back to the tokenizers."""
        cdef OwnWorker worker
        for workers in self.readers:
            for each in workers:
                if isinstance(each, OwnWorker):
                    worker = each
                    worker.finder.encoder.give_back(worker.finder.scratch, SPAN_BLOCK_BYTES)
        self.readers = []


cdef int set_given(list workers, size_t n_texts, const int32_t[::1] ids, const int64_t[::1] offsets, places) except -1:
    """Let the workers read from these arrays, which the caller keeps."""
    cdef GivenWorker worker
    cdef const int32_t[::1] flat
    if <size_t> offsets.shape[0] != n_texts + 1 or offsets[n_texts] > ids.shape[0]:
        raise ValueError(f"{offsets.shape[0] - 1} texts have tokens, and there are {n_texts}")
    for worker in workers:
        worker.ids = &ids[0] if ids.shape[0] else NULL
        worker.offsets = &offsets[0]
        worker.places = NULL
        if places is not None and ids.shape[0]:
            flat = places
            if flat.shape[0] != 2 * ids.shape[0]:
                raise ValueError(f"{flat.shape[0]} places for {ids.shape[0]} tokens: give two for each")
            worker.places = &flat[0]
    return 0
