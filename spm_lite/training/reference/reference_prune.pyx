"""Counts the pieces of the best paths (Viterbi), finds the two best paths of each piece (A*), and ranks the losses.

`prune_by_loss` lists the steps. The hot loop is `offer_pieces`. Header: reference_prune.pxd.
"""

cimport cython
from libc.math cimport INFINITY, log
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libcpp.algorithm cimport sort as sort_range
from libcpp.vector cimport vector

from spm_lite.base.system.heap cimport refill
from spm_lite.base.system.thread_tasks cimport TaskThread, is_stopped, run_tasks
from spm_lite.lattice.astar cimport AStar
from spm_lite.lattice.lattice cimport FoundEdge, Lattice
from spm_lite.lattice.path_list cimport PathList
from spm_lite.training.reference.reference_em cimport LaneJob, sum_lanes
from spm_lite.training.reference.reference_lattices cimport (
    MAX_LENGTH, NO_PIECE, LatticeView, Link, PieceText, ReferenceLattices, Sentence,
)

cdef enum:
    PIECES_PER_TASK = 1 << 12
    PIECES_BETWEEN_CHECKS = 64
    LONG = 32                   # characters; after a longer piece, a stop is checked for at once
    PLACES_BETWEEN_CHECKS = 1 << 16
    PLACES_AT_ONCE = 1 << 16

cdef enum:
    # The fate of a piece.
    DROPPED = 0
    KEPT = 1            # its text has no other segmentation
    RANKED = 2          # by its loss

cdef int32_t UNKNOWN = -1           # the id of an unknown node in a Lattice
cdef float CLOSE = 1e-6             # sums with a greater relative difference keep their order when a number is added


cdef struct Best:
    # The best path from the start to a place.
    float score
    uint32_t piece_id   # its last piece; NO_PIECE: an unknown character
    uint32_t length     # of the last piece, characters; 0: no path yet
    bint is_close       # the path that this one replaced is nearly as good; its last piece begins earlier


cdef struct ReferencePruneJob:
    # The data that the tasks of one call share.
    LatticeView view
    const PieceText* pieces
    const uint32_t* own_places
    const float* scores
    const float* counts         # of each piece in the best segmentations of the corpus
    float total                 # of all counts
    float log_total
    uint8_t* fates
    float* losses


cdef int best_lane(void* job_pointer, uint32_t task, const TaskThread* worker) except -1 nogil:
    """Count the pieces of the best segmentations of one lane."""
    cdef LaneJob* job = <LaneJob*> job_pointer
    cdef LatticeView* view = &job.view
    cdef const Sentence* sentence
    cdef vector[Best] bests
    cdef uint64_t n_places = 0
    cdef uint32_t lane = job.first_lane + task
    cdef size_t i
    refill(job.sums[task], view.n_pieces, 0)
    bests.resize(view.longest_sentence + 1)
    for i in range(view.lanes[lane], view.lanes[lane + 1]):
        sentence = view.sentences + i
        if not find_best(view, view.longest + sentence.begin, sentence.length, bests.data(), worker):
            break
        count_best(view, sentence, bests.data(), job.sums[task].data())
        n_places += sentence.length
        if n_places > PLACES_BETWEEN_CHECKS:
            n_places = 0
            if is_stopped(worker):
                break
    return 0


cdef inline void offer(Best* best, float score, uint32_t piece_id, uint32_t length, float reach) noexcept nogil:
    """Take a path to a place if it is better. Its last piece begins later than those of earlier calls.

    reach: the largest amount by which the next piece can change a sum.
    """
    if best.length == 0 or score > best.score:
        best.is_close = score - best.score <= CLOSE * (reach - score)
        best.score = score
        best.piece_id = piece_id
        best.length = length


cdef bint find_best(
    const LatticeView* view, const uint32_t* longest, uint32_t length, Best* bests, const TaskThread* worker,
) except -1 nogil:
    """Viterbi: fill the best path to each place. False: the job was stopped within a very long sentence."""
    cdef uint32_t begin, end = 0
    for begin in range(length + 1):
        bests[begin] = Best(-INFINITY, NO_PIECE, 0, False)
    bests[0].score = 0
    while end < length:
        begin, end = end, min(end + PLACES_AT_ONCE, length)
        offer_pieces(view, longest, begin, end, bests)
        if end < length and is_stopped(worker):
            return False
    return True


