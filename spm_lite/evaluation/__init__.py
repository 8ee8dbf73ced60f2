"""Judges of tokenizers: `evaluate`, `audit`, `sweep`, and the inspection of a model file.

In: tokenizers and texts. Out: figures, faults, verdicts, and a report of them. It must not train, except for `sweep`.
"""
