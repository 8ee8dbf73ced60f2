"""Ranges of characters, read off the Unicode data and other programs by the generators in tools/."""
