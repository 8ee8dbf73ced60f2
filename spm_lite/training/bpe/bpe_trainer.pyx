"""Byte-pair encoding over characters, exact and greedy.

The text is one flat array of cells, one per character, with empty cells between chunks. A symbol is written into its
first and last cell, so the neighbours of a symbol are found in one step. All positions of a pair are found in the
pass that makes the younger of its symbols. So they are one block of a common array. Header: bpe_trainer.pxd.
Source: Sennrich et al. 2016; tie rules of the original SentencePiece.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.system.intrinsics cimport prefetch
from spm_lite.base.unicode.utf8 cimport char_size, decode_char
from spm_lite.training.bpe.pairs cimport LearnedMerge, Neighbour, Pair, PairPlace, PairTable
from spm_lite.training.bpe.replay cimport MergeRanks, merge_again
from spm_lite.training.bpe.symbols cimport NO_SYMBOL, Cell, LearnedSymbol, SymbolTable, write_merge
from spm_lite.training.counts.chunk_table cimport Chunk, ChunkTable, Origin, add_origin
from spm_lite.training.counts.cluster_places cimport append_begins, is_in_place, places_of
from spm_lite.training.counts.cut_rules cimport rules_from_spec
from spm_lite.training.trainer_interface cimport RARE, Alphabet, Trainer, str_of

from spm_lite.errors import TrainingError
from spm_lite.training.bpe.auto_coverage import choose_pieces

cdef enum:
    MERGES_PER_LINE = 100           # of the log
    CHUNKS_AT_ONCE = 1 << 16        # between two checks for Ctrl-C, when cells are filled
    POSITIONS_AT_ONCE = 1 << 20     # between two checks for Ctrl-C, when pairs are counted or merged
    PLACES_AHEAD = 16               # prefetched
    SYMBOLS_AHEAD = 8
    LOWERED = 4                     # a floor that was too high is divided by this

cdef uint32_t NONE = <uint32_t> -1
cdef uint64_t NO_BLOCK = <uint64_t> -1


cdef class BpeTrainer(Trainer):
    """Merges the most frequent pair of neighbouring symbols until there are enough pieces.

    least: occurrences of a merge, before weights, at least; `min_count` of the spec may ask for more.
    by_ids: all bytes in the order of their ids in another program. Of equally frequent pairs the one of smaller ids is
        merged first then, as in tokenizers and rustbpe. None: the tie rules of SentencePiece.
    enough: in a table of several sources, counting the occurrences of a merge ends at this number, or at `least`.
    """

    def __cinit__(self):
        self.least, self.enough = 1, RARE

    def learn(self, ChunkTable counts, Alphabet alphabet, spec, n_pieces, *, num_threads=1, progress=None,
              reference_rules=False):
        """Return the merges in the order they were made, then the alphabet; scores -0.0, -1, -2 ...

        With `reference_rules`, pairs that no longer occur are merged too, after all others.
        With `auto_character_coverage`, `choose_pieces` may drop the last merges and part of the alphabet.
        Byte-level BPE: the pieces are bytes, and the alphabet (U+0000 to U+00FF for the 256 bytes) comes first. A pair
        that encoding would not join, since earlier merges spell its bytes otherwise, is left out.
        """
        cdef uint64_t n_merges = max(0, n_pieces - (0 if spec.auto_character_coverage else len(alphabet)))
        self.start(counts, spec, reference_rules)
        if self.by_ids is not None:
            self.pairs.take_order(self.by_ids, bytes([ord(sign) for sign in alphabet_text(alphabet)]))
        self.fill_symbols(alphabet)
        if self.checkpoint is not None:
            self.restore_merges(alphabet, n_merges, spec.graphemes, self.checkpoint.load_state())
        if n_merges > 0:
            floor = self.likely_floor(n_merges)
            self.fill_cells(spec.graphemes)
            self.symbol_of = vector[uint32_t]()
            if self.owns_counts and counts.origins.empty():
                counts.clear()
            self.merge_restored(max(num_threads, 1))
            self.fill_pairs(floor, 0, self.cells.size() - 1)
            self.merge_pairs(alphabet, len(alphabet) + n_merges, progress)
        self.figures["merges"] = self.made.size()
        self.rare = self.rare_merges(alphabet)
        if spec.auto_character_coverage:
            texts = choose_pieces(self.merges(alphabet), alphabet.items(), n_pieces, spec.lossless)
        elif self.symbols.rules.in_bytes:
            self.rare = {text.encode("latin-1"): origin for text, origin in self.rare.items()}
            return byte_pieces([text.encode("latin-1") for text in self.merge_texts(alphabet)])
        else:
            texts = self.merge_texts(alphabet) + [character for character, _ in alphabet.items()]
        return [(text, -float(i)) for i, text in enumerate(texts)]

    cdef int start(self, ChunkTable counts, spec, bint reference_rules) except -1:
        """Make the tables of symbols and pairs, still empty, for the text and the rules of a spec."""
        self.table = counts
        self.owns_chunks = not counts.origins.empty()
        self.least = max(self.least, <uint64_t> spec.min_count)
        self.symbols = SymbolTable()
        self.symbols.rules = rules_from_spec(spec, reference_rules)
        self.pairs = PairTable()
        self.pairs.symbols = self.symbols
        self.least_floor = 0 if reference_rules else least_count(self.least, counts)
        self.accepted = ChunkTable()
        self.ranks = MergeRanks()
        return 0

    cdef int fill_symbols(self, Alphabet alphabet) except -1:
        """Append one symbol per character of the alphabet, in its order."""
        cdef uint32_t i
        self.symbol_of.resize(0x110000, NO_SYMBOL)
        for i in range(<uint32_t> alphabet.code_points.size()):
            self.symbols.append_char(alphabet.code_points[i])
            self.symbol_of[alphabet.code_points[i]] = i
        return 0

    cdef int restore_merges(self, Alphabet alphabet, uint64_t n_merges, bint by_graphemes, state) except -1:
        """Append the symbols of a state that `state_of` made; None: do nothing. Raises ModelError for any other.

        The counts of merges fall. With `by_graphemes` they may rise: a merge also joins places where it did not count,
        and there the new symbol may be in place with its neighbour.
        """
        cdef uint32_t left, right
        cdef uint64_t count, last = <uint64_t> -1
        if state is None:
            return 0
        try:
            if state["alphabet"] != alphabet_text(alphabet):
                raise ValueError("its characters are not the characters of the text")
            if len(state["merges"]) > n_merges:
                raise ValueError("it has more merges than are wanted")
            for left, right, count in state["merges"]:
                if max(left, right) >= self.symbols.symbols.size() or not self.symbols.is_valid_pair(left, right):
                    raise ValueError(f"{left} and {right} cannot be merged")
                if not 1 <= count <= last or not self.accept_pair(left, right, count):
                    raise ValueError(f"{left} and {right} cannot be merged at this place")
                last = last if by_graphemes else count
            for left, right in state.get("refused", ()):
                self.refused.push_back(<uint64_t> left << 32 | right)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise self.checkpoint.damaged(f"{type(error).__name__}: {error}") from None
        return 0

    cdef dict state_of(self, Alphabet alphabet):
        """Return all merges so far, and the pairs that were refused, as values for JSON."""
        cdef LearnedMerge merge
        cdef size_t i
        merges = []
        for i in range(self.made.size()):
            merge = self.made[i]
            merges.append([merge.left, merge.right, merge.count])
        refused = [(pair >> 32, pair & 0xFFFFFFFF) for pair in self.refused]
        return {"alphabet": alphabet_text(alphabet), "merges": merges, "refused": refused}

    cdef int merge_restored(self, uint32_t n_threads) except -1:
        """Replay the merges of a restored state in the cells."""
        cdef PairTable merges = PairTable()
        cdef size_t i
        for i in range(self.made.size()):
            merges.insert(self.made[i].left, self.made[i].right)
        if self.made.size() > 0:
            with nogil:
                merge_again(self.cells, self.symbols, merges, n_threads)
        return 0

    cdef uint64_t likely_floor(self, uint64_t n_merges) noexcept nogil:
        """Return a count that the last merge will probably have or exceed, from the chunks in canonical order.

        A chunk that is more frequent than the last merge is one symbol in the end. So if all chunks may be pieces, at
        most `n_merges` are. In texts of 15 to 60 MB, the last merge was 0.7 to 2.3 times as frequent as chunk
        n_merges / 2, and a floor of half that count or a quarter took longer.
        """
        cdef uint64_t n_chunks = self.table.chunks.size()
        if self.least_floor == 0 or n_chunks == 0:
            return self.least_floor
        return max(self.least_floor, self.table.chunks[min(n_merges // 2, n_chunks - 1)].count)

    cdef int fill_cells(self, bint by_graphemes) except -1:
        """Fill the cells of the text, with an empty cell before and after each chunk."""
        cdef uint64_t n = self.table.chunks.size()
        cdef uint64_t begin, end = 0
        with nogil:
            self.cells.reserve(self.n_cells())
        self.cells.push_back(Cell(NO_SYMBOL, 0))
        if by_graphemes:
            self.begins.push_back(True)
        while end < n:
            begin, end = end, min(end + CHUNKS_AT_ONCE, n)
            with nogil:
                self.append_chunks(begin, end)
            PyErr_CheckSignals()
        return 0

    cdef uint64_t n_cells(self) except 0 nogil:
        """Return the cells so far and those of the table. Raises TrainingError if they are too many."""
        cdef uint64_t i, n = self.cells.size() + 1
        for i in range(self.table.chunks.size()):
            n += self.length_of(i) + 1
        if n >= NO_SYMBOL:
            raise TrainingError("the distinct text of the corpus exceeds 2^32 - 2 characters; train on a part of it")
        return n

    cdef uint64_t length_of(self, uint64_t i) noexcept nogil:
        """Return the characters of a chunk, and its bytes that are none; where pieces are bytes, its bytes."""
        cdef const Chunk* chunk = &self.table.chunks[i]
        cdef const uint8_t* text = self.table.texts.data() + chunk.begin
        cdef int32_t size = chunk.size, step
        cdef uint64_t length = 0
        if self.symbols.rules.in_bytes:
            return size
        while size > 0:
            step = max(char_size(text, size), 1)
            text += step
            size -= step
            length += 1
        return length

    cdef int append_chunks(self, uint64_t begin, uint64_t end) except -1 nogil:
        """Append the cells of chunks [begin, end). Characters outside the alphabet and boundaries are empty cells."""
        cdef const uint8_t* text
        cdef int32_t size, step
        cdef uint64_t i
        cdef Cell cell
        cdef bint in_bytes = self.symbols.rules.in_bytes
        for i in range(begin, end):
            text = self.table.texts.data() + self.table.chunks[i].begin
            size = self.table.chunks[i].size
            if self.owns_chunks or self.weights.empty() or (
                self.weights.back() != self.table.chunks[i].count
            ):
                self.weights.push_back(self.table.chunks[i].count)
            if size < 2 or (not in_bytes and char_size(text, size) == size):
                continue  # one character has no pairs
            if not self.begins.empty():
                append_begins(text, size, in_bytes, self.begins)
                self.begins.push_back(True)
            cell.owner = <uint32_t> self.weights.size() - 1
            while size > 0:
                step = 1 if in_bytes else char_size(text, size)
                cell.symbol = NO_SYMBOL
                if in_bytes:
                    cell.symbol = self.symbol_of[text[0]]
                elif step == 0:
                    step = 1  # a boundary
                else:
                    cell.symbol = self.symbol_of[decode_char(text, step)]
                self.cells.push_back(cell)
                text += step
                size -= step
            self.cells.push_back(Cell(NO_SYMBOL, cell.owner))
        return 0

    cdef int fill_pairs(self, uint64_t floor, uint64_t begin, uint64_t end) except -1:
        """Fill the pairs of neighbouring symbols: counts, positions, candidates. No rarer pair than `floor` is kept.

        begin, end: the cells of whole chunks, without the last empty one.

        Most pairs of a text are rare and never merged. A pair that is made later with a lower count is not kept either.
        As counts only fall, merges are those of all pairs until the best candidate is below the floor.
        """
        self.pairs.clear()
        self.pairs.floor = floor
        self.first_cell = begin
        self.cell_pairs.resize(end - begin, NONE)
        while begin < end:
            with nogil:
                begin = self.count_pairs(begin, min(begin + POSITIONS_AT_ONCE, end))
            PyErr_CheckSignals()
        with nogil:
            self.place_pairs()
        self.cell_pairs = vector[uint32_t]()
        return 0

    cdef uint64_t count_pairs(self, uint64_t begin, uint64_t end) except 0 nogil:
        """Count the pairs that begin at cells begin <= i < end, begin < end; return the cell at which to go on."""
        cdef const Cell* cells = self.cells.data()
        cdef const uint64_t* weights = self.weights.data()
        cdef const LearnedSymbol* symbols = self.symbols.symbols.data()
        cdef const uint8_t* begins = places_of(self.begins)
        cdef uint64_t i = begin, next_one
        cdef uint32_t index
        cdef Pair* pair
        while i < end:
            if cells[i].symbol == NO_SYMBOL:
                i += 1
                continue
            next_one = i + symbols[cells[i].symbol].length
            if cells[next_one].symbol != NO_SYMBOL:
                index = self.pairs.insert(cells[i].symbol, cells[next_one].symbol)
                self.cell_pairs[i - self.first_cell] = index
                pair = &self.pairs.pairs[index]
                pair.size += 1
                if is_in_place(begins, i, next_one + symbols[cells[next_one].symbol].length):
                    pair.count += weights[cells[i].owner]
            i = next_one
        return i

    cdef int place_pairs(self) except -1 nogil:
        """Give each pair that may be merged a block of positions, fill it, and make the pair a candidate."""
        cdef uint64_t n_positions = 0
        cdef vector[uint64_t] next_places
        cdef vector[uint8_t] is_kept
        cdef uint64_t i
        cdef uint32_t index
        cdef Pair* pair
        for i in range(self.refused.size()):
            index = self.pairs.find(<uint32_t> (self.refused[i] >> 32), <uint32_t> self.refused[i])
            if index != NONE:
                self.pairs.pairs[index].count = 0
        next_places.resize(self.pairs.pairs.size(), NO_BLOCK)
        is_kept.resize(self.pairs.pairs.size(), False)
        for i in range(self.pairs.pairs.size()):
            pair = &self.pairs.pairs[i]
            if not (self.keeps_rare or pair.count >= self.pairs.floor):
                continue
            if not self.symbols.is_valid_pair(pair.left, pair.right):
                continue
            is_kept[i] = True
            pair.begin = next_places[i] = n_positions
            n_positions += pair.size
        self.pairs.positions.resize(n_positions)
        for i in range(self.cell_pairs.size()):
            if self.cell_pairs[i] != NONE and next_places[self.cell_pairs[i]] != NO_BLOCK:
                self.pairs.positions[next_places[self.cell_pairs[i]]] = <uint32_t> (self.first_cell + i)
                next_places[self.cell_pairs[i]] += 1
        self.pairs.keep_pairs(is_kept)
        for i in range(self.pairs.pairs.size()):
            if self.pairs.pairs[i].count >= self.pairs.floor:
                self.pairs.push(<uint32_t> i)
        return 0

    cdef int merge_pairs(self, Alphabet alphabet, uint64_t n_symbols, progress) except -1:
        """Merge the best pair again and again, up to `n_symbols` symbols."""
        cdef uint64_t n_first = self.symbols.symbols.size() - self.made.size()
        cdef uint64_t n_logged = self.made.size()
        cdef bint done = False
        self.neighbours.resize(self.symbols.symbols.size())
        while not done:
            with nogil:
                done = self.merge_some(n_symbols)
            PyErr_CheckSignals()
            if done and self.symbols.symbols.size() < n_symbols and self.pairs.floor > self.least_floor:
                self.fill_pairs(max(self.least_floor, self.pairs.floor // LOWERED), 0, self.cells.size() - 1)
                done = False
            if self.checkpoint is not None and not done and self.checkpoint.is_due():
                self.checkpoint.save_state(self.state_of(alphabet))
            if progress is not None:
                progress("merges", self.symbols.symbols.size() - n_first, n_symbols - n_first)
            if self.log is not None:
                n_logged = self.log_merges(n_first, n_logged)
        if self.log is not None:
            self.log(f"Completed {self.made.size()} merge steps.")
        return 0

    cdef uint64_t log_merges(self, uint64_t n_characters, uint64_t n_logged) except? 0:
        """Log every hundredth merge of those after the first n_logged; return how many there are."""
        cdef uint64_t n
        for n in range(n_logged + 1, self.made.size() + 1):
            if n % MERGES_PER_LINE == 0:
                text = self.text_of(n_characters + n - 1)
                self.log(f"Merged: freq={self.made[n - 1].count} merges={n} piece={text}")
        return self.made.size()

    cdef bint merge_some(self, uint64_t n_symbols) except -1 nogil:
        """Merge pairs until about POSITIONS_AT_ONCE positions are visited; True: there are no more to merge.

        That is when there are `n_symbols` symbols or no candidates left.
        """
        cdef uint64_t work = 0
        cdef uint32_t best
        cdef Pair pair
        cdef Origin origin
        while work < POSITIONS_AT_ONCE:
            if self.symbols.symbols.size() >= n_symbols:
                return True
            best = self.pairs.pop_best()
            if best == NONE:
                return True
            work += self.pairs.pairs[best].size + 1000
            pair = self.pairs.pairs[best]
            origin = self.origin_of(&pair)
            if origin.occurrences < self.least and self.least_floor > 0:
                continue  # in a table of several sources, less frequent pairs may occur more often
            if self.accept_pair(pair.left, pair.right, pair.count):
                if not self.table.origins.empty():
                    self.made_origins.push_back(origin)
                self.collect_places(best)
                self.count_new_pairs(best)
                self.place_new_pairs()
            else:
                self.refused.push_back(<uint64_t> pair.left << 32 | pair.right)
        return False

    cdef Origin origin_of(self, const Pair* pair) noexcept nogil:
        """Return the occurrences of a pair before weights, and their sources. See `enough` for where counting ends."""
        cdef uint64_t enough = max(self.least, self.enough), i
        cdef uint32_t left_length = self.symbols.symbols[pair.left].length
        cdef uint32_t length = left_length + self.symbols.symbols[pair.right].length
        cdef const uint32_t* positions = self.pairs.positions.data() + pair.begin
        cdef const Cell* cells = self.cells.data()
        cdef const uint8_t* begins = places_of(self.begins)
        cdef Origin origin = Origin(pair.count * self.table.divisor, 0)
        if self.table.origins.empty():
            return origin
        origin.occurrences = 0
        for i in range(pair.size):
            if cells[positions[i]].symbol != pair.left or cells[positions[i] + left_length].symbol != pair.right:
                continue  # stale: one of the two symbols has been merged with another
            if not is_in_place(begins, positions[i], positions[i] + length):
                continue
            add_origin(&origin, &self.table.origins[cells[positions[i]].owner])
            if origin.occurrences >= enough:
                break
        return origin

    def occurrences(self):
        """Return the occurrences of each merge when it was made, in order; see `enough`."""
        cdef uint64_t i
        return [self.made_origin(i).occurrences for i in range(self.made.size())]

    def merged_pairs(self):
        """Return the two symbols of each merge in order: characters of the alphabet by their places, then merges."""
        cdef uint64_t i
        return [(self.made[i].left, self.made[i].right) for i in range(self.made.size())]

    cdef Origin made_origin(self, uint64_t i) noexcept nogil:
        """Return the occurrences and the sources of merge `i` when it was made."""
        if self.made_origins.empty():
            return Origin(self.made[i].count * self.table.divisor, 0)
        return self.made_origins[i]

    cdef dict rare_merges(self, Alphabet alphabet):
        """Return {text: (occurrences, sources)} of the merges that are rare."""
        cdef uint64_t i, n_chars = alphabet.code_points.size()
        cdef Origin origin
        result = {}
        for i in range(self.made.size()):
            origin = self.made_origin(i)
            if origin.occurrences < RARE:
                result[self.text_of(n_chars + i)] = (origin.occurrences, origin.sources)
        return result

    cdef bint accept_pair(self, uint32_t left, uint32_t right, uint64_t count) except -1 nogil:
        """Make the pair a symbol; False: another pair with the same text is a symbol already.

        Where pieces are bytes, also False if encoding would not join the pair.
        """
        cdef uint64_t n_accepted = self.accepted.chunks.size()
        cdef const LearnedSymbol* symbol
        cdef const uint32_t* text
        cdef bint is_accepted
        self.symbols.append_merge(left, right)
        symbol = &self.symbols.symbols.back()
        text = self.symbols.texts.data() + symbol.begin
        if self.symbols.rules.in_bytes:
            is_accepted = self.ranks.add_rebuilt(text, symbol.length)
        else:
            self.accepted.add(<const uint8_t*> text, symbol.length * sizeof(uint32_t), 1)
            is_accepted = self.accepted.chunks.size() > n_accepted
        if is_accepted:
            self.made.push_back(LearnedMerge(left, right, count))
            self.neighbours.resize(self.symbols.symbols.size())
            return True
        self.symbols.texts.resize(symbol.begin)
        self.symbols.symbols.pop_back()
        return False

    cdef int collect_places(self, uint32_t index) except -1 nogil:
        """Write the newest symbol over each occurrence of the pair, left to right, and note its neighbours.

        The old pairs with a neighbour lose the weight of an occurrence, and the new pairs gain it, each where the pair
        counts: see `count_new_pairs`. If the left neighbour is the new symbol itself, the occurrence before it has just
        counted `pair.left` as its right neighbour: that is taken back.
        """
        cdef Pair pair = self.pairs.pairs[index]
        cdef uint32_t merged = <uint32_t> (self.symbols.symbols.size() - 1)
        cdef uint32_t left_length = self.symbols.symbols[pair.left].length
        cdef uint32_t right_length = self.symbols.symbols[pair.right].length
        cdef const uint32_t* positions = self.pairs.positions.data() + pair.begin
        cdef const LearnedSymbol* symbols = self.symbols.symbols.data()
        cdef Cell* cells = self.cells.data()
        cdef const uint64_t* weights = self.weights.data()
        cdef const uint8_t* begins = places_of(self.begins)
        cdef Neighbour* neighbour
        cdef PairPlace* before
        cdef PairPlace* after
        cdef uint32_t* touched
        cdef uint32_t begin, middle, end, symbol, far
        cdef uint64_t i, weight, lost, gained, n_before = 0, n_after = 0, n_touched = 0
        self.make_room(pair.size)
        before, after, touched = self.before.data(), self.after.data(), self.touched.data()
        self.returned = 0
        for i in range(pair.size):
            if i + PLACES_AHEAD < pair.size:
                prefetch(&cells[positions[i + PLACES_AHEAD]])
            begin = positions[i]
            middle = begin + left_length
            if cells[begin].symbol != pair.left or cells[middle].symbol != pair.right:
                continue  # stale: one of the two symbols has been merged with another
            end = middle + right_length
            weight = weights[cells[begin].owner]
            write_merge(cells, begin, middle, end, merged)
            symbol = cells[begin - 1].symbol
            if symbol != NO_SYMBOL:
                far = begin - symbols[symbol].length
                lost = gained = weight
                if begins != NULL:
                    lost = weight * is_in_place(begins, far, middle)
                    gained = weight * is_in_place(begins, far, end)
                    self.lower(symbol, pair.left, lost)
                if symbol == merged:
                    self.returned += lost
                neighbour = &self.neighbours[symbol]
                touched[n_touched] = symbol
                n_touched += neighbour.n_before == 0 and neighbour.n_after == 0
                neighbour.before += gained
                neighbour.n_before += 1
                before[n_before] = PairPlace(symbol, far)
                n_before += 1
            symbol = cells[end].symbol
            if symbol != NO_SYMBOL:
                gained = weight
                if begins != NULL:
                    far = end + symbols[symbol].length
                    gained = weight * is_in_place(begins, begin, far)
                    self.lower(pair.right, symbol, weight * is_in_place(begins, middle, far))
                neighbour = &self.neighbours[symbol]
                touched[n_touched] = symbol
                n_touched += neighbour.n_before == 0 and neighbour.n_after == 0
                neighbour.after += gained
                neighbour.n_after += 1
                after[n_after] = PairPlace(symbol, begin)
                n_after += 1
        self.n_before, self.n_after, self.n_touched = n_before, n_after, n_touched
        return 0

    cdef int make_room(self, uint64_t n_places) except -1 nogil:
        """Make room to note the neighbours of so many places."""
        if self.before.size() < n_places:
            self.before.resize(n_places)
            self.after.resize(n_places)
        # One more than there are symbols: the next entry is written before it is known whether it is new.
        self.touched.resize(self.symbols.symbols.size() + 1)
        return 0

    cdef int count_new_pairs(self, uint32_t index) except -1 nogil:
        """Subtract the weights from the old pairs, and make the new pairs with room for their positions.

        Where clusters matter, `collect_places` has subtracted them.
        """
        cdef bint lose_all = self.begins.empty()
        cdef Pair merge = self.pairs.pairs[index]
        cdef uint32_t merged = <uint32_t> (self.symbols.symbols.size() - 1)
        cdef Neighbour* entry
        cdef uint64_t i
        cdef uint32_t symbol
        for i in range(self.n_touched):
            if i + SYMBOLS_AHEAD < self.n_touched:
                self.pairs.expect(self.touched[i + SYMBOLS_AHEAD], merge.left)
                self.pairs.expect(merge.right, self.touched[i + SYMBOLS_AHEAD])
            symbol = self.touched[i]
            entry = &self.neighbours[symbol]
            if entry.n_before > 0:
                if symbol != merged and lose_all:
                    self.lower(symbol, merge.left, entry.before)
                entry.before = self.make_pair(symbol, merged, entry.before, entry.n_before)
            if entry.n_after > 0:
                if lose_all:
                    self.lower(merge.right, symbol, entry.after)
                if symbol == merge.left:
                    entry.after -= self.returned
                entry.after = self.make_pair(merged, symbol, entry.after, entry.n_after)
        return 0

    cdef void lower(self, uint32_t left, uint32_t right, uint64_t weight) noexcept nogil:
        """Subtract `weight` from the count of a pair. (For the merged pair itself the count no longer matters.)"""
        cdef uint32_t index = self.pairs.find(left, right)
        cdef Pair* pair
        if index != NONE:
            pair = &self.pairs.pairs[index]
            pair.count -= weight

    cdef uint64_t make_pair(
        self, uint32_t left, uint32_t right, uint64_t weight, uint32_t n_positions,
    ) except? 0xFFFFFFFFFFFFFFFE nogil:
        """Make a candidate and return the begin of its block of positions; NO_BLOCK: the pair is not a candidate.

        A pair below the floor, or whose text cannot be a piece, is not a candidate. With `keeps_rare`, the first has a
        block all the same.
        """
        cdef uint64_t begin = self.pairs.positions.size()
        cdef uint32_t index
        if weight < self.pairs.floor and not self.keeps_rare:
            return NO_BLOCK
        if not self.symbols.is_valid_pair(left, right):
            return NO_BLOCK
        index = self.pairs.insert(left, right)
        self.pairs.pairs[index].count = weight
        self.pairs.pairs[index].begin = begin
        self.pairs.pairs[index].size = n_positions
        self.pairs.positions.resize(begin + n_positions)
        if weight >= self.pairs.floor:
            self.pairs.push(index)
        return begin

    cdef void place_new_pairs(self) noexcept nogil:
        """Move the noted positions into the blocks of the new pairs, in ascending order."""
        cdef uint32_t* positions = self.pairs.positions.data()
        cdef Neighbour* neighbours = self.neighbours.data()
        cdef uint64_t i
        cdef PairPlace place
        for i in range(self.n_before):
            place = self.before[i]
            if neighbours[place.symbol].before != NO_BLOCK:
                positions[neighbours[place.symbol].before] = place.position
                neighbours[place.symbol].before += 1
        for i in range(self.n_after):
            place = self.after[i]
            if neighbours[place.symbol].after != NO_BLOCK:
                positions[neighbours[place.symbol].after] = place.position
                neighbours[place.symbol].after += 1
        for i in range(self.n_touched):
            neighbours[self.touched[i]] = Neighbour(0, 0, 0, 0)

    cdef list merges(self, Alphabet alphabet):
        """Return (text, count when it was made) of each merge, in order."""
        cdef uint64_t i
        return [(text, self.made[i].count) for i, text in enumerate(self.merge_texts(alphabet))]

    cdef list merge_texts(self, Alphabet alphabet):
        """Return the text of each merge, in order."""
        cdef uint64_t i
        return [self.text_of(i) for i in range(alphabet.code_points.size(), self.symbols.symbols.size())]

    cdef str text_of(self, uint64_t i):
        """Return the text of symbol i."""
        cdef LearnedSymbol symbol = self.symbols.symbols[i]
        return str_of(self.symbols.texts.data() + symbol.begin, symbol.length)


cdef uint64_t least_count(uint64_t least, ChunkTable counts) noexcept:
    """Return the least count of a pair that may occur `least` times."""
    return 1 if not counts.origins.empty() else max(<uint64_t> 1, (least + counts.divisor - 1) // counts.divisor)


cdef list byte_pieces(list merges):
    """Return the pieces of byte-level BPE: byte b has id b, then the merges follow. The scores are as in BPE."""
    n_merges = len(merges)
    first = [(bytes([byte]), -float(n_merges + byte)) for byte in range(256)]
    return first + [(text, -float(i)) for i, text in enumerate(merges)]


cdef str alphabet_text(Alphabet alphabet):
    return "".join([character for character, _ in alphabet.items()])
