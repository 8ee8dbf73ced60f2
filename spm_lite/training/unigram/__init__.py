"""The Unigram trainer (Kudo 2018): seed pieces, EM, pruning."""
