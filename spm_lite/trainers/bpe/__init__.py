"""The BPE trainer: pairs and merges."""
