"""tokenizer.json and the folders of transformers: a model written so that tokenizers gives the same ids, and read."""
