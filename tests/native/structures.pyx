"""What tests ask of `spm_lite/base`: hashes, sorts, filters, tries, random numbers, scripts, graphemes."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from spm_lite.base.structures.bloom_filter cimport BloomFilter, add_hash, may_hold
from spm_lite.base.structures.double_array cimport TrieCursor, trie_advance, trie_root
from spm_lite.base.structures.perfect_hash cimport find_steps, place_at
from spm_lite.base.structures.radix_sort cimport PlacedKey, sort_keys
from spm_lite.base.structures.random cimport Random, RandomStream, fill_block, next_uniform, open_stream
from spm_lite.base.unicode.graphemes cimport START_OF_TEXT, GraphemeContext, next_char
from spm_lite.base.unicode.invisibles cimport BLANK_SIGN, IGNORABLE, VISIBLE, invisible_kind
from spm_lite.base.unicode.scripts cimport COMMON, HAN, INHERITED, script_of

from spm_lite.base.unicode.ranges.script_ranges import RANGES


def prefix_matches(bytes units not None, bytes text not None) -> list:
    """(size, value) of every key that `text` starts with, shortest first."""
    cdef const uint32_t* data = <const uint32_t*> <const char*> units
    cdef TrieCursor cursor
    trie_root(data, &cursor)
    found = []
    for size, byte in enumerate(text, 1):
        if not trie_advance(data, &cursor, byte):
            break
        if cursor.value >= 0:
            found.append((size, cursor.value))
    return found


def places_of(list hashes not None, uint32_t shift, uint64_t n_places):
    """The place of each of the hashes, or None if there is none for all."""
    cdef vector[uint8_t] steps
    cdef uint64_t hash
    if not 0 < shift < 64:
        raise ValueError(f"shift is {shift}, but must be 1 to 63")
    if not find_steps(hashes, shift, n_places, steps):
        return None
    return [place_at(hash, steps[hash >> shift], n_places) for hash in hashes]


def sorted_places(list keys not None) -> list:
    """The places of keys (0 to 2^64 - 1) in their order."""
    cdef vector[PlacedKey] placed, spare
    cdef uint64_t key
    cdef size_t i
    for i, key in enumerate(keys):
        placed.push_back(PlacedKey(key, <uint32_t> i))
    sort_keys(placed, 0, placed.size(), spare)
    return [placed[i].second for i in range(placed.size())]


def uniforms(Random random not None, Py_ssize_t n) -> list:
    """The first `n` doubles of the next stream, each of [0, 1)."""
    cdef RandomStream stream
    open_stream(random.seed, random.take(1), &stream)
    return [next_uniform(&stream) for _ in range(n)]


def philox_block(tuple counter not None, tuple key not None) -> tuple:
    """Four words of Philox4x32-10 for four counter words and two key words: what the published tests look at."""
    cdef RandomStream stream
    open_stream(key[0] | key[1] << 32, counter[2] | counter[3] << 32, &stream)
    stream.n_blocks = counter[0] | counter[1] << 32
    fill_block(&stream)
    return stream.words[0], stream.words[1], stream.words[2], stream.words[3]


def enter(BloomFilter hashes not None, list values not None) -> int:
    """Put hashes into a filter and fold it, once; how many seemed new is returned."""
    cdef uint64_t value
    for value in values:
        add_hash(hashes, value)
    hashes.fold()
    return hashes.n_hashes


def holds(BloomFilter hashes not None, uint64_t value) -> bool:
    """Whether a hash seems to be in the filter."""
    return may_hold(&hashes.view, value) != 0


def grapheme_begins(bytes text not None) -> list:
    """Where grapheme clusters begin, in bytes.

    >>> grapheme_begins("e\u0301a".encode())
    [0, 3]
    """
    cdef const uint8_t* data = text
    cdef GraphemeContext context = GraphemeContext(START_OF_TEXT, 0)
    cdef bint is_begin = False
    cdef int32_t pos = 0, step, size = <int32_t> len(text)
    places = []
    while pos < size:
        step = next_char(data + pos, size - pos, &context, &is_begin)
        if is_begin:
            places.append(pos)
        pos += step
    return places


def invisible_name(uint32_t code_point) -> str:
    """The kind that `invisible_kind` answers."""
    return {VISIBLE: "visible", BLANK_SIGN: "blank", IGNORABLE: "ignorable"}[invisible_kind(code_point)]


def script_name(uint32_t code_point) -> str:
    """Name of the script that `script_of` answers.

    >>> script_name(ord("の")), script_name(ord("7")), script_name(ord("ж"))
    ('Han', 'Common', 'Cyrillic')
    """
    return NAMES[script_of(code_point)]


def names_by_number() -> dict:
    """Each script is called by the number of its first character; no number has two names."""
    names = {COMMON: "Common", INHERITED: "Inherited", HAN: "Han"}
    for line in RANGES.replace("\n ", " ").splitlines():
        name, first, *_ = line.replace("-", " ").split()
        if name in ("Hiragana", "Katakana"):
            name = "Han"
        if names.setdefault(script_of(int(first, 16)), name) != name:
            raise ValueError(f"{name} has the number of another script")
    return names


NAMES = names_by_number()
