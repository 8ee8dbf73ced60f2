"""The figures of one tokenizer on one source: section by section from the sums over its texts.

Among them: how many tokens a word has after a space, and how many frequent words are a single token.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from spm_lite.evaluation.figures.character_counts import SCRIPT_NAMES
from spm_lite.evaluation.figures.distributions import frequency_figures, length_figures, ratio
from spm_lite.evaluation.figures.subjects import crosses_space, script_of
from spm_lite.kinds import SPACE

if TYPE_CHECKING:
    from spm_lite.evaluation.figures.measure import Measured, Reading
    from spm_lite.evaluation.figures.subjects import Subject


MOST_WORDS = 1000
BEFORE = "x"  # a word alone would be spelled as within a word, by tokenizers that add no space before a text


def word_tokens(subject: Subject, words: Sequence[str]) -> list[list[int]]:
    """The ids of each word as it is spelled after a space: those of "x " and the word, without those of "x" and " "."""
    texts = [BEFORE, *(f"{BEFORE} {word}" for word in words)]
    first, *rows = subject.ids(texts)
    return [without_spaces(subject, row[len(first) :]) for row in rows]


def without_spaces(subject: Subject, ids: list[int]) -> list[int]:
    """Ids without those at the start that are only a space."""
    spaces = subject.space_ids()
    n = 0
    while n < len(ids) and (ids[n] in spaces if spaces or subject.own is not None else is_space(subject, ids[n])):
        n += 1
    return ids[n:]


def is_space(subject: Subject, token_id: int) -> bool:
    """Whether a token of another tokenizer is white space only."""
    if not subject.has_decoding:
        return False
    text = subject.decode([token_id])
    return bool(text) and (text.isspace() or text == SPACE)


def single_token_figures(subject: Subject, words: Sequence[tuple[str, int]]) -> dict[str, Any]:
    """The share of the words, and of their occurrences, that are one token. words: with their counts."""
    rows = word_tokens(subject, [word for word, _ in words])
    singles = [
        count
        for (_, count), ids in zip(words, rows, strict=True)
        if len(ids) == 1 and ids[0] not in (-1, subject.unknown_id)
    ]
    return {
        "k": len(words),
        "single": len(singles),
        "rate": ratio(len(singles), len(words)),
        "weighted_rate": ratio(sum(singles), sum(count for _, count in words)),
    }


SHOWN_CHARACTERS = 10
SHOWN_CHANGES = 5
SHOWN_TEXT = 80  # characters of an example
LARGEST = 17  # in histograms of sizes: so much or more


def corpus_figures(measured: Measured, reading: Reading, words: Sequence[tuple[str, int]]) -> dict[str, Any]:
    """All figures of a tokenizer on a source. words: those of `single_token_words`, with their counts."""
    shape, totals = measured.shape, reading.totals
    has_places = reading.subject.has_places
    surfaces = reading.subject.surfaces()
    figures = {**text_figures(shape), **token_figures(shape, totals, reading.spelled)}
    figures["length"] = length_figures(reading.lengths)
    figures["unknown"] = unknown_figures(shape, reading)
    figures["byte_fallback"] = {
        "tokens": totals["byte_tokens"],
        "token_share": ratio(totals["byte_tokens"], totals["tokens"]),
        "characters": totals["byte_characters"] if has_places else None,
        "character_share": ratio(totals["byte_characters"], shape["characters"]) if has_places else None,
    }
    figures["letter_words"] = letter_word_figures(shape, totals) if has_places else None
    figures["single_token_words"] = single_token_figures(reading.subject, words) if reading.subject.can_encode else None
    figures |= frequency_figures(reading.counts, reading.subject.size)
    figures |= size_figures(reading)
    figures["tokens_by_script"] = None if surfaces is None else tokens_by_script(reading, surfaces)
    figures["superwords"] = None if surfaces is None else superword_figures(reading, surfaces)
    figures["text_by_script"] = text_by_script(shape, totals) if has_places else None
    figures["roundtrip"] = roundtrip_figures(shape, reading)
    return figures


def text_figures(shape: dict[str, Any]) -> dict[str, Any]:
    """What the texts are, before any tokenizer."""
    names = ("texts", "bytes", "characters", "graphemes", "words", "letters", "space_free_letters")
    figures = {name: shape[name] for name in names}
    figures["space_free"] = is_space_free(shape)
    return figures


def is_space_free(shape: dict[str, Any]) -> bool:
    """Whether at least half of the letters are of scripts that put no spaces between words."""
    return bool(shape["letters"] and 2 * shape["space_free_letters"] >= shape["letters"])


def token_figures(shape: dict[str, Any], totals: dict[str, Any], spelled: int | None) -> dict[str, Any]:
    """How many tokens the texts have, in several units."""
    tokens = totals["tokens"]
    unit = "grapheme" if is_space_free(shape) else "word"
    per_token = {f"{name}_per_token": ratio(shape[name], tokens) for name in ("bytes", "characters", "graphemes")}
    return {
        "tokens": tokens,
        **per_token,
        "words_per_token": ratio(shape["words"], tokens),
        "tokens_spelled": spelled,
        "bytes_per_token_spelled": None if spelled is None else ratio(shape["bytes"], spelled),
        "fertility": {"unit": unit, "value": ratio(tokens, shape[f"{unit}s"])},
        "tokens_per_word": ratio(tokens, shape["words"]),
        "tokens_per_grapheme": ratio(tokens, shape["graphemes"]),
        "tokens_per_character": ratio(tokens, shape["characters"]),
    }


def unknown_figures(shape: dict[str, Any], reading: Reading) -> dict[str, Any]:
    """The tokens of text that no piece covers, and the characters within them."""
    totals, has_places = reading.totals, reading.subject.has_places
    known = has_places or not totals["unknown_tokens"]
    return {
        "tokens": totals["unknown_tokens"],
        "token_share": ratio(totals["unknown_tokens"], totals["tokens"]),
        "characters": totals["unknown_characters"] if known else None,
        "character_share": unknown_share(shape, reading),
        "distinct": len(reading.unknown_chars) if known else None,
        "top": [[char, count] for char, count in reading.unknown_chars[:SHOWN_CHARACTERS]],
    }


def unknown_share(shape: dict[str, Any], reading: Reading) -> float | None:
    """The share of the characters that are within unknown tokens; None: their places are not known."""
    if reading.totals["unknown_tokens"] and not reading.subject.has_places:
        return None
    return ratio(reading.totals["unknown_characters"], shape["characters"])


def letter_word_figures(shape: dict[str, Any], totals: dict[str, Any]) -> dict[str, Any]:
    """How tokens lie in letter words."""
    words = shape["letter_words"]
    return {
        "words": words,
        "whole": totals["whole"],
        "split": totals["split"],
        "lost": totals["lost"],
        "split_rate": ratio(totals["split"], words),
        "tokens_per_word": ratio(totals["touches"], words),
    }


def size_figures(reading: Reading) -> dict[str, Any]:
    """How many tokens have so many bytes and characters."""
    sizes = reading.subject.size_histogram()
    if sizes is None:
        return {"token_bytes": None, "token_characters": None}
    n_bytes, n_characters = sizes
    counts = reading.counts[:-1].copy()
    if reading.subject.unknown_id >= 0:
        counts[reading.subject.unknown_id] = 0
    known_bytes = np.bincount(n_bytes, counts, LARGEST + 1)
    known_characters = np.bincount(n_characters, counts, LARGEST + 1)
    return {
        "token_bytes": histogram(known_bytes, reading.totals["unknown_byte_sizes"]),
        "token_characters": histogram(known_characters, reading.totals["unknown_character_sizes"]),
    }


def histogram(known: Any, unknown: dict[int, int]) -> dict[str, int]:
    """Counts by size; sizes of 17 and more count together."""
    counts = {size: int(known[size]) + unknown.get(size, 0) for size in range(1, LARGEST + 1)}
    return {f"{size}+" if size == LARGEST else str(size): count for size, count in counts.items()}


def tokens_by_script(reading: Reading, surfaces: Sequence[str | bytes | None]) -> dict[str, int]:
    """Tokens by the script of their piece, names in order."""
    subject: Subject = reading.subject
    scripts: Counter[str] = Counter()
    for token_id in np.flatnonzero(reading.counts).tolist():
        count = int(reading.counts[token_id])
        name = "unknown" if token_id >= len(surfaces) else script_of(subject, token_id, surfaces[token_id])
        scripts[name] += count
    return in_order(scripts)


def superword_figures(reading: Reading, surfaces: Sequence[str | bytes | None]) -> dict[str, Any]:
    """The tokens that cross spaces."""
    counts = zip(reading.counts.tolist(), surfaces, strict=False)  # the last count is of ids without a surface
    n_tokens = sum(count for count, text in counts if count and crosses_space(text))
    return {"tokens": n_tokens, "token_share": ratio(n_tokens, reading.totals["tokens"])}


def roundtrip_figures(shape: dict[str, Any], reading: Reading) -> dict[str, Any] | None:
    """How many texts decoding gives back; reasons and examples of the first that it does not."""
    own, same = reading.subject.own, reading.totals["same"]
    if not reading.subject.has_decoding:
        return None
    if own is None:
        return {"same": same, "rate": ratio(same, shape["texts"])}
    report = own.roundtrip_report([str_if_utf8(text) for text in reading.changed], n_examples=SHOWN_CHANGES)
    return {
        "same": same,
        "rate": ratio(same, shape["texts"]),
        "reasons": report.changes,
        "examples": [
            {"given": text_for_json(change.given), "became": text_for_json(change.became), "reason": change.reason}
            for change in report.examples
        ],
    }


def str_if_utf8(data: bytes) -> str | bytes:
    """A text as str, if it is UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def text_for_json(text: str | bytes) -> str:
    """A text for JSON, which has no bytes and no lone surrogates."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return data.decode("utf-8", "backslashreplace")[:SHOWN_TEXT]


def text_by_script(shape: dict[str, Any], totals: dict[str, Any]) -> dict[str, Any]:
    """The characters of the texts by script, and how many of them are unknown or spelled as bytes."""
    return {
        SCRIPT_NAMES[number]: {
            "characters": count,
            "unknown": totals["unknown_scripts"].get(number, 0),
            "bytes": totals["byte_scripts"].get(number, 0),
        }
        for number, count in sorted(shape["scripts"].items(), key=lambda item: SCRIPT_NAMES[item[0]])
    }


def in_order(counts: dict[str, int]) -> dict[str, int]:
    """Scripts by name, then the words in small letters for other kinds."""
    return dict(sorted(counts.items(), key=lambda item: (item[0][0].islower(), item[0])))
