"""The public `Tokenizer`."""
