"""Conversions between all formats of tokenizers: the table of formats, how a file is recognized, and the way."""
