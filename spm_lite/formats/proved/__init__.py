"""What a model becomes in the files of other programs, and how these programs read them."""
