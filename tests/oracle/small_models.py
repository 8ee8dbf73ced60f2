"""Small models: of words, for tests that look at single calls, and of given pieces; and hard texts for them."""

from __future__ import annotations

from typing import Any

from spm_lite import Tokenizer
from spm_lite.specs import NormalizerSpec, TrainerSpec
from spm_lite.vocab.model_writer import write_model

HARD = [  # texts for models of changed vocabularies: spaces, marks, NUL, scripts, emoji
    "", " ", "  a  ", "\u2581x", "a\0b", "ไทยไทย the", "e\u0301\u0301", "👩\u200d🚀👩", "\u200b日本語", "12 cats 2024",
]  # fmt: skip
WORDS = ["hello", "world", "the", "he", "lo", "ll", "wor", "ld", "a", "pen", "is", "this", "test", "日本", "語", "😀"]


def small_model(model_type: str = "unigram", byte_fallback: bool = False) -> bytes:
    """Words with and without a space before them, and all their characters."""
    pieces = [("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("</s>", 0.0, 3)]
    if byte_fallback:
        pieces += [(f"<0x{byte:02X}>", 0.0, 6) for byte in range(256)]
    characters = sorted({c for word in WORDS for c in word})
    texts = ["\u2581", *(f"\u2581{word}" for word in WORDS), *WORDS, *characters, "\u2581h", "\u2581w", "\u2581t"]
    seen = {}
    for text in texts:
        seen.setdefault(text, -len(seen) / 3 - (2 if len(text) == 1 else 0))
    pieces += [(text, score, 1) for text, score in seen.items()]
    pieces += [("<sep>", 0.0, 4), ("never", -1.0, 5)]
    trainer = TrainerSpec(model_type=model_type, vocab_size=len(pieces), byte_fallback=byte_fallback)
    return write_model(pieces, trainer, NormalizerSpec(remove_extra_whitespaces=True))


def tokenizer_of(
    pieces: Any, model_type: str = "unigram", byte_fallback: bool = False, suffix: bool = False, **flags: Any
) -> Tokenizer:
    """A tokenizer with these pieces, (text, score, type). flags: of NormalizerSpec; text stays as it is without."""
    trainer = TrainerSpec(
        model_type=model_type, vocab_size=len(pieces), byte_fallback=byte_fallback, treat_whitespace_as_suffix=suffix
    )
    normalizer = NormalizerSpec(**{"add_dummy_prefix": False, "remove_extra_whitespaces": False, **flags})
    return Tokenizer.load(write_model(pieces, trainer, normalizer))
