"""Checks all pieces and enters them into two hash tables with linear probing, a block of prefetched slots at a time.

`finish` and `finish_bytes` list the steps. Header: vocab.pxd.
"""

from libc.math cimport isfinite
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memchr, memcmp, memcpy
from libcpp.vector cimport vector

from spm_lite.base.structures.text_hash cimport HashKey, hash_text
from spm_lite.base.system.heap cimport refill
from spm_lite.base.system.intrinsics cimport prefetch
from spm_lite.base.unicode.space_mark cimport COPY_SLACK, copy_piece_unescaped
from spm_lite.base.unicode.token_mark cimport MARK_SIZE, write_mark
from spm_lite.base.unicode.utf8 cimport is_utf8

import os

from spm_lite.errors import IdError, ModelError

cdef enum:
    MAX_PIECE_SIZE = 7999   # bytes
    BLOCK = 32              # pieces whose slots are fetched ahead
    SHOWN_SIZE = 60         # bytes of a piece that an error message shows

cdef enum:
    UNIGRAM = 1
    BPE = 2

cdef enum Problem:
    # Why a vocabulary is refused.
    NOTHING = 0
    EMPTY
    HOLDS_NUL
    ALREADY_DEFINED
    SECOND_UNKNOWN
    UNEXPECTED_BYTE
    MALFORMED_BYTE
    NO_TYPE

# Random in every process; only slots of the tables depend on it, never a result.
cdef HashKey hash_key
hash_key.low = int.from_bytes(os.urandom(4), "little")
hash_key.high = int.from_bytes(os.urandom(4), "little")
hash_key.factor = int.from_bytes(os.urandom(8), "little") | 1


cdef int reserve_table(vector[int32_t]& table, int64_t n_pieces) except -1 nogil:
    """Clear `table` and give it a power of two slots, at most half of which `n_pieces` fill."""
    cdef size_t n_slots = 8
    while n_slots < <size_t> n_pieces * 2:
        n_slots *= 2
    refill(table, n_slots, -1)
    return 0


cdef inline size_t find_slot(
    Vocab vocab, const vector[int32_t]& table, uint32_t hash_code, const uint8_t* text, int64_t size,
) noexcept nogil:
    """The slot of `text`, or the free slot where it would go; a table always has a free slot."""
    cdef const int32_t* slots = table.data()
    cdef const int64_t* begins = vocab.begins.data()
    cdef const uint8_t* texts = vocab.texts.data()
    cdef size_t mask = table.size() - 1
    cdef size_t slot = hash_code & mask
    cdef int32_t i
    while True:
        i = slots[slot]
        if i < 0:
            return slot
        if begins[i + 1] - begins[i] == size and memcmp(texts + begins[i], text, <size_t> size) == 0:
            return slot
        slot = (slot + 1) & mask


cdef void hash_block(Vocab vocab, int32_t begin, int32_t end, uint32_t* hash_codes) noexcept nogil:
    """Fill the hashes of a block of pieces and prefetch their slots (196,000 pieces, a large table: 19 -> 12 ms)."""
    cdef const uint8_t* text
    cdef const int32_t* slots = vocab.plain_table.data()
    cdef size_t mask = vocab.plain_table.size() - 1
    cdef int32_t i
    for i in range(begin, end):
        text = vocab.texts.data() + vocab.begins[i]
        hash_codes[i - begin] = hash_text(text, vocab.begins[i + 1] - vocab.begins[i], &hash_key)
        prefetch(slots + (hash_codes[i - begin] & mask))


cdef int check_scores(Vocab vocab) except -1:
    cdef int32_t i
    for i in range(vocab.size):
        if not isfinite(vocab.scores[i]):
            raise ModelError(
                f"{shown(vocab, i)}: score is NaN or Inf. It is {vocab.scores[i]}; "
                "a unigram model needs finite scores, whatever the type of the piece"
            )
    return 0


cdef int check_sizes(Vocab vocab) except -1:
    cdef int32_t i
    for i in range(vocab.size):
        if vocab.begins[i + 1] - vocab.begins[i] > MAX_PIECE_SIZE:
            raise ModelError(
                f"{shown(vocab, i)}: piece is too long. It has {vocab.begins[i + 1] - vocab.begins[i]} bytes, "
                f"the limit is {<int> MAX_PIECE_SIZE}"
            )
    return 0


