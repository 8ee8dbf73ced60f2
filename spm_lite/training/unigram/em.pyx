"""EM. The E-step sums each lane of segments by itself; the M-step makes new scores from the expected counts.

`fill_expected` is the E-step, and `update_scores` the M-step. The hot loop is in
lattice/forward_backward.pyx. `UnigramTrainer.run_em` calls them round by round. Header: em.pxd.
"""

from libc.math cimport exp, log
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.structures.ranking cimport mark_greatest
from spm_lite.base.system.heap cimport refill
from spm_lite.base.system.thread_tasks cimport TaskThread, is_stopped, run_tasks
from spm_lite.lattice.forward_backward cimport Chains, PieceLink, add_expected
from spm_lite.training.unigram.candidates cimport Candidates, Segment

cdef enum:
    MAX_LANES = 16
    LANES_PER_THREAD = 2                # held at once (each lane has a sum per piece)
    MANY_PIECES = 1 << 18               # with so many pieces, to save memory, one lane per thread
    PLACES_PER_LANE = 1 << 17
    PLACES_BETWEEN_CHECKS = 1 << 18
    PIECES_PER_TASK = 1 << 15
    MAX_PERIOD = 32                     # places between two scalings

cdef double MAX_DECAY = 600.0           # a path may lose exp(-600) between two scalings; the least double is exp(-708)
cdef double UNKNOWN_PENALTY = 10.0      # an unknown character scores so much below the least score
cdef double MIN_EXPECTED = 0.5          # units: pieces with a lower expected count are dropped
cdef double PLAIN_MEAN = 1.25           # the low mean of the counts of chunks in plain text is about this


cdef double count_unit(double low_mean) noexcept nogil:
    """Return the unit in which EM counts, from the low mean of the counts of all chunks (see `ChunkTable.low_means`).

    In plain text it is about 1. If all text stands there k times it is about k, and the same scores come out.
    """
    return low_mean / PLAIN_MEAN


cdef class PieceScores:
    """The current scores of the pieces, one entry per piece of a Candidates."""

    def __cinit__(self):
        self.unit = 1

    cdef int start(self, const vector[double]& weights) except -1 nogil:
        """Set the log probabilities, in proportion to weights. A piece of weight 0 (a character) is rare."""
        cdef double total = 0
        cdef size_t i
        self.scores.resize(weights.size())
        refill(self.is_rare, weights.size(), False)
        for i in range(weights.size()):
            total += weights[i]
        for i in range(weights.size()):
            self.is_rare[i] = weights[i] <= 0
            self.scores[i] = log(weights[i] / total) if weights[i] > 0 else 0
        self.score_rare_ones()
        return 0

    cdef void score_rare_ones(self) noexcept nogil:
        """Score rare characters like unknown ones: UNKNOWN_PENALTY below the least score of the other pieces."""
        cdef double least = 0
        cdef size_t i
        for i in range(self.scores.size()):
            if not self.is_rare[i]:
                least = min(least, self.scores[i])
        for i in range(self.scores.size()):
            if self.is_rare[i]:
                self.scores[i] = least - UNKNOWN_PENALTY

    cdef int fill_links(self, Candidates candidates, bint as_logs, vector[PieceLink]& links) except -1 nogil:
        cdef size_t i
        links.resize(self.scores.size())
        for i in range(links.size()):
            links[i].weight = self.scores[i] if as_logs else exp(self.scores[i])
            links[i].length = candidates.pieces[i].length
            links[i].shorter = candidates.pieces[i].shorter
        return 0

    cdef int follow(self, const uint32_t* new_ids) except -1 nogil:
        """Drop the entries of the pieces that `Candidates.keep` has dropped. new_ids: as it filled them."""
        cdef size_t i, n_kept = 0
        for i in range(self.scores.size()):
            if new_ids[i] == n_kept:  # else dropped: the new id is that of an earlier, shorter piece
                self.scores[n_kept] = self.scores[i]
                self.is_rare[n_kept] = self.is_rare[i]
                n_kept += 1
        self.scores.resize(n_kept)
        self.is_rare.resize(n_kept)
        return 0

    cdef PieceScores copy(self):
        cdef PieceScores result = PieceScores()
        result.scores, result.is_rare, result.unit = self.scores, self.is_rare, self.unit
        return result


