"""Choose the alphabet (character coverage): the most frequent characters, until enough of the text is covered."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.unicode.utf8 cimport char_size, decode_char
from spm_lite.training.counts.characters cimport CharacterCounts
from spm_lite.training.counts.chunk_table cimport ChunkTable, occurrences_of
from spm_lite.training.trainer_interface cimport RARE, Alphabet

from fractions import Fraction

from spm_lite.errors import OptionError, TrainingError
from spm_lite.kinds import SPACE

UNKNOWN_MARK = "\u2585"     # the original's stand-in for characters outside the alphabet


def choose_alphabet(ChunkTable counts, spec, reference_rules=False):
    """Return the alphabet of a corpus under a TrainerSpec.

    Characters of `required_chars` come first, then the most frequent (equal counts: smallest code point), until they
    cover the share `character_coverage` of the text. Boundaries count as text. A lossless model always has the space
    mark, which does not count for the share. NUL is never in the alphabet. That of byte-level BPE is all bytes.
    Raises TrainingError when the corpus has no characters.
    """
    if spec.model_type == "byte_bpe":
        return byte_alphabet(counts)
    found, n_boundaries = count_characters(counts)
    required = required_characters(spec, reference_rules)
    kept = []
    if spec.lossless:
        kept.append((SPACE, found.pop(SPACE, 0)))
    total = sum(found.values()) + n_boundaries
    if total == 0 and not any(count for _, count in kept):
        raise TrainingError("the corpus has no characters to learn from: give it text")
    is_covered = reference_coverage if reference_rules else exact_coverage
    boundary = ("", n_boundaries)  # sorts like U+001F, the original's character for it
    order = [boundary, *found.items()] if n_boundaries else list(found.items())
    order += [(character, 0) for character in required if character not in found and character != SPACE]
    if SPACE in required and SPACE not in found and not spec.lossless:
        order.append((SPACE, 0))
    order.sort(key=lambda item: (item[0] not in required or item[0] == "", -item[1], item[0] or "\x1f"))
    keeps_all = spec.use_all_vocab or spec.auto_character_coverage
    covered = n_kept = 0
    for character, count in order:
        if not keeps_all and total > 0 and is_covered(covered, total, spec.character_coverage):
            if reference_rules or character not in required:  # the original drops required ones too
                break
        covered += count
        if character:
            kept.append((character, count))
            n_kept += count
    return Alphabet.from_items(kept, total - n_boundaries - n_kept)


def byte_alphabet(ChunkTable counts):
    """Return U+0000 to U+00FF, one for each of the 256 bytes. Raises TrainingError when the corpus has no text."""
    if len(counts) == 0:
        raise TrainingError("the corpus has no text to learn from besides special pieces: give it text")
    return Alphabet.from_items([(chr(byte), 0) for byte in range(256)])


def required_characters(spec, reference_rules):
    """Return the set of `required_chars`. Raises OptionError for a character that no piece can hold."""
    if reference_rules:
        if UNKNOWN_MARK in spec.required_chars:
            raise OptionError(
                f"required_chars must not hold {UNKNOWN_MARK!r}, which marks unknown characters: leave it out",
                remedies=[{"required_chars": spec.required_chars.replace(UNKNOWN_MARK, "")}],
            )
        if " " in spec.required_chars:
            raise OptionError(
                "required_chars: space must not be included in normalized string. Write U+2581 for it",
                remedies=[{"required_chars": spec.required_chars.replace(" ", SPACE)}],
            )
        return set(spec.required_chars) - {"\0"}
    for character in "\0 ":
        if character in spec.required_chars:
            raise OptionError(
                f"required_chars must not hold {character!r}: NUL is in no piece, and a space is written {SPACE!r}",
                remedies=[{"required_chars": spec.required_chars.replace("\0", "").replace(" ", SPACE)}],
            )
    return set(spec.required_chars)


def exact_coverage(covered, total, coverage):
    """Whether covered / total reaches the coverage as a decimal fraction, without rounding."""
    share = Fraction(str(coverage))
    return covered * share.denominator >= total * share.numerator


cdef bint reference_coverage(covered, total, float coverage):
    """Whether the original's single-precision test passes: about 1 - 1 / 34,000,000 counts as 1.0."""
    cdef double share = <double> <uint64_t> covered / <double> <uint64_t> total
    return <float> share >= coverage


def rare_characters(ChunkTable counts, Alphabet alphabet):
    """Return the characters that are rare, and the occurrences of all characters outside the alphabet.

    alphabet: as chosen from these counts. The rare characters are {character: (occurrences, bit set of sources)}.
    All occurrences are those before weights.
    """
    cdef const uint8_t* text
    cdef vector[uint64_t] sources
    cdef uint64_t i
    cdef int32_t size, step
    cdef uint32_t code_point
    if counts.origins.empty():
        occurrences = {character: n * counts.divisor for character, n in alphabet.items()}
        n_outside = alphabet.n_other_characters * counts.divisor
    else:
        occurrences, _ = count_characters(counts, True)
        n_outside = sum(n for character, n in occurrences.items() if character not in alphabet)
    rare = {character: occurrences.get(character, 0) for character, _ in alphabet.items()}
    rare = {character: n for character, n in rare.items() if n < RARE}
    if counts.origins.empty() or not rare:
        return {character: (n, 0) for character, n in rare.items()}, n_outside
    sources.resize(0x110000, 0)
    for i in range(counts.chunks.size()):
        text, size = counts.texts.data() + counts.chunks[i].begin, counts.chunks[i].size
        while size > 0:
            step = char_size(text, size)
            if step > 0:
                code_point = decode_char(text, step)
                sources[code_point] |= counts.origins[i].sources
            text += max(step, 1)
            size -= max(step, 1)
    return {character: (n, sources[<uint32_t> ord(character)]) for character, n in rare.items()}, n_outside


def count_characters(ChunkTable counts, bint before_weights=False):
    """Return ({character: count}, number of boundaries), without NUL and U+0020, with chunks left out.

    before_weights: count occurrences. Those of chunks left out are not known, so their weighted counts are taken.
    """
    cdef CharacterCounts found = CharacterCounts()
    cdef uint64_t i, n
    with nogil:
        for i in range(counts.chunks.size()):
            n = occurrences_of(counts, i) if before_weights else counts.chunks[i].count
            found.add(counts.texts.data() + counts.chunks[i].begin, counts.chunks[i].size, n)
    if counts.left_out is not None:
        found.add_all(counts.left_out.characters)
    result = {character: count for character, count in found.items() if character not in "\0 "}
    return result, found.n_boundaries
