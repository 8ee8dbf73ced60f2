"""Naive twin of the audit's sums: one text after the other, from Python's own Unicode tables and `Tokenizer.spans`."""

from __future__ import annotations

import unicodedata
from collections import Counter
from typing import Any

from oracle.graphemes import begins

from spm_lite import Tokenizer
from spm_lite.evaluation.figures.character_counts import SPACE_FREE_SCRIPTS, script_name


def is_part(char: str) -> bool:
    return unicodedata.category(char)[0] in "LM" or char in "\u200c\u200d"


def letter_words(text: str) -> list[tuple[int, int]]:
    """Begin and end of each letter word of a text, in characters."""
    words = []
    i = 0
    while i < len(text):
        if unicodedata.category(text[i])[0] != "L":
            i += 1
            continue
        begin = i
        while i < len(text) and is_part(text[i]):
            i += 1
        letters = [char for char in text[begin:i] if unicodedata.category(char)[0] == "L"]
        if not any(script_name(char) in SPACE_FREE_SCRIPTS for char in letters):
            words.append((begin, i))
    return words


def shape(texts: list[str]) -> dict[str, Any]:
    """Sums over the texts."""
    letters = [char for text in texts for char in text if unicodedata.category(char)[0] == "L"]
    return {
        "texts": len(texts),
        "bytes": sum(len(text.encode()) for text in texts),
        "characters": sum(map(len, texts)),
        "graphemes": sum(len(begins(text)) - 1 for text in texts),
        "words": sum(len(text.split()) for text in texts),
        "letters": len(letters),
        "space_free_letters": sum(script_name(char) in SPACE_FREE_SCRIPTS for char in letters),
        "letter_words": sum(len(letter_words(text)) for text in texts),
        "carriage_returns": sum(text.endswith("\r") for text in texts),
    }


def counted_words(texts: list[str]) -> list[tuple[str, int]]:
    words = Counter(text[begin:end] for text in texts for begin, end in letter_words(text))
    return sorted(words.items(), key=lambda item: (-item[1], item[0]))


def is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def touching_spans(tok: Tokenizer, text: str) -> list[tuple[int, int] | None]:
    """The span of each token as a word sees it; None: it touches nothing."""
    spans, pieces = tok.spans(text), tok.pieces(text)
    result: list[tuple[int, int] | None] = []
    for i, (begin, end) in enumerate(spans):
        if begin < end:
            result.append((begin, end))
            continue
        full = next((span for span in spans[i:] if span[0] < span[1]), None)
        result.append(None if pieces[i] == "\u2581" or full is None or full[0] != begin else full)
    return result


def token_totals(tok: Tokenizer, texts: list[str]) -> dict[str, int]:
    """Sums over the tokens of the texts."""
    names = (
        "tokens", "unknown_tokens", "unknown_bytes", "unknown_characters", "byte_tokens", "byte_characters", "whole",
        "split", "lost", "touches", "same",
    )  # fmt: skip
    totals = dict.fromkeys(names, 0)
    unknown = tok._file.vocab.unknown_index
    for text in texts:
        ids, spans, pieces = tok.encode(text), tok.spans(text), tok.pieces(text)
        touching = touching_spans(tok, text)
        totals["tokens"] += len(ids)
        totals["same"] += tok.decode(ids) == text
        for i, (begin, end), piece in zip(ids, spans, pieces, strict=True):
            if i in (unknown, -1):
                totals["unknown_tokens"] += 1
                totals["unknown_bytes"] += len(piece.replace("\u2581", " ").encode())
                totals["unknown_characters"] += end - begin
            elif tok.piece_type(i) == "byte" or (tok._file.vocab.is_bytes and not is_text(tok.token_bytes(i))):
                totals["byte_tokens"] += 1
                totals["byte_characters"] += end - begin
        for begin, end in letter_words(text):
            touched = [i for i, span in zip(ids, touching, strict=True) if span and span[0] < end and span[1] > begin]
            totals["touches"] += len(touched)
            kind = "lost" if unknown in touched or -1 in touched else "whole" if len(touched) == 1 else "split"
            totals[kind] += 1
    return totals
