"""Raw text to normalized text, and the alignment back to positions in the raw text.

In: UTF-8 and the rules of a model. Out: normalized UTF-8 and its places. It must not know pieces, except symbols that
the rules leave as they are.
"""
