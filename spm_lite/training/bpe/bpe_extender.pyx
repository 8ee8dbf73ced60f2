"""Continued merges: BPE goes on where a model ends, and the encoding of the model is what it begins with.

All old merges have better scores than new ones. So encoding first cuts a text as the old model does, and then makes the
new merges in their order. An old piece that no text could give may come about after a new merge: `merge_at` makes it at
once, as encoding does. Two symbols of one text stand side by side in one way only, so pairs are counted as in a
training. The exception are such old pieces, after which all pairs are counted anew.
"""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libcpp.string cimport string
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector

from spm_lite.base.structures.byte_keys cimport KEY_BYTES
from spm_lite.base.unicode.utf8 cimport encode_char
from spm_lite.encode.segment.bpe cimport BpeSegmenter
from spm_lite.encode.segment.segmenter cimport Scratch, Token
from spm_lite.training.bpe.bpe_trainer cimport BpeTrainer
from spm_lite.training.bpe.pairs cimport LearnedMerge, Pair, PairTable
from spm_lite.training.bpe.symbols cimport NO_SYMBOL, Cell, LearnedSymbol, pair_char, write_merge
from spm_lite.training.counts.chunk_table cimport ChunkTable, Origin
from spm_lite.training.trainer_interface cimport Alphabet, str_of
from spm_lite.vocab.vocab cimport Vocab, is_plain

from spm_lite.vocab.derived import for_merging

cdef uint32_t NONE = <uint32_t> -1


