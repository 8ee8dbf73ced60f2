"""The kinds of pieces and of models, as the model message numbers them."""

SPACE = "\u2581"  # how an escaped space is written
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)  # piece types, as in the model message
TYPE_NAMES = ["", "normal", "unknown", "control", "user-defined", "unused", "byte"]  # of them, for people
MODEL_TYPES = {"unigram": 1, "bpe": 2, "word": 3, "char": 4}  # name -> number in the model message
MODEL_TYPE_NAMES = {number: name for name, number in MODEL_TYPES.items()}
