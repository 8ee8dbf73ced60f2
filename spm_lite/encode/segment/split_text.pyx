"""Cuts a text by its patterns; the segmenter of the model type gets each part by itself (`segment_part`).

Byte-level BPE with a known pattern looks each match up as a whole before it merges it, as tiktoken does.

Header: split_text.pxd.
"""

cimport cython
from libc.stdint cimport int32_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.base.unicode.split_classes cimport split_classes
from spm_lite.base.unicode.token_mark cimport MARK_SIZE, is_mark, marked_id, next_mark
from spm_lite.encode.segment.bpe cimport BpeSegmenter
from spm_lite.encode.segment.piece_table cimport find_id
from spm_lite.encode.segment.segmenter cimport TOKENS_AT_ONCE, Scratch, Segmenter, Token, go_on
from spm_lite.base.patterns.text_cuts cimport Part, make_cuts
from spm_lite.encode.segment.split_rules cimport ASCII_ROOM, end_of_match, end_of_next_match
from spm_lite.encode.segment.unigram cimport UnigramSegmenter
from spm_lite.encode.segment.word cimport WordSegmenter
from spm_lite.encode.segment.wordpiece cimport WordPieceScratch, WordPieceSegmenter
from spm_lite.vocab.vocab cimport NORMAL, Vocab

from spm_lite.vocab.split_pattern_names import RULES


cdef int set_rules(SplitRules* rules, str pattern) except -1:
    form, max_digits, has_contractions, takes_end = RULES[pattern]
    rules[0] = SplitRules(split_classes(), form, max_digits, has_contractions, takes_end)
    return 0


@cython.final
cdef class SplitScratch(Scratch):
    """Buffers for one part."""

    cdef void start(self) noexcept nogil:
        self.sure_end = self.part_end = 0
        self.inner.start()


