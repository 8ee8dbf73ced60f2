"""A double array over the characters of pieces: a walk takes one step for each character, not for each byte.

A character stands for its code: the more pieces hold it, the smaller; 0: none does. The child of a node on a code is
the node `base + code`, if its parent is that node. The node of a first character is its code.
"""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.structures.radix_sort cimport PlacedKey
from spm_lite.base.system.pages cimport ZeroedMemory
from spm_lite.base.unicode.utf8 cimport read_char


cdef enum:
    PAGE_BITS = 6               # of a character: its place in a page
    N_KINDS = 6                 # of families, by their size


cdef struct CharNode:
    uint32_t base       # 0: no children
    uint32_t parent     # 2^32 - 1: none, for a first character
    uint32_t filter     # bit k: a child has a code with these low 5 bits
    float score         # of the piece that ends here; -infinity: none does


cdef struct CharCodes:
    # Pointers into the tables of a CharTrie.
    const uint16_t* pages       # per 64 characters; the first four are those of U+0000 to U+00FF, or of bytes
    const uint32_t* codes       # per page 64


cdef struct PieceKey:
    # One piece of an array to be built.
    size_t begin        # of its characters among those of all pieces
    int32_t length
    int32_t piece_id
    float score


cdef struct Family:
    # Entries [begin, end) are pieces that share their first `depth` characters, which lead to `node`.
    size_t begin
    size_t end
    int32_t depth
    uint32_t node       # 2^32 - 1: the root


@cython.final
cdef class CharTrie:
    cdef bint compact          # else bytes take the place of characters
    cdef int32_t longest       # characters of the longest piece
    cdef uint32_t n_codes      # 0 included
    cdef vector[uint16_t] pages
    cdef vector[uint32_t] codes
    cdef const CharNode* nodes
    cdef const int32_t* piece_ids       # per node; looked at for the pieces of best paths only
    cdef ZeroedMemory memory                  # where both are

    # While it is built:
    cdef vector[uint32_t] units         # the characters of all pieces
    cdef vector[PieceKey] keys
    cdef vector[CharNode] placed        # the nodes
    cdef vector[int32_t] placed_ids     # per node
    cdef vector[uint64_t] used          # bit: a node is taken
    cdef vector[PlacedKey] spare        # for sorting
    cdef uint32_t cursors[N_KINDS]      # where the last family of a kind found room
    cdef uint32_t end                   # behind all nodes that a walk may look at

    cdef int expect(self, int32_t n_pieces, size_t n_chars) except -1 nogil
    cdef int add(self, const uint8_t* text, int32_t size, float score, int32_t piece_id) except -1 nogil
    cdef int finish(self, float unknown_score, int32_t unknown_id) except -1 nogil
    cdef int assign_codes(self) except -1 nogil
    cdef size_t place_of(self, uint32_t unit) except? 0 nogil
    cdef int place_pieces(self) except -1 nogil
    cdef int place_rest(self, Family family, PieceKey key) except -1 nogil
    cdef int sort_pieces(self, Family family, vector[PlacedKey]& entries) except -1 nogil
    cdef int place_children(self, uint32_t node, const vector[uint32_t]& codes) except -1 nogil
    cdef int place_child(self, uint32_t node, uint32_t base, uint32_t code) except -1 nogil
    cdef uint32_t find_only_base(self, uint32_t node, uint32_t code) except? 0 nogil
    cdef int read_room(self, uint32_t begin, uint64_t* room) except -1 nogil
    cdef uint32_t find_base(self, const vector[uint32_t]& codes) except? 0 nogil
    cdef int find_room(
        self, uint32_t begin, uint32_t first, const vector[uint32_t]& codes, uint64_t* room,
    ) except -1 nogil
    cdef int cover_chars(self, float unknown_score, int32_t unknown_id) noexcept nogil
    cdef int settle(self) except -1 nogil
    cdef CharCodes view(self) noexcept nogil


cdef inline uint32_t code_of(const CharCodes* table, uint32_t unit) noexcept nogil:
    """The code of a character, as `read_symbol` gives it."""
    return table.codes[<uint32_t> table.pages[unit >> PAGE_BITS] << PAGE_BITS | (unit & ((1 << PAGE_BITS) - 1))]


cdef inline int32_t read_symbol(const uint8_t* text, int32_t size, uint32_t* symbol) noexcept nogil:
    """Bytes of the character that `text` starts with, and its code point; an ill-formed byte stands for itself."""
    cdef int32_t n
    if text[0] < 0x80:
        symbol[0] = text[0]
        return 1
    n = read_char(text, size, symbol)
    if n == 0:
        symbol[0] = <uint32_t> 0x110000 | text[0]
        return 1
    return n


cdef inline int32_t read_code(
    const CharCodes* table, const uint8_t* text, int32_t size, bint compact, uint32_t* code,
) noexcept nogil:
    """Bytes of the character that `text` (at least 1 byte) starts with, and its code."""
    cdef uint32_t unit = text[0]
    cdef int32_t n
    if unit < 0x80 or not compact:
        code[0] = table.codes[unit]
        return 1
    n = read_symbol(text, size, &unit)
    code[0] = code_of(table, unit)
    return n


cdef inline bint may_advance(const CharNode* node, uint32_t code) noexcept nogil:
    """Whether the node may have a child on this code: known without a look at the child."""
    return node.filter >> (code & 31) & 1
