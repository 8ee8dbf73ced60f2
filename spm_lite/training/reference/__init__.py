"""The Unigram trainer of the drop-in. It makes the models of SentencePiece, bit for bit."""
