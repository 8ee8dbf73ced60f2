"""Sums paths in log space, sentence after sentence of a lane, then scores pieces by digamma of their counts.

The hot loops are `sum_forward`, `sum_backward` and `expect_pieces`. Header: reference_em.pxd.
"""

from libc.math cimport INFINITY, log
from libc.stdint cimport uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.system.heap cimport refill
from spm_lite.base.system.thread_tasks cimport Task, TaskThread, is_stopped, run_tasks
from spm_lite.training.reference.reference_lattices cimport (
    MAX_LENGTH, NO_PIECE, LatticeView, Link, ReferenceLattices, Sentence,
)
from spm_lite.training.reference.single_precision cimport PrecisionTables, add_expected, log_add, precision_tables

cdef enum:
    LANES_AT_ONCE = 16          # lanes whose sums are held at once
    PLACES_BETWEEN_CHECKS = 1 << 16
    PLACES_AT_ONCE = 1 << 16

cdef float MIN_EXPECTED = 0.5           # pieces with a lower expected count are dropped


cdef int sum_lanes(
    Task sum_lane, LatticeView view, uint32_t n_threads, vector[float]& sums, double* log_likelihood=NULL,
) except -1 nogil:
    """Fill the sums, one per piece, over all sentences: `sum_lane` sums each lane, then lanes are added in order.

    log_likelihood: where to write that of all sentences, if `sum_lane` computes it.
    """
    cdef vector[vector[float]] lane_sums
    cdef vector[double] likelihoods
    cdef double total = 0
    cdef LaneJob job
    cdef uint32_t n_tasks, task
    cdef size_t i
    lane_sums.resize(min(view.n_lanes, <uint32_t> LANES_AT_ONCE))
    refill(sums, view.n_pieces, 0)
    likelihoods.resize(lane_sums.size())
    job = LaneJob(view, 0, lane_sums.data(), likelihoods.data())
    while job.first_lane < view.n_lanes:
        n_tasks = min(view.n_lanes - job.first_lane, <uint32_t> LANES_AT_ONCE)
        run_tasks(sum_lane, &job, n_tasks, n_threads)
        for task in range(n_tasks):
            for i in range(sums.size()):
                sums[i] += lane_sums[task][i]
            total += likelihoods[task]
        job.first_lane += n_tasks
    if log_likelihood != NULL:
        log_likelihood[0] = total
    return 0


cdef int fill_expected(
    ReferenceLattices lattices, uint32_t n_threads, vector[float]& expected, double* log_likelihood,
) except -1 nogil:
    """E-step: fill the expected count of each piece in the corpus. The counts of unknown nodes go to piece 0."""
    return sum_lanes(expect_lane, lattices.view(), n_threads, expected, log_likelihood)


cdef int expect_lane(void* job_pointer, uint32_t task, const TaskThread* worker) except -1 nogil:
    """Fill the expected counts of one lane, sentence after sentence."""
    cdef LaneJob* job = <LaneJob*> job_pointer
    cdef LatticeView* view = &job.view
    cdef vector[float] forward, backward
    cdef uint64_t n_places = 0
    cdef uint32_t lane = job.first_lane + task
    cdef size_t i
    refill(job.sums[task], view.n_pieces, 0)
    job.log_likelihoods[task] = 0
    forward.resize(view.longest_sentence + 1)
    backward.resize(view.longest_sentence + 1)
    for i in range(view.lanes[lane], view.lanes[lane + 1]):
        expect_sentence(view, view.sentences + i, forward.data(), backward.data(), job.sums[task].data(), worker)
        job.log_likelihoods[task] += <double> forward[view.sentences[i].length] * view.sentences[i].count
        n_places += view.sentences[i].length
        if n_places > PLACES_BETWEEN_CHECKS:
            n_places = 0
            if is_stopped(worker):
                break
    return 0


cdef int expect_sentence(
    const LatticeView* view, const Sentence* sentence, float* forward, float* backward, float* expected,
    const TaskThread* worker,
) except -1 nogil:
    """Add the expected counts of one sentence. forward, backward: buffers of length + 1 entries.

    A very long sentence is processed in blocks, with a check for a stop between them.
    """
    cdef const uint32_t* longest = view.longest + sentence.begin
    cdef uint32_t length = sentence.length, n_blocks = (length + PLACES_AT_ONCE - 1) // PLACES_AT_ONCE
    cdef uint32_t block, begin, end
    for begin in range(1, length + 1):
        forward[begin] = -INFINITY
    forward[0] = backward[length] = 0
    for block in range(3 * n_blocks):
        if block > 0 and n_blocks > 1 and is_stopped(worker):
            return 0
        begin = block % n_blocks * PLACES_AT_ONCE
        end = min(begin + PLACES_AT_ONCE, length)
        if block < n_blocks:
            sum_forward(view, longest, begin, end, forward)
        elif block < 2 * n_blocks:
            begin = (2 * n_blocks - 1 - block) * PLACES_AT_ONCE
            sum_backward(view, longest, begin, min(begin + PLACES_AT_ONCE, length), backward)
        else:
            expect_pieces(view, longest, begin, end, sentence, forward, backward, expected)
    return 0


