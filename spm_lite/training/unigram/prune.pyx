"""Pruning: the loss of a piece is the log-likelihood lost if the next best segmentation of its text replaces it.

Counts are taken from the best segmentation of the corpus (Viterbi). They are integers, so the sums do not depend on the
threads that add them. Header: prune.pxd.
"""

from libc.math cimport log
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.structures.ranking cimport mark_greatest
from spm_lite.base.system.heap cimport refill
from spm_lite.base.system.thread_tasks cimport TaskThread, is_stopped, run_tasks
from spm_lite.lattice.forward_backward cimport PieceLink
from spm_lite.training.unigram.candidates cimport Candidates, Piece, Segment
from spm_lite.training.unigram.em cimport Lane, PieceScores, split_lanes

cdef enum:
    PIECES_PER_TASK = 1 << 13
    PLACES_BETWEEN_CHECKS = 1 << 18
    MAX_LENGTH = 512            # characters of a piece

cdef double INFINITY = 1.0 / 0.0
cdef double USELESS = -1e9      # the loss of a useless piece is this plus its score
cdef double LEAST_USEFUL = -1e6


cdef struct PruneStep:
    # The best path from one place to the end.
    double score        # its log-probability
    uint32_t piece_id   # first piece of the path
    uint32_t length     # of that piece, characters


cdef struct PruneJob:
    # The data that the tasks of one call share.
    const Segment* segments
    const uint32_t* longest
    const PieceLink* links           # weights are log probabilities
    const Piece* pieces
    const Lane* lanes
    vector[uint64_t]* worker_counts     # per thread: the counts of all pieces
    const uint64_t* counts              # their sums, per piece
    double* losses              # per piece
    double total                # sum of all counts
    uint32_t n_pieces
    uint32_t longest_segment


cdef int fill_best_counts(
    Candidates candidates, const vector[PieceLink]& links, uint32_t n_threads, vector[uint64_t]& counts,
) except -1 nogil:
    """Fill the count of each piece in the best segmentation of the corpus. links: with log probabilities."""
    cdef vector[Lane] lanes
    cdef vector[vector[uint64_t]] worker_counts
    cdef PruneJob job
    cdef size_t i, k
    split_lanes(candidates, lanes)
    worker_counts.resize(n_threads)
    job.segments = candidates.segments.data()
    job.longest = candidates.longest.data()
    job.links = links.data()
    job.lanes = lanes.data()
    job.worker_counts = worker_counts.data()
    job.n_pieces = <uint32_t> links.size()
    job.longest_segment = 0
    for i in range(candidates.segments.size()):
        job.longest_segment = max(job.longest_segment, candidates.segments[i].length)
    run_tasks(count_lane, &job, <uint32_t> lanes.size(), n_threads)
    refill(counts, links.size(), 0)
    for i in range(candidates.n_characters):
        counts[i] = candidates.lone_counts[i]
    for k in range(worker_counts.size()):
        for i in range(worker_counts[k].size()):
            counts[i] += worker_counts[k][i]
    return 0


cdef int count_lane(void* job_pointer, uint32_t task, const TaskThread* worker) except -1 nogil:
    """Count the pieces of the best segmentations of one lane."""
    cdef PruneJob* job = <PruneJob*> job_pointer
    cdef vector[uint64_t]* counts = job.worker_counts + worker.index
    cdef Lane lane = job.lanes[task]
    cdef const Segment* segment
    cdef vector[PruneStep] steps
    cdef uint64_t n_places = 0
    cdef size_t i
    if counts.size() == 0:
        refill(counts[0], job.n_pieces, 0)
    for i in range(lane.begin, lane.end):
        segment = job.segments + i
        if segment.length >= steps.size():
            steps.resize(min(2 * segment.length, job.longest_segment) + 1)
        find_best_path(job.links, job.longest + segment.begin, segment.length, steps.data())
        count_path(steps.data(), segment.length, segment.count, counts.data())
        n_places += segment.length
        if n_places > PLACES_BETWEEN_CHECKS:
            n_places = 0
            if is_stopped(worker):
                break
    return 0


