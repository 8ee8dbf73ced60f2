"""The option `superwords`: a share, or a mapping of few keys, to a `Superwords`, and what it excludes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from spm_lite.arguments import as_python
from spm_lite.errors import ArgumentTypeError, OptionError, RemediableError
from spm_lite.kinds import SPACE
from spm_lite.near_names import near_names
from spm_lite.specs import Superwords, TrainerSpec

INSIDE = ("letters", "punctuation")
KEYS = {field.name: field for field in dataclasses.fields(Superwords)}
RANGES = {"max_words": (2, 16), "min_documents": (1, 16), "max_length": (2, 512)}
EXACT = 1 << 40  # above, the product of a size and a share is too rough to find the least size
TYPES = ("bpe", "byte_bpe", "unigram")


def as_superwords(value: Any) -> Superwords | None:
    """The `Superwords` of a value of the option; None: no superwords. Raises OptionError, ArgumentTypeError."""
    if value is None or isinstance(value, Superwords):
        return value
    if isinstance(value, bool):
        return Superwords() if value else None
    value = as_python(value)
    if isinstance(value, int | float):
        value = {"share": value}
    if not isinstance(value, Mapping):
        raise ArgumentTypeError(
            f"superwords={value!r:.60}: must be a share such as 0.8, True, or a dict of {', '.join(KEYS)}, not "
            f"{type(value).__name__}",
            remedies=[{"superwords": Superwords.share}],
        )
    given = {name: as_python(one) for name, one in value.items()}
    for name, one in given.items():
        check_key(name, one, given)
    return Superwords(**given)


def for_extension(value: Any) -> Superwords | None:
    """As `as_superwords`, for a model that is there: all new pieces are of the second stage. A share is refused."""
    found, number = as_superwords(value), as_python(value)
    if (isinstance(value, Mapping) and "share" in value) or type(number) in (int, float):
        rest = {name: one for name, one in value.items() if name != "share"} if isinstance(value, Mapping) else {}
        raise OptionError(
            "superwords: extend has no first stage, so it takes no share: leave it out, as in superwords=True",
            remedies=[{"superwords": rest or True}],
        )
    return found


def check_key(name: Any, value: Any, given: dict[Any, Any]) -> None:
    """Raise OptionError, or ArgumentTypeError, for a key that does not exist or has a wrong value."""
    without = {"superwords": {key: one for key, one in given.items() if key != name}}
    if name not in KEYS:
        near = near_names(name, KEYS) if isinstance(name, str) else []
        hint = f": did you mean {near[0]!r}?" if near else f": its keys are {', '.join(KEYS)}"
        raise OptionError(f"superwords has no key {name!r:.40}{hint}", remedies=[without])
    kind: Any = {"float": (int, float), "int": int, "bool": bool, "str": str}[str(KEYS[name].type)]
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise ArgumentTypeError(
            f"superwords: {name}={value!r:.40}: must be {KEYS[name].type}, not {type(value).__name__}",
            remedies=[without],
        )
    if name == "share" and not 0 < value < 1:
        raise OptionError(
            f"superwords: share={value}: must be above 0 and below 1: the share of vocab_size that is learned within "
            "words first",
            remedies=[without],
        )
    if name == "inside" and value not in INSIDE:
        raise OptionError(f"superwords: inside={value!r:.40}: must be one of {', '.join(INSIDE)}", remedies=[without])
    if name in RANGES:
        low, high = RANGES[name]
        if not low <= value <= high:
            raise OptionError(
                f"superwords: {name}={value}: must be {low}..{high}",
                remedies=[{"superwords": {**given, name: low if value < low else high}}],
            )


def check_superwords(spec: TrainerSpec) -> None:
    """Raise OptionError for an option that excludes superwords."""
    if spec.superwords is None:
        return
    without: dict[str, Any] = {"superwords": None}
    if spec.model_type not in TYPES:
        raise OptionError(
            f"superwords and model_type={spec.model_type!r}: only {', '.join(TYPES)} models can have them. Leave "
            "superwords out",
            remedies=[without],
        )
    excluded: dict[str, tuple[bool, str, Any]] = {
        f"split_pattern={spec.split_pattern!r:.40}": (bool(spec.split_pattern), "no piece crosses its cuts", ""),
        "split_by_whitespace=False": (not spec.split_by_whitespace, "the first stage learns within words", True),
        "treat_whitespace_as_suffix=True": (
            spec.treat_whitespace_as_suffix, "words of superwords begin with their space", False,
        ),
        "graphemes=True and whole_words=True": (
            spec.graphemes and spec.superwords.whole_words, "a piece keeps one of the two rules", False,
        ),
    }  # fmt: skip
    for name, (is_given, reason, usual) in excluded.items():
        if is_given:
            option = name.partition("=")[0]
            raise OptionError(
                f"superwords and {name}: {reason}. Leave out one of them", remedies=[{option: usual}, without]
            )


def first_size(vocab_size: int, superwords: Superwords) -> int:
    """The pieces of the first stage, special ones included; the second stage has one piece at least."""
    return max(1, min(vocab_size - 1, round(superwords.share * vocab_size)))


def whole_size(n_first: int, superwords: Superwords) -> int:
    """The least vocab_size whose first stage has `n_first` pieces at least."""
    if n_first <= 1:
        return 2
    size = max(2, int((n_first - 0.5) / superwords.share) - 2)
    while first_size(size, superwords) < n_first:
        size += 1 + size // EXACT
    return size


@contextmanager
def errors_of_both_stages(superwords: Superwords | None, vocab_size: int, n_new: int) -> Iterator[None]:
    """Errors of the first stage name its size alone: say of which vocab_size it is a part, and mend the remedies."""
    try:
        yield
    except RemediableError as error:
        sizes = [one["vocab_size"] for one in error.remedies if "vocab_size" in one]
        if superwords is not None and n_new > 0 and sizes:
            whole = {size: whole_size(size, superwords) for size in sizes}
            error.args = (
                f"{error.args[0]} (The first stage has {vocab_size - n_new} of vocab_size={vocab_size} pieces, by the "
                f"share of superwords: {sizes[0]} are the share of vocab_size={whole[sizes[0]]})",
                *error.args[1:],
            )
            error.remedies = tuple(
                {**one, "vocab_size": whole[one["vocab_size"]]} if "vocab_size" in one else one
                for one in error.remedies
            )
        raise


def is_superword(text: bytes, in_bytes: bool) -> bool:
    """Whether a piece has a space that is not at its begin, after another character."""
    text = text if in_bytes else text.replace(SPACE.encode(), b" ")
    return b" " in text.lstrip(b" ")


def second_spec(spec: TrainerSpec, superwords: Superwords) -> TrainerSpec:
    """The rules of pieces of the second stage: the phrases alone say where a piece may cross a space or a sign."""
    return dataclasses.replace(
        spec,
        superwords=superwords,
        split_by_whitespace=False,
        split_by_unicode_script=False,
        split_by_number=False,
        max_sentencepiece_length=superwords.max_length,
    )
