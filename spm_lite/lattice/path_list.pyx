"""Closes, copies and repeats paths. Now and then `close` looks for signals and at the limit of tokens.

Header: path_list.pxd.
"""

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.string cimport memcmp
from libcpp.vector cimport vector

from spm_lite.base.system.signals cimport stay_if_ending
from spm_lite.encode.segment.segmenter cimport Token

from spm_lite.errors import OptionError


@cython.final
cdef class PathList:
    """Paths with their scores; the caller chooses their order."""

    cdef void clear(self) noexcept nogil:
        self.tokens.clear()
        self.ends.clear()
        self.scores.clear()
        self.next_check = TOKENS_BETWEEN_CHECKS

    cdef int close(self, double score) except -1 nogil:
        self.ends.push_back(self.tokens.size())
        self.scores.push_back(score)
        return self.check() if self.tokens.size() >= self.next_check else 0

    cdef int check(self) except -1 nogil:
        """Check for signals. Raises OptionError if the paths have more than MAX_TOKENS tokens together."""
        self.next_check = self.tokens.size() + TOKENS_BETWEEN_CHECKS
        stay_if_ending()
        with gil:
            PyErr_CheckSignals()
            if self.tokens.size() > MAX_TOKENS:
                raise OptionError(
                    f"{self.ends.size()} segmentations of this text have {self.tokens.size()} pieces together, which "
                    f"is above {MAX_TOKENS}, and more are wanted: ask for fewer, or split the text"
                )
        return 0

    cdef size_t begin(self, size_t i) noexcept nogil:
        return self.ends[i - 1] if i else 0

    cdef int copy(self, size_t i, vector[Token]& tokens) except -1 nogil:
        """Overwrite `tokens` with the tokens of path i."""
        tokens.assign(self.tokens.begin() + self.begin(i), self.tokens.begin() + self.ends[i])
        return 0

    cdef int copy_last(self, vector[Token]& tokens) except -1 nogil:
        return self.copy(self.ends.size() - 1, tokens)

    cdef int repeat(self, size_t i) except -1 nogil:
        cdef size_t k
        for k in range(self.begin(i), self.ends[i]):
            self.tokens.push_back(Token(self.tokens[k].piece_id, self.tokens[k].begin, self.tokens[k].end))
        return self.close(self.scores[i])

    cdef int drop_repeated_first(self, Py_ssize_t n_kept) except -1 nogil:
        """Remove repetitions of the first path, then paths from the end until at most `n_kept` are left."""
        cdef size_t i, k, n_left = 1, n_tokens = self.ends[0], begin = self.ends[0], end
        for i in range(1, self.ends.size()):
            end = self.ends[i]
            if n_left < <size_t> n_kept and not self.is_first(begin, end):
                for k in range(begin, end):
                    self.tokens[n_tokens] = self.tokens[k]
                    n_tokens += 1
                self.ends[n_left] = n_tokens
                self.scores[n_left] = self.scores[i]
                n_left += 1
            begin = end
        self.tokens.resize(n_tokens)
        self.ends.resize(n_left)
        self.scores.resize(n_left)
        return 0

    cdef bint is_first(self, size_t begin, size_t end) noexcept nogil:
        """Whether the first path has these tokens."""
        if begin == end:  # the path of an empty text: there is no memory to compare
            return self.ends[0] == 0
        return end - begin == self.ends[0] and memcmp(
            self.tokens.data(), self.tokens.data() + begin, (end - begin) * sizeof(Token)
        ) == 0
