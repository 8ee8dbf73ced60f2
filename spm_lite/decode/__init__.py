"""Ids to text: single texts, batches, and streams of one id at a time.

In: ids and a vocabulary. Out: bytes or str, and the places of tokens in them. It must not know how ids were found.
"""
