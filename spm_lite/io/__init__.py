"""Files: reading, atomic writing, and sources of training text (corpora)."""