cdef void drop_nul_pieces(Vocab vocab) noexcept:
    """With byte fallback every piece that is a lone NUL becomes UNUSED (and such pieces are in no table)."""
    cdef int32_t i
    if vocab.byte_fallback:
        for i in range(vocab.size):
            if is_nul(vocab, i):
                vocab.types[i] = UNUSED


cdef int reserve_tables(Vocab vocab) except -1:
    cdef int64_t n_plain = 0
    cdef int32_t i
    for i in range(vocab.size):
        n_plain += is_named_plain(vocab, i)
    reserve_table(vocab.plain_table, n_plain)
    reserve_table(vocab.reserved_table, vocab.size - n_plain)
    return 0


cdef Problem fill_tables(Vocab vocab, int32_t* at) noexcept nogil:
    """Put every piece into its table; stop at the first bad one and set `at` to its id."""
    cdef uint32_t hash_codes[BLOCK]
    cdef Problem problem
    cdef int32_t begin, i, end = 0
    cdef bint has_nul = holds(vocab, 0)
    while end < vocab.size:
        begin = end
        end = vocab.size if vocab.size - begin < BLOCK else begin + BLOCK
        hash_block(vocab, begin, end, hash_codes)
        for i in range(begin, end):
            problem = enter_piece(vocab, i, hash_codes[i - begin], has_nul)
            if problem != NOTHING:
                at[0] = i
                return problem
    return NOTHING


cdef inline bint holds(Vocab vocab, uint8_t byte) noexcept nogil:
    """Whether any piece holds this byte. Mostly none does, and no single piece needs a test."""
    return not vocab.texts.empty() and memchr(vocab.texts.data(), byte, vocab.texts.size()) != NULL


cdef bint are_utf8(Vocab vocab) noexcept nogil:
    """Whether all plain pieces are well-formed UTF-8. Mostly all are, and one test of all texts together shows it."""
    cdef const uint8_t* texts = vocab.texts.data()
    cdef int32_t i
    cdef bint are_cut_well = True
    for i in range(vocab.size):
        are_cut_well &= texts[vocab.begins[i]] & 0xC0 != 0x80
    if are_cut_well and is_utf8(texts, <int64_t> vocab.texts.size()):
        return True
    for i in range(vocab.size):
        if is_plain(vocab.types[i]) and not is_utf8(texts + vocab.begins[i], vocab.begins[i + 1] - vocab.begins[i]):
            return False
    return True


cdef inline bint is_named_plain(Vocab vocab, int32_t piece_id) noexcept nogil:
    """Whether the name of a piece stands in the table of plain pieces. An added token may spell one of these."""
    return is_plain(vocab.types[piece_id]) and not is_only_mark(vocab, piece_id)


cdef inline Problem enter_piece(Vocab vocab, int32_t piece_id, uint32_t hash_code, bint has_nul) noexcept nogil:
    """Check one piece and put it into its table. has_nul: whether any piece of the vocabulary holds NUL."""
    cdef const uint8_t* text = vocab.texts.data() + vocab.begins[piece_id]
    cdef int64_t size = vocab.begins[piece_id + 1] - vocab.begins[piece_id]
    cdef bint plain = is_named_plain(vocab, piece_id)
    cdef size_t slot
    if size == 0:
        # In no table: no text holds it.
        return NOTHING if vocab.may_have_empty and vocab.types[piece_id] == UNUSED else EMPTY
    if vocab.types[piece_id] == UNUSED and is_nul(vocab, piece_id) and not vocab.is_bytes:
        return NOTHING  # in no table, with or without byte fallback
    if has_nul and memchr(text, 0, <size_t> size) != NULL and not (
        vocab.is_bytes and (vocab.types[piece_id] == NORMAL or vocab.types[piece_id] == UNUSED)
    ):
        return HOLDS_NUL
    if plain:
        slot = find_slot(vocab, vocab.plain_table, hash_code, text, size)
        if vocab.plain_table[slot] >= 0 or vocab.single_table and (
            vocab.reserved_table[find_slot(vocab, vocab.reserved_table, hash_code, text, size)] >= 0
        ):
            return ALREADY_DEFINED
        vocab.plain_table[slot] = piece_id
        return NOTHING
    slot = find_slot(vocab, vocab.reserved_table, hash_code, text, size)
    if vocab.reserved_table[slot] >= 0:
        return ALREADY_DEFINED
    if vocab.single_table and not is_only_mark(vocab, piece_id) and vocab.find_plain(text, size) >= 0:
        return ALREADY_DEFINED
    vocab.reserved_table[slot] = piece_id
    return enter_reserved(vocab, piece_id, text, size)


