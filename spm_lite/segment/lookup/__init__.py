"""How segmenters find the pieces of a text: a hash table of pieces, and a trie of their characters."""
