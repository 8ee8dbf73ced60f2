"""Tokenizers of the package transformers, with our engine inside: the same ids, without waiting.

tok = spm_lite.transformers.accelerate(AutoTokenizer.from_pretrained(folder))   # a tokenizer of the same class
spm_lite.transformers.patch()               # from here on AutoTokenizer.from_pretrained gives accelerated ones
print(spm_lite.transformers.accelerate.report(tok))     # what runs where, and why
tok = spm_lite.transformers.SpmLiteTokenizer("m.model") # a class for models of this package
spm_lite.transformers.Collator(tok)                     # pads and masks the examples of a DataLoader
"""

from typing import Any

from spm_lite.transformers.collating import Collator
from spm_lite.transformers.door import accelerate, transformers
from spm_lite.transformers.patching import patch, unpatch

__all__ = ["Collator", "accelerate", "patch", "unpatch"]  # SpmLiteTokenizer needs transformers, and is found by name


def __getattr__(name: str) -> Any:
    if name != "SpmLiteTokenizer":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    transformers()  # says which versions are tested, if it is missing
    from spm_lite.transformers.own_class import SpmLiteTokenizer

    return SpmLiteTokenizer