cdef inline void choose_step(
    const PieceLink* links, uint32_t piece_id, PruneStep* steps, uint32_t place,
) noexcept nogil:
    """Fill the best path from `place`, whose first piece is `piece_id` or a shorter one of its chain."""
    cdef const PieceLink* link = links + piece_id
    cdef double score
    cdef PruneStep best
    best.score = link.weight + steps[place + link.length].score
    best.piece_id = piece_id
    best.length = link.length
    while link.length != 1:
        piece_id = link.shorter
        link = links + piece_id
        score = link.weight + steps[place + link.length].score
        if score > best.score:  # strict: on equal scores the longer first piece stays
            best.score = score
            best.piece_id = piece_id
            best.length = link.length
    steps[place] = best


cdef void find_best_path(
    const PieceLink* links, const uint32_t* longest, uint32_t length, PruneStep* steps,
) noexcept nogil:
    """Viterbi, from the end: fill the best path from each of `length` places. steps: length + 1 entries."""
    cdef uint32_t place = length
    steps[length].score = 0
    while place > 0:
        place -= 1
        choose_step(links, longest[place], steps, place)


cdef void count_path(const PruneStep* steps, uint32_t length, uint64_t count, uint64_t* counts) noexcept nogil:
    cdef uint32_t place = 0
    while place < length:
        counts[steps[place].piece_id] += count
        place += steps[place].length


cdef void find_alternative(
    const PieceLink* links, const uint32_t* longest, uint32_t length, PruneStep* steps,
) noexcept nogil:
    """Fill the best segmentation of the text of a piece, other than the piece itself.

    longest: at an occurrence of the piece. length: of the piece, 2 characters or more. steps: length + 1 entries.
    """
    cdef uint32_t place = length, piece_id
    cdef uint32_t room = 1      # the longest piece that may begin at `place`
    steps[length].score = 0
    while place > 0:
        place -= 1
        piece_id = longest[place]
        while links[piece_id].length > room:
            piece_id = links[piece_id].shorter
        choose_step(links, piece_id, steps, place)
        room = min(room + 1, length - 1)


cdef int fill_margins(
    Candidates candidates, const vector[PieceLink]& links, const vector[uint8_t]& is_asked, vector[double]& margins,
) except -1 nogil:
    """Fill how much better each piece that is asked for scores than the best other segmentation of its text."""
    cdef PruneStep steps[MAX_LENGTH + 1]
    cdef Piece piece
    cdef size_t i
    refill(margins, links.size(), 0)
    for i in range(links.size()):
        piece = candidates.pieces[i]
        if is_asked[i] and piece.length > 1:
            find_alternative(links.data(), candidates.longest.data() + piece.begin, piece.length, steps)
            margins[i] = links[i].weight - steps[0].score
    return 0


cdef int measure_losses(void* job_pointer, uint32_t task, const TaskThread* worker) except -1 nogil:
    """Fill the losses of one block of pieces; below LEAST_USEFUL: the piece is useless."""
    cdef PruneJob* job = <PruneJob*> job_pointer
    cdef PruneStep steps[MAX_LENGTH + 1]
    cdef uint32_t begin = task * PIECES_PER_TASK
    cdef uint32_t piece_id
    cdef Piece piece
    for piece_id in range(begin, min(begin + PIECES_PER_TASK, job.n_pieces)):
        piece = job.pieces[piece_id]
        job.losses[piece_id] = INFINITY
        if piece.length == 1:
            continue
        job.losses[piece_id] = USELESS + job.links[piece_id].weight
        if job.counts != NULL and job.counts[piece_id] == 0:
            continue
        find_alternative(job.links, job.longest + piece.begin, piece.length, steps)
        if steps[0].score > job.links[piece_id].weight:
            continue  # useless: its text has a better segmentation
        job.losses[piece_id] = loss_of(job, piece_id, piece.length, steps) if job.counts != NULL else 0
    return 0


