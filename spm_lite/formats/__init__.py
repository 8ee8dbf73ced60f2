"""Files of other programs that hold a vocabulary: rank files of tiktoken, and the two files of GPT-2."""