@cython.final
cdef class SplitSegmenter(Segmenter):
    """Cuts a text by patterns. No piece spans a cut. Source: tiktoken, and the pre-tokenizers of tokenizers.

    Unknown characters side by side are one id within a part, if they are so in the model type, and never across a cut.
    """

    def __cinit__(self, Vocab vocab not None, bint compact):
        cdef int32_t i
        if vocab.splits:
            self.cuts = make_cuts(vocab.splits)
        else:
            set_rules(&self.rules, vocab.split_pattern)
        for i in range(vocab.size):
            if vocab.types[i] == NORMAL:
                self.longest = max(self.longest, <int32_t> len(vocab.text(i)))

    cdef int take_inner(self, Segmenter inner) except -1:
        """Set the segmenter of a part, once."""
        self.inner = inner
        self.bpe = inner if isinstance(inner, BpeSegmenter) else None
        self.pieces = inner if isinstance(inner, WordPieceSegmenter) else None
        self.words = inner if isinstance(inner, WordSegmenter) else None
        self.fuses = isinstance(inner, UnigramSegmenter) and not self.vocab.byte_fallback
        return 0

    cdef Scratch new_scratch(self):
        scratch = SplitScratch()
        scratch.inner = self.inner.new_scratch()
        scratch.cuts = None if self.cuts is None else self.cuts.new_scratch()
        return scratch

    cdef int segment(
        self, const uint8_t* text, int32_t size, Scratch scratch, vector[Token]& tokens,
    ) except -1 nogil:
        cdef int32_t begin = 0
        tokens.clear()
        (<SplitScratch> scratch).part_end = 0
        while begin < size:
            begin = self.append_match(text, size, begin, <SplitScratch> scratch, tokens)
        return 0

    cdef int32_t segment_next(
        self, const uint8_t* text, int32_t size, int32_t begin, Scratch scratch, vector[Token]& tokens,
    ) except -1 nogil:
        tokens.clear()
        (<SplitScratch> scratch).part_end = 0
        while begin < size and tokens.size() < <size_t> TOKENS_AT_ONCE:
            begin = self.append_match(text, size, begin, <SplitScratch> scratch, tokens)
        scratch.sure_end = begin
        return begin

    cdef int32_t whole_piece(self, const uint8_t* match, int32_t size) noexcept nogil:
        if self.vocab.n_added and is_mark(match, size):
            return marked_id(match)
        if size > self.longest or self.bpe is None:
            return -1
        if self.bpe.listed is not None:
            return self.bpe.listed.find_piece(match, size) if self.bpe.listed.looks_up else -1
        return find_id(&self.bpe.table.view, match, size, size)

    cdef int32_t append_match(
        self, const uint8_t* text, int32_t size, int32_t begin, SplitScratch scratch, vector[Token]& tokens,
    ) except -1 nogil:
        cdef bint at_end = False
        cdef int32_t end
        cdef Part part
        if self.vocab.n_added:
            if is_mark(text + begin, size - begin):
                tokens.push_back(Token(marked_id(text + begin), begin, begin + <int32_t> MARK_SIZE))
                return begin + <int32_t> MARK_SIZE
            if begin >= scratch.part_end:
                scratch.part_end = next_mark(text, begin, size)
                if self.cuts is not None:
                    scratch.cuts.start(True)
            size = scratch.part_end
        elif begin == 0 and self.cuts is not None:
            scratch.cuts.start(True)
        if self.cuts is None:
            end = end_of_match(&self.rules, text, begin, size, &at_end)
            self.append_whole(text, begin, end, scratch, tokens)
            return end
        end = self.cuts.cut_between(text, begin, size, scratch.cuts)
        for part in scratch.cuts.parts:
            self.append_whole(text, part.begin, part.end, scratch, tokens)
        return end

    cdef int append_whole(
        self, const uint8_t* text, int32_t begin, int32_t end, SplitScratch scratch, vector[Token]& tokens,
    ) except -1 nogil:
        """Add the tokens of one match."""
        cdef Token token
        go_on(scratch, end - begin)
        self.segment_part(text + begin, end - begin, scratch.inner, scratch.match)
        for token in scratch.match:
            tokens.push_back(Token(token.piece_id, begin + token.begin, begin + token.end))
        return 0

    cdef int segment_part(
        self, const uint8_t* part, int32_t size, Scratch inner, vector[Token]& tokens,
    ) except -1 nogil:
        cdef int32_t piece_id = self.whole_piece(part, size)
        if piece_id >= 0:
            tokens.assign(1, Token(piece_id, 0, size))
        elif self.words is not None:
            tokens.assign(1, Token(self.words.find_word(part, size, size), 0, size))
        elif self.pieces is not None:
            tokens.clear()
            self.pieces.match_word(part, size, <WordPieceScratch> inner, 0, tokens)
        else:
            self.inner.segment(part, size, inner, tokens)
            if self.fuses:
                fuse_unknown(tokens, self.vocab.unknown_index)
        return 0

    def part_begins(self, bytes text not None):
        """Where the parts of a text without added tokens begin, in bytes."""
        cdef int32_t begin = 0, size = <int32_t> len(text)
        cdef bytes with_room = text + bytes(ASCII_ROOM)
        cdef const uint8_t* data = with_room
        cdef bint at_end = False
        cdef CutScratch scratch
        cdef list found = []
        if self.cuts is None:
            while begin < size:
                found.append(begin)
                begin = end_of_match(&self.rules, data, begin, size, &at_end)
            return found
        scratch = self.cuts.new_scratch()
        scratch.start(True)
        while begin < size:
            begin = self.cuts.cut_between(data, begin, size, scratch)
            for part in scratch.parts:
                found.append(part.begin)
        return found


def split_segmenter(Segmenter inner not None):
    """Return the segmenter that cuts a text and gives each part to another one."""
    split = SplitSegmenter(inner.vocab, inner.compact)
    split.take_inner(inner)
    return split


cdef void fuse_unknown(vector[Token]& tokens, int32_t unknown) noexcept nogil:
    """Make one token of unknown ones side by side."""
    cdef size_t n = 0, i
    for i in range(tokens.size()):
        if n and tokens[i].piece_id == unknown and tokens[n - 1].piece_id == unknown:
            tokens[n - 1].end = tokens[i].end
            continue
        tokens[n] = tokens[i]
        n += 1
    tokens.resize(n)


def matches(bytes text, str pattern not None, bint one_by_one=False):
    """Return the matches of a pattern, a key of RULES, in the order of the text.

    one_by_one: look at each character alone, also in words of ASCII. The matches are the same.
    """
    cdef SplitRules rules
    cdef bytes with_room = text + bytes(ASCII_ROOM)
    cdef const uint8_t* data = with_room
    cdef int32_t size = <int32_t> len(text), begin = 0, end
    cdef bint at_end = False
    cdef list found = []
    set_rules(&rules, pattern)
    while begin < size:
        if one_by_one:
            end = end_of_match(&rules, data, begin, size, &at_end)
        else:
            end = end_of_next_match(&rules, data, begin, size, &at_end)
        found.append(text[begin:end])
        begin = end
    return found