cdef Problem enter_reserved(Vocab vocab, int32_t piece_id, const uint8_t* text, int64_t size) noexcept nogil:
    """Record the id of an UNKNOWN or a BYTE piece."""
    cdef int32_t byte
    if vocab.types[piece_id] == UNKNOWN:
        if vocab.unknown_index >= 0:
            return SECOND_UNKNOWN
        vocab.unknown_index = piece_id
    elif vocab.types[piece_id] == BYTE:
        if not vocab.byte_fallback:
            return UNEXPECTED_BYTE
        byte = byte_of_piece(text, size)
        if byte < 0:
            return MALFORMED_BYTE
        vocab.byte_ids[byte] = piece_id
    return NOTHING


cdef int check_whole(Vocab vocab, int32_t model_type) except -1:
    """Raise ModelError for what the whole vocabulary lacks: an unknown piece, byte pieces, pieces that match text."""
    cdef int32_t i
    if vocab.unknown_index < 0 and not vocab.byte_fallback and vocab.merge_list is None:
        raise ModelError(
            f"unk is not defined. None of the {vocab.size} pieces has type UNKNOWN, "
            "and a model without byte fallback needs one"
        )
    missing = [byte for byte in range(256) if vocab.byte_ids[byte] < 0] if vocab.byte_fallback else []
    if missing:
        raise ModelError(
            f"there are not 256 byte pieces although `byte_fallback` is true. {len(missing)} are missing, "
            f"the first is <0x{missing[0]:02X}>"
        )
    if model_type != UNIGRAM:
        return 0
    for i in range(vocab.size):
        if can_match(vocab, i):
            return 0
    raise ModelError(
        f"no pieces are loaded. None of the {vocab.size} pieces can be matched in text; a unigram model needs "
        "one of type NORMAL, USER_DEFINED or UNUSED"
    )


cdef int check_bytes(Vocab vocab) except -1:
    """Fill `byte_ids`. Raises ModelError unless each of the 256 bytes is a piece of its own of type NORMAL."""
    cdef uint8_t text
    cdef int32_t byte, i
    for byte in range(256):
        text = <uint8_t> byte
        i = vocab.find_plain(&text, 1)
        if i < 0 and vocab.merge_list is not None:
            continue  # the byte is unknown, or vanishes
        if i < 0 or vocab.types[i] != NORMAL:
            raise ModelError(f"there is no piece of type NORMAL for the byte 0x{byte:02X}: each byte must have one")
        vocab.byte_ids[byte] = i
    return 0


cdef str shown(Vocab vocab, int32_t piece_id):
    """A piece for error messages: its id and the beginning of its text."""
    text = vocab.text(piece_id)
    mark = "" if len(text) <= SHOWN_SIZE else "..."
    return f"piece {piece_id} {text[:SHOWN_SIZE].decode('utf-8', 'backslashreplace')!r}{mark}"


cdef str on_one_line(str text):
    """Escape line ends and all other characters of `text` that do not print."""
    return "".join([c if c.isprintable() else c.encode("unicode_escape").decode() for c in text])


