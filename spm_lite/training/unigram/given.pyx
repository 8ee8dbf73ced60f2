"""Sorts the given pieces, makes a tree of their prefixes, and finds the longest piece at each place.

The hot loop is `longest_at`. Header: given.pxd.
"""

from libc.stdint cimport uint32_t
from libcpp.algorithm cimport sort as sort_range
from libcpp.vector cimport vector

from spm_lite.base.system.heap cimport refill
from spm_lite.base.system.thread_tasks cimport TaskThread, run_tasks
from spm_lite.training.counts.chunk_table cimport ChunkTable
from spm_lite.training.unigram.candidates cimport CUT, NOT_A_PIECE, Candidates, Piece, Segment

cdef enum:
    N_CODE_POINTS = 0x110000
    MAX_LENGTH = 512            # characters of a piece
    PLACES_PER_TASK = 1 << 16


cdef struct Listed:
    # A given piece: symbols of two or more characters.
    const uint32_t* symbols
    uint32_t length


cdef struct Node:
    # A prefix of pieces. Its children, one symbol longer, stand side by side in ascending order of that symbol.
    uint32_t symbol     # its last
    uint32_t longest    # the longest piece that is a prefix of it, or it itself
    uint32_t children   # index of the first
    uint32_t n_children


cdef struct Match:
    # While the tree is made: pieces [begin, end), in code point order, that are longer than a node and begin with it.
    uint32_t begin
    uint32_t end
    uint32_t depth      # symbols of the node


cdef struct MatchJob:
    # The data that the tasks of one matching share.
    const uint32_t* symbols
    const Node* nodes           # the first ones are the single characters, in the order of the alphabet
    uint32_t* longest
    size_t n_places


cdef Candidates load_listed(ChunkTable counts, object pieces, uint32_t n_threads):
    """Return the corpus with these candidates and no others. The pieces of one character are the alphabet.

    pieces: strings. Raises KeyError for a piece with a character outside the alphabet, ValueError for a piece of more
    than 512 characters.
    """
    cdef Candidates candidates = Candidates("".join([piece for piece in pieces if len(piece) == 1]))
    with nogil:
        candidates.load(counts)
    set_pieces(candidates, pieces, n_threads)
    return candidates


cdef int set_pieces(Candidates candidates, object pieces, uint32_t n_threads) except -1:
    """Make these strings the only pieces beside the single characters; errors are as in `load_listed`."""
    cdef vector[uint32_t] symbols, symbol_of
    cdef vector[size_t] begins
    cdef vector[Listed] listed
    cdef Py_UCS4 character
    cdef size_t i
    symbol_of.resize(N_CODE_POINTS, CUT)
    for i in range(candidates.n_characters):
        symbol_of[candidates.alphabet[i]] = <uint32_t> i + 1
    begins.push_back(0)
    for piece in pieces:
        if len(piece) > MAX_LENGTH:
            raise ValueError(f"a piece of {len(piece)} characters: {MAX_LENGTH} is the limit")
        if len(piece) < 2:
            continue
        for character in <str?> piece:
            if symbol_of[<uint32_t> character] == CUT:
                raise KeyError(character)
            symbols.push_back(symbol_of[<uint32_t> character])
        begins.push_back(symbols.size())
    with nogil:
        for i in range(begins.size() - 1):
            listed.push_back(Listed(symbols.data() + begins[i], <uint32_t> (begins[i + 1] - begins[i])))
        sort_range(listed.begin(), listed.end(), &comes_first)
        candidates.drop_pieces()
        append_pieces(candidates, listed)
        match_all(candidates, n_threads)
    return 0


cdef bint comes_first(const Listed& a, const Listed& b) noexcept nogil:
    """Code point order; a prefix comes before a longer piece."""
    cdef uint32_t i
    for i in range(min(a.length, b.length)):
        if a.symbols[i] != b.symbols[i]:
            return a.symbols[i] < b.symbols[i]
    return a.length < b.length


cdef int append_pieces(Candidates candidates, const vector[Listed]& listed) except -1 nogil:
    """Append pieces, given in code point order, each once; their texts are added to the symbols, after the corpus."""
    cdef const Listed* item
    cdef const Listed* before = NULL
    cdef Piece piece
    cdef size_t i, k
    candidates.symbols.push_back(CUT)
    for i in range(listed.size()):
        item = &listed[i]
        if before != NULL and not comes_first(before[0], item[0]):
            continue  # it is the piece before once more
        # Among the pieces that are prefixes of the piece before, and that piece itself, is the longest prefix.
        piece.shorter = <uint32_t> candidates.pieces.size() - 1
        if before == NULL or before.symbols[0] != item.symbols[0]:
            piece.shorter = item.symbols[0] - 1
        while not starts_with(candidates, item, piece.shorter):
            piece.shorter = candidates.pieces[piece.shorter].shorter
        piece.begin, piece.length = <uint32_t> candidates.symbols.size(), item.length
        candidates.pieces.push_back(piece)
        for k in range(item.length):
            candidates.symbols.push_back(item.symbols[k])
        candidates.symbols.push_back(CUT)
        before = item
    return 0


