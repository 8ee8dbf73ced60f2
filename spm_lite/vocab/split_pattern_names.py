"""The split patterns that are known by name, and the rules that `split_rules` has for each.

Sources: openai_public.py of tiktoken 0.14; the files tokenizer.json of Llama 3 and Qwen 2; tekken.json of Mistral.
"""

from __future__ import annotations

GPT2, CL100K, O200K = 0, 1, 2  # of `split_rules`
CONTRACTIONS = "'s|'t|'re|'ve|'m|'ll|'d"
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
BEFORE = r"[^\r\n\p{L}\p{N}]?"
WHITE = r"\s*[\r\n]+|\s+(?!\S)|\s+"


def cl100k_with(numbers: str) -> str:
    """The pattern of cl100k as tokenizer.json writes it, with a pattern for numbers."""
    return rf"(?i:{CONTRACTIONS})|{BEFORE}\p{{L}}+|{numbers}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{WHITE}"


def o200k_with(numbers: str, ending: str, upper: str = UPPER, lower: str = LOWER) -> str:
    """The pattern of o200k with a pattern for numbers, one for what ends a word, and sets of letters."""
    words = f"{BEFORE}{upper}*{lower}+{ending}|{BEFORE}{upper}+{lower}*{ending}"
    return rf"{words}|{numbers}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{WHITE}"


GPT2_PATTERN = rf"{CONTRACTIONS}| ?\p{{L}}+| ?\p{{N}}+| ?[^\s\p{{L}}\p{{N}}]+|\s+(?!\S)|\s+"
GPT2_OF_TIKTOKEN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
CL100K_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|"
    r"\s+(?!\S)|\s"
)
LLAMA3_PATTERN = cl100k_with(r"\p{N}{1,3}")
QWEN2_PATTERN = cl100k_with(r"\p{N}")
O200K_PATTERN = o200k_with(r"\p{N}{1,3}", f"(?i:{CONTRACTIONS})?")
TEKKEN_PATTERN = o200k_with(r"\p{N}", "")

Rules = tuple[int, int, bool, bool]  # form, max_digits, has_contractions, takes_end of `SplitRules`
RULES: dict[str, Rules] = {
    GPT2_PATTERN: (GPT2, 0, False, False),
    GPT2_OF_TIKTOKEN: (GPT2, 0, False, False),
    CL100K_PATTERN: (CL100K, 3, False, True),
    LLAMA3_PATTERN: (CL100K, 3, False, False),
    QWEN2_PATTERN: (CL100K, 1, False, False),
    O200K_PATTERN: (O200K, 3, True, False),
    TEKKEN_PATTERN: (O200K, 1, False, False),
}
PATTERNS = {  # name -> pattern; tiktoken's own spelling where tiktoken has the name
    "gpt2": GPT2_OF_TIKTOKEN,
    "r50k_base": GPT2_OF_TIKTOKEN,
    "p50k_base": GPT2_OF_TIKTOKEN,
    "cl100k_base": CL100K_PATTERN,
    "o200k_base": O200K_PATTERN,
    "o200k_harmony": O200K_PATTERN,
    "llama3": LLAMA3_PATTERN,
    "qwen2": QWEN2_PATTERN,
    "tekken": TEKKEN_PATTERN,
}
SIGNATURES = {  # of the scanner that a pattern becomes, equal for all spellings of one meaning -> the pattern
    "00030af027ee41f4f20a02cc": GPT2_PATTERN,
    "bd171759bcc1dbad25b3b849": CL100K_PATTERN,
    "fc54e842d197604dbc2b1f5e": LLAMA3_PATTERN,
    "3517e2f0b0c5c9e7abc0ee80": QWEN2_PATTERN,
    "4fb2e8952c81b4dba200a4be": O200K_PATTERN,
    "3a78de01c81614d2ad126ee7": TEKKEN_PATTERN,
}