cdef int split_lanes(Candidates candidates, vector[Lane]& lanes) except -1 nogil:
    """Split the segments into at most MAX_LANES lanes of about the same number of places."""
    cdef uint64_t n_places = candidates.symbols.size(), n_lanes, n_seen = 0
    cdef Lane lane = Lane(0, 0)
    n_lanes = min(max(n_places // PLACES_PER_LANE, <uint64_t> 1), <uint64_t> MAX_LANES)
    lanes.clear()
    while lane.end < candidates.segments.size():
        n_seen += candidates.segments[lane.end].length
        lane.end += 1
        if n_seen * n_lanes >= n_places * (lanes.size() + 1):
            lanes.push_back(lane)
            lane.begin = lane.end
    if lane.begin < lane.end:
        lanes.push_back(lane)
    return 0


cdef struct ExpectationJob:
    # The data that the tasks of one E-step share.
    const Segment* segments
    const Lane* lanes
    Chains corpus               # the chains of all segments, one after the other
    vector[double]* expected    # per lane: the expected counts of all pieces
    double* log_likelihoods     # per lane
    uint32_t longest_segment
    uint32_t n_pieces


cdef double fill_expected(
    Candidates candidates, PieceScores scores, uint32_t n_threads, vector[double]& expected,
) except? 1.0 nogil:
    """E-step: fill the expected count of each piece in the corpus; return the log-likelihood of the corpus in nats.

    Each lane is summed by itself in the order of the table, then the lanes are added in order. So the result does
    not depend on the number of threads.
    """
    cdef vector[Lane] lanes
    cdef vector[PieceLink] links
    cdef vector[vector[double]] lane_expected
    cdef vector[double] log_likelihoods
    cdef ExpectationJob job
    cdef double least = 0, log_likelihood = 0
    cdef size_t i, first = 0, n_lanes
    split_lanes(candidates, lanes)
    scores.fill_links(candidates, False, links)
    n_lanes = n_threads if links.size() >= MANY_PIECES else <size_t> n_threads * LANES_PER_THREAD
    lane_expected.resize(min(lanes.size(), n_lanes))
    refill(log_likelihoods, lane_expected.size(), 0)
    job.segments = candidates.segments.data()
    job.corpus = Chains(links.data(), candidates.longest.data(), <uint32_t> candidates.longest.size(), 1, 1)
    job.expected = lane_expected.data()
    job.log_likelihoods = log_likelihoods.data()
    job.n_pieces = <uint32_t> links.size()
    job.longest_segment = 0
    for i in range(links.size()):
        least = min(least, scores.scores[i])
        job.corpus.reach = max(job.corpus.reach, links[i].length)
    for i in range(candidates.segments.size()):
        job.longest_segment = max(job.longest_segment, candidates.segments[i].length)
    job.corpus.period = <uint32_t> max(min(-MAX_DECAY / min(least, -1.0), <double> MAX_PERIOD), 1.0)
    refill(expected, links.size(), 0)
    for i in range(candidates.n_characters):
        expected[i] = <double> candidates.lone_counts[i]
        log_likelihood += expected[i] * scores.scores[i]
    while first < lanes.size():
        n_lanes = min(lane_expected.size(), lanes.size() - first)
        job.lanes = lanes.data() + first
        run_tasks(expect_lane, &job, <uint32_t> n_lanes, n_threads)
        for i in range(n_lanes):
            add_lane(lane_expected[i].data(), links.size(), expected.data())
            log_likelihood += log_likelihoods[i]
        first += n_lanes
    return log_likelihood


cdef void add_lane(const double* lane, size_t n_pieces, double* expected) noexcept nogil:
    cdef size_t i
    for i in range(n_pieces):
        expected[i] += lane[i]


cdef int expect_lane(void* job_pointer, uint32_t task, const TaskThread* worker) except -1 nogil:
    """Fill the expected counts of one lane, segment after segment."""
    cdef ExpectationJob* job = <ExpectationJob*> job_pointer
    cdef Lane lane = job.lanes[task]
    cdef vector[double] forward, backward
    cdef vector[int32_t] exponents
    cdef uint64_t n_places = 0
    cdef double log_likelihood = 0
    cdef const Segment* segment
    cdef Chains chains = job.corpus
    cdef size_t i
    refill(job.expected[task], job.n_pieces, 0)
    for i in range(lane.begin, lane.end):
        segment = job.segments + i
        if segment.length >= forward.size():
            forward.resize(min(2 * segment.length, job.longest_segment) + 1)
            backward.resize(forward.size())
            exponents.resize(forward.size() // chains.period + 1)
        chains.longest = job.corpus.longest + segment.begin
        chains.length = segment.length
        log_likelihood += <double> segment.count * add_expected(
            &chains, <double> segment.count, forward.data(), backward.data(), exponents.data(),
            job.expected[task].data(),
        )
        n_places += segment.length
        if n_places > PLACES_BETWEEN_CHECKS:
            n_places = 0
            if is_stopped(worker):
                break
    job.log_likelihoods[task] = log_likelihood
    return 0


cdef double digamma(double x) noexcept nogil:
    """Return the derivative of log gamma, for x > 0, to about 1e-9: a series at x + n - 1/2, then recurrence to x."""
    cdef double result = 0, inverse_square
    while x < 7:
        result -= 1 / x
        x += 1
    x -= 0.5
    inverse_square = 1 / (x * x)
    result += log(x) + inverse_square * (
        1.0 / 24 - inverse_square * (7.0 / 960 - inverse_square * (31.0 / 8064 - inverse_square * (127.0 / 30720)))
    )
    return result


cdef struct MaximizationJob:
    # The data that the tasks of one M-step share.
    const double* expected
    double* scores
    const uint8_t* is_rare
    uint32_t n_pieces
    double unit
    double log_total


cdef int update_scores(
    Candidates candidates, PieceScores scores, const vector[double]& expected, uint64_t floor, uint32_t n_threads,
) except -1 nogil:
    """M-step: drop the pieces with an expected count below 0.5; others score digamma(count) - digamma(total).

    Counts are in units of `scores.unit`, so a common factor of all counts changes nothing.
    Such a score is the mean under a Dirichlet posterior (Bayesian EM: MacKay 1997): rare pieces lose most.
    A single character is never dropped. While its expected count is below 0.5, it scores like an unknown one.
    If fewer than `floor` pieces would be left, those with the highest expected counts stay, with a count of 0.5.
    """
    cdef vector[uint8_t] is_kept
    cdef vector[uint32_t] new_ids
    cdef vector[double] kept
    cdef MaximizationJob job
    cdef double total, least = MIN_EXPECTED * scores.unit
    choose_expected(candidates, expected, least, floor, is_kept)
    new_ids.resize(expected.size())
    candidates.keep(is_kept.data(), n_threads, new_ids.data())
    total = gather_expected(candidates.n_characters, expected, is_kept, least, scores, kept)
    scores.follow(new_ids.data())
    job.expected = kept.data()
    job.scores = scores.scores.data()
    job.is_rare = scores.is_rare.data()
    job.n_pieces = <uint32_t> kept.size()
    job.unit = scores.unit
    job.log_total = digamma(max(total, least) / scores.unit)
    run_tasks(score_block, &job, job.n_pieces // PIECES_PER_TASK + 1, n_threads)
    scores.score_rare_ones()
    return 0


cdef int choose_expected(
    Candidates candidates, const vector[double]& expected, double least, uint64_t floor, vector[uint8_t]& is_kept,
) except -1 nogil:
    """Mark the characters and the pieces whose expected count is at least `least`, or the best `floor` if fewer."""
    cdef uint64_t n_kept = candidates.n_characters
    cdef size_t i
    refill(is_kept, expected.size(), True)
    for i in range(candidates.n_characters, expected.size()):
        is_kept[i] = expected[i] >= least
        n_kept += is_kept[i]
    if n_kept < floor:
        mark_greatest(expected, candidates.n_characters, floor - candidates.n_characters, is_kept)
    return 0


cdef double gather_expected(
    uint32_t n_characters, const vector[double]& expected, const vector[uint8_t]& is_kept, double least,
    PieceScores scores, vector[double]& kept,
) except? -1 nogil:
    """Append the counts of kept pieces to `kept`, mark rare characters, and return the sum without the rare."""
    cdef double total = 0
    cdef size_t i
    for i in range(expected.size()):
        if i < n_characters:
            scores.is_rare[i] = expected[i] < least
        if is_kept[i]:
            kept.push_back(max(expected[i], least))
            if not scores.is_rare[i]:
                total += kept.back()
    return total


cdef int score_block(void* job_pointer, uint32_t task, const TaskThread* worker) except -1 nogil:
    cdef MaximizationJob* job = <MaximizationJob*> job_pointer
    cdef uint32_t begin = task * PIECES_PER_TASK
    cdef uint32_t i
    for i in range(begin, min(begin + PIECES_PER_TASK, job.n_pieces)):
        if not job.is_rare[i]:
            job.scores[i] = digamma(job.expected[i] / job.unit) - job.log_total
    return 0