cdef str describe(Vocab vocab, Problem problem, int32_t at):
    """The error message for a problem of piece `at`; it contains the original's words."""
    text = vocab.text(at)
    name = on_one_line(text[:SHOWN_SIZE].decode("utf-8", "backslashreplace"))
    if problem == EMPTY:
        reason = "piece must not be empty."
    elif problem == HOLDS_NUL:
        reason = f"piece must not include null character. There is one at byte {text.index(0)}"
    elif problem == ALREADY_DEFINED:
        first = vocab.find_reserved(<const uint8_t*> <const char*> text, len(text))
        if first < 0 or not (vocab.single_table or not is_plain(vocab.types[at])):
            first = vocab.find_plain(<const uint8_t*> <const char*> text, len(text))
        reason = f"{name} is already defined. Piece {first} has the same text"
    elif problem == SECOND_UNKNOWN:
        reason = f"unk is already defined. Piece {vocab.unknown_index} has type UNKNOWN too"
    elif problem == NO_TYPE:
        reason = f"type {vocab.types[at]} has no meaning where pieces are bytes. Types are 1 NORMAL, 3 CONTROL, "
        reason += "4 USER_DEFINED and 5 UNUSED"
    elif problem == UNEXPECTED_BYTE:
        reason = f"byte piece {name} is found although `byte_fallback` is false."
    else:
        reason = f"byte piece {name} is invalid. The form is <0xHH> with two upper-case hexadecimal digits"
    return f"{shown(vocab, at)}: {reason}"


cdef int32_t checked(Vocab vocab, object piece_id) except -1:
    """Return `piece_id`. Raises IdError outside the vocabulary."""
    if not 0 <= piece_id < vocab.size:
        raise IdError(f"piece id is out of range. {piece_id} is not in 0..{vocab.size - 1}")
    return piece_id


