"""Patterns: regular expressions of text, compiled to tables that find matches in time that grows with the text alone."""
