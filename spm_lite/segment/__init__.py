"""One chunk to its best ids: one segmenter for each kind of model."""
