"""Which bytes of a text each part of its normalized text comes from: to the byte where a character is unchanged."""

from libc.stdint cimport int32_t, uint8_t


cdef struct CharRun:
    # Normalized bytes with one place in the text: what became of one character, or of several at once.
    int32_t begin           # in the normalized text
    int32_t end
    int32_t source_begin    # in the text
    int32_t source_end
    int32_t same            # where in the normalized text the bytes of the text stand unchanged; -1: nowhere


cdef struct ByteMap:
    const uint8_t* text             # UTF-8
    const uint8_t* normalized
    const int32_t* align            # of each normalized byte and of the end, never falling
    int32_t size                    # of the normalized text
    const uint8_t* classes          # of code points
    CharRun run                     # the last that was looked at


cdef ByteMap start_map(
    const uint8_t* text, const uint8_t* normalized, const int32_t* align, int32_t size, const uint8_t* classes,
) noexcept nogil

# Turn the places of `n` ids in the normalized text into the bytes of the text that each id covers. Of the byte pieces
# of one character all but the last are empty before, at its start; after it each covers its own byte, or, if the
# character was changed, all of it. A part of what one changed character became covers the whole character. White space
# that was dropped is covered by no id; another dropped character is with the id before it.
cdef void cover_bytes(ByteMap* map, int32_t* places, size_t n) noexcept nogil
