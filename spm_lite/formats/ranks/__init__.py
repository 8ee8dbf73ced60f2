"""Rank files of tiktoken: their lines, a table of the pieces by rank, and what merging makes of a piece."""
