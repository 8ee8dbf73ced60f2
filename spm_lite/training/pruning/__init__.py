"""The way back of a vocabulary: which pieces go, which stay and why, and new pieces in the places of old ones."""
