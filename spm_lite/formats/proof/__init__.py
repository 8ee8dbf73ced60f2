"""The proof of a conversion: what a model becomes in a format, what a text must meet there, and the comparison."""
