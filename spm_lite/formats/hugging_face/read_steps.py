"""Normalizers and pre-tokenizers of a file that SentencePiece has no settings for: they become steps of the model.

The steps are kept as the file has them, and a text goes through them before all else.
"""

from __future__ import annotations

import json
from typing import Any

from spm_lite.base.patterns.pattern_parser import is_nullable, parse_pattern
from spm_lite.formats.hugging_face.components import split_string
from spm_lite.formats.hugging_face.read_text_parts import (
    ESCAPE_SPACE,
    TextSettings,
    charsmap_of,
    flat,
    plain,
    scheme_of,
)
from spm_lite.formats.json_file import field, refuse
from spm_lite.kinds import SPACE
from spm_lite.normalize.component_steps import WORDS, is_known, step_of
from spm_lite.normalize.rules.charsmap import Charsmap

AFTER_ESCAPE = ("Prepend", "Replace")  # what may come after spaces have become U+2581
BEFORE_SPACES = plain(split_string(" ", "MergedWithNext"))


def read_steps(parts: dict[str, Any], settings: TextSettings) -> None:
    """Enter the steps of a file into `settings`. Raises ModelError, naming it, for a component that is no step."""
    steps = flat(parts.get("normalizer"), "normalizer", "normalizer")
    check_steps(steps)
    cuts = flat(parts.get("pre_tokenizer"), "pre_tokenizer", "pre_tokenizer")
    if cuts and plain(cuts[-1]) == BEFORE_SPACES:
        read_cut_at_spaces(cuts, settings)
    elif cuts and cuts[-1]["type"] == "Metaspace":
        words = read_metaspace(cuts, settings)
        if words and any(SPACE in step.get("content", step.get("prepend", "")) for step in steps):
            raise refuse("normalizer", f"a step that writes U+2581 before {words[0]['type']}")
        steps += words
        if settings.prefix and not settings.each_text:
            check_starts(steps)
    elif cuts:
        raise refuse("pre_tokenizer", f"the component {cuts[0]['type']}")
    settings.escapes = settings.escapes or leaves_no_space(steps)
    settings.steps = [json.dumps(step, ensure_ascii=False, sort_keys=True) for step in steps]


def check_steps(steps: list[dict[str, Any]]) -> None:
    """Raise ModelError for a normalizer that is no step, whose rules are damaged, or that tokenizers does wrongly."""
    inserting: str | None = None
    for step in steps:
        if step["type"] == "Precompiled":
            Charsmap(charsmap_of(step))
            continue
        if step["type"] == "Strip" and inserting is not None:  # which then leaves white space, or fails, there
            raise refuse("normalizer", f"Strip after Replace of {inserting!r:.60}, which matches the empty text")
        step_of(step)
        regex = step["pattern"].get("Regex") if step["type"] == "Replace" else None
        if regex is not None and is_nullable(parse_pattern(regex)):
            inserting = regex


def check_starts(steps: list[dict[str, Any]]) -> None:
    """Raise ModelError for what a text may begin with that came from later in it, before a prefix of its start alone.

    tokenizers has such a `Replace` at the place of the last character that it replaces.
    """
    moved: dict[str, Any] | None = None  # what may have such a start, to which no prefix comes if it stays white
    for step in steps:
        begins_white = step.get("content", step.get("prepend", ""))[:1] in ("", " ", SPACE)
        if step["type"] == "Replace" and ("Regex" in step["pattern"] or len(step["pattern"]["String"]) > 1):
            moved = step["pattern"]
        if step["type"] in ("Replace", "Prepend") and moved is not None and not begins_white:
            raise refuse("normalizer", f"Replace of {moved!s:.60} before a Metaspace with the scheme first")


def read_metaspace(cuts: list[dict[str, Any]], settings: TextSettings) -> list[dict[str, Any]]:
    """Enter a Metaspace into `settings`, and return the pre-tokenizers before it, which make words."""
    *words, last = cuts
    place = "pre_tokenizer.Metaspace"
    wrong = next((part["type"] for part in words if part["type"] not in WORDS or not is_known(part)), None)
    if wrong is not None:
        raise refuse("pre_tokenizer", f"the component {wrong} before Metaspace")
    if field(last, "replacement", str, place, SPACE) != SPACE:
        raise refuse("pre_tokenizer", "Metaspace with another sign")
    scheme = scheme_of(last)
    settings.splits = field(last, "split", bool, place, True)
    if words and (scheme != "always" or not settings.splits):
        raise refuse("pre_tokenizer", f"{words[0]['type']} before a Metaspace that does not begin each word")
    settings.escapes = True
    settings.prefix = settings.unless_space = scheme != "never" and not words
    settings.each_text = scheme == "always"
    return words


def read_cut_at_spaces(cuts: list[dict[str, Any]], settings: TextSettings) -> None:
    """Enter a cut before each space into `settings`, of a vocabulary whose pieces hold real spaces."""
    if len(cuts) > 1:
        raise refuse("pre_tokenizer", f"the component {cuts[0]['type']} before Split at spaces")
    settings.escapes = settings.splits = settings.has_spaces = True


def leaves_no_space(steps: list[dict[str, Any]]) -> bool:
    """Whether the normalizer turns each space into U+2581."""
    own = [plain(step) for step in steps]
    if ESCAPE_SPACE not in own:
        return False
    later = own[own.index(ESCAPE_SPACE) + 1 :]
    return all(
        step["type"] in AFTER_ESCAPE and " " not in step.get("content", step.get("prepend", "")) for step in later
    )
