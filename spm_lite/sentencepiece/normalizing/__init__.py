"""The rules of sentencepiece's normalizer, with and without a vocabulary."""
