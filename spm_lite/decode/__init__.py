"""Decoding, ids to text: single texts, batches, and streams of one id at a time."""
