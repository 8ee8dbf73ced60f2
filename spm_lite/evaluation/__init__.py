"""What a tokenizer does to a text: `evaluate`, and what `spm-lite inspect` tells of a model."""
