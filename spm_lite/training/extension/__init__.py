"""The growth of a vocabulary: new pieces for a model, under its own rules, after the old ones."""
