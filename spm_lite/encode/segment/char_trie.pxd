"""Double-array trie over the characters of pieces: a walk takes one step for each character, not for each byte.

Each character has a code: the more often it occurs in pieces, the smaller; 0: it is in no piece. The child of a node
on a code is the node `base + code`, if that node's `parent` is this node. The node of a first character is its code.
"""

cimport cython
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.structures.radix_sort cimport PlacedKey
from spm_lite.base.system.pages cimport ZeroedMemory
from spm_lite.base.unicode.utf8 cimport read_char


cdef enum:
    PAGE_BITS = 6               # lower bits of a character: its place in a page
    N_KINDS = 6                 # size classes of families


cdef struct CharNode:
    uint32_t base       # 0: no children
    uint32_t parent     # 2^32 - 1: none (a first character, or an unused node)
    uint32_t filter     # bit k: some child's code has the low 5 bits k
    float score         # of the piece that ends here; -infinity: none does


cdef struct CharCodes:
    # Pointers into the tables of a CharTrie.
    const uint16_t* pages       # page number per 64 characters; pages 0 to 3 are U+0000 to U+00FF, or the bytes
    const uint32_t* codes       # 64 per page


cdef struct PieceKey:
    # One piece of a trie to be built.
    size_t begin        # index in `units` of its first character
    int32_t length
    int32_t piece_id
    float score


cdef struct Family:
    # Entries [begin, end) are pieces that share their first `depth` characters, which lead to `node`.
    size_t begin
    size_t end
    int32_t depth
    uint32_t node       # 2^32 - 1: the root


cdef struct TextChar:
    # One character of a text, or one byte if the text is not compact. After the last one there is one with code 0.
    uint32_t code       # of a CharTrie
    int32_t begin       # byte offset


@cython.final
cdef class CharTrie:
    cdef bint compact          # else bytes take the place of characters
    cdef int32_t longest       # characters of the longest piece
    cdef uint32_t n_codes      # 0 included
    cdef vector[uint16_t] pages
    cdef vector[uint32_t] codes
    cdef const CharNode* nodes
    cdef const int32_t* piece_ids       # per node; read only for the pieces of best paths
    cdef ZeroedMemory memory                  # holds nodes and piece_ids

    # While it is built:
    cdef vector[uint32_t] units         # the characters of all pieces
    cdef vector[PieceKey] keys
    cdef vector[CharNode] placed        # the nodes
    cdef vector[int32_t] placed_ids     # per node
    cdef vector[uint64_t] used          # a bit per node: it is taken
    cdef vector[PlacedKey] spare        # buffer for sorting
    cdef uint32_t cursors[N_KINDS]      # where the last family of each size class found room
    cdef uint32_t end                   # after all nodes that a walk may read

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
    """The code of a character. unit: the character as `read_symbol` gives it."""
    return table.codes[<uint32_t> table.pages[unit >> PAGE_BITS] << PAGE_BITS | (unit & ((1 << PAGE_BITS) - 1))]


cdef inline int32_t read_symbol(const uint8_t* text, int32_t size, uint32_t* symbol) noexcept nogil:
    """Return the bytes of the first character. symbol: its code point, or 0x110000 | byte for an ill-formed byte."""
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
    """Return the bytes of the character that `text` (at least 1 byte) starts with. code: becomes its code."""
    cdef uint32_t unit = text[0]
    cdef int32_t n
    if unit < 0x80 or not compact:
        code[0] = table.codes[unit]
        return 1
    n = read_symbol(text, size, &unit)
    code[0] = code_of(table, unit)
    return n


cdef inline bint may_advance(const CharNode* node, uint32_t code) noexcept nogil:
    """Whether the node may have a child on this code. False is certain, and spares the access to the child."""
    return node.filter >> (code & 31) & 1