cdef bint starts_with(Candidates candidates, const Listed* item, uint32_t piece_id) noexcept nogil:
    cdef Piece piece = candidates.pieces[piece_id]
    cdef uint32_t i
    if piece.length > item.length:
        return False
    for i in range(piece.length):
        if candidates.symbols[piece.begin + i] != item.symbols[i]:
            return False
    return True


cdef int match_all(Candidates candidates, uint32_t n_threads) except -1 nogil:
    """Fill the longest piece at each place of the corpus and of the texts of the pieces."""
    cdef vector[Node] nodes
    cdef MatchJob job
    make_tree(candidates, nodes)
    candidates.longest.resize(candidates.symbols.size())
    job.symbols = candidates.symbols.data()
    job.nodes = nodes.data()
    job.longest = candidates.longest.data()
    job.n_places = candidates.symbols.size()
    return run_tasks(match_block, &job, <uint32_t> (job.n_places // PLACES_PER_TASK + 1), n_threads)


cdef int make_tree(Candidates candidates, vector[Node]& nodes) except -1 nogil:
    """Fill the tree of all prefixes of the pieces, level by level."""
    cdef const uint32_t* symbols = candidates.symbols.data()
    cdef const Piece* pieces = candidates.pieces.data()
    cdef vector[Match] matches      # of each node
    cdef Match match
    cdef uint32_t i, symbol
    cdef size_t k = 0
    for i in range(candidates.n_characters):
        nodes.push_back(Node(i + 1, i, 0, 0))
        matches.push_back(Match(0, 0, 1))
    for i in range(candidates.n_characters, <uint32_t> candidates.pieces.size()):
        symbol = symbols[pieces[i].begin]
        if matches[symbol - 1].end == 0:
            matches[symbol - 1].begin = i
        matches[symbol - 1].end = i + 1
    while k < nodes.size():
        match = matches[k]
        nodes[k].children = <uint32_t> nodes.size()
        while match.begin < match.end:
            symbol = symbols[pieces[match.begin].begin + match.depth]
            nodes.push_back(Node(symbol, nodes[k].longest, 0, 0))
            i = match.begin
            while i < match.end and symbols[pieces[i].begin + match.depth] == symbol:
                i += 1
            if pieces[match.begin].length == match.depth + 1:
                nodes.back().longest = match.begin
                match.begin += 1
            matches.push_back(Match(match.begin, i, match.depth + 1))
            match.begin = i
        nodes[k].n_children = <uint32_t> nodes.size() - nodes[k].children
        k += 1
    return 0


cdef int match_block(void* job_pointer, uint32_t task, const TaskThread* worker) except -1 nogil:
    cdef MatchJob* job = <MatchJob*> job_pointer
    cdef size_t begin = <size_t> task * PLACES_PER_TASK, place
    for place in range(begin, min(begin + PLACES_PER_TASK, job.n_places)):
        job.longest[place] = longest_at(job, job.symbols + place)
    return 0


cdef inline uint32_t longest_at(const MatchJob* job, const uint32_t* symbols) noexcept nogil:
    """Return the longest piece that begins here; NOT_A_PIECE at a cut. A cut ends the symbols."""
    cdef const Node* node
    cdef const Node* child
    if symbols[0] == CUT:
        return NOT_A_PIECE
    node = job.nodes + (symbols[0] - 1)
    while True:
        symbols += 1
        child = find_child(job.nodes + node.children, node.n_children, symbols[0])
        if child == NULL:
            return node.longest
        node = child


cdef inline const Node* find_child(const Node* children, uint32_t n, uint32_t symbol) noexcept nogil:
    """Return the child with this symbol, or NULL. (Binary search.)"""
    cdef uint32_t half
    while n > 1:
        half = n // 2
        if children[half].symbol <= symbol:
            children += half
        n -= half
    return children if n == 1 and children.symbol == symbol else NULL


cdef int weigh_listed(Candidates candidates, vector[double]& weights) except -1 nogil:
    """Fill the weight of each piece, as for a seed: all its occurrences times its length in characters."""
    cdef const Segment* segment
    cdef uint32_t piece_id
    cdef size_t i, place
    refill(weights, candidates.pieces.size(), 0)
    for i in range(candidates.segments.size()):
        segment = candidates.segments.data() + i
        for place in range(segment.begin, segment.begin + segment.length):
            piece_id = candidates.longest[place]
            while candidates.pieces[piece_id].length != 1:
                weights[piece_id] += <double> segment.count
                piece_id = candidates.pieces[piece_id].shorter
            weights[piece_id] += <double> segment.count
    for i in range(candidates.n_characters):
        weights[i] += <double> candidates.lone_counts[i]
    for i in range(weights.size()):
        weights[i] *= <double> candidates.pieces[i].length
    return 0
