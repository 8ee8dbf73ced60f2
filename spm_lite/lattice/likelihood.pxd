"""Log-likelihoods of many texts over all segmentations (Unigram): summed chunk by chunk, each distinct chunk once.

Every path passes every cut, so the log-probability of a text is the sum of those of its chunks. A chunk occurs again
and again: its log-probability is kept in a cache, by the keys that encoding uses.
"""

cimport cython
from libc.stdint cimport int32_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.encode.chunks.chunk_cache cimport Key
from spm_lite.encode.chunks.chunk_cutter cimport ChunkCutter
from spm_lite.encode.chunks.chunk_solver cimport ChunkScratch
from spm_lite.encode.shares cimport TextWorker
from spm_lite.lattice.lattice cimport Lattice
from spm_lite.lattice.path_scores cimport PathScores
from spm_lite.lattice.sampling cimport Sampler
from spm_lite.normalize.normalized_text cimport NormalizedText


@cython.final
cdef class LikelihoodWorker(TextWorker):
    cdef PathScores scores
    cdef ChunkCutter cutter
    cdef NormalizedText text
    cdef Lattice lattice
    cdef Sampler sampler
    cdef ChunkScratch chunks        # its cache maps a chunk to the bits of a double, held as two ids
    cdef vector[double] sums        # of each text

    cdef double text_log_prob(self, const uint8_t* text, int32_t size) except? 1.0 nogil
    cdef double chunk_log_prob(self, Key* key, const uint8_t* text) except? 1.0 nogil
