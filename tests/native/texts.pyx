"""What tests ask of texts as they come in and go out: `spm_lite/texts`, `spm_lite/normalize`, `spm_lite/decode`."""

from libc.stdint cimport int32_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.decode.decoder cimport Decoder
from spm_lite.normalize.alignment cimport fill_char_alignment
from spm_lite.texts.text_view cimport ARRAY_UNITS, LATIN, TWO_BYTES, TextForm, TextView
from spm_lite.texts.transcode cimport TRANSCODE_SLACK, Utf8Result, transcode_part, transcoded_room
from spm_lite.texts.transcode_ssse3 cimport can_shuffle

def transcoded(const uint8_t[::1] chars not None, int32_t width, bint shuffling):
    """UTF-8 of one character or more, and whether U+2581 is one of them; None: one has no UTF-8.

    width: bytes of each, 1, 2 or 4. shuffling: as on processors that can shuffle bytes, if this one can.
    """
    cdef TextForm form = LATIN if width == 1 else TWO_BYTES if width == 2 else ARRAY_UNITS
    cdef TextView view
    cdef vector[uint8_t] out
    cdef Utf8Result found
    if width not in (1, 2, 4) or chars.shape[0] < width:
        raise ValueError(f"{chars.shape[0]} bytes are no characters of {width} bytes")
    view = TextView(&chars[0], <int32_t> (chars.shape[0] // width), form)
    out.resize(transcoded_room(&view) + TRANSCODE_SLACK)
    found = transcode_part(view.data, view.size, form, shuffling and can_shuffle(), out.data())
    return None if found.size < 0 else (<bytes> (<char*> out.data())[:found.size], bool(found.has_mark))


def char_alignment(bytes text not None, bytes normalized not None, align) -> list:
    """The alignment of `Normalizer.normalize` in code points: for each character of the result, and for its end.

    text, normalized: UTF-8 bytes. align: len(normalized) + 1 byte offsets into text, never falling, or empty.
    Raises ValueError if their number is another.

    >>> char_alignment("é b".encode(), "▁é".encode(), [0, 0, 0, 0, 0, 2])
    [0, 0, 1]
    """
    cdef vector[int32_t] byte_align = align
    cdef vector[int32_t] char_align
    if byte_align.size() and byte_align.size() != <size_t> len(normalized) + 1:
        raise ValueError(f"align has {byte_align.size()} entries, {len(normalized) + 1} expected for the text")
    fill_char_alignment(
        <const uint8_t*> <const char*> text, len(text),
        <const uint8_t*> <const char*> normalized, len(normalized), byte_align, char_align,
    )
    return char_align


def has_units(Decoder decoder not None) -> bool:
    """Whether units of all pieces were made, see `str_decoder`."""
    return decoder.strings is not None and decoder.strings.has_units.load()
