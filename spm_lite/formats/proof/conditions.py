"""Conditions: what a text must meet to get the same ids in another program; and refusals, which can be lifted."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from spm_lite.arguments import as_iterable
from spm_lite.errors import ArgumentTypeError, OptionError

REFUSALS = {  # name, for `allow` -> what differs
    "unused": "unused pieces, which the other program may give",
    "stranded": "pieces with a character that is not a piece itself, which the other program never gives",
    "denormalizer": "rules for decoded text, which are left out",
    "metaspace": "WhitespaceSplit or Precompiled before Metaspace, read as the nearest model of SentencePiece",
    "near ties": "sums of scores in single precision, so that SentencePiece reads the model",
    "unknown": "unknown words side by side, which are one id here and several there",
    "config": "what the settings of a folder say besides its file: tokens that it lacks, or a class that is not known",
    "other": "differences without a known cause",
}
NEAR_TIES = "near ties"
NO_TIE = "no near tie between two ways to cut the text"
LIFTED = ("added",)  # names that callers of 0.2.0 pass: what they allowed is read with the same ids now


class Condition:
    """What a text must meet to get the same ids.

    name: one word. sentence: the condition, for people. is_met: whether a text meets it.
    """

    __slots__ = ("is_met", "name", "sentence")

    def __init__(self, name: str, sentence: str, is_met: Callable[[str], bool]) -> None:
        self.name = name
        self.sentence = sentence
        self.is_met = is_met

    def __repr__(self) -> str:
        return f"Condition({self.name!r}, {self.sentence!r})"


class Findings:
    """What is found about a model while it is written: the conditions, and the refusals that the caller lifts.

    allow: names of REFUSALS.
    """

    def __init__(self, allow: Iterable[str] = ()) -> None:
        self.allow = checked_names(allow)
        self.conditions: list[Condition] = []

    def add(self, name: str, sentence: str, is_met: Callable[[str], bool]) -> None:
        """Report a condition."""
        self.conditions.append(Condition(name, sentence, is_met))

    def demand(self, name: str, message: str) -> None:
        """Raise OptionError with the message, unless the caller allows `name`."""
        if name not in self.allow:
            raise OptionError(
                f"{message}. Pass allow={name!r} to go on all the same", remedies=[{"allow": (*self.allow, name)}]
            )

    def refuse(self, name: str, message: str, is_met: Callable[[str], bool] | None = None) -> None:
        """Demand that the caller allows `name`, as `demand`, and then report it as a condition.

        is_met: of the condition; None: no text is sure to meet it.
        """
        self.demand(name, message)
        self.add(name, f"allowed: {message}", is_met or (lambda text: False))


def checked_names(allow: Iterable[str]) -> tuple[str, ...]:
    """The names in `allow`, a str or several. Raises OptionError for one that is unknown."""
    names = (allow,) if isinstance(allow, str) else tuple(as_iterable(allow, "allow", "a list of names", False))
    for name in names:
        if not isinstance(name, str):
            raise ArgumentTypeError(f"allow: a name is a str, not {type(name).__name__} {name!r:.40}")
        if name not in REFUSALS and name not in LIFTED:
            known = "; ".join(f"{key!r}: {meaning}" for key, meaning in REFUSALS.items())
            raise OptionError(f"allow={name!r:.40} is unknown. There are {known}")
    return names


def spells_none(texts: Iterable[str]) -> Callable[[str], bool]:
    """The test that none of some texts is a part of a text."""
    import re

    found = sorted(texts, key=len, reverse=True)
    if not found:
        return lambda text: True
    search = re.compile("|".join(map(re.escape, found))).search
    return lambda text: search(text) is None


def examples(texts: Iterable[str], n: int = 3) -> str:
    """The first texts, for people."""
    found = list(texts)
    return ", ".join(f"{text!r:.40}" for text in found[:n]) + (f" and {len(found) - n} more" if len(found) > n else "")
