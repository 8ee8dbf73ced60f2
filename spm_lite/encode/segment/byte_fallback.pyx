"""Turns tokens into ids: unknown text becomes byte pieces, or each run of it one unknown id.

`append_unknown` decides. Short chunks of BPE do the same in `collect_ids` of merge_array.pxd.
Header: byte_fallback.pxd.
"""

cimport cython
from libc.stdint cimport int32_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.encode.segment.segmenter cimport Token
from spm_lite.vocab.merge_list cimport MergeList
from spm_lite.vocab.vocab cimport Vocab


@cython.final
cdef class ByteFallback:
    """Converts tokens to ids: unknown text becomes byte pieces, or one unknown id for each run."""

    def __cinit__(self, Vocab vocab not None, bint compact):
        self.vocab = vocab
        self.compact = compact
        cdef MergeList listed = vocab.merge_list
        self.keeps_unknown = vocab.word_rules is not None
        if not vocab.byte_fallback:  # the parts of a text that is cut keep their unknown characters apart
            self.keeps_unknown |= vocab.is_cut or listed is not None and not listed.fuse_unknown
        self.merges_unknown = not vocab.byte_fallback and not self.keeps_unknown

    cdef int append(
        self, const uint8_t* text, const vector[Token]& tokens, bint* was_unknown, vector[int32_t]& ids,
    ) except -1 nogil:
        """Append the ids of the tokens of a normalized text."""
        cdef const Token* token = tokens.data()
        cdef int32_t unknown = self.vocab.unknown_index
        cdef bint in_run = was_unknown[0]
        cdef size_t i
        for i in range(tokens.size()):
            if token[i].piece_id != unknown or self.keeps_unknown:
                ids.push_back(token[i].piece_id)
                in_run = False
            elif not self.merges_unknown:
                self.append_unknown(text + token[i].begin, token[i].end - token[i].begin, ids)
            elif not in_run:
                ids.push_back(unknown)
                in_run = True
        was_unknown[0] = in_run
        return 0

    cdef int append_unknown(self, const uint8_t* text, int32_t size, vector[int32_t]& ids) except -1 nogil:
        """Append unknown text as byte pieces; an escaped space becomes the bytes of U+2581, as in the original.

        (They do not decode to a space. Lossless models have a piece for the space, so there it is never unknown.)
        """
        cdef const int32_t* byte_ids = self.vocab.byte_ids
        cdef int32_t i
        for i in range(size):
            if not self.compact or text[i] != 0x20:
                ids.push_back(byte_ids[text[i]])
            else:
                ids.push_back(byte_ids[0xE2])
                ids.push_back(byte_ids[0x96])
                ids.push_back(byte_ids[0x81])
        return 0
