"""Evaluation: `evaluate` measures a model on a text; `inspect` describes a model file for `spm-lite inspect`."""
