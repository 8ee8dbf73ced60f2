"""Strategies for what may become a piece."""

from __future__ import annotations

from hypothesis import strategies as st

ORIGINAL_RULES = {  # options of a TrainerSpec
    "split_by_unicode_script": st.booleans(),
    "split_by_whitespace": st.booleans(),
    "split_by_number": st.booleans(),
    "split_digits": st.booleans(),
    "treat_whitespace_as_suffix": st.booleans(),
    "allow_whitespace_only_pieces": st.booleans(),
    "max_sentencepiece_length": st.integers(1, 9),
}
PIECE_RULES = {**ORIGINAL_RULES, "split_digits": st.sampled_from([False, True, 2, 3]), "graphemes": st.booleans()}
