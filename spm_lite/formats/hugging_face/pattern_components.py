"""Split patterns as tokenizers must read them: Oniguruma takes parts of tiktoken's own spelling otherwise."""

from __future__ import annotations

from spm_lite.vocab.split_pattern_names import (
    CL100K_PATTERN,
    GPT2_OF_TIKTOKEN,
    GPT2_PATTERN,
    LLAMA3_PATTERN,
    RULES,
    WHITE,
)

# `$` is the end of a line there, and a brace with a plus is no possessive count.
SPELLINGS = {
    GPT2_OF_TIKTOKEN: GPT2_PATTERN,
    CL100K_PATTERN: LLAMA3_PATTERN.removesuffix(WHITE) + r"\s+\z|" + WHITE,
}
KNOWN = {**{pattern: pattern for pattern in RULES}, **{spelled: pattern for pattern, spelled in SPELLINGS.items()}}


def spelled(pattern: str) -> str:
    """The pattern for tokenizer.json."""
    return SPELLINGS.get(pattern, pattern)
