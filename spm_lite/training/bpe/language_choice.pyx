"""Chooses the language of the next merge. Header: language_choice.pxd.

Languages with dev text compete. The longest has the turn: its dev text has the most tokens, compared with its goal. Two
rules let it wait. The window: it had more than alpha times its equal part of the last turns. The floor: its best merge
saves too little compared with the best merge of any language. If all were to wait, the longest has the turn.
A source without dev text keeps its share: it has a turn whenever its part of the turns would not exceed its part of the
text.
Source: Foroutan et al. 2025, "Parity-Aware Byte-Pair Encoding"; the floor and the sources without dev text are ours.
"""

cimport cython
from libc.stdint cimport int32_t, uint32_t, uint64_t


@cython.final
cdef class LanguageChoice:
    """The languages in the order of the sources, and their last turns."""

    def __cinit__(self, uint64_t window=0, double alpha=2.0, double floor=0.0):
        self.window, self.alpha, self.floor = window, alpha, floor
        self.turns.resize(window)

    cdef int add(self, double goal, double share, double rate, uint64_t length) except -1:
        """Add the next language; see `Language`."""
        self.languages.push_back(Language(goal, share, rate, length, 0, 0, False))
        self.n_competing += goal > 0
        return 0

    cdef int32_t next_language(self, const double* gains) noexcept nogil:
        """Return whose turn it is; NO_LANGUAGE: all are done.

        gains: for each language, the tokens that its best merge saves, at the rate of its dev text; read if there is a
        floor.
        """
        cdef int32_t i, found
        cdef double most = 0
        for i in range(<int32_t> self.languages.size()):
            if self.is_due(&self.languages[i]):
                return i
        if self.floor > 0:
            for i in range(<int32_t> self.languages.size()):
                most = max(most, gains[i])
        found = self.neediest(False, gains, most)
        if found == NO_LANGUAGE:
            found = self.neediest(True, gains, most)
            if found != NO_LANGUAGE and self.forced_at == 0:
                self.forced_at = self.n_turns + 1
        return self.least_served() if found == NO_LANGUAGE else found

    cdef bint is_due(self, const Language* language) noexcept nogil:
        """Whether a source without dev text keeps within its share with one turn more."""
        if language.goal > 0 or language.is_done:
            return False
        return language.merges + 1 <= language.share * (self.n_turns + 1)

    cdef bint must_wait(self, int32_t i, const double* gains, double most) noexcept nogil:
        """Whether a rule passes over a language. most: the greatest gain of any language."""
        if self.floor > 0 and gains[i] < self.floor * most:
            return True
        if self.window == 0:
            return False
        return self.languages[i].n_recent > self.alpha * self.window / self.n_competing

    cdef int32_t neediest(self, bint all_may, const double* gains, double most) noexcept nogil:
        """Return the language with the longest dev text of those that need not wait; NO_LANGUAGE: there is none.

        Of equally long ones, the first. all_may: the rules of waiting do not count.
        """
        cdef int32_t i, found = NO_LANGUAGE
        cdef double length, longest = 0
        for i in range(<int32_t> self.languages.size()):
            if self.languages[i].goal <= 0 or self.languages[i].is_done:
                continue
            length = self.languages[i].length / self.languages[i].goal
            if found != NO_LANGUAGE and length <= longest:
                continue
            if all_may or not self.must_wait(i, gains, most):
                found, longest = i, length
        return found

    cdef int32_t least_served(self) noexcept nogil:
        """Return the source without dev text that has had the least part of its share; NO_LANGUAGE: all are done."""
        cdef int32_t i, found = NO_LANGUAGE
        cdef double served, least = 0
        for i in range(<int32_t> self.languages.size()):
            if self.languages[i].goal > 0 or self.languages[i].is_done:
                continue
            served = self.languages[i].merges / self.languages[i].share
            if found == NO_LANGUAGE or served < least:
                found, least = i, served
        return found

    cdef void take_turn(self, int32_t i) noexcept nogil:
        """Note that a language has made a merge. Turns of sources without dev text are not in the window."""
        cdef Language* language = &self.languages[i]
        cdef uint64_t place
        self.n_turns += 1
        language.merges += 1
        if self.window == 0 or language.goal <= 0:
            return
        place = self.n_competed % self.window
        if self.n_competed >= self.window:
            self.languages[self.turns[place]].n_recent -= 1
        self.turns[place] = <uint32_t> i
        self.n_competed += 1
        language.n_recent += 1
