"""Locks on ids: the digests of a tokenizer and of what it makes of hard texts, and the comparison with another one."""
