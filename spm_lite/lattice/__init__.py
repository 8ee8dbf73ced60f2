"""All segmentations of a text: n-best, sampling, expected counts, entropy."""
