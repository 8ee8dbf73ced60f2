"""Normalization: raw text to normalized text, and the alignment back to positions in the raw text."""
