"""SentencePieceTrainer: its flags, objects passed to it, and its log."""
