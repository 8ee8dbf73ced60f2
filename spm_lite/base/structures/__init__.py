"""Hashes, sorts, filters and tries over plain bytes and integers."""
