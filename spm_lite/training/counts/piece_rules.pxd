"""Piece rules: which strings of characters may become a piece, and between which characters no piece can cross.

A string is walked character by character. `extend` says whether any piece starts with the characters walked so far,
`is_piece` whether they are a piece. `is_cut` looks at two neighbours only: it cuts where no piece can contain both.
"""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t

from spm_lite.base.unicode.decimal_digits cimport is_decimal
from spm_lite.base.unicode.invisibles cimport BLANK_SIGN, VISIBLE, invisible_kind
from spm_lite.base.unicode.scripts cimport COMMON, INHERITED, script_of
from spm_lite.base.unicode.space_mark cimport MARK_POINT
from spm_lite.base.unicode.utf8 cimport decode_char, lead_size


cdef enum:
    # The class of a character under the rules: its script (a number below ANY_SCRIPT), or one of these.
    ANY_SCRIPT = 0xF0           # goes with every script
    INHERITED_SCRIPT = 0xF1     # takes the script of the character before it
    BLANK = 0xF2                # other white space: begins a piece of any script (suffix: ends it); else script Common
    SPACE_MARK = 0xF3           # U+2581
    LONE_DIGIT = 0xF4           # a digit, when each digit is a piece of its own
    NEVER = 0xF5                # in no piece
    OTHER_BYTE = 0xF6           # where pieces are bytes: a byte that continues a character
    COUNTED = 0x100             # a flag beside the class, in walks: a digit, when the digits of a piece are counted

    MOST_BYTES = 4              # of a character


cdef struct PieceRules:
    # The training options that restrict pieces.
    int32_t max_length      # characters
    bint in_bytes           # pieces are bytes: text is cut beforehand where scripts, digits and numbers forbid pieces
    bint by_script          # split_by_unicode_script
    bint by_whitespace      # split_by_whitespace
    bint by_number          # split_by_number
    bint lone_digits        # split_digits=True
    bint every_digit        # those digits are all decimal ones; else those of the original
    int32_t most_digits     # split_digits=3: most digits of a piece; 0: any number
    bint whole_characters   # where pieces are bytes: a piece is whole characters, or lies within one
    bint suffix             # treat_whitespace_as_suffix
    bint whitespace_only    # allow_whitespace_only_pieces
    bint invisibles_join    # characters that cannot be seen go with every script; for the original most are Common
    int32_t most_words      # of a superword, which crosses spaces; 0: by_whitespace decides about spaces
    bint reference_marks    # U+001F and U+2585 are in no piece, as in the original library


cdef struct PieceWalk:
    # The state of a walk over the characters of a string that some piece starts with.
    int32_t length          # characters so far
    int32_t n_spaces        # space marks among them
    uint8_t script          # of the last character that had one
    uint8_t first_is_space
    uint8_t last_is_space
    uint8_t is_closed       # no character may follow: a lone digit, or a blank at the end
    uint16_t n_digits       # if they are counted
    # With whole_characters:
    uint16_t n_bytes
    uint32_t code_point     # of the last character, as far as its bytes tell
    uint8_t n_due           # bytes that it lacks
    uint8_t is_part         # the walk began inside a character, or with a byte of none


cdef inline bint is_digit(uint32_t code_point) noexcept nogil:
    """Whether the original counts the character as a digit: ASCII and fullwidth digits."""
    return 0x30 <= code_point <= 0x39 or 0xFF10 <= code_point <= 0xFF19


cdef inline uint8_t class_of(const PieceRules* rules, uint32_t code_point) noexcept nogil:
    """Return the class of any 32-bit number; NEVER for one that is not a character."""
    cdef uint8_t script, kind
    if code_point == MARK_POINT:
        return SPACE_MARK
    if code_point == 0 or code_point == 0x20 or code_point >= 0x110000 or 0xD800 <= code_point <= 0xDFFF:
        return NEVER
    if rules.reference_marks and (code_point == 0x1F or code_point == 0x2585):
        return NEVER
    if is_digit(code_point):
        if rules.lone_digits:
            return LONE_DIGIT
        if not rules.by_number:
            return ANY_SCRIPT
    elif rules.lone_digits and rules.every_digit and is_decimal(code_point):
        return LONE_DIGIT
    if not rules.by_script:
        return ANY_SCRIPT
    if rules.invisibles_join:
        kind = invisible_kind(code_point)
        if kind != VISIBLE:
            return BLANK if kind == BLANK_SIGN and rules.by_whitespace else INHERITED_SCRIPT
    script = script_of(code_point)
    return INHERITED_SCRIPT if script == INHERITED else script


