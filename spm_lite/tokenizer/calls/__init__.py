"""What the methods of a Tokenizer do: parts of a model, files of ids, offsets, special pieces, limits, reports."""