cdef void offer_pieces(
    const LatticeView* view, const uint32_t* longest, uint32_t begin, uint32_t end, Best* bests,
) noexcept nogil:
    """Extend the best paths by the pieces that begin in [begin, end). On equal scores the earlier begin stays."""
    cdef const Link* link
    cdef uint32_t place, piece_id, last_length
    cdef float arriving, reach = -view.unknown_score
    for place in range(begin, end):
        arriving = bests[place].score
        piece_id = longest[place]
        last_length = 0
        while piece_id != NO_PIECE:
            link = view.links + piece_id
            last_length = link.length
            offer(bests + place + last_length, arriving + link.score, piece_id, last_length, reach)
            piece_id = link.shorter
        if last_length != 1:
            offer(bests + place + 1, arriving + view.unknown_score, NO_PIECE, 1, reach)


cdef void count_best(const LatticeView* view, const Sentence* sentence, Best* bests, float* counts) noexcept nogil:
    """Add the count of a sentence to the pieces of its best path; unknown nodes count for piece 0."""
    cdef uint32_t end = sentence.length
    cdef float onward = 0
    while end > 0:
        if bests[end].is_close:
            choose_again(view, view.longest + sentence.begin, bests, end, onward)
        if bests[end].piece_id == NO_PIECE:
            counts[0] += sentence.count
            onward = view.unknown_score
        else:
            counts[bests[end].piece_id] += sentence.count
            onward = view.links[bests[end].piece_id].score
        end -= bests[end].length


cdef void choose_again(
    const LatticeView* view, const uint32_t* longest, Best* bests, uint32_t end, float onward,
) noexcept nogil:
    """Choose the last piece before `end` as the original does: it compares sums that include the next piece.

    onward: the score of the next piece.
    """
    cdef uint32_t begin = end, piece_id, last_length
    cdef float score, best = -INFINITY
    while begin > 0 and end - begin < MAX_LENGTH:
        begin -= 1
        piece_id = longest[begin]
        last_length = 0
        while piece_id != NO_PIECE:
            last_length = view.links[piece_id].length
            if last_length <= end - begin:
                break
            piece_id = view.links[piece_id].shorter
        if piece_id != NO_PIECE and last_length == end - begin:
            score = bests[begin].score + view.links[piece_id].score + onward
        elif end - begin == 1:
            score = bests[begin].score + view.unknown_score + onward
            piece_id = NO_PIECE
        else:
            continue
        if score >= best:  # of equal ones the earliest begin wins, and this one begins earlier
            best = score
            bests[end].piece_id = piece_id
            bests[end].length = end - begin


@cython.final
cdef class TwoBest:
    """An A* search for the two best segmentations of a piece's text."""

    cdef Lattice lattice
    cdef AStar agenda
    cdef PathList paths

    def __cinit__(self):
        self.lattice = Lattice()
        self.agenda = AStar()
        self.paths = PathList()

    cdef int search(self, const ReferencePruneJob* job, const PieceText* piece) except -1 nogil:
        """Fill `paths` with the two best segmentations, or the only one."""
        cdef const uint32_t* longest = job.own_places + piece.place
        cdef int32_t n_places = <int32_t> piece.length, place
        self.lattice.n_places = n_places
        self.lattice.offsets.resize(n_places + 1)
        self.lattice.found.clear()
        for place in range(n_places):
            self.lattice.offsets[place] = place
            append_edges(job.view.links, longest[place], place, self.lattice.found)
        self.lattice.offsets[n_places] = n_places
        self.lattice.sort_found(job.scores, UNKNOWN, job.view.unknown_score)
        return self.agenda.search(self.lattice, 2, 0, self.paths)


