"""What differs between the parts of two tokenizers, in words; and which of it likely makes the ids of a text differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spm_lite.evaluation.locks.lock_rows import DECODED, SPECIAL
from spm_lite.evaluation.locks.model_parts import DECODING, NORMALIZATION, ROLES, SPLITS, Parts, differing_parts
from spm_lite.kinds import NORMAL, UNUSED

if TYPE_CHECKING:
    from spm_lite.evaluation.locks.lock_digests import Grid
    from spm_lite.tokenizer.tokenizer import Tokenizer

MOST_NAMED = 5  # ids in a sentence
VOCABULARY, SPECIALS, NORMALIZING, SPLIT, WEIGHTS, DECODE, OTHERS = (
    "vocabulary", "special tokens", "normalization", "split pattern", "merges or scores", "decoding", "settings",
)  # fmt: skip
FIXED = (VOCABULARY, SPECIALS)  # what two files of one tokenizer say alike, whatever their form


@dataclass(frozen=True)
class Change:
    """A part that differs. group: which kind of part. is_known: our conversion changes it in the same way.

    counts: whether it makes a check fail; False: the file says it in another form.
    """

    group: str
    sentence: str
    is_known: bool
    counts: bool


def changes_of(ours: Parts, theirs: Parts, tok: Tokenizer, expected: Mapping[str, Any]) -> list[Change]:
    """The parts that differ. ours: locked. tok: has the others. expected: what a conversion changes in them."""
    found = differing_parts(ours, theirs)
    is_same_form = ours.form == theirs.form
    changes = []

    def add(group: str, key: str, sentence: str, is_known: bool | None = None) -> None:
        known = expected.get(key) == found[key] if is_known is None else is_known
        changes.append(Change(group, f"{group}: {sentence}", known, group in FIXED or is_same_form))

    if "pieces" in found:
        add(VOCABULARY, "pieces", pieces_sentence(ours.pieces, theirs.pieces, tok))
    if "roles" in found:
        told = (f"{name}_id was {ours.roles[name]}, is {theirs.roles[name]}" for name in ROLES)
        pairs = zip(told, ROLES, strict=True)
        add(SPECIALS, "roles", ", ".join(text for text, name in pairs if ours.roles[name] != theirs.roles[name]))
    if "special_digest" in found:
        add(SPECIALS, "special_digest", "; ".join(special_sentences(ours, theirs)) or "their kinds or rules differ")
    elif "kinds" in found:
        add(SPECIALS, "kinds", f"the kind differs of {named(ours.kinds.differing(theirs.kinds), tok)}")
    wanted = expected.get("settings", {})
    for name, value in found.get("settings", {}).items():
        sentence = f"{name} was {brief(ours.settings.get(name))}, is {brief(value)}"
        add(group_of(name), "settings", sentence, name in wanted and wanted[name] == value)
    if "weight_form" in found:
        add(WEIGHTS, "weight_form", f"there was a part {ours.weight_form!r}, there is {theirs.weight_form!r}", None)
    elif "weights" in found:
        numbers = ours.weights.differing(theirs.weights)
        if ours.weight_form != "merges":
            numbers = [i for i in numbers if i >= len(tok) or tok._file.vocab.type(i) in (NORMAL, UNUSED)]
        where = named(numbers, tok) if ours.weight_form != "merges" else f"merges {some(numbers)}"
        if not numbers:
            where = f"the end: there were {ours.weights.n:,}, there are {theirs.weights.n:,}"
        is_known = "kinds" in found and expected.get("weights") == found["weights"]
        add(WEIGHTS, "weights", f"the {ours.weight_form} differ{'s' if 'order' in ours.weight_form else ''} at {where}",
            is_known or None)  # fmt: skip
    return changes


def group_of(setting: str) -> str:
    """The kind of part that a setting belongs to."""
    if setting == "prefix_each_text":
        return SPECIALS
    groups = {NORMALIZING: NORMALIZATION, SPLIT: SPLITS, DECODE: DECODING}
    return next((group for group, names in groups.items() if setting in names), OTHERS)


def pieces_sentence(ours: Grid, theirs: Grid, tok: Tokenizer) -> str:
    """Which pieces differ."""
    size = f"there were {ours.n:,} pieces, there are {theirs.n:,}" if ours.n != theirs.n else ""
    numbers = [i for i in ours.differing(theirs) if i < theirs.n]
    return "; ".join(filter(None, [size, f"{named(numbers, tok)} differ" if numbers else ""]))


def named(numbers: list[int], tok: Tokenizer) -> str:
    """Some ids with the pieces that they are now. Of three or more, some may be the same: see `Grid.differing`."""
    shown = [f"{i} ({tok.id_to_piece(i)!r:.40})" for i in numbers[:MOST_NAMED] if i < len(tok)]
    more = len(numbers) - len(shown)
    start = "id" if len(numbers) < 3 else f"some of {len(numbers):,} ids:"
    return f"{start} {', '.join(shown)}{' ...' if more > 0 else ''}"


def some(numbers: list[int]) -> str:
    """The first of some numbers."""
    return ", ".join(map(str, numbers[:MOST_NAMED])) + (" ..." if len(numbers) > MOST_NAMED else "")


def special_sentences(ours: Parts, theirs: Parts) -> Iterator[str]:
    """Which of the special tokens that are kept by name differ."""
    left, right = ({i: token for i, *token in some} for some in (ours.special, theirs.special))
    n = 0
    for i in sorted({*left, *right}):
        if list(left.get(i, ())) != list(right.get(i, ())):
            n += 1
            if n <= MOST_NAMED:
                yield f"id {i} was {told(left.get(i))}, is {told(right.get(i))}"
    if n > MOST_NAMED:
        yield f"{n - MOST_NAMED} more differ"


def told(token: list[Any] | None) -> str:
    """A special token with its kind and rules."""
    if token is None:
        return "none"
    text, kind, rules = token
    return f"{text!r:.60} ({', '.join([kind, *rules])})"


def brief(value: Any) -> str:
    """A setting, not too long."""
    return "not set" if value is None or value == "" else f"{value!r:.80}"


NO_CAUSE = "nothing that the lock records has changed: the program, or its version, gives other ids"


def cause_of(changes: list[Change], mode: str, is_normalized: bool | None, has_changed_id: bool) -> str:
    """The likely cause of a difference. mode: see `LockDifference`.

    is_normalized: whether the normalized text is the one that was locked; None: that is not known. has_changed_id:
    whether an id that differs belongs to another piece now.
    """
    order = [VOCABULARY] if has_changed_id else []
    if mode == DECODED:
        order += [DECODE, VOCABULARY, SPECIALS, NORMALIZING]
    elif mode == SPECIAL:
        order += [SPECIALS]
    order += [] if is_normalized else [NORMALIZING]
    order += [SPLIT, WEIGHTS, OTHERS, VOCABULARY, SPECIALS]
    for group in order:
        sentences = [change.sentence for change in changes if change.group == group and not change.is_known]
        if sentences:
            return "; ".join(sentences)
    return "normalization: the normalized text differs" if is_normalized is False else NO_CAUSE
