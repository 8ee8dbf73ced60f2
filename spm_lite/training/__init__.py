"""The public `train` and `CountTable`: text to counts, counts to pieces, pieces to a model.

In: sources of texts and options. Out: a Tokenizer with its report. Trainers see only a table of counts
(`trainer_interface` says what they must do), never files or the text. `run` has `train`, `steps` what it does in turn.
"""