@cython.final
cdef class BpeExtender(BpeTrainer):
    """Merges on top of those of a model; see `extend`."""

    cdef BpeSegmenter segmenter         # of the model, with UNUSED pieces as plain ones: they are steps of merging
    cdef Scratch scratch
    cdef vector[Token] tokens           # of one run of cells
    cdef vector[uint8_t] text           # of that run
    cdef vector[uint32_t] piece_symbols     # per id of the model: its symbol, NO_SYMBOL if the text has none
    cdef unordered_map[string, uint32_t] dead   # code points of an old piece that no text gives -> its symbol
    cdef vector[float] dead_scores      # from the first symbol of such a piece on
    cdef uint32_t first_dead            # that symbol
    cdef uint64_t dead_begin            # cells from here on hold the texts of these pieces, with weight 0
    cdef PairTable protected            # pairs that must not be merged
    cdef object may_be_piece            # of a text, a str or bytes: whether it may become a piece
    cdef bint is_stale                  # a merge has made an old piece, so all pairs are to be counted anew

    def extend(
        self, ChunkTable counts not None, Alphabet alphabet not None, spec, uint64_t n_merges, Vocab vocab not None,
        float least_score, may_be_piece, ChunkTable protect=None, progress=None,
    ):
        """Return (text, left part, right part, weighted count) of each new merge in order, at most `n_merges`.

        counts: chunks cut by the model's own rules. alphabet: all characters of `counts` and `protect` that may stand
        beside others. spec: the rules for new pieces. vocab: of the model. least_score: old pieces with lower scores
        merge after the new ones. may_be_piece: a function of a text. protect: chunks that stay as they are. Texts are
        str or, where pieces are bytes, bytes.
        """
        cdef uint64_t floor, n_first
        self.start(counts, spec, False)
        self.segmenter = BpeSegmenter(for_merging(vocab, least_score), False)
        self.scratch = self.segmenter.new_scratch()
        self.may_be_piece = may_be_piece
        self.piece_symbols.resize(vocab.size, NO_SYMBOL)
        self.fill_symbols(alphabet)
        self.protected = PairTable()
        if protect is not None:
            self.protect_pairs(protect)
            self.table = counts
        self.fill_dead()
        floor = self.likely_floor(n_merges)
        self.fill_cells(spec.graphemes)
        with nogil:
            self.cut_cells()
        n_first = self.symbols.symbols.size()
        self.fill_pairs(floor, 0, self.cells.size() - 1)
        self.merge_pairs(alphabet, n_first + n_merges, progress)
        return [
            (self.piece(n_first + i), self.piece(self.made[i].left), self.piece(self.made[i].right), self.made[i].count)
            for i in range(self.made.size())
        ]

    cdef object piece(self, uint64_t symbol):
        """Return the text of a symbol as a str or, where pieces are bytes, bytes."""
        text = self.text_of(symbol)
        return text.encode("latin-1") if self.symbols.rules.in_bytes else text

    cdef int protect_pairs(self, ChunkTable protect) except -1:
        """Note all pairs of neighbours in the old encoding of a text."""
        self.table = protect
        BpeTrainer.fill_cells(self, False)
        with nogil:
            self.cut_cells()
            self.note_pairs()
        self.cells.clear()
        self.weights.clear()
        return 0

    cdef int note_pairs(self) except -1 nogil:
        """Enter the pairs of all cells into `protected`."""
        cdef const LearnedSymbol* symbols = self.symbols.symbols.data()
        cdef uint64_t i = 0, next_one
        while i < self.cells.size():
            next_one = i + 1
            if self.cells[i].symbol != NO_SYMBOL:
                next_one = i + symbols[self.cells[i].symbol].length
                if self.cells[next_one].symbol != NO_SYMBOL:
                    self.protected.insert(self.cells[i].symbol, self.cells[next_one].symbol)
            i = next_one
        return 0

    cdef int fill_dead(self) except -1:
        """Make a symbol of each old piece that its own text does not give. With a list of merges none can come about.

        A piece with a character that the text lacks is left out.
        """
        cdef Vocab vocab = self.segmenter.vocab
        cdef vector[uint32_t] units
        cdef int32_t piece_id
        self.first_dead = <uint32_t> self.symbols.symbols.size()
        if vocab.merge_list is not None:
            return 0
        for piece_id in range(vocab.size):
            if not is_plain(vocab.types[piece_id]) or not self.is_dead(piece_id):
                continue
            text = vocab.text(piece_id).decode("latin-1" if vocab.is_bytes else "utf-8", "replace")
            if len(text) < 2 or any([self.symbol_of[<uint32_t> ord(one)] == NO_SYMBOL for one in text]):
                continue
            units = [<uint32_t> ord(one) for one in text]
            self.piece_symbols[piece_id] = <uint32_t> self.symbols.symbols.size()
            self.dead[key_of(units)] = self.piece_symbols[piece_id]
            self.dead_scores.push_back(vocab.scores[piece_id])
            self.symbols.append_text(units.data(), <int32_t> units.size())
        return 0

    cdef bint is_dead(self, int32_t piece_id) except -1:
        """Whether the text of a piece, by itself, is cut into parts."""
        cdef Vocab vocab = self.segmenter.vocab
        cdef int32_t size = <int32_t> (vocab.begins[piece_id + 1] - vocab.begins[piece_id])
        self.text.assign(
            vocab.texts.data() + vocab.begins[piece_id], vocab.texts.data() + vocab.begins[piece_id + 1]
        )
        self.text.resize(size + KEY_BYTES)
        with nogil:
            self.segmenter.segment(self.text.data(), size, self.scratch, self.tokens)
        return self.tokens.size() > 1

    cdef int fill_cells(self, bint by_graphemes) except -1:
        """Fill the cells of the text, and after them those of the old pieces that may come about."""
        cdef uint32_t symbol, k
        cdef LearnedSymbol piece
        BpeTrainer.fill_cells(self, by_graphemes)
        self.dead_begin = self.cells.size()
        if self.dead_scores.empty():
            return 0
        self.weights.push_back(0)
        for symbol in range(self.first_dead, self.first_dead + <uint32_t> self.dead_scores.size()):
            piece = self.symbols.symbols[symbol]
            for k in range(piece.length):
                self.append_cell(self.symbol_of[self.symbols.texts[piece.begin + k]])
            self.append_cell(NO_SYMBOL)
        return 0

    cdef int append_cell(self, uint32_t symbol) except -1:
        """Append a cell of weight 0."""
        self.cells.push_back(Cell(symbol, <uint32_t> self.weights.size() - 1))
        if not self.begins.empty():
            self.begins.push_back(True)
        return 0

    cdef int cut_cells(self) except -1 nogil:
        """Cut all runs of characters as the model does."""
        cdef uint64_t begin = 0, end
        while begin < self.cells.size():
            end = begin
            while self.cells[end].symbol != NO_SYMBOL:  # the last cell is empty
                end += 1
            if end - begin > 1:
                self.cut_run(begin, end)
            begin = end + 1
        return 0

    cdef int cut_run(self, uint64_t begin, uint64_t end) except -1 nogil:
        """Write the pieces of a run of characters into its cells; a character that is no piece stays as it is."""
        cdef bint in_bytes = self.symbols.rules.in_bytes
        cdef uint8_t bytes_of[4]
        cdef uint32_t unit, symbol
        cdef int32_t size, k
        cdef uint64_t i, length
        cdef Token token
        self.text.clear()
        for i in range(begin, end):
            unit = self.symbols.texts[self.symbols.symbols[self.cells[i].symbol].begin]
            bytes_of[0] = <uint8_t> unit
            size = 1 if in_bytes else encode_char(unit, bytes_of)
            for k in range(size):
                self.text.push_back(bytes_of[k])
        size = <int32_t> self.text.size()
        self.text.resize(size + KEY_BYTES)
        self.segmenter.segment(self.text.data(), size, self.scratch, self.tokens)
        for i in range(self.tokens.size()):
            token = self.tokens[i]
            length = token.end - token.begin
            if not in_bytes:
                for k in range(token.begin, token.end):
                    length -= self.text[k] & 0xC0 == 0x80
            if length > 1 and token.piece_id >= 0:
                symbol = self.symbol_of_piece(token.piece_id, begin, length)
                for k in range(1, <int32_t> length):
                    self.cells[begin + k].symbol = NO_SYMBOL
                self.cells[begin].symbol = self.cells[begin + length - 1].symbol = symbol
            begin += length
        return 0

    cdef uint32_t symbol_of_piece(self, int32_t piece_id, uint64_t begin, uint64_t length) except 0xFFFFFFFF nogil:
        """Return the symbol of a piece, whose characters stand in the cells from `begin` on."""
        cdef vector[uint32_t] units
        cdef uint64_t i
        if self.piece_symbols[piece_id] == NO_SYMBOL:
            for i in range(begin, begin + length):
                units.push_back(self.symbols.texts[self.symbols.symbols[self.cells[i].symbol].begin])
            self.piece_symbols[piece_id] = <uint32_t> self.symbols.symbols.size()
            self.symbols.append_text(units.data(), <int32_t> length)
        return self.piece_symbols[piece_id]

    cdef Origin origin_of(self, const Pair* pair) noexcept nogil:
        """As in a training; the texts of old pieces do not count."""
        cdef const uint32_t* positions = self.pairs.positions.data() + pair.begin
        cdef Pair in_text = pair[0]
        while in_text.size > 0 and positions[in_text.size - 1] >= self.dead_begin:
            in_text.size -= 1
        return BpeTrainer.origin_of(self, &in_text)

    cdef bint accept_pair(self, uint32_t left, uint32_t right, uint64_t count) except -1 nogil:
        """Make the pair a symbol; False: it is protected, or its text may not become a piece."""
        if self.protected.find(left, right) != NONE or not self.is_allowed(left, right):
            return False
        self.symbols.append_merge(left, right)
        self.made.push_back(LearnedMerge(left, right, count))
        self.neighbours.resize(self.symbols.symbols.size())
        return True

    cdef bint is_allowed(self, uint32_t left, uint32_t right) except -1 nogil:
        """Whether the caller lets the text of a pair become a piece."""
        cdef vector[uint32_t] units
        self.append_units(left, right, units)
        with gil:
            text = str_of(units.data(), <Py_ssize_t> units.size())
            return self.may_be_piece(text.encode("latin-1") if self.symbols.rules.in_bytes else text)

    cdef int append_units(self, uint32_t left, uint32_t right, vector[uint32_t]& units) except -1 nogil:
        """Append the characters of two symbols."""
        cdef LearnedSymbol a = self.symbols.symbols[left], b = self.symbols.symbols[right]
        cdef int32_t i
        for i in range(a.length + b.length):
            units.push_back(pair_char(&a, &b, self.symbols.texts.data(), i))
        return 0

    cdef int collect_places(self, uint32_t index) except -1 nogil:
        """As in a training, unless an old piece comes about: then merge as encoding does, and count anew."""
        if not self.revives(index):
            return BpeTrainer.collect_places(self, index)
        self.merge_places(index, self.cells.data(), 0)
        self.is_stale = True
        self.n_touched = self.n_before = self.n_after = 0
        return 0

    cdef int count_new_pairs(self, uint32_t index) except -1 nogil:
        if not self.is_stale:
            return BpeTrainer.count_new_pairs(self, index)
        self.is_stale = False
        with gil:
            return self.fill_pairs(self.pairs.floor, 0, self.cells.size() - 1)

    cdef bint revives(self, uint32_t index) except -1 nogil:
        """Whether the merge of a pair makes an old piece come about, which its own text then shows."""
        cdef Pair pair = self.pairs.pairs[index]
        cdef vector[Cell] trial
        if self.dead_scores.empty() or self.pairs.positions[pair.begin + pair.size - 1] < self.dead_begin:
            return False
        trial.assign(self.cells.begin() + self.dead_begin - 1, self.cells.end())
        return self.merge_places(index, trial.data() - (self.dead_begin - 1), self.dead_begin)

    cdef bint merge_places(self, uint32_t index, Cell* cells, uint64_t first) except -1 nogil:
        """Write the newest symbol over each occurrence of a pair from cell `first` on, left to right.

        Return whether an old piece came about. cells: the cells, or a copy.
        """
        cdef Pair pair = self.pairs.pairs[index]
        cdef const uint32_t* positions = self.pairs.positions.data() + pair.begin
        cdef uint32_t merged = <uint32_t> (self.symbols.symbols.size() - 1)
        cdef uint32_t left_length = self.symbols.symbols[pair.left].length
        cdef bint has_revived = False
        cdef uint64_t i
        for i in range(pair.size):
            if positions[i] >= first and (
                cells[positions[i]].symbol == pair.left and cells[positions[i] + left_length].symbol == pair.right
            ):
                write_merge(
                    cells, positions[i], positions[i] + left_length,
                    positions[i] + self.symbols.symbols[merged].length, merged,
                )
                has_revived |= self.merge_at(cells, positions[i])
        return has_revived

    cdef bint merge_at(self, Cell* cells, uint64_t begin) except -1 nogil:
        """Join the symbol at `begin` with its neighbours while the text of both is an old piece; True: it was.

        The best score comes first; of equal ones, the left neighbour.
        """
        cdef const LearnedSymbol* symbols = self.symbols.symbols.data()
        cdef uint32_t before, after
        cdef uint64_t end, far
        cdef bint has_joined = False
        while True:
            end = begin + symbols[cells[begin].symbol].length
            before = self.find_dead(cells[begin - 1].symbol, cells[begin].symbol)
            after = self.find_dead(cells[begin].symbol, cells[end].symbol)
            if before == NONE and after == NONE:
                return has_joined
            has_joined = True
            if after == NONE or (before != NONE and self.score(before) >= self.score(after)):
                far = begin - symbols[cells[begin - 1].symbol].length
                write_merge(cells, far, begin, end, before)
                begin = far
            else:
                far = end + symbols[cells[end].symbol].length
                write_merge(cells, begin, end, far, after)

    cdef float score(self, uint32_t symbol) noexcept nogil:
        """The score of an old piece that may come about."""
        return self.dead_scores[symbol - self.first_dead]

    cdef uint32_t find_dead(self, uint32_t left, uint32_t right) except? 0xFFFFFFFE nogil:
        """Return the symbol of the old piece that two neighbours form; 2^32 - 1: none."""
        cdef vector[uint32_t] units
        cdef string key
        if left == NO_SYMBOL or right == NO_SYMBOL:
            return NONE
        self.append_units(left, right, units)
        key = key_of(units)
        return self.dead[key] if self.dead.count(key) else NONE


cdef string key_of(const vector[uint32_t]& units) noexcept nogil:
    return string(<const char*> units.data(), units.size() * sizeof(uint32_t))
