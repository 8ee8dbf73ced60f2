"""Chunks: where a text may be cut without changing its ids, and the cache of their ids."""