cdef void sum_forward(
    const LatticeView* view, const uint32_t* longest, uint32_t begin, uint32_t end, float* forward,
) noexcept nogil:
    """Extend the log probability of all paths from the start by the pieces that begin in [begin, end).

    Paths that arrive at one place are added in the order in which their last pieces begin.
    """
    cdef const PrecisionTables* tables = precision_tables()
    cdef const Link* link
    cdef uint32_t place, piece_id, last_length
    cdef float arriving
    for place in range(begin, end):
        arriving = forward[place]
        piece_id = longest[place]
        last_length = 0
        while piece_id != NO_PIECE:
            link = view.links + piece_id
            last_length = link.length
            forward[place + last_length] = log_add(tables, forward[place + last_length], link.score + arriving)
            piece_id = link.shorter
        if last_length != 1:
            forward[place + 1] = log_add(tables, forward[place + 1], view.unknown_score + arriving)


cdef void sum_backward(
    const LatticeView* view, const uint32_t* longest, uint32_t begin, uint32_t end, float* backward,
) noexcept nogil:
    """Fill the log probability of all paths from each place in [begin, end) to the end; shorter pieces come first."""
    cdef const PrecisionTables* tables = precision_tables()
    cdef const Link* links[MAX_LENGTH]
    cdef uint32_t place = end, piece_id, n_links
    cdef bint has_single
    cdef float leaving
    while place > begin:
        place -= 1
        piece_id = longest[place]
        n_links = 0
        while piece_id != NO_PIECE:
            links[n_links] = view.links + piece_id
            piece_id = links[n_links].shorter
            n_links += 1
        has_single = n_links > 0 and links[n_links - 1].length == 1
        leaving = -INFINITY
        while n_links > 0:
            n_links -= 1
            leaving = log_add(tables, leaving, links[n_links].score + backward[place + links[n_links].length])
        if not has_single:
            leaving = log_add(tables, leaving, view.unknown_score + backward[place + 1])
        backward[place] = leaving


cdef void expect_pieces(
    const LatticeView* view, const uint32_t* longest, uint32_t begin, uint32_t end, const Sentence* sentence,
    const float* forward, const float* backward, float* expected,
) noexcept nogil:
    """Add the expected counts of the pieces that begin in [begin, end), place after place."""
    cdef const PrecisionTables* tables = precision_tables()
    cdef const Link* link
    cdef float total = forward[sentence.length]
    cdef uint32_t place, piece_id, last_length
    for place in range(begin, end):
        piece_id = longest[place]
        last_length = 0
        while piece_id != NO_PIECE:
            link = view.links + piece_id
            last_length = link.length
            expected[piece_id] = add_expected(
                tables, expected[piece_id], sentence.count,
                forward[place] + link.score + backward[place + last_length] - total,
            )
            piece_id = link.shorter
        if last_length != 1:
            expected[0] = add_expected(
                tables, expected[0], sentence.count, forward[place] + view.unknown_score + backward[place + 1] - total
            )


cdef double digamma(double x) noexcept nogil:
    """Return the derivative of log gamma, for x > 0, with its terms added in the original's order."""
    cdef double result = 0, inverse, square, fourth
    while x < 7:
        result -= 1 / x
        x += 1
    x -= 0.5
    inverse = 1 / x
    square = inverse * inverse
    fourth = square * square
    result += (
        log(x) + (1.0 / 24.0) * square - (7.0 / 960.0) * fourth + (31.0 / 8064.0) * fourth * square
        - (127.0 / 30720.0) * fourth * fourth
    )
    return result


cdef int update_scores(
    ReferenceLattices lattices, const vector[float]& expected, uint32_t n_threads,
) except -1 nogil:
    """M-step: drop the pieces with an expected count below 0.5; others score digamma(count) - digamma(total)."""
    cdef vector[uint32_t] order
    cdef float total = 0, log_total
    cdef uint32_t i
    for i in range(<uint32_t> expected.size()):
        if not expected[i] < MIN_EXPECTED:  # NaN, from sums over very long sentences, stays
            order.push_back(i)
            total += expected[i]
    lattices.keep(order, n_threads)
    log_total = <float> digamma(total)
    for i in range(<uint32_t> order.size()):
        lattices.scores[i] = <float> (digamma(expected[order[i]]) - <double> log_total)
    return 0
