"""UTF-8, the sign U+2581 for a space, scripts, grapheme clusters and other classes of characters."""