cdef int append_edges(const Link* links, uint32_t piece_id, int32_t place, vector[FoundEdge]& edges) except -1 nogil:
    """Append the edges that begin at a place, shorter ones first.

    The edge of an unknown character comes last, if no piece is a single character there.
    """
    cdef size_t n_before = edges.size(), i
    cdef size_t last
    cdef FoundEdge edge
    cdef bint has_single = False
    while piece_id != NO_PIECE:
        edges.push_back(FoundEdge(place, place + <int32_t> links[piece_id].length, <int32_t> piece_id))
        has_single = links[piece_id].length == 1
        piece_id = links[piece_id].shorter
    last = edges.size()
    for i in range((last - n_before) // 2):
        edge = edges[n_before + i]
        edges[n_before + i] = edges[last - 1 - i]
        edges[last - 1 - i] = edge
    if not has_single:
        edges.push_back(FoundEdge(place, place + 1, UNKNOWN))
    return 0


cdef int judge_pieces(void* job_pointer, uint32_t task, const TaskThread* worker) except -1 nogil:
    """Fill the fates and losses of one block of pieces."""
    cdef ReferencePruneJob* job = <ReferencePruneJob*> job_pointer
    cdef uint32_t begin = task * PIECES_PER_TASK
    cdef uint32_t i
    with gil:
        search = TwoBest()
    for i in range(begin, min(begin + PIECES_PER_TASK, job.view.n_pieces)):
        job.fates[i] = judge(job, search, i)
        # At worst, the search for two paths through a long piece takes a good part of a second.
        if (i % PIECES_BETWEEN_CHECKS == 0 or job.pieces[i].length > LONG) and is_stopped(worker):
            break
    return 0


cdef uint8_t judge(ReferencePruneJob* job, TwoBest search, uint32_t piece_id) except 255 nogil:
    """Return the fate of a piece, and fill its loss if it is RANKED."""
    cdef const PieceText* piece = job.pieces + piece_id
    if job.counts[piece_id] == 0:
        return DROPPED
    if piece.length == 1:
        return KEPT
    search.search(job, piece)
    if search.paths.ends.size() == 1:
        return KEPT
    if search.paths.ends[0] > 1:
        return DROPPED
    job.losses[piece_id] = loss_of(job, piece_id, search.paths)
    return RANKED


cdef float loss_of(const ReferencePruneJob* job, uint32_t piece_id, PathList paths) noexcept nogil:
    """Return the loss: the fall of log-likelihood, per piece of the corpus, if the second path replaces the piece."""
    cdef float count = job.counts[piece_id]
    cdef size_t n_others = paths.ends[1] - paths.ends[0], i
    cdef float other_total = job.total + count * <float> (n_others - 1)
    cdef float log_other_total = <float> log(<double> other_total)
    cdef float own = <float> (log(<double> count) - <double> job.log_total)
    cdef float others = 0, share, other_count
    cdef int32_t other
    for i in range(paths.ends[0], paths.ends[1]):
        other = paths.tokens[i].piece_id
        other_count = job.counts[0 if other == UNKNOWN else other] + count
        others = <float> (<double> others + (log(<double> other_count) - <double> log_other_total))
    share = count / job.total
    share *= own - others
    return share if share == share else -INFINITY  # NaN cannot be sorted


cdef struct Loss:
    float loss
    uint32_t piece_id


cdef bint ranks_before(const Loss& a, const Loss& b) noexcept nogil:
    """Whether `a` ranks first: the greater loss, then the lower id."""
    return a.loss > b.loss or (a.loss == b.loss and a.piece_id < b.piece_id)


cdef int prune_by_loss(
    ReferenceLattices lattices, uint64_t target, float shrinking_factor, uint32_t n_threads,
) except -1 nogil:
    """Keep the pieces without another segmentation, then pieces of greatest loss, up to the share or the target.

    The larger of the two is the limit.
    """
    cdef vector[float] counts, losses
    cdef vector[uint8_t] fates
    cdef vector[uint32_t] order
    cdef vector[Loss] ranked
    cdef ReferencePruneJob job
    cdef double total = 0
    cdef uint64_t limit
    cdef uint32_t n_pieces = <uint32_t> lattices.pieces.size()
    cdef uint32_t i
    job.view = lattices.view()
    sum_lanes(best_lane, job.view, n_threads, counts)
    for i in range(n_pieces):
        total += counts[i]
    refill(fates, n_pieces, DROPPED)
    refill(losses, n_pieces, 0)
    job.pieces = lattices.pieces.data()
    job.own_places = lattices.own_places.data()
    job.scores = lattices.scores.data()
    job.counts = counts.data()
    job.total = <float> total
    job.log_total = <float> log(<double> job.total)
    job.fates = fates.data()
    job.losses = losses.data()
    run_tasks(judge_pieces, &job, n_pieces // PIECES_PER_TASK + 1, n_threads)
    for i in range(n_pieces):
        if fates[i] == KEPT:
            order.push_back(i)
        elif fates[i] == RANKED:
            ranked.push_back(Loss(losses[i], i))
    sort_range(ranked.begin(), ranked.end(), &ranks_before)
    limit = max(target, <uint64_t> (shrinking_factor * <float> n_pieces))
    for i in range(<uint32_t> ranked.size()):
        if order.size() == limit:
            break  # if there are more already, all stay: the original tests for equality
        order.push_back(ranked[i].piece_id)
    return lattices.keep(order, n_threads)


cdef int find_shadowed(void* job_pointer, uint32_t task, const TaskThread* worker) except -1 nogil:
    """Fill the fates of one block of pieces."""
    cdef ReferencePruneJob* job = <ReferencePruneJob*> job_pointer
    cdef vector[float] bests
    cdef uint32_t begin = task * PIECES_PER_TASK
    cdef uint32_t i
    for i in range(begin, min(begin + PIECES_PER_TASK, job.view.n_pieces)):
        if score_without(job, i, bests) > job.scores[i]:
            job.fates[i] = DROPPED
        if i % PIECES_BETWEEN_CHECKS == 0 and is_stopped(worker):
            break
    return 0


cdef float score_without(const ReferencePruneJob* job, uint32_t piece_id, vector[float]& bests) except? -1.0 nogil:
    """Return the score of the best segmentation of a piece's text without the piece itself. bests: a buffer."""
    cdef const uint32_t* longest = job.own_places + job.pieces[piece_id].place
    cdef uint32_t length = job.pieces[piece_id].length
    refill(bests, length + 1, -INFINITY)
    bests[0] = 0
    fill_bests(&job.view, longest, length, bests.data())
    return bests[length]


cdef void fill_bests(const LatticeView* view, const uint32_t* longest, uint32_t length, float* bests) noexcept nogil:
    """Fill the score of the best path to each place of a piece's text, without the piece itself."""
    cdef const Link* link
    cdef uint32_t place, piece_id, last_length
    for place in range(length):
        piece_id = longest[place]
        if place == 0:
            piece_id = view.links[piece_id].shorter
        last_length = 0
        while piece_id != NO_PIECE:
            link = view.links + piece_id
            last_length = link.length
            bests[place + last_length] = max(bests[place + last_length], bests[place] + link.score)
            piece_id = link.shorter
        if last_length != 1 and (place > 0 or length > 1):
            bests[place + 1] = max(bests[place + 1], bests[place] + view.unknown_score)


cdef int drop_shadowed_pieces(ReferenceLattices lattices, uint32_t n_threads) except -1 nogil:
    """Drop the pieces whose text has a better segmentation, since no best path uses them."""
    cdef vector[uint8_t] fates
    cdef vector[uint32_t] order
    cdef ReferencePruneJob job
    cdef uint32_t n_pieces = <uint32_t> lattices.pieces.size()
    cdef uint32_t i
    refill(fates, n_pieces, KEPT)
    job.view = lattices.view()
    job.pieces = lattices.pieces.data()
    job.own_places = lattices.own_places.data()
    job.scores = lattices.scores.data()
    job.fates = fates.data()
    run_tasks(find_shadowed, &job, n_pieces // PIECES_PER_TASK + 1, n_threads)
    for i in range(n_pieces):
        if fates[i] == KEPT:
            order.push_back(i)
    return lattices.keep(order, n_threads)
