"""The result for one text, as the class `Encoding` of the package tokenizers has it.

Ids, type ids, masks and most tokens are at hand. The rest, such as offsets and words, is asked of the original
tokenizer on first use.
"""

cimport cython

from spm_lite.transformers.layouts import NO_PADDING


@cython.final
cdef class LazyEncoding:
    """The ids of one text or of a pair of texts, with special tokens and padding.

    Args:
        ids: all of them; this object may change the list.
        layout: where special tokens stand.
        n_first, n_second: tokens of the first text, and of the second.
        is_pair: whether there are two texts.
        call: what the call that made it was; its method `ask` gives the Encoding of the original.
        one: the input.
        overflowing: the parts that truncation took off; None: the original knows them.
        number: of this part among those that truncation took off; -1: this is the part that is kept.
    """

    cdef public list ids
    cdef object layout, call, one, found, padding
    cdef readonly object parts
    cdef Py_ssize_t n_first, n_second, number, pads_before, pads_after, length
    cdef bint is_pair, is_changed

    def __init__(
        self, list ids not None, layout, Py_ssize_t n_first, Py_ssize_t n_second, bint is_pair, call, one,
        overflowing=(), Py_ssize_t number=-1,
    ):
        self.ids = ids
        self.layout = layout
        self.n_first, self.n_second = n_first, n_second
        self.is_pair = is_pair
        self.call = call
        self.one = one
        self.parts = overflowing
        self.number = number
        self.padding = NO_PADDING
        self.length = -1

    cdef object original(self):
        """The Encoding of the original tokenizer."""
        if self.found is None:
            found = self.call.ask(self.one, self.length, self.padding)
            if self.number >= 0:
                found = found.overflowing[self.number]
            if found.ids != self.ids:
                raise AssertionError(
                    f"spm_lite gave other ids than tokenizers, {self.ids[:20]} and not {found.ids[:20]}: please report "
                    "the text, and pass check='always' to accelerate"
                )
            self.found = found
        return self.found

    cdef list runs(self, special, first, second, pad):
        """A list with one value for each token of the two texts, for each special token, and for each pad token."""
        cdef list values = [special] * len(self.layout.before) + [first] * self.n_first
        if self.is_pair:
            values += [special] * len(self.layout.middle) + [second] * self.n_second
        values += [special] * len(self.layout.after)
        return self.padded(values, pad)

    cdef list padded(self, list values, pad):
        if self.pads_before + self.pads_after == 0:
            return values
        return [pad] * self.pads_before + values + [pad] * self.pads_after

    @property
    def type_ids(self):
        if self.is_changed:
            return self.found.type_ids
        layout = self.layout
        cdef list types = layout.before_types + [layout.first_type] * self.n_first
        if self.is_pair:
            types += layout.middle_types + [layout.second_type] * self.n_second
        return self.padded(types + layout.after_types, self.padding["pad_type_id"])

    @property
    def attention_mask(self):
        if self.is_changed:
            return self.found.attention_mask
        return self.padded([1] * (len(self.ids) - self.pads_before - self.pads_after), 0)

    @property
    def special_tokens_mask(self):
        return self.found.special_tokens_mask if self.is_changed else self.runs(1, 0, 0, 1)

    @property
    def sequence_ids(self):
        return self.found.sequence_ids if self.is_changed else self.runs(None, 0, 1, None)

    @property
    def n_sequences(self):
        return self.found.n_sequences if self.is_changed else 1 + self.is_pair

    @property
    def tokens(self):
        found = None
        if self.found is None and self.pads_before + self.pads_after == 0:
            found = self.call.tokens_of(self.ids)
        return self.original().tokens if found is None else found

    @property
    def overflowing(self):
        if self.is_changed or self.parts is None:
            return self.original().overflowing
        return list(self.parts)

    @property
    def offsets(self):
        return self.original().offsets

    @property
    def word_ids(self):
        return self.original().word_ids

    @property
    def words(self):
        return self.original().words

    def __len__(self):
        return len(self.ids)

    def __repr__(self):
        return (
            f"Encoding(num_tokens={len(self.ids)}, attributes=[ids, type_ids, tokens, offsets, attention_mask, "
            "special_tokens_mask, overflowing])"
        )

    def __getattr__(self, str name):
        """Methods such as `char_to_token`."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.original(), name)

    def __reduce__(self):
        """A pickle holds the Encoding of the original."""
        return as_it_is, (self.original(),)

    def pad(self, length, **options):
        """Change this result, as `Encoding.pad` of tokenizers."""
        self.original().pad(length, **options)
        self.change()

    def truncate(self, max_length, **options):
        """Change this result, as `Encoding.truncate` of tokenizers."""
        self.original().truncate(max_length, **options)
        self.change()

    def set_sequence_id(self, sequence_id):
        """Change this result, as `Encoding.set_sequence_id` of tokenizers."""
        self.original().set_sequence_id(sequence_id)
        self.change()

    cdef void change(self):
        """From now on all of this result is that of the original, which has been changed."""
        self.is_changed = True
        self.ids = self.found.ids

    def fill_up(self, Py_ssize_t length, dict padding not None):
        """Pad to a length, before the caller gets this result. padding: the options of the original."""
        cdef Py_ssize_t excess = length - len(self.ids)
        for part in self.parts or ():
            part.fill_up(length, padding)
        self.length, self.padding = length, padding
        if excess <= 0:
            return
        fill = [padding["pad_id"]] * excess
        if padding["direction"] == "left":
            self.pads_before = excess
            self.ids = fill + self.ids
        else:
            self.pads_after = excess
            self.ids = self.ids + fill


def as_it_is(value):
    """The value: a pickle of a LazyEncoding becomes this."""
    return value


def plain_encodings(list ids not None, inputs not None, layout, call):
    """The results of single texts that are neither truncated nor padded. ids: of each text; the lists are changed."""
    cdef list before = layout.before, after = layout.after, own, found = []
    cdef Py_ssize_t i, n
    for i in range(len(ids)):
        own = ids[i]
        n = len(own)
        if before:
            own[0:0] = before
        if after:
            own += after
        found.append(LazyEncoding(own, layout, n, 0, False, call, inputs[i]))
    return found
