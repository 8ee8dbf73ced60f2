"""Segmenters: the best tokens of a normalized text or chunk, with one segmenter for each type of model.

`segmenter.SEGMENTERS` is their registry.
"""
