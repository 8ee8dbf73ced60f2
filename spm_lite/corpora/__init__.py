"""Corpora: which files are meant, what format they have, and the documents in them."""
