"""Count tables out and in again: their own file, TSV, Parquet, and Arrow streams."""
