"""Encoding of single texts: normalize, cut into chunks where possible, segment, byte fallback."""

cimport cython
from cpython.ref cimport PyObject
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.base.system.arrays cimport Int32Array
from spm_lite.base.system.atomics cimport atomic
from spm_lite.base.system.memory_budget cimport MemoryBudget
from spm_lite.encode.chunks.chunk_encoder cimport ChunkEncoder
from spm_lite.encode.chunks.chunk_solver cimport ChunkScratch
from spm_lite.encode.encoded_text cimport EncodedText, Span
from spm_lite.encode.segment.byte_fallback cimport ByteFallback
from spm_lite.encode.segment.segmenter cimport Scratch, Segmenter, Token
from spm_lite.normalize.normalized_text cimport NormalizedText
from spm_lite.normalize.normalizer cimport Normalizer
from spm_lite.texts.text_view cimport TextView
from spm_lite.vocab.piece_objects cimport PieceObjects
from spm_lite.vocab.vocab cimport Vocab


cdef enum:
    BRIEF_SIZE = 1 << 9     # bytes or characters: releasing the GIL takes longer than encoding a text of this size
    SPARE_BYTES = 1 << 16   # of text: buffers of longer texts are not kept
    N_SPARES = 8
    SKIP_CACHE_FOR = 15         # calls of `pieces`, from one with unknown text on: the next are likely to have some too


@cython.final
cdef class EncodeScratch:
    """The buffers of one call or one thread."""

    cdef NormalizedText text
    cdef vector[int32_t] align
    cdef vector[Token] tokens
    cdef vector[int32_t] ids            # of the tokens
    cdef Int32Array output              # ids of a single call
    cdef int n_uncached                 # calls of `pieces` that will not use the cache
    cdef Scratch scratch                # of the segmenter, for whole texts
    cdef ChunkScratch chunks            # with the chunk cache; None: texts are not cut

    cdef void forget_text(self) noexcept nogil


@cython.final
cdef class Encoder:
    cdef readonly Normalizer normalizer
    cdef readonly Segmenter segmenter
    cdef readonly Vocab vocab
    cdef readonly PieceObjects objects
    cdef readonly MemoryBudget budget
    cdef readonly ChunkEncoder chunks   # None: texts are not cut
    cdef ByteFallback fallback
    cdef atomic[PyObject*] spares[N_SPARES]     # EncodeScratch objects between calls, owned; NULL: empty

    cpdef list encode(self, object text)
    cpdef object count(self, object text)
    cdef EncodeScratch take_scratch(self)
    cdef int give_back(self, EncodeScratch scratch, int64_t size) except -1
    cdef void drop_spares(self) noexcept
    cdef EncodeScratch new_scratch(self)
    cdef int fill_output(self, const TextView* view, EncodeScratch scratch) except -1
    cdef list known_pieces(self, Int32Array ids, bint as_str)
    cdef list list_pieces(self, EncodeScratch scratch, bint as_str)
    cdef object unknown_piece(self, const uint8_t* text, int32_t size, bint as_str)
    cdef int append_ids(
        self, const TextView* view, Py_ssize_t index, EncodeScratch scratch, Int32Array ids,
    ) except -1 nogil
    cdef int64_t count_ids(self, const TextView* view, Py_ssize_t index, EncodeScratch scratch) except -1 nogil
    cdef bint append_in_parts(
        self, const TextView* view, Py_ssize_t index, EncodeScratch scratch, Int32Array ids, bint is_counting,
    ) except -1 nogil
    cdef int64_t append_whole(
        self, int32_t n_bytes, EncodeScratch scratch, Int32Array ids, bint is_counting,
    ) except -1 nogil
    cdef int emit_ids(
        self, const vector[uint8_t]& normalized, const vector[Token]& tokens, vector[int32_t]& ids,
    ) except -1 nogil
    cdef EncodedText emit_text(
        self, object text, const vector[uint8_t]& normalized, const vector[int32_t]& align,
        const vector[Token]& tokens,
    )
    cdef int show_added(self, vector[uint8_t]& text) except -1 nogil
    cdef EncodedText new_encoded_text(self, object text)
    cdef int find_pieces(
        self, const TextView* view, EncodeScratch scratch, vector[uint8_t]& normalized, vector[Span]& spans,
    ) except -1 nogil
    cdef int append_spans(
        self, const uint8_t* normalized, const int32_t* align, const vector[Token]& tokens, vector[Span]& spans,
    ) except -1 nogil
    cdef int append_byte_spans(
        self, const uint8_t* text, const int32_t* align, Token token, vector[Span]& spans,
    ) except -1 nogil
