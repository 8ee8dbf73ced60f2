"""Pipelines that cut a text before its parts become pieces: the cuts of a model, and the steps before them.

The text stays as it is in tokenizers: a space is a space, and U+2581 is a character like any other. Each part is then a
text of its own, as for a model of tokenizers.
"""

from __future__ import annotations

import json
import re
from typing import Any

from spm_lite._typing import TYPE_CHECKING
from spm_lite.base.patterns.pattern_compiler import compile_pattern
from spm_lite.base.patterns.text_cuts import make_cuts
from spm_lite.errors import ModelError
from spm_lite.formats.hugging_face.components import split_regex
from spm_lite.formats.hugging_face.read_steps import check_steps
from spm_lite.formats.hugging_face.read_text_parts import TextSettings, flat
from spm_lite.formats.json_file import field, refuse
from spm_lite.formats.proof.conditions import Findings, examples, spells_none
from spm_lite.formats.text_splits import escaped_sign, splits_of_step
from spm_lite.kinds import CONTROL, SPACE, UNKNOWN
from spm_lite.normalize.component_steps import steps_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spm_lite.formats.text_splits import Split
    from spm_lite.normalize.text_step import TextStep
    from spm_lite.vocab.model_writer import Piece

WHOLE_TEXT: Split = (r"[\s\S]+", "Isolated", False)  # of a pre-tokenizer that cuts nothing


def read_cuts(parts: dict[str, Any]) -> TextSettings:
    """What happens to a text that is cut. Raises ModelError, naming it, for a component that no model does."""
    steps = flat(parts.get("normalizer"), "normalizer", "normalizer")
    check_steps(steps)
    splits: list[Split] = []
    late: list[dict[str, Any]] = []
    for part in flat(parts.get("pre_tokenizer"), "pre_tokenizer", "pre_tokenizer"):
        if part["type"] == "Metaspace":
            if late:
                raise refuse("pre_tokenizer", "a second Metaspace")
            late, splits = read_metaspace(part, splits)
            continue
        found = splits_of_step(part)
        if found is None:
            raise refuse("pre_tokenizer", f"the component {part['type']}")
        splits += found
    check_patterns(splits)
    return TextSettings(
        steps=[json.dumps(step, ensure_ascii=False, sort_keys=True) for step in [*steps, *late]],
        cuts=tuple(splits or [WHOLE_TEXT]),
    )


def read_metaspace(part: dict[str, Any], before: list[Split]) -> tuple[list[dict[str, Any]], list[Split]]:
    """(steps, cuts) of a Metaspace. before: the cuts before it, which only what begins a part still shows later."""
    place = "pre_tokenizer.Metaspace"
    sign = field(part, "replacement", str, place, SPACE)
    if len(sign) != 1 or sign == " ":
        raise refuse(place, f"the replacement {sign!r:.40}")
    scheme = field(part, "prepend_scheme", str, place, "always")
    if not field(part, "add_prefix_space", bool, place, True):
        scheme = "never"
    splits = field(part, "split", bool, place, True)
    if scheme not in ("always", "never"):
        raise refuse(place, f"the scheme {scheme} beside other parts")
    if before and (scheme != "always" or not splits):
        raise refuse("pre_tokenizer", "a cut before a Metaspace that does not begin each word")
    check_patterns(before)
    steps = [{**split_regex(pattern, behavior), "invert": invert} for pattern, behavior, invert in before]
    steps.append({"type": "Metaspace", "replacement": sign, "prepend_scheme": scheme, "split": False})
    return steps, [(escaped_sign(sign), "MergedWithNext", False)] if splits else []


def report_made(
    settings: TextSettings, entries: Iterable[Piece], normalized_tokens: list[str], findings: Findings
) -> None:
    """Report special pieces that a text may become when it is normalized: they are found in raw text alone here.

    normalized_tokens: the added tokens that are found in normalized text, in their own normalized form.
    """
    if normalized_tokens and settings.cuts and any('"Prepend"' in step for step in settings.steps):
        findings.add(
            "made",
            f"no text that spells {examples(normalized_tokens)}, to which the normalizer puts a text first there",
            spells_none(normalized_tokens),
        )
    early = steps_of(settings.steps)[1] if settings.steps else None
    if early is None:
        return
    cuts = make_cuts(settings.cuts)  # None: words, which begin with a space
    step: TextStep = early

    def normalized(text: str) -> str:
        return step.normalize(text.encode()).decode()

    names = [str(text) for text, _, kind in entries if kind in (CONTROL, UNKNOWN) and text]
    names = [name for name in names if name in normalized(name)]
    if cuts is not None:
        names = [name for name in names if len(cuts.parts(name.encode())) == 1]
    if names:
        between = re.compile("|".join(map(re.escape, sorted(names, key=len, reverse=True))))
        is_free = spells_none(names)
        findings.add(
            "made",
            f"no text that becomes a special piece when it is normalized, such as {examples(names)}",
            lambda text: all(is_free(normalized(part)) for part in between.split(text)),
        )


def check_patterns(splits: list[Split]) -> None:
    """Raise ModelError, naming it, for a pattern that is not read."""
    for pattern, _, _ in splits:
        try:
            compile_pattern(pattern)
        except ModelError as error:
            raise ModelError(f"pre_tokenizer: {error}") from None
