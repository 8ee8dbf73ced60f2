"""Holds the merges, checks them against a vocabulary, and writes them. Header: merge_list.pxd."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memcmp
from libcpp.vector cimport vector

from spm_lite.vocab.vocab cimport Vocab
from spm_lite.vocab.wire cimport put_varint

from spm_lite.errors import ModelError
from spm_lite.vocab.wire import write_fields


@cython.final
cdef class MergeList:
    """The merges of a model in their order.

    ids: three for each merge: left, right, what they become.
    """

    def __cinit__(
        self, ids=(), bint fuse_unknown=False, bint whole_pieces=False, bytes continuing_prefix not None=b"",
        bytes word_suffix not None=b"",
    ):
        cdef Py_ssize_t i
        cdef list given = list(ids)
        if len(given) % 3:
            raise ModelError(f"the list of merges has {len(given)} ids, which are not three for each merge")
        self.merges.reserve(len(given) // 3)
        for i in range(0, len(given), 3):
            self.merges.push_back(ListedMerge(given[i], given[i + 1], given[i + 2]))
        self.fuse_unknown = fuse_unknown
        self.whole_pieces = whole_pieces
        self.continuing_prefix = continuing_prefix
        self.word_suffix = word_suffix

    def __len__(self):
        return <Py_ssize_t> self.merges.size()

    def __iter__(self):
        """Iterate over (left, right, whole) of each merge, by id."""
        cdef size_t i
        for i in range(self.merges.size()):
            yield self.merges[i].left, self.merges[i].right, self.merges[i].whole

    def ids(self):
        """Return three ids for each merge."""
        cdef list found = []
        cdef size_t i
        for i in range(self.merges.size()):
            found.append(self.merges[i].left)
            found.append(self.merges[i].right)
            found.append(self.merges[i].whole)
        return found

    def serialize(self):
        """Return the bytes of the message `MergeList`."""
        cdef vector[uint8_t] packed
        cdef size_t i
        with nogil:
            packed.reserve(8 * self.merges.size())
            for i in range(self.merges.size()):
                put_varint(packed, <uint32_t> self.merges[i].left)
                put_varint(packed, <uint32_t> self.merges[i].right)
                put_varint(packed, <uint32_t> self.merges[i].whole)
        fields = [(1, (<const char*> packed.data())[: packed.size()])] if self.merges.size() else []
        fields += [(2, True)] if self.fuse_unknown else []
        fields += [(3, True)] if self.whole_pieces else []
        fields += [(4, self.continuing_prefix)] if self.continuing_prefix else []
        fields += [(5, self.word_suffix)] if self.word_suffix else []
        return write_fields(fields)

    def is_by_part(self):
        """Return whether what a character becomes depends on where it stands in a part of a text."""
        return bool(self.continuing_prefix or self.word_suffix)

    cdef int check(self, Vocab vocab) except -1:
        cdef const uint8_t* texts = vocab.texts.data()
        cdef const int64_t* begins = vocab.begins.data()
        cdef int64_t n_prefix = len(self.continuing_prefix), n_left, n_right
        cdef ListedMerge merge
        cdef size_t i
        for name, affix in (("prefix", self.continuing_prefix), ("suffix", self.word_suffix)):
            if len(affix) > MOST_AFFIX:
                raise ModelError(
                    f"the {name} {affix!r:.60} of pieces has {len(affix)} bytes: at most {<int> MOST_AFFIX} are allowed"
                )
        for i in range(self.merges.size()):
            merge = self.merges[i]
            if not (
                0 <= merge.left < vocab.size and 0 <= merge.right < vocab.size and 0 <= merge.whole < vocab.size
            ):
                raise ModelError(
                    f"the merge {i} is of the pieces {merge.left} and {merge.right} to {merge.whole}, but there are "
                    f"{vocab.size} pieces"
                )
            n_left = begins[merge.left + 1] - begins[merge.left]
            n_right = begins[merge.right + 1] - begins[merge.right] - n_prefix
            if (
                n_right < 0
                or begins[merge.whole + 1] - begins[merge.whole] != n_left + n_right
                or memcmp(texts + begins[merge.whole], texts + begins[merge.left], <size_t> n_left) != 0
                or memcmp(
                    texts + begins[merge.whole] + n_left, texts + begins[merge.right] + n_prefix, <size_t> n_right
                ) != 0
            ):
                raise ModelError(
                    f"the merge {i} makes {vocab.text(merge.whole)!r:.60} of {vocab.text(merge.left)!r:.60} and "
                    f"{vocab.text(merge.right)!r:.60}, which do not join to it"
                )
        return 0


cdef MergeList new_merge_list(
    const vector[int32_t]& ids, bint fuse_unknown, bint whole_pieces, bytes continuing_prefix, bytes word_suffix,
):
    """Return a list of merges. ids: three for each. Raises ModelError for another number of ids."""
    cdef MergeList found = MergeList((), fuse_unknown, whole_pieces, continuing_prefix, word_suffix)
    cdef size_t i
    if ids.size() % 3:
        raise ModelError(f"the list of merges has {ids.size()} ids, which are not three for each merge")
    found.merges.resize(ids.size() // 3)
    for i in range(found.merges.size()):
        found.merges[i] = ListedMerge(ids[3 * i], ids[3 * i + 1], ids[3 * i + 2])
    return found


def check_merges(MergeList merges not None, Vocab vocab not None):
    """Raise ModelError for a merge of a list that does not join its parts."""
    merges.check(vocab)
