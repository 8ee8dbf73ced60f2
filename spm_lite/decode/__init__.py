"""Ids to text: whole, in batches, one id at a time."""
