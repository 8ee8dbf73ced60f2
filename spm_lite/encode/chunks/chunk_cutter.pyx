"""Cuts text and makes cache keys, a few chunks at a time: between pairs, at words or by a split pattern.

`next_keys` chooses the way. The hot loop is that of `next_pieces`. Header: chunk_cutter.pxd.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from spm_lite.base.system.intrinsics cimport first_bit
from spm_lite.base.unicode.bert_words cimport WordRules, end_of_word, rest_of_word
from spm_lite.base.unicode.split_classes cimport SplitRules
from spm_lite.base.unicode.token_mark cimport MARK_SIZE, next_mark
from spm_lite.base.unicode.utf8 cimport BLOCK_BYTES, NO_CHAR
from spm_lite.encode.chunks.chunk_cache cimport CacheView, Key, make_key
from spm_lite.encode.chunks.merge_cuts cimport MergeCuts
from spm_lite.encode.chunks.pair_cuts cimport (
    LEAST_SPLITS, PairCuts, PairView, Scan, begin_ascii, begin_bytes, is_in_ascii, next_ascii_cuts, next_ends,
    next_other_ends,
)
from spm_lite.encode.chunks.space_cuts cimport RIGHT_BYTES, SETTLED_BYTES, drop_spanned
from spm_lite.encode.segment.bpe cimport BpeSegmenter
from spm_lite.encode.segment.segmenter cimport Segmenter
from spm_lite.encode.segment.split_text cimport SplitSegmenter
from spm_lite.encode.segment.split_rules cimport end_of_next_match, last_break
from spm_lite.base.patterns.text_cuts cimport CutScratch, Part
from spm_lite.encode.segment.wordpiece cimport WordPieceSegmenter

cdef enum:
    # Merge cuts are used where the vocabulary has many pairs that are not ASCII and the chunks are long. They save a
    # fifth of cold Thai with 64,000 pieces of many scripts. With 16,000 pieces of Thai alone, which have fewer pairs,
    # no time was saved.
    MANY_PAIRS = 1 << 13
    SPARSE_BYTES = 18
    MAX_SPARSENESS = 1 << 12


@cython.final
cdef class ChunkCutter:
    """Cuts a text where no piece can span the cut (see pair_cuts.pxd and merge_cuts.pxd)."""

    def __cinit__(self, Segmenter segmenter not None):
        self.segmenter = segmenter
        self.words = segmenter if isinstance(segmenter, WordPieceSegmenter) else None
        self.split = segmenter if isinstance(segmenter, SplitSegmenter) else None
        self.cuts = None if self.split is None else self.split.cuts
        self.sparse_bytes = SPARSE_BYTES
        self.least_splits = LEAST_SPLITS

    cdef int prepare(self) except -1:
        """Make the tables of cuts when the first text comes: that takes longer than some programs use the model."""
        with cython.critical_section(self):
            if self.pairs is None and self.cuts is None:
                self.take_cuts()
        return 0

    cdef int take_cuts(self) except -1:
        cdef PairCuts pairs = PairCuts(self.segmenter.vocab, self.least_splits)
        if isinstance(self.segmenter, BpeSegmenter) and (
            pairs.others.n_hashes >= <int64_t> MANY_PAIRS or self.sparse_bytes == 0
        ) and not pairs.view.is_bytes and self.segmenter.vocab.merge_list is None:
            table = (<BpeSegmenter> self.segmenter).table
            self.merge_cuts = MergeCuts(self.segmenter.vocab, table, pairs.others.n_hashes)
        if isinstance(self.segmenter, BpeSegmenter) and pairs.view.spaces.row_words:
            (<BpeSegmenter> self.segmenter).find_first_joining()
        self.pairs = pairs  # last: once `pairs` is set, `merge_cuts` is final
        return 0

    cdef int next_keys(
        self, const uint8_t* text, int32_t size, const CacheView* cache, CutState* state, Key* keys,
    ) noexcept nogil:
        """Fill the keys of the next chunks and prefetch their entries; return the number of chunks. state: moves on."""
        if self.words is not None:
            return self.next_words(text, size, cache, state, keys)
        if self.split is not None:
            return self.next_matches(text, size, cache, state, keys)
        if self.pairs.view.spaces.row_words:
            return self.next_word_runs(text, size, cache, state, keys)
        return self.next_pieces(text, size, cache, state, keys)

    cdef int next_pieces(
        self, const uint8_t* text, int32_t size, const CacheView* cache, CutState* state, Key* keys,
    ) noexcept nogil:
        """Make the next keys in a model whose cuts no piece spans; return their number."""
        cdef PairView pairs = self.pairs.view
        cdef CacheView view = cache[0]      # copies: the compiler knows that writing keys does not change them
        cdef Scan scan = state.scan
        cdef int32_t sparseness = state.sparseness, sparse_bytes = self.sparse_bytes, n_plain = 0
        cdef bint is_sparse = self.merge_cuts is not None and (sparseness > 0 or sparse_bytes == 0)
        cdef Key* key = keys
        cdef const Key* enough = keys + <int> CHUNKS_AT_ONCE
        cdef int32_t ends[BLOCK_BYTES]
        cdef const int32_t* last
        cdef const int32_t* place
        cdef int32_t begin = state.begin, end, first
        cdef uint64_t cuts
        if pairs.is_bytes:
            begin_bytes(size, &scan)
        else:
            begin_ascii(text, size, &scan)
        # Keys are made for a few chunks before the next are cut: many prefetches at once hinder each other.
        while key < enough and scan.pos < size:
            if pairs.is_bytes or is_in_ascii(text, &scan):
                first = scan.pos
                cuts = next_ascii_cuts(&pairs, text, size, &scan)
                while cuts:  # `next_ends` would store the places first: 7 % slower on English
                    end = first + first_bit(cuts)
                    cuts &= cuts - 1
                    make_key(&view, text, begin, end, key)
                    begin = end
                    key += 1
            else:
                place = ends
                first = scan.pos
                if is_sparse:
                    last = self.merge_cuts.next_merge_ends(
                        &pairs, text, size, state.is_whole, begin, &scan, ends, &n_plain
                    )
                else:
                    last = next_other_ends(&pairs, text, size, &scan, ends)
                    n_plain = <int32_t> (last - ends)
                sparseness += scan.pos - first - n_plain * sparse_bytes
                while place < last:
                    make_key(&view, text, begin, place[0], key)
                    begin = place[0]
                    place += 1
                    key += 1
        if scan.pos >= size and state.is_whole:
            make_key(&view, text, begin, size, key)
            begin = size
            key += 1
        state.begin = begin
        state.sparseness = max(min(sparseness, <int32_t> MAX_SPARSENESS), -<int32_t> MAX_SPARSENESS)
        state.scan = scan
        return <int> (key - keys)

    cdef int next_word_runs(
        self, const uint8_t* text, int32_t size, const CacheView* cache, CutState* state, Key* keys,
    ) noexcept nogil:
        """Make the next keys in a model whose pieces hold words in a row; return their number."""
        cdef const PairView* pairs = &self.pairs.view
        cdef CacheView view = cache[0]
        cdef bint is_sparse = self.merge_cuts is not None and (state.sparseness > 0 or self.sparse_bytes == 0)
        cdef int32_t places[MOST_CHUNKS]
        cdef int32_t* last = places
        cdef const int32_t* place = places
        cdef const int32_t* enough = places + <int> CHUNKS_AT_ONCE
        cdef int32_t* others
        cdef int32_t begin = state.begin, first, n_plain = 0, end = size
        cdef Key* key = keys
        if not state.is_whole:
            state.n_unsettled = SETTLED_BYTES
            end = next_char(text, max(size - <int32_t> SETTLED_BYTES, 0))
        while last < enough and state.scan.pos < end:
            others = last
            first = state.scan.pos
            if is_sparse and not is_in_ascii(text, &state.scan):
                last = self.merge_cuts.next_merge_ends(
                    pairs, text, end, state.is_whole, begin, &state.scan, last, &n_plain,
                )
            else:
                last = next_ends(pairs, text, end, &state.scan, last)
                n_plain = <int32_t> (last - others)
            state.sparseness += state.scan.pos - first - n_plain * self.sparse_bytes
        last = drop_spanned(&pairs.spaces, text, places, last)
        while place < last:
            make_key(&view, text, begin, place[0], key)
            begin = place[0]
            place += 1
            key += 1
        if state.scan.pos >= size and state.is_whole:
            make_key(&view, text, begin, size, key)
            begin = size
            key += 1
        state.begin = begin
        state.sparseness = max(min(state.sparseness, <int32_t> MAX_SPARSENESS), -<int32_t> MAX_SPARSENESS)
        return <int> (key - keys)

    cdef int next_words(
        self, const uint8_t* text, int32_t size, const CacheView* cache, CutState* state, Key* keys,
    ) noexcept nogil:
        """Make the next keys of WordPiece, each of a word with the spaces before it; return their number."""
        cdef WordRules rules = self.words.rules
        cdef CacheView view = cache[0]
        cdef Key* key = keys
        cdef const Key* enough = keys + <int> CHUNKS_AT_ONCE
        cdef int32_t begin = state.begin, pos
        while key < enough and begin < size:
            # A word that came in parts is read on at its last character: it may be millions of bytes.
            pos = last_char(text, begin, state.scan.pos)
            while pos < size and text[pos] == 0x20:
                pos += 1
            if pos > begin and text[pos - 1] != 0x20:
                pos = rest_of_word(&rules, text, size, pos)
            elif pos < size:
                pos += end_of_word(&rules, text + pos, size - pos)
            if pos == size and not state.is_whole:
                state.scan.pos = size  # the last word may go on
                break
            make_key(&view, text, begin, pos, key)
            begin = pos
            state.scan.pos = pos
            key += 1
        state.begin = begin
        return <int> (key - keys)

    cdef int next_matches(
        self, const uint8_t* text, int32_t size, const CacheView* cache, CutState* state, Key* keys,
    ) noexcept nogil:
        """Make the next keys under a split pattern, each of a match; return their number."""
        cdef SplitRules rules = self.split.rules
        cdef CacheView view = cache[0]
        cdef Key* key = keys
        cdef const Key* enough = keys + <int> CHUNKS_AT_ONCE
        cdef int32_t begin = state.begin, end
        cdef bint at_end = False, has_added = state.is_whole and self.split.vocab.n_added > 0
        if not state.is_whole and size < state.patience:
            state.scan.pos = size
            return 0
        while key < enough and begin < size:
            if has_added and begin >= state.part_end:
                state.part_end = next_mark(text, begin, size)
            if has_added and begin == state.part_end:
                end = begin + <int32_t> MARK_SIZE
            else:
                end = end_of_next_match(&rules, text, begin, state.part_end if has_added else size, &at_end)
            if at_end and not state.is_whole:
                # The match may go on, for millions of bytes. It is read again once there is twice as much.
                state.scan.pos = size
                state.patience = begin + 2 * <int64_t> (size - begin)
                break
            at_end = False
            make_key(&view, text, begin, end, key)
            begin = end
            state.scan.pos = end
            key += 1
        state.begin = begin
        return <int> (key - keys)

    cdef int next_parts(
        self, const uint8_t* text, int32_t size, const CacheView* cache, CutState* state, CutScratch cuts, Key* keys,
    ) except -1 nogil:
        """Make the next keys under compiled patterns, each of a part; return their number."""
        cdef CacheView view = cache[0]
        cdef const Part* parts
        cdef int32_t begin = state.begin
        cdef size_t i, n
        if cuts.n_taken == cuts.parts.size():
            if not state.is_whole and (size < state.patience or not self.cuts.has_windows):
                state.scan.pos = size
                return 0
            cuts.scan.is_whole = state.is_whole
            if state.is_whole and self.split.vocab.n_added:
                cuts.done = self.cut_at_marks(text, begin, size, state, cuts)
            else:
                cuts.done = self.cuts.cut(text, begin, size, cuts)
            if cuts.done == begin and not state.is_whole:
                # The next part may go on, for millions of bytes. It is read again once there is twice as much.
                state.scan.pos = size
                state.patience = begin + 2 * <int64_t> (size - begin)
                return 0
        parts = cuts.parts.data() + cuts.n_taken
        n = min(cuts.parts.size() - cuts.n_taken, <size_t> CHUNKS_AT_ONCE)
        for i in range(n):
            make_key(&view, text, parts[i].begin, parts[i].end, keys + i)
        cuts.n_taken += n
        state.scan.pos = state.begin = parts[n].begin if cuts.n_taken < cuts.parts.size() else cuts.done
        return <int> n

    cdef int32_t cut_at_marks(
        self, const uint8_t* text, int32_t begin, int32_t size, CutState* state, CutScratch cuts,
    ) except -1 nogil:
        """Set the parts of `cuts` to an added token, or to parts of the text before the next; return where they end."""
        if begin >= state.part_end:
            state.part_end = next_mark(text, begin, size)
            cuts.start(True)
        if begin < state.part_end:
            return self.cuts.cut_between(text, begin, state.part_end, cuts)
        cuts.parts.clear()
        cuts.n_taken = 0
        cuts.parts.push_back(Part(begin, begin + <int32_t> MARK_SIZE))
        return begin + <int32_t> MARK_SIZE

    cdef int32_t last_cut(self, const uint8_t* text, int32_t size, int32_t begin) noexcept nogil:
        """Return the last place where a normalized text may be cut, at least a character after `begin`; 0: none."""
        if self.words is not None:
            return last_space(text, size, begin)
        if self.cuts is not None:
            return 0  # only a walk from the start of the text tells
        if self.split is not None:
            return last_break(&self.split.rules, text, size, begin)
        return self.last_pair_cut(text, size, begin)

    cdef int32_t last_pair_cut(self, const uint8_t* text, int32_t size, int32_t begin) noexcept nogil:
        """Return the last cut, at least a character after `begin`, in a model whose cuts no piece spans; 0: none."""
        cdef PairView pairs = self.pairs.view
        cdef Scan scan
        cdef int32_t ends[BLOCK_BYTES]
        cdef int32_t found = 0, pos
        cdef int64_t reach = BLOCK_BYTES
        cdef const int32_t* last
        while found == 0 and size - reach // 2 > begin:
            pos = <int32_t> max(<int64_t> begin, size - reach)
            while pos < size and text[pos] & 0xC0 == 0x80:
                pos += 1
            scan = Scan(pos, NO_CHAR)
            while scan.pos < size:
                last = next_ends(&pairs, text, size, &scan, ends)
                if pairs.spaces.row_words:
                    while last > ends and (last - 1)[0] >= size - <int32_t> RIGHT_BYTES:
                        last -= 1  # what follows may make it a place that a piece spans
                    last = drop_spanned(&pairs.spaces, text, ends, last)
                if last > ends:
                    found = (last - 1)[0]
            reach *= 2
        return found


cdef inline int32_t next_char(const uint8_t* text, int32_t pos) noexcept nogil:
    """Return the offset of the first character from `pos` on; at most three bytes after it."""
    for _ in range(3):
        pos += text[pos] & 0xC0 == 0x80
    return pos


cdef inline int32_t last_char(const uint8_t* text, int32_t begin, int32_t end) noexcept nogil:
    """Return the offset of the last character before `end`, which may be incomplete; at least `begin`."""
    cdef int32_t pos = max(begin, end - 1)
    while pos > begin and text[pos] & 0xC0 == 0x80:
        pos -= 1
    return pos


cdef int32_t last_space(const uint8_t* text, int32_t size, int32_t begin) noexcept nogil:
    """Return the offset of the last space after `begin`; 0: none."""
    cdef int32_t pos = size - 1
    while pos > begin and text[pos] != 0x20:
        pos -= 1
    return pos if pos > begin else 0
