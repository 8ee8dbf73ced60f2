"""Corpus -> counts -> pieces."""
