"""Encodes one text: takes spare buffers, normalizes, segments chunk by chunk or whole, and gives the buffers back.

`append_ids` is the way of ids, and `find_pieces` that of pieces with their offsets. Header: encoder.pxd.
"""

cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.ref cimport Py_INCREF, Py_XDECREF, PyObject
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.base.system.arrays cimport Int32Array
from spm_lite.base.system.atomics cimport atomic
from spm_lite.base.system.memory_budget cimport MemoryBudget
from spm_lite.base.unicode.token_mark cimport MARK_SIZE, marked_id, next_mark
from spm_lite.encode.chunks.chunk_encoder cimport ChunkEncoder, can_cut
from spm_lite.encode.encoded_text cimport EncodedText, Span, escape
from spm_lite.encode.segment.byte_fallback cimport ByteFallback, IdsSoFar, append_text_ids
from spm_lite.encode.segment.segmenter cimport Segmenter, Token
from spm_lite.normalize.normalized_text cimport PART_SIZE, NormalizedText
from spm_lite.normalize.normalizer cimport Normalizer
from spm_lite.texts.id_lists cimport list_of
from spm_lite.texts.text_view cimport NO_PLACE, TextView, view_text, view_utf8
from spm_lite.texts.transcode cimport transcode_view
from spm_lite.vocab.piece_objects cimport PieceObjects

from spm_lite.errors import TextError

DEFAULT_CACHE_BYTES = 64_000_000

cdef extern from *:
    """
    #include <atomic>
    // What was at a place, which holds another pointer now. With the GIL no thread comes in between; an atomic exchange
    // takes 7 % of the time of a short call.
    static inline PyObject *spm_lite_exchange(std::atomic<PyObject *> *place, PyObject *pointer) {
    #ifdef Py_GIL_DISABLED
        return place->exchange(pointer);
    #else
        PyObject *before = place->load(std::memory_order_relaxed);
        place->store(pointer, std::memory_order_relaxed);
        return before;
    #endif
    }
    """
    PyObject* exchanged "spm_lite_exchange"(atomic[PyObject*]* place, PyObject* pointer)


@cython.final
cdef class EncodeScratch:
    """The buffers of one call or one thread."""

    cdef void forget_text(self) noexcept nogil:
        """Free the memory that grows with a text."""
        self.text.forget()
        self.align = vector[int32_t]()
        self.tokens = vector[Token]()
        self.ids = vector[int32_t]()
        self.output.clear()


