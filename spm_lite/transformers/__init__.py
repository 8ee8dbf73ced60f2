"""Tokenizers of the package transformers, with our engine inside: the same ids, without waiting.

tok = spm_lite.transformers.accelerate(AutoTokenizer.from_pretrained(folder))   # a tokenizer of the same class
spm_lite.transformers.patch()               # from here on AutoTokenizer.from_pretrained gives accelerated ones
print(spm_lite.transformers.accelerate.report(tok))     # what runs where, and why
"""

from spm_lite.transformers.door import accelerate
from spm_lite.transformers.patching import patch, unpatch

__all__ = ["accelerate", "patch", "unpatch"]
