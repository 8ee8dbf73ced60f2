"""The public `Tokenizer`: a class for each group of its methods, and what these methods do.

In: arguments of callers. Out: ids, texts and results with names. It holds no algorithm: it checks, calls and wraps.
"""
