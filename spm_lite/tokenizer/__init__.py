"""The public `Tokenizer` and its result types."""
