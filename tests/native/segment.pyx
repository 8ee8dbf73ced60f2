"""What tests ask of `spm_lite/vocab` and `spm_lite/encode/segment`: pieces one by one, and the tokens of one text."""

from libc.math cimport HUGE_VAL
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libcpp.vector cimport vector

from spm_lite.encode.segment.bpe cimport BpeScratch, BpeSegmenter
from spm_lite.encode.segment.char_trie cimport CharCodes, CharTrie, may_advance, read_code
from spm_lite.encode.segment.segmenter cimport Scratch, Segmenter, Token
from spm_lite.encode.segment.unigram cimport UnigramScratch, UnigramSegmenter
from spm_lite.encode.chunks.pair_cuts cimport PieceReader
from spm_lite.vocab.vocab cimport BYTE, NORMAL, Vocab

from spm_lite.kinds import MODEL_TYPES

cdef uint32_t NO_NODE = <uint32_t> 0xFFFFFFFF


def build_vocab(pieces, model_type="unigram", byte_fallback=False) -> Vocab:
    """A vocabulary of (text, score, type) triples, checked as a model's is; ids count from 0.

    Raises ModelError as `finish` does, ValueError on a type outside 1..6 or an unknown `model_type`.
    """
    cdef Vocab vocab = Vocab()
    cdef bytes text
    if model_type not in MODEL_TYPES:
        raise ValueError(f"model_type {model_type!r} is none of {', '.join(MODEL_TYPES)}")
    for text, score, piece_type in pieces:
        if not NORMAL <= piece_type <= BYTE:
            raise ValueError(f"type {piece_type} of piece {text!r} is outside 1..6")
        vocab.append(<const uint8_t*> <const char*> text, len(text), score, piece_type)
    vocab.finish(MODEL_TYPES[model_type], byte_fallback)
    return vocab


def byte_id(Vocab vocab not None, uint8_t byte) -> int:
    """The id of the BYTE piece of a byte; -1: none."""
    return vocab.byte_ids[byte]


def matchable_text(Vocab vocab not None, int32_t piece_id, bint compact):
    """What `matchable` gives, or None."""
    cdef vector[uint8_t] out
    cdef int32_t size
    if not 0 <= piece_id < vocab.size:
        raise IndexError(f"{piece_id} is not in 0..{vocab.size - 1}")
    size = vocab.matchable(piece_id, compact, out)
    return None if size < 0 else (<const char*> out.data())[:size]


def read_pieces(PieceReader source not None) -> list:
    """The bytes of each piece, None for one that no text holds."""
    cdef const uint8_t* text
    cdef int32_t i, size = 0
    found = []
    for i in range(source.vocab.size):
        text = source.piece(i, &size)
        found.append(None if text == NULL else (<const char*> text)[:size])
    return found


cdef list triples(const vector[Token]& tokens):
    """(piece id, begin, end) of each token."""
    cdef size_t i
    return [(tokens[i].piece_id, tokens[i].begin, tokens[i].end) for i in range(tokens.size())]


def tokens(Segmenter segmenter not None, bytes text not None) -> list:
    """(piece id, begin, end) of each token of a normalized text."""
    cdef vector[Token] found
    segmenter.segment(
        <const uint8_t*> <const char*> text, <int32_t> len(text), segmenter.new_scratch(), found,
    )
    return triples(found)


def tokens_in_parts(Segmenter segmenter not None, bytes text not None, size_t n_most) -> tuple:
    """The tokens of a text, some at a time, BPE at about `n_most`; and how often tokens were withdrawn."""
    cdef const uint8_t* data = <const uint8_t*> <const char*> text
    cdef Scratch scratch = segmenter.new_scratch()
    cdef vector[Token] found
    cdef int32_t begin = 0, end, size = <int32_t> len(text), n_withdrawn = 0
    cdef list so_far = []
    cdef Py_ssize_t n_sure = 0
    cdef bint is_merged = isinstance(segmenter, BpeSegmenter) and not (<BpeSegmenter> segmenter).has_unused
    scratch.start()
    while begin < size:
        if is_merged:
            found.clear()
            end = (<BpeSegmenter> segmenter).append_next(data, size, begin, n_most, <BpeScratch> scratch, found)
        else:
            end = segmenter.segment_next(data, size, begin, scratch, found)
        if end < begin:
            n_withdrawn += 1
            del so_far[n_sure:]
        else:
            so_far += triples(found)
        if end == scratch.sure_end:
            n_sure = len(so_far)
        begin = end
    return so_far, n_withdrawn


def set_limits(Segmenter segmenter not None, int32_t n):
    """Merge with a heap in windows of `n` symbols, and keep few more than `n` arrivals."""
    if isinstance(segmenter, BpeSegmenter):
        (<BpeSegmenter> segmenter).heap_window = n
    if isinstance(segmenter, UnigramSegmenter):
        (<UnigramSegmenter> segmenter).most_arrivals = n


def best_with_margin(UnigramSegmenter segmenter not None, bytes text not None) -> tuple:
    """The tokens of the best path of a compact text, and how much better it is than any other."""
    cdef vector[Token] found
    cdef UnigramScratch scratch = UnigramScratch()
    margin = segmenter.find_margin(<const uint8_t*> <const char*> text, <int32_t> len(text), scratch)
    segmenter.find_tokens(scratch, found)
    return triples(found), margin


def forget_bits(BpeSegmenter segmenter not None):
    """Let slots hold nothing but numbers, so that far more strings seem to be pieces."""
    segmenter.table.fill_slots(32)


def build_trie(dict pieces not None, bint compact) -> CharTrie:
    """The array of `pieces` (text -> score and piece id) with unknown characters of score -100 and id 0."""
    cdef CharTrie trie = CharTrie(compact)
    cdef bytes text
    for text, (score, piece_id) in pieces.items():
        trie.add(<const uint8_t*> <const char*> text, <int32_t> len(text), score, piece_id)
    trie.finish(-100.0, 0)
    return trie


def trie_sizes(CharTrie trie not None) -> tuple:
    """The characters of the longest piece, and the number of codes, 0 included."""
    return trie.longest, trie.n_codes


def prefixes(CharTrie trie not None, bytes text not None) -> list:
    """(bytes, score, piece id) of every piece that `text` starts with, shortest first.

    A first character that is no piece is the unknown one, if the trie is compact.
    """
    cdef CharCodes table = trie.view()
    cdef const uint8_t* data = <const uint8_t*> <const char*> text
    cdef int32_t size = <int32_t> len(text), pos = 0
    cdef uint32_t code = 0, place = NO_NODE, child
    found = []
    while pos < size and trie.nodes != NULL:
        pos += read_code(&table, data + pos, size - pos, trie.compact, &code)
        child = code if place == NO_NODE else trie.nodes[place].base + code
        if place != NO_NODE and not may_advance(&trie.nodes[place], code) or trie.nodes[child].parent != place:
            break
        place = child
        if trie.nodes[place].score != -HUGE_VAL:
            found.append((pos, trie.nodes[place].score, trie.piece_ids[place]))
    return found
