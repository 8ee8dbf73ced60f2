"""Merges in the texts and dev texts of several languages, whose pairs are counted apart. Header: language_merger.pxd.

The cells hold the chunks of all languages, one language after another. A chunk knows how often the text has it and how
often the dev text. A merge is made in each language by the steps of `BpeTrainer`, with the pairs of that language in
the place of all, and shortens the dev texts exactly.
Where text that no piece covers becomes bytes, a character is no piece at first, and its cells are empty. Making it a
piece is a merge of its bytes.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.system.intrinsics cimport prefetch
from spm_lite.base.unicode.utf8 cimport char_size, decode_char
from spm_lite.training.bpe.bpe_trainer cimport BpeTrainer
from spm_lite.training.bpe.language_choice cimport Language, LanguageChoice
from spm_lite.training.bpe.pairs cimport LearnedMerge, Neighbour, Pair, PairPlace, PairTable
from spm_lite.training.bpe.symbols cimport NO_SYMBOL, Cell, LearnedSymbol
from spm_lite.training.counts.chunk_table cimport Chunk, ChunkTable, Origin
from spm_lite.training.counts.cluster_places cimport is_in_place, places_of
from spm_lite.training.trainer_interface cimport Alphabet

cdef enum:
    MERGES_AT_ONCE = 1000           # between two checks for Ctrl-C, where merges are given
    PLACES_AHEAD = 16               # prefetched
    LANGUAGES_AHEAD = 8
    LAST_SOURCE = 63                # the bit that all further sources share

cdef uint32_t NONE = <uint32_t> -1
cdef uint64_t NO_BLOCK = <uint64_t> -1


cdef class LanguageMerger(BpeTrainer):
    """The languages of one training; `add_language` adds their texts before all else."""

    def __cinit__(self, *args, **rules):
        self.choice = LanguageChoice()
        self.texts = []

    def add_language(self, ChunkTable text not None, ChunkTable dev or None, double goal):
        """Add the chunks of the next language.

        dev: the chunks of its dev text; None: it has none. goal: what the tokens of the dev text are divided by, before
        languages are compared; 0: it is not compared.
        """
        self.texts.append((text, dev, goal))

    def follow(self, Alphabet alphabet not None, spec, merges, pieces):
        """Make the merges of a plain training; return the tokens of all dev texts before the first and after each.

        alphabet: of that training. merges: as `merged_pairs` gives them. pieces: which characters are pieces.
        """
        cdef Origin origin = Origin(0, 0)
        cdef uint32_t left, right, i
        self.start(ChunkTable(), spec, False)
        self.owns_chunks = self.keeps_rare = True
        self.fill_symbols(alphabet)
        for i in range(<uint32_t> len(alphabet)):
            if chr(alphabet.code_points[i]) not in pieces and not self.symbols.rules.in_bytes:
                self.symbol_of[alphabet.code_points[i]] = NO_SYMBOL
        self.fill_texts(False)
        self.fill_languages()
        totals = [self.dev_total]
        for left, right in merges:
            self.symbols.append_merge(left, right)
            self.neighbours.resize(self.symbols.symbols.size())
            with nogil:
                self.merge_everywhere(left, right, &origin)
            totals.append(self.dev_total)
            if len(totals) % MERGES_AT_ONCE == 0:
                PyErr_CheckSignals()
        return totals

    cdef int fill_texts(self, bint by_graphemes) except -1:
        """Fill the cells of all languages, and what is known of each."""
        cdef ChunkTable text, dev, both
        cdef uint64_t n_characters = self.later.size(), length, n_bytes, n_dev
        cdef uint32_t i
        total = max(1, sum([text.text_weight for text, _, _ in self.texts]))
        self.later_counts.resize(n_characters * len(self.texts), 0)
        self.later_dev.resize(n_characters * len(self.texts), 0)
        for i in range(<uint32_t> len(self.texts)):
            text, dev, goal = self.texts[i]
            both = ChunkTable()
            length, n_bytes, n_dev = 0, text.text_weight, 0
            with nogil:
                both.add_all(text)
                self.count_units(text, self.later_counts.data() + i * n_characters)
            self.dev_weights.resize(self.weights.size() + both.chunks.size(), 0)
            if dev is not None:
                n_dev = dev.text_weight
                with nogil:
                    length = self.count_units(dev, self.later_dev.data() + i * n_characters)
                    self.add_dev(dev, both)
            self.choice.add(goal, n_bytes / float(total), n_dev / float(max(n_bytes, <uint64_t> 1)), length)
            self.dev_total += length
            self.first_cells.push_back(self.cells.size())
            self.table = both
            self.fill_cells(by_graphemes)
            self.texts[i] = None
        self.first_cells.push_back(self.cells.size())
        self.symbol_of = vector[uint32_t]()
        return 0

    cdef int add_dev(self, ChunkTable dev, ChunkTable both) except -1 nogil:
        """Add the chunks of a dev text to those of its language, and note how often they stand there."""
        cdef uint64_t first = self.weights.size(), i, owner
        cdef const Chunk* chunk
        for i in range(dev.chunks.size()):
            chunk = &dev.chunks[i]
            owner = first + <uint64_t> both.add(dev.texts.data() + chunk.begin, chunk.size, 0)
            if owner >= self.dev_weights.size():
                self.dev_weights.resize(owner + 1, 0)
            self.dev_weights[owner] += chunk.count
        return 0

    cdef uint64_t count_units(self, ChunkTable table, uint64_t* found) noexcept nogil:
        """Return the tokens of a text before the first merge, and add the occurrences of the later characters."""
        cdef uint64_t n = 0, i
        for i in range(table.chunks.size()):
            n += table.chunks[i].count * self.count_chunk(
                table.texts.data() + table.chunks[i].begin, table.chunks[i].size, table.chunks[i].count, found
            )
        return n

    cdef uint64_t count_chunk(self, const uint8_t* text, int32_t size, uint64_t count, uint64_t* found) noexcept nogil:
        """Return the tokens of a chunk before the first merge: characters that are pieces, else bytes.

        found: takes the occurrences of the later characters.
        """
        cdef uint64_t n = 0
        cdef uint32_t symbol
        cdef int32_t step
        if self.symbols.rules.in_bytes:
            return size
        while size > 0:
            step = max(char_size(text, size), 1)
            symbol = NO_SYMBOL if char_size(text, size) == 0 else self.symbol_of[decode_char(text, step)]
            if symbol != NO_SYMBOL and symbol & LATER:
                found[symbol - LATER] += count
            n += step if symbol & LATER else 1
            text += step
            size -= step
        return n

    cdef int place_later(self) except -1 nogil:
        """Note the cells of the later characters, which become empty."""
        cdef vector[uint64_t] next_places
        cdef uint64_t i
        cdef uint32_t symbol
        self.first_places.resize(self.later.size() + 1, 0)
        for i in range(self.cells.size()):
            symbol = self.cells[i].symbol
            if symbol & LATER and symbol != NO_SYMBOL:
                self.first_places[symbol - LATER + 1] += 1
        for i in range(self.later.size()):
            self.first_places[i + 1] += self.first_places[i]
        next_places = self.first_places
        self.places.resize(self.first_places.back())
        for i in range(self.cells.size()):
            symbol = self.cells[i].symbol
            if symbol & LATER and symbol != NO_SYMBOL:
                self.places[next_places[symbol - LATER]] = <uint32_t> i
                next_places[symbol - LATER] += 1
                self.cells[i].symbol = NO_SYMBOL
        return 0

    cdef int fill_languages(self) except -1:
        """Fill the pairs of each language and, if `has_totals`, of all together."""
        cdef uint32_t i, n = <uint32_t> self.first_cells.size() - 1
        self.pairs_of.resize(n)
        self.slots_of.resize(n)
        self.positions_of.resize(n)
        self.heaps_of.resize(n)
        if self.has_totals:
            self.totals = PairTable()
            self.totals.symbols = self.symbols
            self.totals.floor = self.least
        for i in range(n):
            if self.made.size() > 0:
                self.shorten(i, self.saved_so_far(i))
            self.fill_pairs(self.least, self.first_cells[i], self.first_cells[i + 1] - 1)
            if self.totals is not None:
                self.add_totals()
            self.exchange(i)
        if self.totals is not None:
            with nogil:
                self.push_totals()
        return 0

    cdef int add_totals(self) except -1 nogil:
        """Add the pairs in `pairs` to those of all languages."""
        cdef size_t i
        for i in range(self.pairs.pairs.size()):
            self.add_total(self.pairs.pairs[i].left, self.pairs.pairs[i].right, self.pairs.pairs[i].count)
        return 0

    cdef int add_total(self, uint32_t left, uint32_t right, uint64_t weight) except -1 nogil:
        """Add to the count of a pair in all languages. A new pair is a candidate after `push_totals`."""
        cdef size_t n = self.totals.pairs.size()
        cdef uint32_t index
        cdef Pair* pair
        if weight > 0:
            index = self.totals.insert(left, right)
            pair = &self.totals.pairs[index]
            pair.count += weight
            if self.totals.pairs.size() > n:
                self.new_totals.push_back(index)
        return 0

    cdef int push_totals(self) except -1 nogil:
        """Make the new pairs of all languages candidates."""
        cdef size_t i
        for i in range(self.new_totals.size()):
            if self.totals.pairs[self.new_totals[i]].count >= self.totals.floor:
                self.totals.push(self.new_totals[i])
        self.new_totals.clear()
        return 0

    cdef void exchange(self, uint32_t language) noexcept nogil:
        """Exchange what is in `pairs` for the pairs of a language, or the pairs of a language for what was there."""
        self.pairs.pairs.swap(self.pairs_of[language])
        self.pairs.slots.swap(self.slots_of[language])
        self.pairs.positions.swap(self.positions_of[language])
        self.pairs.heap.swap(self.heaps_of[language])

    cdef uint64_t saved_so_far(self, uint32_t language) noexcept nogil:
        """Return how many tokens the merges so far have saved in the dev text of a language."""
        cdef uint64_t i = self.first_cells[language], end = self.first_cells[language + 1], n = 0
        cdef uint32_t length
        while i < end:
            length = 1
            if self.cells[i].symbol != NO_SYMBOL:
                length = self.symbols.symbols[self.cells[i].symbol].length
                n += (length - 1) * self.dev_weights[self.cells[i].owner]
            i += length
        return n

    cdef int merge_everywhere(self, uint32_t left, uint32_t right, Origin* origin) except -1 nogil:
        """Merge a pair in the text and the dev text of each language."""
        cdef uint32_t i, index, n = <uint32_t> self.choice.languages.size()
        for i in range(min(n, <uint32_t> LANGUAGES_AHEAD)):
            self.expect(i, left, right)
        for i in range(n):
            if i + LANGUAGES_AHEAD < n:
                self.expect(i + LANGUAGES_AHEAD, left, right)
            self.exchange(i)
            index = self.pairs.find(left, right)
            if index != NONE:
                self.note_origin(i, self.pairs.pairs[index].count, origin)
                self.n_visited += self.pairs.pairs[index].size
                self.shorten(i, self.dev_savings(index))
                self.collect_places(index)
                self.count_new_pairs(index)
                self.place_new_pairs()
                self.pairs.pairs[index].count = 0
            self.exchange(i)
        if self.totals is not None:
            index = self.totals.find(left, right)
            if index != NONE:
                self.totals.pairs[index].count = 0
            self.push_totals()
        return 0

    cdef void expect(self, uint32_t language, uint32_t left, uint32_t right) noexcept nogil:
        """Prefetch the slot of a pair in the table of a language, most of which do not have it."""
        self.exchange(language)
        self.pairs.expect(left, right)
        self.exchange(language)

    cdef void shorten(self, uint32_t language, uint64_t n_tokens) noexcept nogil:
        """Take so many tokens from the dev text of a language."""
        cdef Language* one = &self.choice.languages[language]
        one.length -= n_tokens
        self.dev_total -= n_tokens

    cdef void note_origin(self, uint32_t language, uint64_t count, Origin* origin) noexcept nogil:
        """Add the occurrences of a merge in one language."""
        origin.occurrences += count
        if count > 0:
            origin.sources |= <uint64_t> 1 << min(language, <uint32_t> LAST_SOURCE)

    cdef uint64_t dev_savings(self, uint32_t index) noexcept nogil:
        """Return how many tokens a merge will save in the dev text of the language whose pairs are in `pairs`."""
        cdef Pair pair = self.pairs.pairs[index]
        cdef uint32_t left_length = self.symbols.symbols[pair.left].length
        cdef uint32_t length = left_length + self.symbols.symbols[pair.right].length
        cdef const uint32_t* positions = self.pairs.positions.data() + pair.begin
        cdef const Cell* cells = self.cells.data()
        cdef uint64_t i, end = 0, n = 0
        for i in range(pair.size):
            if i + PLACES_AHEAD < pair.size:
                prefetch(&cells[positions[i + PLACES_AHEAD]])
            if positions[i] < end or cells[positions[i]].symbol != pair.left:
                continue
            if cells[positions[i] + left_length].symbol == pair.right:
                n += self.dev_weights[cells[positions[i]].owner]
                end = positions[i] + length
        return n

    cdef void lower(self, uint32_t left, uint32_t right, uint64_t weight) noexcept nogil:
        """Subtract `weight` from the count of a pair in the language at hand, and in all if it had any there."""
        cdef uint32_t index = NONE if weight == 0 else self.pairs.find(left, right)
        cdef Pair* pair
        if index == NONE:
            return
        pair = &self.pairs.pairs[index]
        pair.count -= weight
        if self.totals is not None:
            index = self.totals.find(left, right)
            if index != NONE:
                pair = &self.totals.pairs[index]
                pair.count -= weight

    cdef uint64_t make_pair(
        self, uint32_t left, uint32_t right, uint64_t weight, uint32_t n_positions,
    ) except? 0xFFFFFFFFFFFFFFFE nogil:
        """As in a plain training; and add the pair to those of all languages."""
        cdef uint64_t begin = BpeTrainer.make_pair(self, left, right, weight, n_positions)
        if self.totals is not None and begin != NO_BLOCK:
            self.add_total(left, right, weight)
        return begin

    cdef int make_character(self, uint32_t character, uint64_t gain, Origin* origin) except -1 nogil:
        """Make a character a piece, in the text and the dev text of each language."""
        cdef uint32_t symbol = self.append_character(character, gain), i
        cdef uint64_t n = self.later.size(), n_saved = char_bytes(self.later[character]) - 1
        cdef uint64_t place = self.first_places[character]
        for i in range(<uint32_t> self.choice.languages.size()):
            self.note_origin(i, self.later_counts[i * n + character], origin)
            self.shorten(i, n_saved * self.later_dev[i * n + character])
            self.exchange(i)
            place = self.place_character(symbol, place, self.first_places[character + 1], self.first_cells[i + 1])
            self.count_neighbours(symbol)
            self.place_new_pairs()
            self.exchange(i)
        if self.totals is not None:
            self.push_totals()
        return 0

    cdef uint32_t append_character(self, uint32_t character, uint64_t gain) except? 0xFFFFFFFE nogil:
        """Append the symbol of a later character, which is returned."""
        cdef uint32_t symbol = <uint32_t> self.symbols.symbols.size()
        self.symbols.append_char(self.later[character])
        self.made.push_back(LearnedMerge(self.later[character], NO_SYMBOL, gain))
        self.neighbours.resize(self.symbols.symbols.size())
        self.is_made[character] = True
        if not self.symbol_of.empty():
            self.symbol_of[self.later[character]] = symbol
        return symbol

    cdef uint64_t place_character(
        self, uint32_t symbol, uint64_t place, uint64_t last, uint64_t end,
    ) except? 0xFFFFFFFFFFFFFFFE nogil:
        """Write a new symbol of one character into its cells before `end`, and note its neighbours.

        place, last: its places that are left. Return the first place that is left then.
        """
        cdef const LearnedSymbol* symbols = self.symbols.symbols.data()
        cdef const uint8_t* begins = places_of(self.begins)
        cdef Cell* cells = self.cells.data()
        cdef uint64_t begin, far, weight
        self.n_before = self.n_after = self.n_touched = 0
        self.make_room(last - place)
        self.n_visited += last - place
        while place < last and self.places[place] < end:
            begin = self.places[place]
            weight = self.weights[cells[begin].owner]
            cells[begin].symbol = symbol
            if cells[begin - 1].symbol != NO_SYMBOL:
                far = begin - symbols[cells[begin - 1].symbol].length
                self.note_before(cells[begin - 1].symbol, <uint32_t> far, weight * is_in_place(begins, far, begin + 1))
            if cells[begin + 1].symbol != NO_SYMBOL:
                far = begin + 1 + symbols[cells[begin + 1].symbol].length
                self.note_after(cells[begin + 1].symbol, <uint32_t> begin, weight * is_in_place(begins, begin, far))
            place += 1
        return place

    cdef void note_before(self, uint32_t symbol, uint32_t position, uint64_t weight) noexcept nogil:
        """Note a symbol before a new one."""
        cdef Neighbour* neighbour = &self.neighbours[symbol]
        self.touched[self.n_touched] = symbol
        self.n_touched += neighbour.n_before == 0 and neighbour.n_after == 0
        neighbour.before += weight
        neighbour.n_before += 1
        self.before[self.n_before] = PairPlace(symbol, position)
        self.n_before += 1

    cdef void note_after(self, uint32_t symbol, uint32_t position, uint64_t weight) noexcept nogil:
        """Note a symbol after a new one, which stands at `position`."""
        cdef Neighbour* neighbour = &self.neighbours[symbol]
        self.touched[self.n_touched] = symbol
        self.n_touched += neighbour.n_before == 0 and neighbour.n_after == 0
        neighbour.after += weight
        neighbour.n_after += 1
        self.after[self.n_after] = PairPlace(symbol, position)
        self.n_after += 1

    cdef int count_neighbours(self, uint32_t symbol) except -1 nogil:
        """Make the pairs of a new character and its neighbours, with room for their positions."""
        cdef Neighbour* entry
        cdef uint64_t i
        for i in range(self.n_touched):
            entry = &self.neighbours[self.touched[i]]
            if entry.n_before > 0:
                entry.before = self.make_pair(self.touched[i], symbol, entry.before, entry.n_before)
            if entry.n_after > 0:
                entry.after = self.make_pair(symbol, self.touched[i], entry.after, entry.n_after)
        return 0
