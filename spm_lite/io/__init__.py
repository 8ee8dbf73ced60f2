"""Files in and out, and what a corpus is."""
