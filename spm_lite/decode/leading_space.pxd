"""The rule for spaces at the start of a decoded text, in one place for all decoders; header only."""

from libc.stdint cimport int32_t


cdef struct LeadingSpace:
    bint is_dropped         # the text begins without the space that encoding adds or removes
    bint only_once          # one space is dropped; else one of each piece up to the first visible text


cdef inline LeadingSpace leading_space_rule(bint add_dummy_prefix, bint remove_extra_whitespaces) noexcept nogil:
    """Return the rule of a model with these flags."""
    return LeadingSpace(
        add_dummy_prefix or remove_extra_whitespaces, add_dummy_prefix and not remove_extra_whitespaces,
    )


cdef inline int32_t drop_leading_space(
    const LeadingSpace* rule, bint has_space, bint is_unknown, bint* at_start,
) noexcept nogil:
    """Return how many spaces a piece loses, 0 or 1, and end the start of the text if only one may be dropped.

    has_space: the piece begins with U+2581. An unknown piece keeps its space, but ends the start as others do. The
    caller ends the start after the first visible text.
    """
    if not (at_start[0] and has_space):
        return 0
    if rule.only_once:
        at_start[0] = False
    return rule.is_dropped and not is_unknown
