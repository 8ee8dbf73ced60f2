"""The table of segmenters by model type, and what a segmenter does unless it overrides it. Header: segmenter.pxd."""

from libc.stdint cimport int32_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.vocab.vocab cimport Vocab

from spm_lite.errors import ModelError

SEGMENTERS = {
    "unigram": ("spm_lite.encode.segment.unigram", "UnigramSegmenter"),
    "bpe": ("spm_lite.encode.segment.bpe", "BpeSegmenter"),
    "byte_bpe": ("spm_lite.encode.segment.bpe", "BpeSegmenter"),
    "byte": ("spm_lite.encode.segment.byte", "ByteSegmenter"),
    "char": ("spm_lite.encode.segment.char", "CharSegmenter"),
    "word": ("spm_lite.encode.segment.word", "WordSegmenter"),
    "wordpiece": ("spm_lite.encode.segment.wordpiece", "WordPieceSegmenter"),
}


class Stopped(Exception):
    """Another thread of the job has stopped; it reports the reason."""


cdef int give_up() except -1 nogil:
    with gil:
        raise Stopped


cdef class Scratch:
    """Buffers of one call or one thread; each segmenter has its own kind."""

    cdef void start(self) noexcept nogil:
        """Forget the last text, even if a signal ended it."""
        self.sure_end = 0


cdef class Segmenter:
    """Best segmentation under one vocabulary. Tokens join to the text; unknown tokens are not yet joined to runs."""

    def __cinit__(self, Vocab vocab not None, bint compact):
        self.vocab = vocab
        self.compact = compact

    cdef Scratch new_scratch(self):
        return Scratch()

    cdef int segment(
        self, const uint8_t* text, int32_t size, Scratch scratch, vector[Token]& tokens,
    ) except -1 nogil:
        with gil:
            raise NotImplementedError(f"{type(self).__name__} does not segment")

    cdef int32_t segment_next(
        self, const uint8_t* text, int32_t size, int32_t begin, Scratch scratch, vector[Token]& tokens,
    ) except -1 nogil:
        """Segment all at once, where a part of the text is not enough."""
        self.segment(text, size, scratch, tokens)
        scratch.sure_end = size
        return size


def make_segmenter(Vocab vocab not None, str model_type not None, bint compact):
    """The segmenter of a model type, a key of SEGMENTERS, over `vocab`.

    compact: whether normalized text holds an escaped space as one byte (0x20). Raises ModelError for other types.
    """
    from importlib import import_module

    try:
        module, name = SEGMENTERS[model_type]
    except KeyError:
        known = ", ".join(SEGMENTERS)
        raise ModelError(f"model type {model_type!r} is not one of {known}: the file needs another program") from None
    segmenter = getattr(import_module(module), name)(vocab, compact)
    if vocab.is_cut:
        return getattr(import_module("spm_lite.encode.segment.split_text"), "split_segmenter")(segmenter)
    return segmenter
