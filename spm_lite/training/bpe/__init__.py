"""The trainer of BPE and byte-level BPE: it merges the most frequent pair of symbols again and again."""