cdef class Vocab:

    def __cinit__(self):
        cdef int32_t byte
        self.size = 0
        self.unknown_index = -1
        self.exact_scores = b""
        self.scores_restart = False
        self.byte_fallback = False
        self.is_bytes = False
        self.single_table = False
        self.may_have_empty = False
        self.is_well_formed = True
        self.splits = ()
        for byte in range(256):
            self.byte_ids[byte] = -1
        self.begins.push_back(0)
        reserve_table(self.plain_table, 0)
        reserve_table(self.reserved_table, 0)

    cdef int expect(self, int64_t n_pieces, int64_t n_bytes) except -1 nogil:
        """Reserve memory for about so many pieces with so many bytes in all."""
        self.texts.reserve(n_bytes)
        self.begins.reserve(n_pieces)
        self.scores.reserve(n_pieces)
        self.types.reserve(n_pieces)
        return 0

    cdef int append(self, const uint8_t* text, int64_t size, float score, int32_t piece_type) except -1 nogil:
        """Append a piece, before `finish`. A type outside the enum counts as NORMAL, as in the message."""
        if self.size == 0x7FFFFFFF:
            with gil:
                raise ModelError("a model has at most 2147483647 pieces, this one has more")
        self.texts.insert(self.texts.end(), text, text + size)
        self.begins.push_back(<int64_t> self.texts.size())
        self.scores.push_back(score)
        self.types.push_back(<uint8_t> piece_type if NORMAL <= piece_type <= BYTE else <uint8_t> NORMAL)
        self.size += 1
        return 0

    cpdef int finish(self, int32_t model_type, bint byte_fallback) except -1:
        """Check all pieces and make the name tables. Raises ModelError for the first broken rule.

        The order of the checks is the original's: non-finite scores of a unigram model, then lengths, then each piece
        in turn, then the vocabulary as a whole.
        """
        cdef int32_t byte
        self.unknown_index = -1
        for byte in range(256):
            self.byte_ids[byte] = -1
        self.byte_fallback = byte_fallback
        self.single_table = model_type == BPE
        if model_type == UNIGRAM:
            check_scores(self)
        check_sizes(self)
        drop_nul_pieces(self)
        self.enter_all()
        check_whole(self, model_type)
        return 0

    cpdef int finish_bytes(self, bint has_unknown) except -1:
        """Check all pieces and make the name tables of a model whose pieces are bytes of the text.

        Each of the 256 bytes is a piece. A piece may be part of a character, hold NUL or a space; U+2581 is text like
        any other. Raises ModelError for the first broken rule.
        has_unknown: one piece may have the type UNKNOWN. No text becomes it, unless a list of merges lacks bytes.
        """
        cdef int32_t i
        self.is_bytes = True
        check_scores(self)
        check_sizes(self)
        for i in range(self.size):
            if self.types[i] == BYTE or self.types[i] == UNKNOWN and not has_unknown:
                raise ModelError(describe(self, NO_TYPE, i))
        self.enter_all()
        check_bytes(self)
        return 0

    cdef int enter_all(self) except -1:
        """Enter all pieces into the name tables."""
        cdef int32_t at = -1
        cdef Problem problem
        reserve_tables(self)
        with nogil:
            problem = fill_tables(self, &at)
        if problem != NOTHING:
            raise ModelError(describe(self, problem, at))
        self.is_well_formed = are_utf8(self)
        self.has_space = holds(self, 0x20)
        return 0

    cdef int32_t find_plain(self, const uint8_t* text, int64_t size) noexcept nogil:
        return self.plain_table[find_slot(self, self.plain_table, hash_text(text, size, &hash_key), text, size)]

    cdef int32_t find_reserved(self, const uint8_t* text, int64_t size) noexcept nogil:
        return self.reserved_table[find_slot(self, self.reserved_table, hash_text(text, size, &hash_key), text, size)]

    cdef int32_t find(self, const uint8_t* text, int64_t size) noexcept nogil:
        cdef int32_t i = self.find_reserved(text, size)
        if i < 0:
            i = self.find_plain(text, size)
        return i if i >= 0 else self.unknown_index

    cdef int64_t longest(self) noexcept nogil:
        cdef int64_t longest = 0
        cdef int32_t i
        for i in range(self.size):
            longest = max(longest, self.begins[i + 1] - self.begins[i])
        return longest

    cdef int32_t matchable(self, int32_t piece_id, bint compact, vector[uint8_t]& out) except -2 nogil:
        cdef int32_t size
        out.resize(self.begins[piece_id + 1] - self.begins[piece_id] + <int> MARK_SIZE + <int> COPY_SLACK)
        size = self.copy_matchable(piece_id, compact, out.data())
        out.resize(max(size, <int32_t> 0))
        return size

    cdef int32_t copy_matchable(self, int32_t piece_id, bint compact, uint8_t* out) noexcept nogil:
        cdef int64_t begin = self.begins[piece_id], size = self.begins[piece_id + 1] - begin
        cdef const uint8_t* text = self.texts.data() + begin
        if is_only_mark(self, piece_id):
            if not is_plain(self.types[piece_id]):
                return -1
            write_mark(out, piece_id)
            return MARK_SIZE
        if not compact or self.is_bytes:
            if not can_match(self, piece_id):
                return -1
            memcpy(out, text, size)
            return <int32_t> size
        if not can_match_compact(self, piece_id):
            return -1
        return <int32_t> (copy_piece_unescaped(text, size, <int64_t> self.texts.size() - begin, out) - out)

    cpdef int set_added(self, object piece_ids) except -1:
        """Say which pieces are added tokens: they match their marks, and never text. Before `finish`."""
        self.n_added = 0
        self.are_added.assign(self.size if piece_ids else 0, 0)
        for i in piece_ids:
            self.n_added += not self.are_added[checked(self, i)]
            self.are_added[<size_t> i] = 1
        return 0

    cdef Vocab copy(self):
        cdef Vocab vocab = Vocab()
        cdef int32_t i
        vocab.size = self.size
        vocab.unknown_index = self.unknown_index
        vocab.byte_fallback = self.byte_fallback
        vocab.is_bytes = self.is_bytes
        vocab.word_rules = self.word_rules
        vocab.split_pattern = self.split_pattern
        vocab.exact_scores = self.exact_scores
        vocab.scores_restart = self.scores_restart
        vocab.splits = self.splits
        vocab.merge_list = self.merge_list
        vocab.may_have_empty = self.may_have_empty
        vocab.single_table = self.single_table
        vocab.is_well_formed = self.is_well_formed
        vocab.has_space = self.has_space
        for i in range(256):
            vocab.byte_ids[i] = self.byte_ids[i]
        vocab.texts.assign(self.texts.begin(), self.texts.end())
        vocab.begins.assign(self.begins.begin(), self.begins.end())
        vocab.scores.assign(self.scores.begin(), self.scores.end())
        vocab.types.assign(self.types.begin(), self.types.end())
        vocab.are_added.assign(self.are_added.begin(), self.are_added.end())
        vocab.n_added = self.n_added
        vocab.plain_table.assign(self.plain_table.begin(), self.plain_table.end())
        vocab.reserved_table.assign(self.reserved_table.begin(), self.reserved_table.end())
        return vocab

    def __len__(self):
        return self.size

    @property
    def is_cut(self):
        """Whether patterns cut a text before its parts become pieces."""
        return self.split_pattern is not None or bool(self.splits)

    @property
    def has_parts(self):
        """Whether patterns cut a text whose pieces are characters, in which a space is 0x20."""
        return bool(self.splits) and not self.is_bytes

    @property
    def lacks_bytes(self):
        """Whether pieces are bytes and some byte has none of its own."""
        cdef int32_t byte
        for byte in range(256):
            if self.is_bytes and self.byte_ids[byte] < 0:
                return True
        return False

    def text(self, piece_id) -> bytes:
        """The bytes of a piece, as the model holds them."""
        cdef int32_t i = checked(self, piece_id)
        cdef const char* begin = <const char*> self.texts.data() + self.begins[i]
        return begin[: self.begins[i + 1] - self.begins[i]]

    def score(self, piece_id) -> float:
        """The stored float32 score of a piece."""
        return self.scores[checked(self, piece_id)]

    def type(self, piece_id) -> int:
        """1 NORMAL, 2 UNKNOWN, 3 CONTROL, 4 USER_DEFINED, 5 UNUSED, 6 BYTE."""
        return self.types[checked(self, piece_id)]

    def is_added(self, piece_id) -> bool:
        """Whether a piece is an added token, found in all texts before they are segmented."""
        return bool(is_added(self, checked(self, piece_id)))

    def ids_of_type(self, piece_type) -> list:
        """The id of each piece of a type, ascending."""
        cdef uint8_t wanted = piece_type
        cdef int32_t i
        return [i for i in range(self.size) if self.types[i] == wanted]

    def has_type(self, piece_type) -> bool:
        """Whether there is a piece of this type, a number as in `type`."""
        return memchr(self.types.data(), piece_type, self.types.size()) != NULL

    def texts_of_type(self, piece_type) -> tuple:
        """The bytes of each piece of a type, in the order of ids."""
        return tuple([self.text(i) for i in self.ids_of_type(piece_type)])

    def find_id(self, bytes text not None) -> int:
        """The id of the reserved or else the plain piece `text`; else that of the UNKNOWN piece; -1: there is none."""
        return self.find(<const uint8_t*> <const char*> text, len(text))

    def first_known(self, list texts not None) -> int:
        """The index of the first of some texts (bytes) that is a piece; -1: none is."""
        cdef Py_ssize_t k
        cdef bytes text
        cdef const uint8_t* data
        for k, text in enumerate(texts):
            data = <const uint8_t*> <const char*> text
            if self.find_reserved(data, len(text)) >= 0 or self.find_plain(data, len(text)) >= 0:
                return k
        return -1

    def special_ids(
        self, bytes unk_piece=b"", bytes bos_piece=b"", bytes eos_piece=b"", bytes pad_piece=b"",
    ) -> tuple:
        """Return the ids (unk, bos, eos, pad) of the pieces with these texts; -1 where the type is wrong.

        An empty text means the usual one. The unknown piece must have type UNKNOWN and may have another
        text; the others must have type CONTROL.
        """
        ids = [
            self.find_id(unk_piece or b"<unk>"),
            self.find_id(bos_piece or b"<s>"),
            self.find_id(eos_piece or b"</s>"),
            self.find_id(pad_piece or b"<pad>"),
        ]
        wanted = [UNKNOWN, CONTROL, CONTROL, CONTROL]
        return tuple(i if i >= 0 and self.types[<int32_t> i] == t else -1 for i, t in zip(ids, wanted))