@cython.final
cdef class Encoder:
    """Encodes texts to ids with one normalizer, one segmenter and their vocabulary.

    cache_bytes: limit in bytes of the chunk caches and of the memory kept for ids.
    budget: used instead of `cache_bytes`; a limit shared with other encoders.
    """

    def __cinit__(
        self, Normalizer normalizer not None, Segmenter segmenter not None, cache_bytes=DEFAULT_CACHE_BYTES,
        MemoryBudget budget=None,
    ):
        if normalizer.compact != segmenter.compact:
            raise ValueError("normalizer and segmenter must agree on how an escaped space is held")
        self.normalizer = normalizer
        self.segmenter = segmenter
        self.vocab = segmenter.vocab
        self.objects = PieceObjects(segmenter.vocab)
        self.fallback = ByteFallback(segmenter.vocab, segmenter.compact)
        self.budget = MemoryBudget(cache_bytes) if budget is None else budget
        self.chunks = ChunkEncoder(segmenter, self.fallback, self.budget) if can_cut(segmenter) else None

    def __dealloc__(self):
        self.drop_spares()

    cpdef list encode(self, object text):
        """Return the ids of a str or bytes object as a list."""
        cdef TextView view
        view_text(text, NO_PLACE, &view)
        scratch = self.take_scratch()
        try:
            self.fill_output(&view, scratch)
        except TextError:
            self.give_back(scratch, view.size)
            raise
        ids = list_of(scratch.output.data, <Py_ssize_t> scratch.output.size)
        self.give_back(scratch, view.size)
        return ids

    cdef inline int fill_output(self, const TextView* view, EncodeScratch scratch) except -1:
        """Set `scratch.output` to the ids of a text."""
        scratch.output.size = 0
        if view.size <= BRIEF_SIZE:
            return self.append_ids(view, NO_PLACE, scratch, scratch.output)
        with nogil:
            return self.append_ids(view, NO_PLACE, scratch, scratch.output)

    cpdef object count(self, object text):
        """Return the number of ids of a str or bytes object."""
        cdef TextView view
        cdef int64_t n_ids
        view_text(text, NO_PLACE, &view)
        scratch = self.take_scratch()
        try:
            if view.size <= BRIEF_SIZE:
                n_ids = self.count_ids(&view, NO_PLACE, scratch)
            else:
                with nogil:
                    n_ids = self.count_ids(&view, NO_PLACE, scratch)
        except TextError:
            self.give_back(scratch, view.size)
            raise
        self.give_back(scratch, view.size)
        return n_ids

    cdef void drop_spares(self) noexcept:
        cdef int i
        for i in range(N_SPARES):
            Py_XDECREF(exchanged(&self.spares[i], NULL))

    cdef EncodeScratch take_scratch(self):
        """Return spare buffers with their filled cache, or new ones. No other call uses them until `give_back`."""
        cdef PyObject* spare
        cdef int i
        for i in range(N_SPARES):
            spare = exchanged(&self.spares[i], NULL)
            if spare != NULL:
                scratch = <EncodeScratch> spare
                Py_XDECREF(spare)
                return scratch
        return self.new_scratch()

    cdef int give_back(self, EncodeScratch scratch, int64_t size) except -1:
        """Keep buffers for the next call; those that grew large are replaced.

        A call that fails keeps none, unless the text is wrong: where memory runs out, one of two buffers may have grown
        without the other.
        size: of the largest text. The capacity is tested too: normalization may make a short text long.
        """
        cdef PyObject* spare
        cdef int i
        if size > SPARE_BYTES or scratch.text.bytes.capacity() > 4 * <size_t> SPARE_BYTES:
            scratch.forget_text()
            scratch.scratch = self.segmenter.new_scratch()
            if scratch.chunks is not None:
                scratch.chunks.forget_text()
                scratch.chunks.scratch = self.chunks.solver.segmenter.new_scratch()
        if scratch.output.block.size:  # a waiting buffer keeps no block of the budget
            scratch.output.clear()
        Py_INCREF(scratch)
        spare = <PyObject*> scratch
        for i in range(N_SPARES):
            spare = exchanged(&self.spares[i], spare)
            if spare == NULL:
                return 0
        Py_XDECREF(spare)
        return 0

    cdef EncodeScratch new_scratch(self):
        scratch = EncodeScratch()
        scratch.text = NormalizedText(self.normalizer)
        scratch.output = Int32Array()
        scratch.output.budget = self.budget
        scratch.scratch = self.segmenter.new_scratch()
        scratch.chunks = None if self.chunks is None else self.chunks.new_scratch()
        return scratch

    @property
    def cache_bytes(self):
        """(bytes kept by all encoders with this budget, limit of these bytes)."""
        return self.budget.n_used, self.budget.limit

    def clear_cache(self):
        """Free all spare buffers, caches and blocks; those in use at this moment stay."""
        self.drop_spares()
        self.budget.release_blocks()

    cdef int append_ids(
        self, const TextView* view, Py_ssize_t index, EncodeScratch scratch, Int32Array ids,
    ) except -1 nogil:
        """Add the ids of one text to `ids`. index: of the text in its batch, or NO_PLACE."""
        cdef int32_t n_bytes
        # Testing the size here saves the call for most texts.
        if view.size > PART_SIZE and self.append_in_parts(view, index, scratch, ids, False):
            return 0
        n_bytes = scratch.text.take(view, index)
        if self.chunks is not None:
            scratch.chunks.start()
            return self.chunks.encode_part(scratch.text.bytes.data(), n_bytes, scratch.chunks, ids, ids.size)
        self.append_whole(n_bytes, scratch, ids, False)
        return 0

    cdef int64_t count_ids(self, const TextView* view, Py_ssize_t index, EncodeScratch scratch) except -1 nogil:
        """Return the number of ids that `append_ids` would add."""
        cdef int32_t n_bytes
        scratch.output.size = 0
        if view.size > PART_SIZE and self.append_in_parts(view, index, scratch, scratch.output, True):
            return scratch.chunks.n_counted + <int64_t> scratch.output.size
        n_bytes = scratch.text.take(view, index)
        if self.chunks is not None:
            scratch.chunks.start()
            scratch.chunks.is_counting = True
            self.chunks.encode_part(scratch.text.bytes.data(), n_bytes, scratch.chunks, scratch.output, 0)
            return scratch.chunks.n_counted + <int64_t> scratch.output.size
        return self.append_whole(n_bytes, scratch, scratch.output, True)

    cdef bint append_in_parts(
        self, const TextView* view, Py_ssize_t index, EncodeScratch scratch, Int32Array ids, bint is_counting,
    ) except -1 nogil:
        """Add the ids of a long text, normalized in parts. False: it must be normalized whole; no ids were added.

        is_counting: `ids`, empty at first, is emptied now and then; `scratch.chunks.n_counted` counts the dropped ids.
        """
        cdef size_t n_first = ids.size
        cdef int32_t size
        if self.chunks is None or not scratch.text.start(view, index):
            return False
        scratch.chunks.start()
        scratch.chunks.is_counting = is_counting
        scratch.chunks.cut.is_whole = False
        while not scratch.chunks.cut.is_whole:
            size = scratch.text.add_part()
            if size < 0:  # too long, or the caller's array has changed meanwhile
                ids.size = n_first
                return False
            scratch.chunks.cut.is_whole = scratch.text.is_whole()
            self.chunks.encode_part(scratch.text.bytes.data(), size, scratch.chunks, ids, n_first)
            scratch.text.drop(scratch.chunks.drop_done())
        return True

    cdef int64_t append_whole(
        self, int32_t n_bytes, EncodeScratch scratch, Int32Array ids, bint is_counting,
    ) except -1 nogil:
        """Add the ids of the normalized text, segmented without chunks; is_counting: return their number instead."""
        cdef IdsSoFar state = IdsSoFar(False, is_counting, 0)
        scratch.scratch.start()
        append_text_ids(
            self.segmenter, self.fallback, scratch.text.bytes.data(), n_bytes, scratch.scratch, scratch.tokens,
            scratch.ids, &state, ids,
        )
        return state.n_counted

    cdef int emit_ids(
        self, const vector[uint8_t]& normalized, const vector[Token]& tokens, vector[int32_t]& ids,
    ) except -1 nogil:
        """Add the ids of the tokens of a normalized text, after byte fallback."""
        cdef bint was_unknown = False
        return self.fallback.append(normalized.data(), tokens, &was_unknown, ids)

    cdef EncodedText emit_text(
        self, object text, const vector[uint8_t]& normalized, const vector[int32_t]& align,
        const vector[Token]& tokens,
    ):
        """Return the EncodedText of `text` (str or bytes) for tokens of its normalized form; ids as in `emit_ids`."""
        cdef EncodedText encoded = self.new_encoded_text(text)
        with nogil:
            encoded.normalized.assign(normalized.begin(), normalized.end())
            self.append_spans(normalized.data(), align.data(), tokens, encoded.spans)
        return encoded

    cdef EncodedText new_encoded_text(self, object text):
        """Return an EncodedText of a str or bytes object, without pieces yet."""
        cdef EncodedText encoded = EncodedText()
        view_utf8(text, &encoded.view)
        encoded.text = text
        encoded.compact = self.normalizer.compact
        encoded.objects = self.objects
        return encoded

    cdef int find_pieces(
        self, const TextView* view, EncodeScratch scratch, vector[uint8_t]& normalized, vector[Span]& spans,
    ) except -1 nogil:
        """Fill `normalized` from a UTF-8 text, and `spans`, empty before, with its pieces and their offsets."""
        self.normalizer.normalize_into(view.data, view.size, normalized, &scratch.align)
        self.segmenter.segment(normalized.data(), <int32_t> normalized.size(), scratch.scratch, scratch.tokens)
        return self.append_spans(normalized.data(), scratch.align.data(), scratch.tokens, spans)

    cdef int append_spans(
        self, const uint8_t* normalized, const int32_t* align, const vector[Token]& tokens, vector[Span]& spans,
    ) except -1 nogil:
        cdef Token token
        cdef int32_t unknown = self.vocab.unknown_index
        cdef bint is_unknown, was_unknown = False
        cdef size_t i
        for i in range(tokens.size()):
            token = tokens.data()[i]
            is_unknown = token.piece_id == unknown
            if is_unknown and self.vocab.byte_fallback:
                self.append_byte_spans(normalized, align, token, spans)
            elif is_unknown and was_unknown and not self.fallback.keeps_unknown:
                spans.back().text_end = token.end
                spans.back().end = align[token.end]
            else:
                spans.push_back(
                    Span(token.piece_id, -1, token.begin, token.end, align[token.begin], align[token.end], True)
                )
            was_unknown = is_unknown
        return 0

    cdef int append_byte_spans(
        self, const uint8_t* text, const int32_t* align, Token token, vector[Span]& spans,
    ) except -1 nogil:
        """Add the byte pieces of one unknown token: the last has its offsets, the others are empty at its start."""
        cdef vector[uint8_t] values
        cdef int32_t begin = align[token.begin]
        cdef size_t i
        escape(text + token.begin, token.end - token.begin, self.normalizer.compact, values)
        for i in range(values.size()):
            spans.push_back(
                Span(self.vocab.byte_ids[values[i]], values[i], token.begin, token.end, begin, begin, False)
            )
        spans.back().end = align[token.end]
        spans.back().has_surface = True
        return 0

    def pieces(self, text, bint as_str):
        """Return the text of each piece of a str or bytes object, as str or bytes; equal to those of `encode_text`."""
        cdef TextView view
        cdef list pieces = None
        view_text(text, NO_PLACE, &view)
        scratch = self.take_scratch()
        try:
            if self.chunks is not None and scratch.n_uncached == 0:
                self.fill_output(&view, scratch)
                pieces = self.known_pieces(scratch.output, as_str)
                scratch.n_uncached = <int> SKIP_CACHE_FOR if pieces is None else 0
            if pieces is None:
                scratch.n_uncached -= scratch.n_uncached > 0
                view_utf8(text, &view)
                with nogil:
                    self.normalizer.normalize_into(view.data, view.size, scratch.text.bytes, NULL)
                    self.segmenter.segment(
                        scratch.text.bytes.data(), <int32_t> scratch.text.bytes.size(), scratch.scratch,
                        scratch.tokens,
                    )
                pieces = self.list_pieces(scratch, as_str)
        except TextError:
            self.give_back(scratch, view.size)
            raise
        self.give_back(scratch, view.size)
        return pieces

    cdef list known_pieces(self, Int32Array ids, bint as_str):
        """Return the vocabulary's piece objects for `ids`; None: an id is unknown, so its text is not known from it."""
        cdef list pieces = []
        cdef size_t i
        for i in range(ids.size):
            if ids.data[i] == self.vocab.unknown_index:
                return None
            pieces.append(self.objects.piece(ids.data[i], as_str))
        return pieces

    cdef list list_pieces(self, EncodeScratch scratch, bint as_str):
        """Return the pieces of the tokens: the vocabulary's piece objects, or new objects for unknown text."""
        cdef const uint8_t* normalized = scratch.text.bytes.data()
        cdef const Token* tokens = scratch.tokens.data()
        cdef int32_t unknown = self.vocab.unknown_index
        cdef vector[int32_t] byte_ids
        cdef size_t i, k, n_tokens = scratch.tokens.size()
        cdef int32_t begin
        cdef list pieces = []
        i = 0
        while i < n_tokens:
            begin = tokens[i].begin
            if tokens[i].piece_id != unknown:
                pieces.append(self.objects.piece(tokens[i].piece_id, as_str))
            elif self.vocab.byte_fallback:
                byte_ids.clear()
                self.fallback.append_unknown(normalized + begin, tokens[i].end - begin, byte_ids)
                for k in range(byte_ids.size()):
                    pieces.append(self.objects.piece(byte_ids[k], as_str))
            else:
                while i + 1 < n_tokens and tokens[i + 1].piece_id == unknown and not self.fallback.keeps_unknown:
                    i += 1  # a run of unknowns is one piece
                if self.vocab.word_rules is not None:
                    while begin < tokens[i].end - 1 and normalized[begin] == 0x20:
                        begin += 1  # spaces are in no piece
                pieces.append(self.unknown_piece(normalized + begin, tokens[i].end - begin, as_str))
            i += 1
        return pieces

    cdef object unknown_piece(self, const uint8_t* text, int32_t size, bint as_str):
        """Return unknown text in the form that the user sees: an escaped space as U+2581."""
        cdef vector[uint8_t] shown
        escape(text, size, self.normalizer.compact, shown)
        if as_str:
            return PyUnicode_DecodeUTF8(<const char*> shown.data(), <Py_ssize_t> shown.size(), "surrogateescape")
        return PyBytes_FromStringAndSize(<const char*> shown.data(), <Py_ssize_t> shown.size())

    def encode_text(self, text):
        """Return an EncodedText: the pieces of a str or bytes object and their offsets."""
        cdef EncodedText encoded = self.new_encoded_text(text)
        scratch = self.take_scratch()
        with nogil:
            self.find_pieces(&encoded.view, scratch, encoded.normalized, encoded.spans)
        self.give_back(scratch, encoded.view.size)
        return encoded

    cdef int show_added(self, vector[uint8_t]& text) except -1 nogil:
        """Write the added tokens of a normalized text as they stand in the vocabulary."""
        cdef vector[uint8_t] shown
        cdef int32_t size = <int32_t> text.size(), pos = 0, end, piece_id
        while pos < size:
            end = next_mark(text.data(), pos, size)
            shown.insert(shown.end(), text.begin() + pos, text.begin() + end)
            if end < size:
                piece_id = marked_id(text.data() + end)
                shown.insert(
                    shown.end(), self.vocab.texts.begin() + self.vocab.begins[piece_id],
                    self.vocab.texts.begin() + self.vocab.begins[piece_id + 1],
                )
                end += MARK_SIZE
            pos = end
        text.swap(shown)
        return 0

    def normalize(self, text, bint as_str=False, bint shows_spaces=True):
        """Return the normalized text of a str or bytes object as bytes, with U+2581 for an escaped space.

        as_str: return a str; bytes that are not UTF-8 become lone surrogates. shows_spaces: else an escaped space is a
        space where the text is compact.
        """
        cdef TextView view
        cdef vector[uint8_t] utf8, normalized, shown
        cdef bint has_marks
        view_text(text, NO_PLACE, &view)
        with nogil:
            transcode_view(&view, NO_PLACE, utf8)
            self.normalizer.normalize_into(view.data, view.size, normalized, NULL)
            has_marks = shows_spaces and self.normalizer.compact and not self.vocab.is_bytes
            escape(normalized.data(), <int32_t> normalized.size(), has_marks, shown)
            if self.vocab.n_added:
                self.show_added(shown)
        if as_str:
            return PyUnicode_DecodeUTF8(<const char*> shown.data(), <Py_ssize_t> shown.size(), "surrogateescape")
        return PyBytes_FromStringAndSize(<const char*> shown.data(), <Py_ssize_t> shown.size())
