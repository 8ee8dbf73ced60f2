"""Fast parser of model bytes: reads the pieces, and the settings that encoding and decoding depend on.

All other fields record how the model was made; protobuf reads them on demand (`model_file`).
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from spm_lite.vocab.merge_list cimport new_merge_list
from spm_lite.vocab.vocab cimport BYTE, NORMAL, Vocab
from spm_lite.vocab.wire cimport (
    MAX_DEPTH, PIECE_SCORE, PIECE_TEXT, PIECE_TYPE, PIECES, TRUNCATED_VALUE, Cursor, fail, read_size, read_tag,
    read_varint, skip_value,
)

from spm_lite.errors import ModelError

cdef enum:
    USUAL_SIZE = 9      # bytes of a usual piece without its text: three tags, two lengths, a score
    LEAST_SIZE = 12     # bytes of a small piece: memory reserved for too many costs addresses only, growing costs time
    LIKELY_END = 1 << 24    # bytes of model for whose pieces memory is reserved at the start

cdef enum:
    # Field number << 3 | wire type.
    TRAINER = 2 << 3 | 2            # ModelProto
    NORMALIZER = 3 << 3 | 2
    DENORMALIZER = 5 << 3 | 2
    EXTENSION = 29552 << 3 | 2
    MODEL_TYPE = 3 << 3 | 0         # TrainerSpec
    SPACE_AS_SUFFIX = 24 << 3 | 0
    BYTE_FALLBACK = 35 << 3 | 0
    UNK_SURFACE = 44 << 3 | 2
    UNK_PIECE = 45 << 3 | 2
    BOS_PIECE = 46 << 3 | 2
    EOS_PIECE = 47 << 3 | 2
    PAD_PIECE = 48 << 3 | 2
    CHARSMAP = 2 << 3 | 2           # NormalizerSpec
    DUMMY_PREFIX = 3 << 3 | 0
    EXTRA_SPACES = 4 << 3 | 0
    ESCAPE_SPACES = 5 << 3 | 0
    FORMAT_VERSION = 1 << 3 | 0     # Extension
    LOSSLESS = 2 << 3 | 0
    FAMILY = 3 << 3 | 0
    OWN_PIECES = 4 << 3 | 2
    CONTINUATION = 5 << 3 | 2
    UNKNOWN_BY_CHAR = 6 << 3 | 0
    WORD_LENGTH = 7 << 3 | 0
    BY_PUNCTUATION = 8 << 3 | 0
    BERT_WORDS = 9 << 3 | 0
    SPLIT_PATTERN = 10 << 3 | 2
    CLEANUP = 11 << 3 | 0
    UNICODE_FORM = 17 << 3 | 2
    STEPS = 23 << 3 | 2
    EXACT_SCORES = 24 << 3 | 2
    SCORES_RESTART = 25 << 3
    ADDED_TOKENS = 18 << 3 | 2
    SPLITS = 21 << 3 | 2
    PREFIX_EACH_TEXT = 19 << 3 | 0
    PREFIX_UNLESS_SPACE = 20 << 3 | 0
    MERGE_LIST = 22 << 3 | 2
    MERGES = 1 << 3 | 2             # MergeList
    LONE_MERGE = 1 << 3 | 0
    FUSE_UNKNOWN = 2 << 3 | 0
    WHOLE_PIECES = 3 << 3 | 0
    CONTINUING_PREFIX = 4 << 3 | 2
    WORD_SUFFIX = 5 << 3 | 2
    ADDED_ID = 1 << 3 | 0           # AddedToken
    SINGLE_WORD = 2 << 3 | 0
    LSTRIP = 3 << 3 | 0
    RSTRIP = 4 << 3 | 0
    NORMALIZED = 5 << 3 | 0
    SPLIT_TEXT = 1 << 3 | 2         # Split
    SPLIT_BEHAVIOR = 2 << 3 | 0
    SPLIT_INVERT = 3 << 3 | 0

cdef enum:
    UNIGRAM = 1
    CHAR = 4
    LAST_FAMILY = 3     # of those with a name in the extension

cdef enum:
    # Strings of the trainer spec (UNK_SURFACE to PAD_PIECE), in the order of their fields.
    N_NAMES = 5

cdef struct FieldBytes:
    # The value of a string or bytes field; points into the model bytes.
    const uint8_t* data     # NULL: the field is absent
    int64_t size

cdef struct PieceField:
    # One entry of the vocabulary, as in the file.
    FieldBytes text
    float score
    int32_t piece_type  # NORMAL to BYTE

cdef struct AddedField:
    # An added token.
    int32_t piece_id
    bint single_word
    bint lstrip
    bint rstrip
    bint normalized

cdef struct SplitField:
    # One way to cut a text.
    FieldBytes pattern
    uint32_t behavior
    bint invert

cdef struct MergeFields:
    # A list of merges.
    bint is_there
    bint fuse_unknown
    bint whole_pieces
    FieldBytes prefix
    FieldBytes suffix

cdef struct Rules:
    # A NormalizerSpec.
    bint is_there
    FieldBytes charsmap
    bint add_dummy_prefix
    bint remove_extra_whitespaces
    bint escape_whitespaces

cdef struct Fields:
    # All fields read but the pieces.
    int32_t model_type
    bint treat_whitespace_as_suffix
    bint byte_fallback
    FieldBytes names[N_NAMES]
    Rules normalizer
    Rules denormalizer
    uint32_t format_version
    bint has_extension
    bint lossless
    int32_t family      # the enum's number in the extension; 0: SentencePiece
    int32_t n_own       # pieces in the extension
    FieldBytes continuation
    bint unknown_by_char
    uint32_t max_word_length
    bint split_by_punctuation
    bint bert_words
    bint cleanup
    FieldBytes pattern
    FieldBytes unicode_form
    vector[FieldBytes]* steps
    FieldBytes exact_scores
    bint scores_restart
    bint prefix_each_text
    bint prefix_unless_space
    vector[AddedField]* added
    vector[SplitField]* splits
    MergeFields listed
    vector[int32_t]* merge_ids

cdef Rules DEFAULT_RULES = Rules(False, FieldBytes(NULL, 0), True, True, True)
cdef tuple DEFAULT_NAMES = (" \u2047 ".encode(), b"<unk>", b"<s>", b"</s>", b"<pad>")


@cython.final
cdef class NormalizerFields:
    """A NormalizerSpec: how text is changed before segmentation, or after decoding (denormalizer)."""

    cdef readonly bytes precompiled_charsmap
    cdef readonly bint add_dummy_prefix
    cdef readonly bint remove_extra_whitespaces
    cdef readonly bint escape_whitespaces
    cdef readonly str unicode_form          # "" for none; see `unicode_form.FORMS`
    cdef readonly tuple steps               # components of tokenizers that a text goes through, each as its JSON
    cdef readonly bint prefix_each_text
    cdef readonly bint prefix_unless_space

    @property
    def has_rules(self):
        """Whether a text may change by more than its spaces."""
        return bool(self.precompiled_charsmap or self.unicode_form or self.steps)


@cython.final
cdef class Settings:
    """The fields that encoding and decoding depend on, with the message's defaults; strings as bytes."""

    cdef readonly int model_type        # the enum's number in the message
    cdef readonly bint treat_whitespace_as_suffix
    cdef readonly bint byte_fallback
    cdef readonly bytes unk_surface
    cdef readonly tuple special_names   # pieces for unknown, beginning of text, end of text, padding
    cdef readonly NormalizerFields normalizer
    cdef readonly NormalizerFields denormalizer     # None: the model has no denormalizer spec
    cdef readonly uint32_t format_version
    cdef readonly bint has_extension    # of ours
    cdef readonly bint lossless
    cdef readonly int family            # the enum's number in our extension; 0: a model type of SentencePiece
    cdef readonly int n_own             # pieces in our extension
    cdef readonly tuple word_rules      # of WordPiece: the fields of `specs.WordRules`, the prefix as bytes
    cdef readonly bytes split_pattern   # of byte-level BPE; empty: the raw bytes merge
    cdef readonly tuple splits          # (pattern, number of the behavior, invert) of each
    cdef readonly bytes exact_scores    # of a unigram model: doubles by id; empty: see `Vocab`
    cdef readonly bint scores_restart   # their sums begin anew at each word
    cdef readonly tuple added_tokens    # (id, single_word, lstrip, rstrip, normalized) of each


