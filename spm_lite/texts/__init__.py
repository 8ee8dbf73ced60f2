"""Texts come in: str, bytes, numpy, Arrow, delimited files; any width of characters to UTF-8."""
