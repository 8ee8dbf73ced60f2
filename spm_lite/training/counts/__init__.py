"""A corpus to a table of chunks and counts: cut, counted, merged, spilled to disk, saved and read again."""
