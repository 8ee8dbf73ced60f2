"""All segmentations of a text: n-best, sampling, expected counts, entropy.

In: normalized UTF-8 and a vocabulary. Out: paths, their scores and sums over them. It must not know the cache
of chunks.
"""
