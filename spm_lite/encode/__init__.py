"""Encode texts to ids: normalize, cut, segment, on many threads; spans and truncation."""
