"""The WordPiece trainer: merges symbols of words, of which those inside a word carry a prefix."""

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.unicode.utf8 cimport char_size, decode_char
from spm_lite.training.counts.chunk_table cimport ChunkTable, Origin
from spm_lite.training.counts.cluster_places cimport append_begins
from spm_lite.training.trainer_interface cimport RARE, Alphabet, Trainer, has_member
from spm_lite.training.wordpiece.merge_table cimport FREQUENCY, LIKELIHOOD, RATIO, MergeTable

from spm_lite.errors import TrainingError
from spm_lite.training.alphabet import required_characters

cdef uint32_t NONE = <uint32_t> -1
cdef enum:
    MERGES_AT_ONCE = 64     # between two checks for Ctrl-C

cdef dict OBJECTIVES = {"likelihood": LIKELIHOOD, "ratio": RATIO, "frequency": FREQUENCY}


@cython.final
cdef class WordPieceTrainer(Trainer):
    """Merges the pair of the best score until there are enough pieces. Source: Schuster and Nakajima 2012."""

    cdef MergeTable merges

    def learn(self, ChunkTable counts, Alphabet alphabet, spec, n_pieces, *, num_threads=1, progress=None,
              reference_rules=False):
        """Return the characters that begin words and those inside them, then the merges in their order.

        Words with a character outside the alphabet teach nothing, nor do words longer than `max_word_length`.
        Equal scores: fewer characters first, then the smaller text, then the piece that begins words.
        Both pieces of a required character are there, whether words have it or not. Raises TrainingError if the
        characters alone are more than `n_pieces`: `first_pieces` tells before how many they are.
        """
        cdef uint64_t n_characters
        self.begin(spec)
        self.add_words(counts, alphabet, spec.max_word_length, spec.graphemes)
        self.add_characters(required_characters(spec, False))
        n_characters = self.merges.pieces.size()
        if n_characters > <uint64_t> max(n_pieces, 0):
            raise TrainingError(f"vocab_size={spec.vocab_size} has no room for {n_characters} characters of words")
        if spec.graphemes:
            self.merges.begins.push_back(True)  # after the last word
        with nogil:
            self.merges.start()
        self.merge_pairs(n_characters, <uint64_t> n_pieces, progress)
        self.figures["merges"] = self.merges.pieces.size() - n_characters
        self.rare = self.rare_pieces(counts, spec.continuation_prefix)
        return self.in_order(n_characters, spec.continuation_prefix)

    cdef int begin(self, spec) except -1:
        self.merges = MergeTable()
        self.merges.objective = OBJECTIVES[spec.objective]
        self.merges.min_count = self.merges.least = spec.min_count
        self.merges.max_length = spec.max_sentencepiece_length
        return 0

    def first_pieces(self, ChunkTable counts, Alphabet alphabet, spec):
        """Return how many characters are pieces before the first merge, at the beginning of words and inside them."""
        self.begin(spec)
        self.add_words(counts, alphabet, spec.max_word_length, spec.graphemes)
        self.add_characters(required_characters(spec, False))
        return len(self.in_order(self.merges.pieces.size(), spec.continuation_prefix))

    cdef int add_characters(self, characters) except -1:
        """Make both pieces of each required character, whether words have it or not."""
        cdef uint32_t code
        cdef bint is_new = False
        for character in sorted(characters):
            code = ord(character)
            self.merges.symbol(&code, 1, False, &is_new)
            self.merges.symbol(&code, 1, True, &is_new)
        return 0

    cdef int add_words(self, ChunkTable counts, Alphabet alphabet, int32_t max_length, bint by_graphemes) except -1:
        """Make a word of each chunk."""
        cdef const uint64_t* members = alphabet.members.data()
        cdef vector[uint32_t] text, symbols
        cdef const uint8_t* at
        cdef int32_t size, step, i
        cdef uint64_t k
        cdef uint32_t code
        cdef bint is_new = False
        cdef const Origin* origin = NULL
        if not counts.origins.empty():
            self.merges.min_count = 1
        elif counts.divisor > 1:
            self.merges.min_count = (self.merges.least + counts.divisor - 1) // counts.divisor
        with nogil:
            for k in range(counts.chunks.size()):
                if not counts.origins.empty():
                    origin = &counts.origins[k]
                at = counts.texts.data() + counts.chunks[k].begin
                size = <int32_t> counts.chunks[k].size
                text.clear()
                while size > 0:
                    step = char_size(at, size)
                    code = decode_char(at, step) if step else NONE
                    if not has_member(members, code):
                        break
                    text.push_back(code)
                    at += step
                    size -= step
                if size > 0 or <int32_t> text.size() > max_length:
                    continue
                if by_graphemes:
                    append_begins(
                        counts.texts.data() + counts.chunks[k].begin, counts.chunks[k].size, False, self.merges.begins,
                    )
                symbols.clear()
                for i in range(<int32_t> text.size()):
                    symbols.push_back(self.merges.symbol(&text[i], 1, i > 0, &is_new))
                self.merges.add_word(symbols.data(), <int32_t> symbols.size(), counts.chunks[k].count, origin)
        return 0

    cdef int merge_pairs(self, uint64_t n_first, uint64_t n_wanted, progress) except -1:
        """Merge the best pair again and again, up to `n_wanted` pieces."""
        cdef uint32_t best = 0
        cdef int _
        while best != NONE and self.merges.pieces.size() < n_wanted:
            with nogil:
                for _ in range(MERGES_AT_ONCE):
                    if self.merges.pieces.size() >= n_wanted:
                        break
                    best = self.merges.pop_best()
                    if best == NONE:
                        break
                    self.merges.merge(best)
            PyErr_CheckSignals()
            if progress is not None:
                progress("merges", self.merges.pieces.size() - n_first, n_wanted - n_first)
        return 0

    cdef dict rare_pieces(self, ChunkTable counts, str prefix):
        """Return {piece: (occurrences when it was made, sources)} of the pieces that are rare."""
        cdef uint64_t i
        cdef Origin origin
        result = {}
        # Required characters may be in no word.
        self.merges.piece_origins.resize(self.merges.pieces.size(), Origin(0, 0, 0))
        for i in range(self.merges.pieces.size()):
            origin = self.merges.piece_origins[i]
            if counts.origins.empty():
                origin.occurrences *= counts.divisor
            if origin.occurrences < RARE:
                result[self.text_of(i, prefix)] = (origin.occurrences, origin.sources)
        return result

    cdef str text_of(self, uint64_t i, str prefix):
        """Return piece i as the vocabulary writes it."""
        cdef uint64_t j
        text = "".join([
            chr(self.merges.texts[self.merges.pieces[i].begin + j]) for j in range(self.merges.pieces[i].length)
        ])
        return prefix + text if self.merges.pieces[i].continues else text

    cdef list in_order(self, uint64_t n_characters, str prefix):
        """The pieces: characters by place and code point, then the merges. Scores fall by 1."""
        cdef uint64_t i
        texts = [self.text_of(i, prefix) for i in range(self.merges.pieces.size())]
        order = sorted(range(n_characters), key=lambda k: (self.merges.pieces[<uint64_t> k].continues, texts[k]))
        texts = [texts[k] for k in order] + texts[n_characters:]
        unique = list(dict.fromkeys(texts))  # an empty prefix, or one that is text: two pieces may look alike
        return [(text, -float(i)) for i, text in enumerate(unique)]
