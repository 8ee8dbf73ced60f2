"""How well text can be predicted from tokens, in bits per byte, and which of two tokenizers is better by that."""
