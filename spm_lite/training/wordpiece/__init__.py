"""WordPiece: merges chosen by likelihood, ratio or frequency."""
