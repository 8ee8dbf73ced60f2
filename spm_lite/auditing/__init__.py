"""The judge of tokenizers: what each does to texts, what is wrong in its vocabulary, and which one is better."""
