"""The Unigram trainer: seed pieces, EM, pruning."""
