"""GGUF, the file format of llama.cpp: the header with the tokenizer; tensors are never read."""
