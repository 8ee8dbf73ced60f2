"""Tokenizer files of other programs, written and read, and the proof that both give the same ids.

In: such a file, or a model of ours. Out: a model of ours, or such a file, with what a text must meet. What a format
cannot say is refused by its name. It must not know the public `Tokenizer`.
"""
