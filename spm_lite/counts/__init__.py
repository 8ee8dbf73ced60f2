"""Count a corpus: text is cut into chunks, and a table of chunks and counts is merged, spilled to disk and saved."""
