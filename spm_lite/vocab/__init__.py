"""The vocabulary: id, bytes, score and kind of each piece, read from the model bytes."""
