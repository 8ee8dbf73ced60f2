"""Piece types and model types, with their numbers in the model message (the protobuf of a model file).

CONTRIBUTING.md lists what a new model type needs.
"""

SPACE = "\u2581"  # stands for a space in pieces
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)  # piece types
TYPE_NAMES = ["", "normal", "unknown", "control", "user-defined", "unused", "byte"]  # by piece type, for people
MODEL_TYPES = {"unigram": 1, "bpe": 2, "word": 3, "char": 4}  # name -> number
CUTS = {"unigram": "pieces", "bpe": "pieces", "word": "words", "char": "characters"}  # where training cuts text
MODEL_TYPE_NAMES = {number: name for name, number in MODEL_TYPES.items()}
