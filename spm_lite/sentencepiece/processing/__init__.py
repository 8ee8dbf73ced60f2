"""SentencePieceProcessor: a class for each group of its methods."""
