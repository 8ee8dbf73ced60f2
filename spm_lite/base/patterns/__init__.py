"""Patterns: regular expressions of text, compiled to tables that find all matches in linear time."""
