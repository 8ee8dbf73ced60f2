"""BPE for parity: each merge is the best one of the language whose dev text has the most tokens.

Where text that no piece covers becomes bytes, a character of several bytes is a merge too. It saves all its bytes but
one, and competes with the pairs. Header: parity_trainer.pxd. The choice of the language: language_choice. The merges:
language_merger.
Source: Foroutan et al. 2025, "Parity-Aware Byte-Pair Encoding"; characters as merges are ours.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.training.bpe.bpe_trainer cimport BpeTrainer, alphabet_text, byte_pieces
from spm_lite.training.bpe.language_choice cimport NO_LANGUAGE, LanguageChoice
from spm_lite.training.bpe.language_merger cimport LATER, LanguageMerger, char_bytes
from spm_lite.training.bpe.pairs cimport PairTable
from spm_lite.training.bpe.symbols cimport NO_SYMBOL
from spm_lite.training.counts.chunk_table cimport ChunkTable, Origin
from spm_lite.training.trainer_interface cimport Alphabet

from spm_lite.kinds import SPACE

cdef enum:
    POSITIONS_AT_ONCE = 1 << 20     # between two checks for Ctrl-C
    LEAST = 2                       # occurrences of a merge in the language whose turn it is

cdef uint32_t NONE = <uint32_t> -1


@cython.final
cdef class ParityTrainer(LanguageMerger):
    """Learns merges in turns of languages.

    window, alpha, floor: when a language waits, see `LanguageChoice`. global_merges: so many first merges are plain:
    the pair that is most frequent in all texts. most_tokens: by the number of pieces, how many tokens all dev texts may
    have together; while they have more, merges are plain. Empty: there is no limit.
    """

    def __init__(self, uint64_t window=0, double alpha=2.0, double floor=0.0, uint64_t global_merges=0, most_tokens=()):
        self.choice = LanguageChoice(window, alpha, floor)
        self.global_merges = global_merges
        self.most_tokens = most_tokens
        self.has_totals = global_merges > 0 or not self.most_tokens.empty()
        self.least = LEAST

    def learn(self, ChunkTable counts, Alphabet alphabet, spec, n_pieces, *, num_threads=1, progress=None,
              reference_rules=False):
        """Return the merges in order, then the characters that are pieces; or bytes, then merges, as `BpeTrainer`.

        counts: the chunks of all languages. alphabet: the characters that may be pieces. Those of one byte, the space
        and required ones are pieces from the start; without byte fallback, all are. When no language has a frequent
        pair left, the rest of the alphabet follows.
        """
        cdef Alphabet first
        cdef Origin rest
        cdef uint32_t i
        self.start(counts, spec, False)
        self.least_floor = self.least
        self.owns_chunks = self.keeps_rare = True
        self.refused_pairs = PairTable()
        first = self.split_alphabet(alphabet, spec)
        self.n_at_start = len(first)
        if self.checkpoint is not None:
            self.restore_merges(alphabet, n_pieces, spec.graphemes, self.checkpoint.load_state())
        self.fill_texts(spec.graphemes)
        with nogil:
            self.place_later()
        self.merge_restored(max(num_threads, 1))
        self.fill_languages()
        self.restore_turns()
        self.fill_gains()
        self.merge_pairs(alphabet, max(self.n_at_start, <uint64_t> n_pieces), progress)
        for i in range(<uint32_t> self.later.size()):
            if not self.is_made[i] and self.symbols.symbols.size() < n_pieces:
                rest = Origin(0, 0)
                self.make_character(i, 0, &rest)
                self.made_origins.push_back(rest)
        self.figures["merges"] = self.made.size()
        self.rare = self.rare_merges(first)
        texts = self.merge_texts(first)
        if self.symbols.rules.in_bytes:
            self.rare = {text.encode("latin-1"): origin for text, origin in self.rare.items()}
            return byte_pieces([text.encode("latin-1") for text in texts])
        kept = {text for text in texts if len(text) == 1}.union([character for character, _ in first.items()])
        pieces = [text for text in texts if len(text) > 1]
        pieces += [character for character, _ in alphabet.items() if character in kept]
        return [(text, -float(i)) for i, text in enumerate(pieces)]

    def outcome(self):
        """Return (tokens of the dev text, merges in its turns, whether it is exhausted) of each language."""
        cdef size_t i
        return [
            (self.choice.languages[i].length, self.choice.languages[i].merges, bool(self.choice.languages[i].is_done))
            for i in range(self.choice.languages.size())
        ]

    def plain_merges(self):
        """Return how many merges were plain."""
        return self.n_plain

    def forced_at(self):
        """Return the first turn in which all languages were to wait; 0: there was none."""
        return self.choice.forced_at

    cdef Alphabet split_alphabet(self, Alphabet alphabet, spec):
        """Append the symbols of the characters that are pieces from the start, which are returned; note the others."""
        cdef Alphabet first = alphabet
        cdef uint32_t i
        if not self.symbols.rules.in_bytes and spec.byte_fallback:
            at_start = {SPACE, *spec.required_chars}
            items = alphabet.items()
            first = Alphabet.from_items([item for item in items if item[0] in at_start or item[0] < "\x80"])
            self.later = [ord(character) for character, _ in items if character not in first]
        self.fill_symbols(first)
        for i in range(<uint32_t> self.later.size()):
            self.symbol_of[self.later[i]] = LATER | i
        self.is_made.resize(self.later.size(), False)
        return first

    cdef int restore_merges(self, Alphabet alphabet, uint64_t n_pieces, bint by_graphemes, state) except -1:
        """Append the symbols of a state that `state_of` made; None: do nothing. Raises ModelError for any other."""
        cdef uint32_t left, right, character
        cdef uint64_t count, occurrences, sources
        cdef int32_t turn
        if state is None:
            return 0
        try:
            if state["alphabet"] != alphabet_text(alphabet):
                raise ValueError("its characters are not the characters of the text")
            if self.n_at_start + len(state["merges"]) > n_pieces:
                raise ValueError("it has more merges than are wanted")
            for left, right, count, turn, occurrences, sources in state["merges"]:
                if not NO_LANGUAGE <= turn < len(self.texts):
                    raise ValueError(f"there is no language {turn}")
                if right == NO_SYMBOL:
                    character = self.symbol_of[left] if left < self.symbol_of.size() else NO_SYMBOL
                    if character == NO_SYMBOL or not character & LATER:
                        raise ValueError(f"the character {left} cannot become a piece")
                    self.append_character(character - LATER, count)
                elif max(left, right) >= self.symbols.symbols.size() or not self.symbols.is_valid_pair(left, right):
                    raise ValueError(f"{left} and {right} cannot be merged")
                elif not self.accept_pair(left, right, count):
                    raise ValueError(f"{left} and {right} cannot be merged at this place")
                self.made_origins.push_back(Origin(occurrences, sources))
                self.turns.push_back(turn)
            for left, right in state["refused"]:
                self.refused.push_back(<uint64_t> left << 32 | right)
            self.choice.forced_at = state["forced_at"]
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise self.checkpoint.damaged(f"{type(error).__name__}: {error}") from None
        return 0

    cdef dict state_of(self, Alphabet alphabet):
        """As in a plain training, with the turn and the origin of each merge."""
        cdef dict state = BpeTrainer.state_of(self, alphabet)
        state["merges"] = [
            [*merge, self.turns[i], self.made_origins[i].occurrences, self.made_origins[i].sources]
            for i, merge in enumerate(state["merges"])
        ]
        state["forced_at"] = self.choice.forced_at
        return state

    cdef int restore_turns(self) except -1:
        """Take the turns of a restored state again, now that the languages are known."""
        cdef size_t k
        for k in range(self.turns.size()):
            if self.turns[k] == NO_LANGUAGE:
                self.n_plain += 1
            else:
                self.choice.take_turn(self.turns[k])
        for k in range(self.refused.size()):
            self.refused_pairs.insert(<uint32_t> (self.refused[k] >> 32), <uint32_t> self.refused[k])
        return 0

    cdef int fill_gains(self) except -1:
        """Sort the later characters by what they save in each language, and in all: the least first."""
        cdef uint64_t n = self.later.size(), total
        cdef uint32_t i, k, n_languages = <uint32_t> self.choice.languages.size()
        sums = [0] * <Py_ssize_t> n
        self.gains.resize(n_languages + 1)
        for i in range(n_languages + 1):
            order = []
            for k in range(n):
                total = sums[k] if i == n_languages else self.later_counts[i * n + k]
                if i < n_languages:
                    sums[k] += total
                if total >= self.least and not self.is_made[k]:
                    order.append((total * (char_bytes(self.later[k]) - 1), -<int64_t> self.later[k], k))
            for gain, _, character in sorted(order):
                self.gains[i].push_back(CharacterGain(gain, character))
        return 0

    cdef bint merge_some(self, uint64_t n_symbols) except -1 nogil:
        """Make merges until about POSITIONS_AT_ONCE positions are visited; True: there are no more to make."""
        cdef vector[double] gains
        cdef Candidate best
        cdef int32_t language
        cdef uint32_t n = <uint32_t> self.choice.languages.size()
        gains.resize(n, 0)
        self.n_visited = 0
        while self.n_visited < POSITIONS_AT_ONCE:
            if self.symbols.symbols.size() >= n_symbols:
                return True
            if self.is_next_plain():
                self.best_of(n, &best)
                self.is_plain_done = best.gain == 0
                if best.gain > 0 and self.make(&best):
                    self.note_turn(NO_LANGUAGE)
                continue
            if self.choice.floor > 0:
                self.fill_rates(gains)
            language = self.choice.next_language(gains.data())
            if language == NO_LANGUAGE:
                return True
            self.best_of(<uint32_t> language, &best)
            if best.gain == 0:
                self.choice.languages[language].is_done = True
            elif self.make(&best):
                self.note_turn(language)
        return False

    cdef bint is_next_plain(self) noexcept nogil:
        """Whether the next merge is the best of all texts, whatever the languages need."""
        cdef uint64_t n_pieces = self.symbols.symbols.size()
        if self.is_plain_done or self.totals is None:
            return False
        if self.made.size() < self.global_merges:
            return True
        return n_pieces < self.most_tokens.size() and self.dev_total > self.most_tokens[n_pieces]

    cdef int fill_rates(self, vector[double]& gains) except -1 nogil:
        """Fill in what the best merge of each language saves, at the rate of its dev text."""
        cdef Candidate best
        cdef uint32_t i
        for i in range(<uint32_t> gains.size()):
            self.best_of(i, &best)
            gains[i] = best.gain * self.choice.languages[i].rate
        return 0

    cdef int best_of(self, uint32_t language, Candidate* best) except -1 nogil:
        """Find the best merge of a language; of all, if the number is that of languages. Ties: a character first."""
        cdef vector[CharacterGain]* characters = &self.gains[language]
        best.gain = 0
        if language == self.choice.languages.size():
            self.best_pair(self.totals, best)
        else:
            self.exchange(language)
            self.best_pair(self.pairs, best)
            self.exchange(language)
        while not characters.empty() and self.is_made[characters.back().character]:
            characters.pop_back()
        if not characters.empty() and characters.back().gain >= best.gain:
            best[0] = Candidate(characters.back().gain, characters.back().character, NO_SYMBOL)
        return 0

    cdef int best_pair(self, PairTable pairs, Candidate* best) except -1 nogil:
        """Find the best pair of a table."""
        cdef uint32_t index = pairs.find_best()
        while index != NONE and self.refused_pairs.find(pairs.pairs[index].left, pairs.pairs[index].right) != NONE:
            pairs.drop_first()
            index = pairs.find_best()
        if index != NONE:
            best[0] = Candidate(pairs.pairs[index].count, pairs.pairs[index].left, pairs.pairs[index].right)
        return 0

    cdef bint make(self, const Candidate* best) except -1 nogil:
        """Make a merge; False: it is refused, now and ever after."""
        cdef Origin origin = Origin(0, 0)
        self.n_visited += 1000
        if best.right == NO_SYMBOL:
            self.make_character(best.left, best.gain, &origin)
        elif self.accept_pair(best.left, best.right, best.gain):
            self.merge_everywhere(best.left, best.right, &origin)
        else:
            self.refused.push_back(<uint64_t> best.left << 32 | best.right)
            self.refused_pairs.insert(best.left, best.right)
            return False
        self.made_origins.push_back(origin)
        return True

    cdef int note_turn(self, int32_t language) except -1 nogil:
        """Note whose turn a merge was. NO_LANGUAGE: it was plain."""
        self.turns.push_back(language)
        if language == NO_LANGUAGE:
            self.n_plain += 1
        else:
            self.choice.take_turn(language)
        return 0
