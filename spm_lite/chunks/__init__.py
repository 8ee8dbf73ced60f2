"""Where a text may be cut without changing its ids, and the cache of chunks."""
