"""The table of trainers by model type, the alphabet, and what every trainer holds. Header: trainer_interface.pxd."""

cimport cython
from libc.stdint cimport uint32_t, uint64_t

from importlib import import_module

from spm_lite.errors import OptionError

# model_type -> (module, class) of its trainer. `trainer_for` imports the module.
TRAINERS = {
    "unigram": ("spm_lite.training.unigram.unigram_trainer", "UnigramTrainer"),
    "bpe": ("spm_lite.training.bpe.bpe_trainer", "BpeTrainer"),
    "byte_bpe": ("spm_lite.training.bpe.bpe_trainer", "BpeTrainer"),
    "word": ("spm_lite.training.word_trainer", "WordTrainer"),
    "wordpiece": ("spm_lite.training.wordpiece.wordpiece_trainer", "WordPieceTrainer"),
    "char": ("spm_lite.training.word_trainer", "CharTrainer"),
}
# The trainers that replace them under `reference_rules`.
REFERENCE_TRAINERS = {"unigram": ("spm_lite.training.reference.reference_trainer", "ReferenceUnigramTrainer")}


@cython.final
cdef class Alphabet:
    """The characters of all pieces, in final order: count descending, code point ascending."""

    def __cinit__(self):
        self.members.resize(0x110000 // 64, 0)
        self.n_other_characters = 0

    cdef int append(self, uint32_t code_point, uint64_t count) except -1 nogil:
        """Append a code point (below 0x110000). The caller appends in final order."""
        self.code_points.push_back(code_point)
        self.counts.push_back(count)
        self.members[code_point >> 6] |= <uint64_t> 1 << (code_point & 63)
        return 0

    @staticmethod
    def from_items(items, n_other_characters=0):
        """Return the alphabet of (character, count) pairs, which may come in any order."""
        cdef Alphabet alphabet = Alphabet()
        for character, count in sorted(items, key=lambda item: (-item[1], item[0])):
            alphabet.append(<uint32_t> ord(character), count)
        alphabet.n_other_characters = n_other_characters
        return alphabet

    def items(self):
        """Return (character, count) pairs in final order."""
        cdef uint64_t i
        return [(chr(self.code_points[i]), self.counts[i]) for i in range(self.code_points.size())]

    def __len__(self):
        return self.code_points.size()

    def __contains__(self, character):
        return has_member(self.members.data(), <uint32_t> ord(character))


cdef class Trainer:
    """Learns pieces from counted chunks. An object trains once; its `figures` then hold numbers for the report."""

    def __cinit__(self):
        self.figures = {}
        self.rare = {}
        self.checkpoint = None
        self.log = None
        self.owns_counts = False

    def learn(self, counts, alphabet, spec, n_pieces, *, num_threads=1, progress=None, reference_rules=False):
        """Return the pieces with their scores in final order, with the alphabet, without the meta pieces.

        counts: ChunkTable in canonical order (unless the trainer says otherwise), read only unless `owns_counts`.
        alphabet: Alphabet. spec: TrainerSpec.
        n_pieces: pieces wanted (vocab_size less the meta pieces); fewer are returned when there are fewer.
        progress: None or a `progress.Reporter` called now and then; an exception from it ends the training.
        reference_rules: follow the original library where this library's own rules differ.
        No piece holds a character outside the alphabet, NUL or a boundary byte.
        """
        raise NotImplementedError


def trainer_for(model_type, reference_rules=False):
    """Return a new trainer for a model type. Raises OptionError for an unknown type."""
    if model_type not in TRAINERS:
        raise OptionError(f"model_type={model_type!r}: must be one of {', '.join(TRAINERS)}")
    module, name = TRAINERS[model_type]
    if reference_rules:
        module, name = REFERENCE_TRAINERS.get(model_type, (module, name))
    return getattr(import_module(module), name)()
