"""The vocabulary: piece <-> id, score and type, with hash tables of the pieces; immutable after `finish`."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memchr, memcmp
from libcpp.vector cimport vector


cdef inline int32_t hex_digit(uint8_t byte) noexcept nogil:
    """The value of an upper-case hexadecimal digit; -1: it is none."""
    if c"0" <= byte <= c"9":
        return byte - c"0"
    if c"A" <= byte <= c"F":
        return byte - c"A" + 10
    return -1


cdef inline int32_t byte_of_piece(const uint8_t* text, int64_t size) noexcept nogil:
    """The byte that a piece of the form <0xHH> stands for; -1: another form."""
    cdef int32_t high, low
    if size != 6 or memcmp(text, b"<0x", 3) != 0 or text[5] != c">":
        return -1
    high = hex_digit(text[3])
    low = hex_digit(text[4])
    return -1 if high < 0 or low < 0 else high << 4 | low


cdef enum:
    NORMAL = 1
    UNKNOWN = 2
    CONTROL = 3
    USER_DEFINED = 4
    UNUSED = 5
    BYTE = 6


cdef inline bint is_plain(uint8_t piece_type) noexcept nogil:
    """Whether pieces of this type can match text (UNUSED ones only as intermediate merges of BPE)."""
    return piece_type == NORMAL or piece_type == USER_DEFINED or piece_type == UNUSED


@cython.final
cdef class Vocab:
    cdef readonly int32_t size
    cdef readonly int32_t unknown_index     # id of the UNKNOWN piece; -1: none
    cdef readonly bint byte_fallback
    cdef readonly bint is_bytes             # pieces are bytes of the text, in which a space is 0x20; see `finish_bytes`
    cdef public object word_rules           # of WordPiece, a `specs.WordRules`; None: another method
    cdef public bytes exact_scores          # of Unigram: doubles of the first ids; empty: `scores` count
    cdef public bint scores_restart         # sums of exact scores begin anew at each U+2581
    cdef public object split_pattern        # of byte-level BPE, a str; None: the raw bytes merge
    cdef public tuple splits                # (pattern, behavior, invert) of each further way to cut a text
    cdef public object merge_list           # of BPE, a `merge_list.MergeList`; None: pieces merge by their scores
    cdef public bint may_have_empty         # an UNUSED piece may be empty: its id has no piece
    cdef bint single_table                  # BPE: one name table for plain and reserved pieces
    cdef readonly bint is_well_formed       # every plain piece is well-formed UTF-8
    cdef bint has_space                     # some piece holds 0x20
    cdef int32_t byte_ids[256]              # byte -> id of its BYTE piece, or if `is_bytes` its piece; -1: none
    cdef vector[uint8_t] texts              # all pieces, one after the other, as in the model
    cdef vector[int64_t] begins             # size + 1 offsets into texts
    cdef vector[float] scores
    cdef vector[uint8_t] types              # NORMAL to BYTE
    cdef readonly int32_t n_added           # added tokens, for which marks stand in normalized text
    cdef vector[uint8_t] are_added          # 1: an added token; empty: none is
    cdef vector[int32_t] plain_table        # open addressing: ids, -1 = free
    cdef vector[int32_t] reserved_table

    cpdef int set_added(self, object piece_ids) except -1
    cdef int expect(self, int64_t n_pieces, int64_t n_bytes) except -1 nogil
    cdef int append(self, const uint8_t* text, int64_t size, float score, int32_t piece_type) except -1 nogil
    cpdef int finish(self, int32_t model_type, bint byte_fallback) except -1     # checks (ModelError), name tables
    cpdef int finish_bytes(self, bint has_unknown) except -1      # instead, for pieces that are bytes of the text
    cdef int enter_all(self) except -1
    cdef Vocab copy(self)
    cdef int32_t find_plain(self, const uint8_t* text, int64_t size) noexcept nogil       # -1: none
    cdef int32_t find_reserved(self, const uint8_t* text, int64_t size) noexcept nogil    # -1: none
    cdef int32_t find(self, const uint8_t* text, int64_t size) noexcept nogil   # reserved, plain, unknown_index
    cdef int64_t longest(self) noexcept nogil   # bytes of the longest piece
    cdef int32_t matchable(self, int32_t piece_id, bint compact, vector[uint8_t]& out) except -2 nogil
    # out: the bytes of a plain piece as normalized text holds them, U+2581 as 0x20 if compact. Returns their number,
    # or -1 for a piece that never matches: not plain, a lone NUL, or if compact one with a real space.
    # If pieces are bytes of the text, every plain piece matches as it is. Of an added token it is the mark.
    cdef int32_t copy_matchable(self, int32_t piece_id, bint compact, uint8_t* out) noexcept nogil
    # As `matchable`; out: room for the bytes of the piece, or of a mark, and COPY_SLACK more.


cdef inline bint is_added(Vocab vocab, int32_t piece_id) noexcept nogil:
    """Whether a piece is an added token, which matches its mark."""
    return vocab.n_added and vocab.are_added[piece_id]


cdef inline bint is_only_mark(Vocab vocab, int32_t piece_id) noexcept nogil:
    """Whether a piece is an added token that matches its mark alone; a normal one matches its text, too."""
    return is_added(vocab, piece_id) and vocab.types[piece_id] != NORMAL


cdef inline bint is_nul(Vocab vocab, int32_t piece_id) noexcept nogil:
    """Whether the piece is a lone NUL, which never matches text."""
    cdef int64_t begin = vocab.begins[piece_id]
    return vocab.begins[piece_id + 1] - begin == 1 and vocab.texts[begin] == 0


cdef inline bint can_match(Vocab vocab, int32_t piece_id) noexcept nogil:
    """Whether the piece can match text: it is plain and, unless pieces are bytes, no lone NUL."""
    return is_plain(vocab.types[piece_id]) and (vocab.is_bytes or not is_nul(vocab, piece_id))


cdef inline bint can_match_compact(Vocab vocab, int32_t piece_id) noexcept nogil:
    """Whether the piece can match compact text: there a real space in it would be taken for an escaped one.

    If pieces are bytes of the text, no space is escaped, and each of them can match.
    """
    cdef int64_t begin = vocab.begins[piece_id], size = vocab.begins[piece_id + 1] - begin
    return can_match(vocab, piece_id) and not (
        vocab.has_space and not vocab.is_bytes and memchr(vocab.texts.data() + begin, 0x20, <size_t> size) != NULL
    )
