"""The proof of a conversion: what a text must meet to get the same ids in another program, and whether it does."""
