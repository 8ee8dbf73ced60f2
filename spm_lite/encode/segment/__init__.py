"""Segmenters: the best tokens of a normalized text or chunk, with one file for each type of model.

In: normalized UTF-8. Out: ids. `segmenter.SEGMENTERS` is their registry; piece_table and char_trie find the pieces.
"""
