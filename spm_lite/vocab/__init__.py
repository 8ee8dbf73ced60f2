"""Pieces and the model file, a protobuf message.

In: the bytes of a model file. Out: a `Vocab` (id, bytes, score and kind of each piece), the settings, and bytes again.
It must not know how a text is cut into pieces.
"""
