"""GGUF, the file of llama.cpp: the header with the tokenizer, in and out; tensors are never read."""