cdef int read_flag(Cursor* cursor, bint* flag) except -1 nogil:
    cdef uint64_t value = 0
    read_varint(cursor, &value)
    flag[0] = value != 0
    return 0


cdef int read_field_bytes(Cursor* cursor, FieldBytes* stretch) except -1 nogil:
    read_size(cursor, &stretch.size)
    stretch.data = cursor.data + cursor.pos
    cursor.pos += stretch.size
    return 0


# Rules of protobuf for all readers below: if a field occurs twice, the last value wins. A field with a wrong wire type
# is unknown. An enum number (its lower 32 bits count) without a name counts as an unknown field and changes nothing.


cdef int read_piece(Cursor* cursor, PieceField* piece) except -1 nogil:
    cdef uint32_t tag = 0
    cdef uint64_t value = 0
    piece[0] = PieceField(FieldBytes(cursor.data + cursor.pos, 0), 0, NORMAL)
    while cursor.pos < cursor.end:
        read_tag(cursor, &tag)
        if tag == PIECE_TEXT:
            read_field_bytes(cursor, &piece.text)
        elif tag == PIECE_SCORE:
            if cursor.end - cursor.pos < 4:
                return fail(TRUNCATED_VALUE, cursor.pos)
            piece.score = read_float(cursor.data + cursor.pos)
            cursor.pos += 4
        elif tag == PIECE_TYPE:
            read_varint(cursor, &value)
            if NORMAL <= <int32_t> <uint32_t> value <= BYTE:
                piece.piece_type = <int32_t> value
        else:
            skip_value(cursor, tag, MAX_DEPTH - 1)
    return 0