cdef double loss_of(const PruneJob* job, uint32_t piece_id, uint32_t length, const PruneStep* steps) noexcept nogil:
    """Return the loss: the fall of log-likelihood, per piece of the corpus, if the alternative replaces the piece."""
    cdef double count = <double> job.counts[piece_id]
    cdef double alternative = 0
    cdef uint32_t place = 0, n_alternatives = 0
    while place < length:
        alternative += log(<double> job.counts[steps[place].piece_id] + count)
        n_alternatives += 1
        place += steps[place].length
    alternative -= n_alternatives * log(job.total + count * (n_alternatives - 1))
    return count / job.total * (log(count) - log(job.total) - alternative)


cdef int fill_losses(
    Candidates candidates, const vector[PieceLink]& links, const uint64_t* counts, uint32_t n_threads,
    vector[double]& losses,
) except -1 nogil:
    """Fill the loss of each piece; infinity for characters. Without counts (NULL): 0 for pieces not shadowed."""
    cdef PruneJob job
    cdef size_t i
    losses.resize(links.size())
    job.longest = candidates.longest.data()
    job.links = links.data()
    job.pieces = candidates.pieces.data()
    job.counts = counts
    job.losses = losses.data()
    job.n_pieces = <uint32_t> links.size()
    job.total = 0
    if counts != NULL:
        for i in range(links.size()):
            job.total += <double> counts[i]
    return run_tasks(measure_losses, &job, job.n_pieces // PIECES_PER_TASK + 1, n_threads)


cdef int prune_pieces(
    Candidates candidates, PieceScores scores, const PruneLimits* limits, uint32_t n_threads,
) except -1 nogil:
    """Keep the pieces with the greatest loss: the share `shrinking_factor`, but not fewer than the target.

    Useless pieces are dropped too, but not below the floor: those in no best segmentation, and those whose text has a
    better segmentation. Single characters always stay; rare ones do not count for share and target. On equal losses
    the piece that comes first in code point order stays.
    """
    cdef vector[PieceLink] links
    cdef vector[uint64_t] counts
    cdef vector[double] losses
    cdef uint64_t n_rare = 0
    cdef uint64_t limit
    cdef size_t i
    for i in range(candidates.n_characters):
        n_rare += scores.is_rare[i]
    limit = <uint64_t> (limits.shrinking_factor * <double> (candidates.pieces.size() - n_rare))
    scores.fill_links(candidates, True, links)
    fill_best_counts(candidates, links, n_threads, counts)
    fill_losses(candidates, links, counts.data(), n_threads, losses)
    return keep_greatest(candidates, scores, losses, max(limit, limits.target) + n_rare, limits.floor, n_threads)


cdef int drop_shadowed(Candidates candidates, PieceScores scores, uint64_t floor, uint32_t n_threads) except -1 nogil:
    """Drop the pieces whose text has a better segmentation, since no best path uses them; not below the floor."""
    cdef vector[PieceLink] links
    cdef vector[double] losses
    scores.fill_links(candidates, True, links)
    fill_losses(candidates, links, NULL, n_threads, losses)
    return keep_greatest(candidates, scores, losses, losses.size(), floor, n_threads)


cdef int keep_best(Candidates candidates, PieceScores scores, uint64_t n_pieces, uint32_t n_threads) except -1 nogil:
    """Keep the characters and the best-scored other pieces, `n_pieces` in all."""
    return keep_greatest(candidates, scores, scores.scores, n_pieces, 0, n_threads)


cdef int keep_greatest(
    Candidates candidates, PieceScores scores, const vector[double]& losses, uint64_t limit, uint64_t floor,
    uint32_t n_threads,
) except -1 nogil:
    """Keep the characters and the pieces of greatest loss: at most `limit` useful ones, but at least `floor` of all."""
    cdef vector[uint8_t] is_kept
    cdef vector[uint32_t] new_ids
    cdef uint64_t n_useful = candidates.n_characters
    cdef size_t i
    for i in range(candidates.n_characters, losses.size()):
        n_useful += losses[i] > LEAST_USEFUL
    limit = max(min(limit, n_useful), floor)
    mark_greatest(losses, candidates.n_characters, limit - min(limit, candidates.n_characters), is_kept)
    new_ids.resize(losses.size())
    candidates.keep(is_kept.data(), n_threads, new_ids.data())
    return scores.follow(new_ids.data())
