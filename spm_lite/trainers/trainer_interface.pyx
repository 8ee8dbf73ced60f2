cimport cython
from libc.stdint cimport uint32_t, uint64_t

from importlib import import_module

from spm_lite.errors import OptionError

# model_type -> where its trainer is. A module is imported when it is first asked for.
TRAINERS = {
    "unigram": ("spm_lite.trainers.unigram.unigram_trainer", "UnigramTrainer"),
    "bpe": ("spm_lite.trainers.bpe.bpe_trainer", "BpeTrainer"),
    "word": ("spm_lite.trainers.word_trainer", "WordTrainer"),
    "char": ("spm_lite.trainers.word_trainer", "CharTrainer"),
}
# Those that `reference_rules` puts in their places.
REFERENCE_TRAINERS = {"unigram": ("spm_lite.trainers.reference.reference_trainer", "ReferenceUnigramTrainer")}


@cython.final
cdef class Alphabet:
    """The characters that pieces are made of, in final order: count descending, code point ascending."""

    def __cinit__(self):
        self.members.resize(0x110000 // 64, 0)
        self.n_other_characters = 0

    cdef int append(self, uint32_t code_point, uint64_t count) except -1 nogil:
        """Add a code point (below 0x110000) that comes after all so far."""
        self.code_points.push_back(code_point)
        self.counts.push_back(count)
        self.members[code_point >> 6] |= <uint64_t> 1 << (code_point & 63)
        return 0

    @staticmethod
    def from_items(items, n_other_characters=0):
        """The alphabet of these (character, count) pairs, brought into final order."""
        cdef Alphabet alphabet = Alphabet()
        for character, count in sorted(items, key=lambda item: (-item[1], item[0])):
            alphabet.append(<uint32_t> ord(character), count)
        alphabet.n_other_characters = n_other_characters
        return alphabet

    def items(self):
        """(character, count) pairs in final order."""
        cdef uint64_t i
        return [(chr(self.code_points[i]), self.counts[i]) for i in range(self.code_points.size())]

    def __len__(self):
        return self.code_points.size()

    def __contains__(self, character):
        return has_member(self.members.data(), <uint32_t> ord(character))


cdef class Trainer:
    """Learns pieces from counted chunks. One object trains once; `figures` then holds numbers for the report."""

    def __cinit__(self):
        self.figures = {}
        self.checkpoint = None
        self.owns_counts = False

    def learn(self, counts, alphabet, spec, n_pieces, *, num_threads=1, progress=None, reference_rules=False):
        """The final pieces in final order with their scores, alphabet included, meta pieces excluded.

        counts: ChunkTable in canonical order (unless the trainer says otherwise), read only unless `owns_counts`.
        alphabet: Alphabet. spec: TrainerSpec.
        n_pieces: pieces wanted (vocab_size less the meta pieces); fewer come back when there are fewer.
        progress: None or a `meter.Reporter` called now and then; what it raises ends the training.
        reference_rules: follow the original library where the native face differs.
        Characters outside the alphabet, NUL, and boundary bytes are in no piece.
        """
        raise NotImplementedError


def trainer_for(model_type, reference_rules=False):
    """A new trainer for this model type. Raises OptionError for a type that has none."""
    if model_type not in TRAINERS:
        raise OptionError(f"model_type={model_type!r}: must be one of {', '.join(TRAINERS)}")
    module, name = TRAINERS[model_type]
    if reference_rules:
        module, name = REFERENCE_TRAINERS.get(model_type, (module, name))
    return getattr(import_module(module), name)()