cdef int read_trainer(Cursor* cursor, Fields* fields) except -1 nogil:
    cdef uint32_t tag = 0
    cdef uint64_t value = 0
    while cursor.pos < cursor.end:
        read_tag(cursor, &tag)
        if tag == MODEL_TYPE:
            read_varint(cursor, &value)
            if UNIGRAM <= <int32_t> <uint32_t> value <= CHAR:
                fields.model_type = <int32_t> value
        elif tag == SPACE_AS_SUFFIX:
            read_flag(cursor, &fields.treat_whitespace_as_suffix)
        elif tag == BYTE_FALLBACK:
            read_flag(cursor, &fields.byte_fallback)
        elif UNK_SURFACE <= tag <= PAD_PIECE and tag & 7 == 2:
            read_field_bytes(cursor, &fields.names[(tag - UNK_SURFACE) >> 3])
        else:
            skip_value(cursor, tag, MAX_DEPTH - 1)
    return 0


cdef int read_rules(Cursor* cursor, Rules* rules) except -1 nogil:
    cdef uint32_t tag = 0
    rules.is_there = True
    while cursor.pos < cursor.end:
        read_tag(cursor, &tag)
        if tag == CHARSMAP:
            read_field_bytes(cursor, &rules.charsmap)
        elif tag == DUMMY_PREFIX:
            read_flag(cursor, &rules.add_dummy_prefix)
        elif tag == EXTRA_SPACES:
            read_flag(cursor, &rules.remove_extra_whitespaces)
        elif tag == ESCAPE_SPACES:
            read_flag(cursor, &rules.escape_whitespaces)
        else:
            skip_value(cursor, tag, MAX_DEPTH - 1)
    return 0


