"""Normalization rules: what one character becomes; named rule sets, compiled and read back."""
