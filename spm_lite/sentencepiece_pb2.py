"""The messages about encoded texts: SentencePieceText and NBestSentencePieceText.

For programs that import sentencepiece's module of this name. The classes are our own, in a pool of their own; messages
of sentencepiece and these are exchanged as bytes (`SerializeToString`, `FromString`).
"""

from typing import Any

from spm_lite.vocab.messages import public_class

SentencePieceText: Any = public_class("SentencePieceText", __name__)
NBestSentencePieceText: Any = public_class("NBestSentencePieceText", __name__)
DESCRIPTOR: Any = SentencePieceText.DESCRIPTOR.file

__all__ = ["DESCRIPTOR", "NBestSentencePieceText", "SentencePieceText"]