cdef int read_extension(Cursor* cursor, Vocab vocab, Fields* fields) except -1 nogil:
    """Read our extension; its pieces are appended to `vocab`."""
    cdef uint32_t tag = 0
    cdef uint64_t value = 0
    cdef int64_t size = 0
    cdef Cursor inner
    cdef PieceField piece
    cdef FieldBytes step
    while cursor.pos < cursor.end:
        read_tag(cursor, &tag)
        if tag == FORMAT_VERSION:
            read_varint(cursor, &value)
            fields.format_version = <uint32_t> value
        elif tag == LOSSLESS:
            read_flag(cursor, &fields.lossless)
        elif tag == FAMILY:
            read_varint(cursor, &value)
            if 0 <= <int32_t> <uint32_t> value <= LAST_FAMILY:
                fields.family = <int32_t> <uint32_t> value
        elif tag == OWN_PIECES:
            read_size(cursor, &size)
            inner = Cursor(cursor.data, cursor.pos, cursor.pos + size)
            cursor.pos = inner.end
            read_piece(&inner, &piece)
            vocab.append(piece.text.data, piece.text.size, piece.score, piece.piece_type)
            fields.n_own += 1
        elif tag == CONTINUATION:
            read_field_bytes(cursor, &fields.continuation)
        elif tag == UNKNOWN_BY_CHAR:
            read_flag(cursor, &fields.unknown_by_char)
        elif tag == WORD_LENGTH:
            read_varint(cursor, &value)
            fields.max_word_length = <uint32_t> value
        elif tag == BY_PUNCTUATION:
            read_flag(cursor, &fields.split_by_punctuation)
        elif tag == BERT_WORDS:
            read_flag(cursor, &fields.bert_words)
        elif tag == CLEANUP:
            read_flag(cursor, &fields.cleanup)
        elif tag == SPLIT_PATTERN:
            read_field_bytes(cursor, &fields.pattern)
        elif tag == UNICODE_FORM:
            read_field_bytes(cursor, &fields.unicode_form)
        elif tag == EXACT_SCORES:
            read_field_bytes(cursor, &fields.exact_scores)
        elif tag == SCORES_RESTART:
            read_flag(cursor, &fields.scores_restart)
        elif tag == STEPS:
            read_field_bytes(cursor, &step)
            fields.steps.push_back(step)
        elif tag == PREFIX_EACH_TEXT:
            read_flag(cursor, &fields.prefix_each_text)
        elif tag == PREFIX_UNLESS_SPACE:
            read_flag(cursor, &fields.prefix_unless_space)
        elif tag == ADDED_TOKENS:
            read_size(cursor, &size)
            inner = Cursor(cursor.data, cursor.pos, cursor.pos + size)
            cursor.pos = inner.end
            read_added(&inner, fields.added)
        elif tag == SPLITS:
            read_size(cursor, &size)
            inner = Cursor(cursor.data, cursor.pos, cursor.pos + size)
            cursor.pos = inner.end
            read_split(&inner, fields.splits)
        elif tag == MERGE_LIST:
            read_size(cursor, &size)
            inner = Cursor(cursor.data, cursor.pos, cursor.pos + size)
            cursor.pos = inner.end
            read_merges(&inner, &fields.listed, fields.merge_ids)
        else:
            skip_value(cursor, tag, MAX_DEPTH - 1)
    return 0


cdef int read_split(Cursor* cursor, vector[SplitField]* splits) except -1 nogil:
    """Read one way to cut a text."""
    cdef SplitField found = SplitField(FieldBytes(NULL, 0), 0, False)
    cdef uint32_t tag = 0
    cdef uint64_t value = 0
    while cursor.pos < cursor.end:
        read_tag(cursor, &tag)
        if tag == SPLIT_TEXT:
            read_field_bytes(cursor, &found.pattern)
        elif tag == SPLIT_BEHAVIOR:
            read_varint(cursor, &value)
            found.behavior = <uint32_t> min(value, <uint64_t> 0xFFFF)
        elif tag == SPLIT_INVERT:
            read_flag(cursor, &found.invert)
        else:
            skip_value(cursor, tag, MAX_DEPTH - 2)
    splits.push_back(found)
    return 0


