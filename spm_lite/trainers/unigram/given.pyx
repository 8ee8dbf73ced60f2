from libc.stdint cimport uint32_t
from libcpp.vector cimport vector

from spm_lite.base.system.heap cimport refill
from spm_lite.counts.chunk_table cimport ChunkTable
from spm_lite.trainers.unigram.candidates cimport CUT, Candidates, Piece, Segment


cdef struct Match:
    # Pieces [begin, end), in code point order, that start with the symbols read so far.
    size_t begin
    size_t end


cdef Candidates load_listed(ChunkTable counts, object pieces):
    """Return the corpus with these candidates and no others. The pieces of one character are the alphabet.

    pieces: strings. Raises KeyError for a piece with a character outside the alphabet, ValueError for a piece of more
    than 512 characters.
    """
    for piece in pieces:
        if len(piece) > 512:
            raise ValueError(f"a piece of {len(piece)} characters: 512 is the limit")
    cdef Candidates candidates = Candidates("".join([piece for piece in pieces if len(piece) == 1]))
    with nogil:
        candidates.load(counts.texts.data(), counts.chunks.data(), counts.chunks.size())
    append_pieces(candidates, sorted({piece for piece in pieces if len(piece) > 1}))
    with nogil:
        match_all(candidates)
    return candidates


cdef int append_pieces(Candidates candidates, list pieces) except -1:
    """Append pieces, given in code point order; their texts are added to the symbols, after the corpus."""
    cdef Piece piece
    cdef uint32_t shorter
    symbols = {candidates.text(k): k + 1 for k in range(candidates.n_characters)}
    texts = list(symbols)
    candidates.symbols.push_back(CUT)
    for text in pieces:
        shorter = <uint32_t> len(texts) - 1
        while not text.startswith(texts[shorter]):
            if shorter == candidates.pieces[shorter].shorter:
                shorter = symbols[text[0]] - 1
            else:
                shorter = candidates.pieces[shorter].shorter
        piece = Piece(<uint32_t> candidates.symbols.size(), <uint32_t> len(text), shorter)
        candidates.pieces.push_back(piece)
        for character in text:
            candidates.symbols.push_back(symbols[character])
        candidates.symbols.push_back(CUT)
        texts.append(text)
    return 0


cdef int match_all(Candidates candidates) except -1 nogil:
    """Fill the longest piece at each place of the corpus and of the texts of the pieces."""
    cdef size_t place
    candidates.longest.resize(candidates.symbols.size())
    for place in range(candidates.symbols.size()):
        candidates.longest[place] = longest_at(candidates, place)
    return 0


cdef uint32_t longest_at(Candidates candidates, size_t place) noexcept nogil:
    cdef uint32_t symbol = candidates.symbols[place], depth = 0
    cdef uint32_t longest = symbol - 1      # NOT_A_PIECE at a cut
    cdef Match match = Match(candidates.n_characters, candidates.pieces.size())
    while symbol != CUT:
        match.begin = first_not_less(candidates, match, depth, symbol)
        match.end = first_not_less(candidates, match, depth, symbol + 1)
        if match.begin == match.end:
            break
        depth += 1
        if candidates.pieces[match.begin].length == depth:
            longest = <uint32_t> match.begin
            match.begin += 1
        symbol = candidates.symbols[place + depth] if place + depth < candidates.symbols.size() else CUT
    return longest


cdef size_t first_not_less(Candidates candidates, Match match, uint32_t depth, uint32_t symbol) noexcept nogil:
    """Return the first piece of the range whose symbol at `depth` is `symbol` or greater (binary search)."""
    cdef size_t middle
    while match.begin < match.end:
        middle = match.begin + (match.end - match.begin) // 2
        if candidates.symbols[candidates.pieces[middle].begin + depth] < symbol:
            match.begin = middle + 1
        else:
            match.end = middle
    return match.begin


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