cdef inline uint8_t class_in_bytes(const PieceRules* rules, const uint8_t* text, int32_t step) noexcept nogil:
    """Return the class of a character of `step` bytes where pieces are bytes and text is cut by `is_cut` alone.

    Bytes that are no character (step 0), NUL and the like go with what is before them. U+2581 is a sign like others.
    """
    cdef uint32_t code_point
    cdef uint8_t found
    if step == 0:
        return INHERITED_SCRIPT
    if text[0] == 0x20:
        return SPACE_MARK
    code_point = decode_char(text, step)
    found = class_of(rules, code_point)
    if found == NEVER:
        return INHERITED_SCRIPT
    if found == SPACE_MARK:
        return COMMON if rules.by_script else ANY_SCRIPT
    return found


cdef inline uint8_t carried(uint8_t left, uint8_t right) noexcept nogil:
    """Return the class that counts before the next character: that of `right`, or the script which it takes over."""
    if right != INHERITED_SCRIPT:
        return right
    return left if left <= ANY_SCRIPT else <uint8_t> INHERITED_SCRIPT


cdef inline int32_t max_units(const PieceRules* rules) noexcept nogil:
    """Return the most characters of a piece or, where pieces are bytes, the most bytes."""
    return 4 * rules.max_length if rules.in_bytes else rules.max_length


cdef inline bint is_cut(const PieceRules* rules, uint8_t x, uint8_t y) noexcept nogil:
    """Whether no piece contains a character of class `x` followed by one of class `y`."""
    if rules.max_length == 1 or x >= LONE_DIGIT or y >= LONE_DIGIT:
        return True
    if x == SPACE_MARK or y == SPACE_MARK:
        if not rules.by_whitespace or (rules.whitespace_only and x == y):
            return False
        # Prefix: a space mark only begins a piece. Suffix: it only ends one.
        return x == SPACE_MARK if rules.suffix else y == SPACE_MARK
    # A blank begins a piece of any script, or ends one in suffix mode; at the other side its script is Common.
    if (y if rules.suffix else x) == BLANK:
        return False
    x, y = COMMON if x == BLANK else x, COMMON if y == BLANK else y
    # An inherited script depends on characters further left, so it decides nothing here.
    return x < ANY_SCRIPT and y < ANY_SCRIPT and x != y


cdef inline void start_walk(PieceWalk* walk) noexcept nogil:
    walk.length = 0
    walk.n_spaces = 0
    walk.script = ANY_SCRIPT
    walk.first_is_space = walk.last_is_space = walk.is_closed = walk.is_part = False
    walk.n_digits = walk.n_bytes = 0
    walk.n_due = 0
    walk.code_point = 0


cdef inline uint8_t blank_script(const PieceRules* rules, PieceWalk* walk) noexcept nogil:
    """Return the script of a blank that is added, and close the walk if the blank must be last."""
    cdef bint follows_script = walk.script != ANY_SCRIPT and walk.script != COMMON
    if rules.suffix and follows_script:
        walk.is_closed = True
        return INHERITED_SCRIPT
    return INHERITED_SCRIPT if walk.length == 0 and not rules.suffix else COMMON


cdef inline uint8_t class_of_byte(uint8_t byte) noexcept nogil:
    """Return the class of a byte where pieces are bytes."""
    if byte == 0x20:
        return SPACE_MARK
    return OTHER_BYTE if byte & 0xC0 == 0x80 else ANY_SCRIPT


cdef inline bint extend_by_byte(const PieceRules* rules, PieceWalk* walk) noexcept nogil:
    """As `extend`, for a byte that continues a character. It is no character more, unless none begins before it."""
    if walk.n_spaces and rules.by_whitespace and (rules.suffix or walk.n_spaces > 1):
        return False
    if walk.length == walk.n_spaces:
        if walk.length >= rules.max_length:
            return False
        walk.length += 1
    walk.last_is_space = False
    return True


cdef inline bint add_digit(const PieceRules* rules, PieceWalk* walk) noexcept nogil:
    """Count one digit more; False: it is one too many."""
    walk.n_digits += 1
    return walk.n_digits <= rules.most_digits


