"""The driver of encoding: texts to ids, on many threads; spans and truncation."""
