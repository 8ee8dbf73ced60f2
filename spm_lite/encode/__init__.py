"""Texts to ids, on many threads: normalize, cut into chunks, segment; also places, limits and long texts.

In: views of UTF-8 and a vocabulary. Out: ids, and places of the tokens in the text. It must not know Python's texts,
files or the public classes.
"""
