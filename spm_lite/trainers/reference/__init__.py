"""The Unigram trainer of the drop-in: the same models as SentencePiece's, bit for bit."""