cdef int read_merges(Cursor* cursor, MergeFields* listed, vector[int32_t]* ids) except -1 nogil:
    """Read a list of merges; as protobuf does, a second one is joined to the first."""
    cdef uint32_t tag = 0
    cdef uint64_t value = 0
    cdef int64_t size = 0
    cdef Cursor inner
    listed.is_there = True
    while cursor.pos < cursor.end:
        read_tag(cursor, &tag)
        if tag == MERGES:
            read_size(cursor, &size)
            inner = Cursor(cursor.data, cursor.pos, cursor.pos + size)
            cursor.pos = inner.end
            ids.reserve(ids.size() + <size_t> size // 2)
            while inner.pos < inner.end:
                read_varint(&inner, &value)
                ids.push_back(<int32_t> <uint32_t> value)
        elif tag == LONE_MERGE:
            read_varint(cursor, &value)
            ids.push_back(<int32_t> <uint32_t> value)
        elif tag == FUSE_UNKNOWN:
            read_flag(cursor, &listed.fuse_unknown)
        elif tag == WHOLE_PIECES:
            read_flag(cursor, &listed.whole_pieces)
        elif tag == CONTINUING_PREFIX:
            read_field_bytes(cursor, &listed.prefix)
        elif tag == WORD_SUFFIX:
            read_field_bytes(cursor, &listed.suffix)
        else:
            skip_value(cursor, tag, MAX_DEPTH - 2)
    return 0


cdef int read_added(Cursor* cursor, vector[AddedField]* added) except -1 nogil:
    """Read an added token."""
    cdef AddedField found = AddedField(0, False, False, False, False)
    cdef uint32_t tag = 0
    cdef uint64_t value = 0
    while cursor.pos < cursor.end:
        read_tag(cursor, &tag)
        if tag == ADDED_ID:
            read_varint(cursor, &value)
            found.piece_id = <int32_t> <uint32_t> value
        elif tag == SINGLE_WORD:
            read_flag(cursor, &found.single_word)
        elif tag == LSTRIP:
            read_flag(cursor, &found.lstrip)
        elif tag == RSTRIP:
            read_flag(cursor, &found.rstrip)
        elif tag == NORMALIZED:
            read_flag(cursor, &found.normalized)
        else:
            skip_value(cursor, tag, MAX_DEPTH - 2)
    added.push_back(found)
    return 0


cdef inline float read_float(const uint8_t* data) noexcept nogil:
    """Read a little-endian float32 on a machine of any byte order."""
    cdef uint32_t bits = data[0] | <uint32_t> data[1] << 8 | <uint32_t> data[2] << 16 | <uint32_t> data[3] << 24
    cdef float value = 0
    memcpy(&value, &bits, 4)
    return value


cdef inline bint read_usual(Cursor* cursor, PieceField* piece) noexcept nogil:
    """Read the next field if it is a piece of the usual form: text and score, below 128 bytes. Else return False."""
    cdef const uint8_t* data = cursor.data + cursor.pos
    cdef int64_t left = cursor.end - cursor.pos, size
    if left < USUAL_SIZE or data[0] != PIECES or data[2] != PIECE_TEXT or data[1] >= 0x80 or data[1] + 2 > left:
        return False
    size = data[3]
    if size + USUAL_SIZE != data[1] + 2 or data[4 + size] != PIECE_SCORE:
        return False
    piece[0] = PieceField(FieldBytes(data + 4, size), read_float(data + 5 + size), NORMAL)
    cursor.pos += size + USUAL_SIZE
    return True


cdef int read_model(Cursor* cursor, Vocab vocab, Fields* fields) except -1 nogil:
    """Append all pieces to `vocab`, and set `fields`."""
    cdef uint32_t tag = 0
    cdef int64_t size = 0, likely = min(cursor.end, <int64_t> LIKELY_END)
    cdef Cursor inner
    cdef PieceField piece
    vocab.expect(likely // LEAST_SIZE, likely * 3 // 4)
    while cursor.pos < cursor.end:
        if read_usual(cursor, &piece):
            vocab.append(piece.text.data, piece.text.size, piece.score, piece.piece_type)
            continue
        read_tag(cursor, &tag)
        if tag != PIECES and tag != TRAINER and tag != NORMALIZER and tag != DENORMALIZER and tag != EXTENSION:
            skip_value(cursor, tag, MAX_DEPTH)
            continue
        read_size(cursor, &size)
        inner = Cursor(cursor.data, cursor.pos, cursor.pos + size)
        cursor.pos = inner.end
        if tag == PIECES:
            read_piece(&inner, &piece)
            vocab.append(piece.text.data, piece.text.size, piece.score, piece.piece_type)
        elif tag == TRAINER:
            read_trainer(&inner, fields)
        elif tag == EXTENSION:
            fields.has_extension = True
            read_extension(&inner, vocab, fields)
        else:
            read_rules(&inner, &fields.normalizer if tag == NORMALIZER else &fields.denormalizer)
    return 0


cdef NormalizerFields rule_settings(const Rules* rules):
    settings = NormalizerFields()
    settings.precompiled_charsmap = bytes_of(&rules.charsmap, b"")
    settings.add_dummy_prefix = rules.add_dummy_prefix
    settings.remove_extra_whitespaces = rules.remove_extra_whitespaces
    settings.escape_whitespaces = rules.escape_whitespaces
    settings.unicode_form = ""
    settings.steps = ()
    settings.prefix_each_text = settings.prefix_unless_space = False
    return settings


cdef bytes bytes_of(const FieldBytes* stretch, bytes default):
    return default if stretch.data == NULL else (<const char*> stretch.data)[: stretch.size]


def read_fields(bytes data not None):
    """Parse a serialized ModelProto to its vocabulary and its settings.

    The vocabulary is not checked yet: call its `finish`. Raises ModelError if `data` is no message.
    """
    cdef Cursor cursor = Cursor(<const uint8_t*> <const char*> data, 0, len(data))
    cdef Vocab vocab = Vocab()
    cdef Settings settings = Settings()
    cdef Fields fields
    cdef vector[AddedField] added
    cdef vector[FieldBytes] steps
    cdef vector[SplitField] splits
    cdef vector[int32_t] merge_ids
    cdef int i
    if len(data) > 0x7FFFFFFF:
        raise ModelError(f"a model file has at most 2147483647 bytes, this one has {len(data)}")
    fields.model_type = UNIGRAM
    fields.treat_whitespace_as_suffix = fields.byte_fallback = fields.lossless = fields.has_extension = False
    for i in range(N_NAMES):
        fields.names[i].data = NULL
    fields.normalizer = fields.denormalizer = DEFAULT_RULES
    fields.format_version = 1
    fields.family = fields.n_own = 0
    fields.continuation.data = fields.pattern.data = fields.unicode_form.data = NULL
    fields.unknown_by_char = fields.bert_words = fields.cleanup = False
    fields.prefix_each_text = fields.prefix_unless_space = False
    fields.added = &added
    fields.steps = &steps
    fields.exact_scores.data = NULL
    fields.scores_restart = False
    fields.splits = &splits
    fields.listed = MergeFields(False, False, False, FieldBytes(NULL, 0), FieldBytes(NULL, 0))
    fields.merge_ids = &merge_ids
    fields.split_by_punctuation = True
    fields.max_word_length = 100
    with nogil:
        read_model(&cursor, vocab, &fields)
    settings.model_type = fields.model_type
    settings.treat_whitespace_as_suffix = fields.treat_whitespace_as_suffix
    settings.byte_fallback = fields.byte_fallback
    names = [bytes_of(&fields.names[i], default) for i, default in enumerate(DEFAULT_NAMES)]
    settings.unk_surface = names[0]
    settings.special_names = tuple(names[1:])
    settings.normalizer = rule_settings(&fields.normalizer)
    settings.denormalizer = rule_settings(&fields.denormalizer) if fields.denormalizer.is_there else None
    settings.format_version = fields.format_version
    settings.has_extension = fields.has_extension
    settings.lossless = fields.lossless
    settings.family = fields.family
    settings.n_own = fields.n_own
    settings.word_rules = (
        bytes_of(&fields.continuation, b"##"), bool(fields.unknown_by_char), fields.max_word_length,
        bool(fields.split_by_punctuation), bool(fields.bert_words), bool(fields.cleanup),
    )
    settings.split_pattern = bytes_of(&fields.pattern, b"")
    settings.normalizer.unicode_form = bytes_of(&fields.unicode_form, b"").decode("utf-8", "backslashreplace")
    settings.exact_scores = bytes_of(&fields.exact_scores, b"")
    settings.scores_restart = fields.scores_restart
    settings.normalizer.steps = tuple([bytes_of(&one, b"").decode("utf-8", "backslashreplace") for one in steps])
    settings.normalizer.prefix_unless_space = fields.prefix_unless_space
    settings.normalizer.prefix_each_text = fields.prefix_each_text
    settings.splits = tuple([
        (bytes_of(&split.pattern, b"").decode("utf-8", "backslashreplace"), split.behavior, bool(split.invert))
        for split in splits
    ])
    settings.added_tokens = tuple([
        (one.piece_id, bool(one.single_word), bool(one.lstrip), bool(one.rstrip), bool(one.normalized))
        for one in added
    ])
    if fields.listed.is_there:
        vocab.merge_list = new_merge_list(
            merge_ids, fields.listed.fuse_unknown, fields.listed.whole_pieces,
            bytes_of(&fields.listed.prefix, b""), bytes_of(&fields.listed.suffix, b""),
        )
    return vocab, settings