cdef inline bint extend(const PieceRules* rules, PieceWalk* walk, uint16_t step_class) noexcept nogil:
    """Add one character; False: no piece starts with these characters, and the walk must not be used again.

    step_class: its class, perhaps with COUNTED.
    """
    cdef bint only_spaces = walk.n_spaces == walk.length
    cdef uint8_t char_class = <uint8_t> step_class
    if step_class & COUNTED and not add_digit(rules, walk):
        return False
    if char_class == OTHER_BYTE:
        return extend_by_byte(rules, walk)
    if walk.length >= rules.max_length or walk.is_closed or char_class == NEVER:
        return False
    if char_class == LONE_DIGIT:
        if walk.length > 0:
            return False
        walk.is_closed = True
    elif char_class == SPACE_MARK:
        if rules.by_whitespace and walk.length > 0:
            if only_spaces and not rules.whitespace_only:
                return False
            if not only_spaces and (not rules.suffix or walk.last_is_space):
                return False
        if rules.most_words and walk.last_is_space and not (only_spaces and rules.whitespace_only):
            return False
        if walk.length == 0:
            walk.first_is_space = True
        walk.n_spaces += 1
        if rules.most_words and walk.n_spaces + (not walk.first_is_space) > rules.most_words and not only_spaces:
            return False
    else:
        if rules.most_words and only_spaces and walk.n_spaces > 1:
            return False
        if walk.n_spaces > 0:
            if rules.by_whitespace and (rules.suffix or walk.n_spaces > 1):
                return False
            if rules.suffix and walk.first_is_space:
                return False
        if char_class == BLANK:
            char_class = blank_script(rules, walk)
        if char_class == INHERITED_SCRIPT:
            char_class = walk.script
        if char_class != ANY_SCRIPT and walk.script != ANY_SCRIPT and char_class != walk.script:
            return False
        walk.script = char_class
    walk.last_is_space = char_class == SPACE_MARK
    walk.length += 1
    return True


cdef inline uint16_t class_in_walk(const PieceRules* rules, uint32_t code_point) noexcept nogil:
    """Return the class of a character, with COUNTED for a digit that counts."""
    cdef uint16_t found = class_of(rules, code_point)
    return found | COUNTED if rules.most_digits and is_decimal(code_point) else found


cdef inline bint end_character(const PieceRules* rules, PieceWalk* walk) noexcept nogil:
    """Look at a character whose bytes are all there; False: it is a digit that no piece can have here."""
    if not (rules.lone_digits or rules.most_digits) or not is_decimal(walk.code_point):
        return True
    walk.is_closed = rules.lone_digits
    return walk.length == 1 if rules.lone_digits else add_digit(rules, walk)


cdef inline bint add_byte(const PieceRules* rules, PieceWalk* walk, uint8_t byte) noexcept nogil:
    """Follow the characters that bytes spell, after `extend`; False: no piece starts so, since one is not whole."""
    cdef bint continues = byte & 0xC0 == 0x80
    cdef bint is_alone = byte == 0xC0 or byte == 0xC1 or byte > 0xF4    # in no character
    walk.n_bytes += 1
    if walk.is_part:
        return continues and walk.n_bytes < MOST_BYTES
    if continues and walk.n_due > 0:
        walk.n_due -= 1
        walk.code_point = walk.code_point << 6 | (byte & 0x3F)
        # Not below U+0800, no surrogates; not below U+10000, not above U+10FFFF.
        if walk.n_due == 1 and (walk.code_point < 0x20 or 0x360 <= walk.code_point < 0x380):
            return False
        if walk.n_due == 2 and not 0x10 <= walk.code_point < 0x110:
            return False
    elif walk.n_due > 0:
        return False
    elif continues or is_alone:
        walk.is_part = True
        if walk.n_bytes > 1:
            return False
        walk.n_bytes = MOST_BYTES if is_alone else 1
        return True
    else:
        walk.n_due = <uint8_t> (lead_size(byte) - 1)
        walk.code_point = byte if walk.n_due == 0 else byte & (0x3F >> walk.n_due)
    return walk.n_due > 0 or end_character(rules, walk)


cdef inline bint extend_unit(const PieceRules* rules, PieceWalk* walk, uint32_t unit) noexcept nogil:
    """As `extend`, for a character or, where pieces are bytes, a byte."""
    if not rules.in_bytes:
        return extend(rules, walk, class_in_walk(rules, unit))
    if not extend(rules, walk, class_of_byte(<uint8_t> unit)):
        return False
    return not rules.whole_characters or add_byte(rules, walk, <uint8_t> unit)


cdef inline bint is_piece(const PieceRules* rules, const PieceWalk* walk) noexcept nogil:
    """Whether the characters walked so far are a piece."""
    if walk.length == 0 or (walk.n_due > 0 and walk.length > 1):
        return False
    if walk.n_spaces == walk.length:
        return walk.length == 1 or rules.whitespace_only
    return rules.in_bytes or rules.by_whitespace or rules.suffix or not walk.last_is_space
