"""Reading a tokenizer.json: each component is one that a model of ours can do, or is refused by its name."""
