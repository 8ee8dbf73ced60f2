"""A corpus to a table of chunks and counts: merged, spilled to disk, saved."""
