"""The result for one text, as the class `Encoding` of the package tokenizers has it.

Ids, type ids and masks are at hand. Offsets, words and tokens are found on first use, and so is an `Encoding` of
tokenizers for its methods. What `token_spans` does not know is asked of the original tokenizer.
"""

import json

cimport cython

from spm_lite.transformers.layouts import NO_PADDING
from spm_lite.transformers.token_spans cimport TokenSpans

from spm_lite.transformers.token_spans import BY_CUT


@cython.final
cdef class Source:
    """One text of an input, and what is found in it once: the parts of a long text share it.

    Args:
        text: a str, or a list of words.
        ids: of the text, all of them, or of each word.
    """

    cdef object text, found
    cdef list ids
    cdef bint is_known

    def __init__(self, text, list ids not None):
        self.text = text
        self.ids = ids

    cdef spans(self, TokenSpans finder):
        """(offsets, words) of all tokens; None: only the original knows them."""
        if not self.is_known:
            self.found = self.new_spans(finder)
            self.is_known = True  # last: a signal may end the search
        return self.found

    cdef new_spans(self, TokenSpans finder):
        """What `spans` looks for."""
        cdef list offsets = []
        cdef Py_ssize_t i
        if isinstance(self.text, str):
            return finder.find(self.text, self.ids)
        for i in range(len(self.ids)):
            found = finder.find(self.text[i], self.ids[i])
            if found is None:
                return None
            offsets += found[0]
        return offsets, self.words()

    cdef list words(self):
        """The word of each token, where words were given; None: a text was given."""
        cdef list found = []
        cdef Py_ssize_t i
        if isinstance(self.text, str):
            return None
        for i in range(len(self.ids)):
            found += [i] * len(self.ids[i])
        return found


