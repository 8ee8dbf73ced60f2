"""The BPE trainer: it merges the most frequent pair of symbols again and again."""
