"""Raw text to normalized text, and back to its positions."""