@cython.final
cdef class Asked:
    """What the original gives for one input: it is asked once for all parts."""

    cdef object found
    cdef list others

    cdef part(self, LazyEncoding one):
        """What the original gives for a part; the first part asks for all of them."""
        if self.found is None:
            found = one.call.ask_later(one.one, one.length, one.padding)
            self.others = found.overflowing
            self.found = found
        return self.found if one.number < 0 else self.others[one.number]


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
        sources: of each text; None: there is one text, and all its tokens are here.
        begins: the first token of each text that is here.
        asked: what the original gave for all parts of the input; None: this is the only part.
    """

    cdef list own_ids
    cdef object layout, call, one, found, padding, places
    cdef readonly object parts
    cdef tuple sources, begins
    cdef Asked asked                # shared by the parts of one input
    cdef Py_ssize_t n_first, n_second, number, pads_before, pads_after, length
    cdef bint is_pair, is_changed, has_looked

    def __init__(
        self, list ids not None, layout, Py_ssize_t n_first, Py_ssize_t n_second, bint is_pair, call, one,
        overflowing=(), Py_ssize_t number=-1, tuple sources=None, tuple begins=(0, 0), Asked asked=None,
    ):
        self.own_ids = ids
        self.layout = layout
        self.n_first, self.n_second = n_first, n_second
        self.is_pair = is_pair
        self.call = call
        self.one = one
        self.parts = overflowing
        self.number = number
        self.sources, self.begins, self.asked = sources, begins, asked
        self.padding = NO_PADDING
        self.length = -1

    cdef object original(self):
        """The same as an Encoding of tokenizers."""
        if self.found is None:
            self.found = self.made()
        if self.found is None:
            if self.asked is None:
                self.asked = Asked()
            found = self.asked.part(self)
            if found.ids != self.own_ids:
                raise AssertionError(
                    f"spm_lite gave other ids than tokenizers, {self.own_ids[:20]} and not {found.ids[:20]}: please "
                    "report the text, and pass check='always' to accelerate"
                )
            self.found = found
        return self.found

    @property
    def ids(self):
        return self.own_ids[:]  # a caller may change it

    cdef list text_ids(self, int which):
        """The ids of one text, without special tokens and padding. which: 0 or 1."""
        cdef Py_ssize_t at = self.pads_before + len(self.layout.before)
        if which:
            at += self.n_first + len(self.layout.middle)
        return self.own_ids[at : at + (self.n_second if which else self.n_first)]

    cdef find_places(self):
        """(offsets, words) of all tokens, with padding; None: only the original knows them."""
        if not self.has_looked:
            self.places = self.new_places()
            self.has_looked = True  # last: a signal may end the search
        return self.places

    cdef new_places(self):
        """What `find_places` looks for."""
        cdef TokenSpans finder
        cdef int which
        cdef list offsets, words, own
        cdef Source source
        layout = self.layout
        finder = self.call.spans()
        if finder is None or layout.trims is None or (layout.trims and finder.words != BY_CUT):
            return None
        offsets, words = [], []
        for which in range(1 + self.is_pair):
            own = self.text_ids(which)
            source = Source(self.one, own) if self.sources is None else self.sources[which]
            found = source.spans(finder)
            if found is None:
                return None
            begin = self.begins[which]
            spans = found[0][begin : begin + len(own)]
            for has_prefix in layout.trims:
                spans = finder.trim(own, spans, has_prefix)
            offsets.append(spans)
            words.append(found[1][begin : begin + len(own)])
        return self.laid_out((0, 0), offsets, (0, 0)), self.laid_out(None, words, None)

    cdef made(self):
        """An Encoding of tokenizers with what is known; None: something is not known."""
        cdef LazyEncoding part
        cdef list parts = []
        state = self.state()
        if state is None or self.parts is None:
            return None
        for part in self.parts:
            inner = part.state()
            if inner is None:
                return None
            parts.append(inner)
        from tokenizers import Encoding

        state["overflowing"] = parts
        found = Encoding()
        found.__setstate__(json.dumps(state).encode())
        return found

    cdef state(self):
        """What the JSON of an Encoding of tokenizers holds; None: something is not known."""
        if self.layout.ranges is None or self.find_places() is None:
            return None
        cdef dict ranges = {}
        cdef Py_ssize_t at = self.pads_before + len(self.layout.before)
        if self.layout.ranges:
            ranges["0"] = {"start": at, "end": at + self.n_first}
            if self.is_pair:
                at += self.n_first + len(self.layout.middle)
                ranges["1"] = {"start": at, "end": at + self.n_second}
        offsets, words = self.places
        return {
            "ids": self.own_ids, "type_ids": self.type_ids, "tokens": self.tokens, "words": words, "offsets": offsets,
            "special_tokens_mask": self.special_tokens_mask, "attention_mask": self.attention_mask, "overflowing": [],
            "sequence_ranges": ranges,
        }

    def copy(self):
        """A result that is like this one, and can be changed by itself."""
        cdef LazyEncoding other = LazyEncoding(
            self.own_ids[:], self.layout, self.n_first, self.n_second, self.is_pair, self.call, self.one, self.parts,
            self.number, self.sources, self.begins, self.asked,
        )
        other.padding, other.length = self.padding, self.length
        other.pads_before, other.pads_after = self.pads_before, self.pads_after
        return other

    def as_encoding(self):
        """The same as an Encoding of tokenizers."""
        return self.original()

    cdef list runs(self, special, first, second, pad):
        """A list with one value for each token of the two texts, for each special token, and for each pad token."""
        return self.laid_out(special, [[first] * self.n_first, [second] * self.n_second], pad)

    cdef list laid_out(self, special, list texts, pad):
        """The values of the tokens of the texts, one list for each, with those of special tokens and padding."""
        cdef list values = [special] * len(self.layout.before) + texts[0]
        if self.is_pair:
            values += [special] * len(self.layout.middle) + texts[1]
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
        return self.padded([1] * (len(self.own_ids) - self.pads_before - self.pads_after), 0)

    @property
    def special_tokens_mask(self):
        return self.found.special_tokens_mask if self.is_changed else self.runs(1, 0, 0, 1)

    @property
    def sequence_ids(self):
        if self.is_changed or self.layout.ranges is None:
            return self.original().sequence_ids
        return self.runs(None, 0, 1, None) if self.layout.ranges else [0] * len(self.own_ids)

    @property
    def n_sequences(self):
        if self.is_changed or self.layout.ranges is None:
            return self.original().n_sequences
        return 1 + (self.is_pair and self.layout.ranges)

    @property
    def tokens(self):
        if self.is_changed:
            return self.found.tokens
        cdef list ids = self.own_ids[self.pads_before : len(self.own_ids) - self.pads_after]
        found = self.call.tokens_of(ids, self.places is not None)
        if found is None and self.find_places() is not None:
            found = self.call.tokens_of(ids, True)
        return self.original().tokens if found is None else self.padded(found, self.padding.get("pad_token"))

    @property
    def overflowing(self):
        if self.is_changed or self.parts is None:
            return self.original().overflowing
        return [part.copy() for part in self.parts]

    @property
    def offsets(self):
        if self.is_changed or self.find_places() is None:
            return self.original().offsets
        return list(self.places[0])

    cdef list given_words(self):
        """The word of each token, with padding, where words were given; None: texts were given."""
        cdef list found = [], own
        cdef int which
        cdef Source source
        if self.sources is None:
            return None
        for which in range(1 + self.is_pair):
            source = self.sources[which]
            own = source.words()
            if own is None:
                return None
            begin = self.begins[which]
            found.append(own[begin : begin + (self.n_second if which else self.n_first)])
        return self.laid_out(None, found, None)

    @property
    def word_ids(self):
        if not self.is_changed and not self.has_looked:
            given = self.given_words()
            if given is not None:
                return given
        if self.is_changed or self.find_places() is None:
            return self.original().word_ids
        return list(self.places[1])

    @property
    def words(self):
        return self.word_ids

    def __len__(self):
        return len(self.own_ids)

    def __repr__(self):
        return (
            f"Encoding(num_tokens={len(self.own_ids)}, attributes=[ids, type_ids, tokens, offsets, attention_mask, "
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
        self.own_original().pad(length, **options)
        self.change()

    def truncate(self, max_length, **options):
        """Change this result, as `Encoding.truncate` of tokenizers."""
        self.own_original().truncate(max_length, **options)
        self.change()

    def set_sequence_id(self, sequence_id):
        """Change this result, as `Encoding.set_sequence_id` of tokenizers."""
        self.own_original().set_sequence_id(sequence_id)
        self.change()

    cdef object own_original(self):
        """An Encoding of tokenizers that nobody else has."""
        if not self.is_changed:
            shared = self.original()
            self.found = type(shared)()
            self.found.__setstate__(shared.__getstate__())
        return self.found

    cdef void change(self):
        """From now on all of this result is that of the original, which has been changed."""
        self.is_changed = True
        self.own_ids = self.found.ids

    def fill_up(self, Py_ssize_t length, dict padding not None):
        """Pad to a length, before the caller gets this result. padding: the options of the original."""
        cdef Py_ssize_t excess = length - len(self.own_ids)
        for part in self.parts or ():
            part.fill_up(length, padding)
        self.length, self.padding = length, padding
        if excess <= 0:
            return
        fill = [padding["pad_id"]] * excess
        if padding["direction"] == "left":
            self.pads_before = excess
            self.own_ids = fill + self.own_ids
        else:
            self.pads_after = excess
            self.own_ids = self.own_ids + fill


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
