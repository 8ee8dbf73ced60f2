"""Tokens of other tokenizers that do not come where they should: no proof that no text can give them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spm_lite.evaluation.figures.subjects import Subject

BEFORE = ("", "x", "\n")  # contexts; the fourth has an "x" after the text
AFTER = "x"
AT_ONCE = 1 << 14  # tokens


def not_found_figures(subject: Subject) -> dict[str, Any]:
    """Tokens that their own text does not give, alone and after and before others, by what happens instead.

    `partial_utf8`: the token is part of a character; `special`: its text is empty; `one_token`: another token has the
    same text; `several_tokens`: its text is several tokens.
    """
    classes: dict[str, list[int]] = {"partial_utf8": [], "special": [], "one_token": [], "several_tokens": []}
    surfaces = subject.surfaces()
    for first in range(0, subject.size, AT_ONCE):
        ids = range(first, min(first + AT_ONCE, subject.size))
        texts = [text_of(subject, i) for i in ids]
        alone = subject.ids(texts)
        others = [subject.ids([before + text for text in texts]) for before in BEFORE[1:]]
        others.append(subject.ids([text + AFTER for text in texts]))
        for place, token_id in enumerate(ids):
            if token_id in alone[place] or any(token_id in rows[place] for rows in others):
                continue
            text = texts[place]
            if "\ufffd" in text or (surfaces is not None and isinstance(surfaces[token_id], bytes)):
                classes["partial_utf8"].append(token_id)
            elif not text:
                classes["special"].append(token_id)
            else:
                classes["one_token" if len(alone[place]) == 1 else "several_tokens"].append(token_id)
    return {
        "tested": subject.size,
        "not_found": {name: {"count": len(ids), "first": ids[:5]} for name, ids in classes.items()},
    }


def text_of(subject: Subject, token_id: int) -> str:
    """The text of a token; empty for a hole in the vocabulary."""
    try:
        return subject.decode([token_id])
    except Exception:  # each package has errors of its own
        return ""
