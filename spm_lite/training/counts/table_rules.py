"""The rules under which the chunks of a count table were cut. Tables and a training must agree on them."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from spm_lite.errors import OptionError
from spm_lite.kinds import CUTS
from spm_lite.specs import NormalizerSpec, TrainerSpec


@dataclass(frozen=True)
class TableRules:
    """Options by their names in `train`, with short stand-ins for some: cut, normalization_digest, has_long_pieces."""

    cut: str  # "pieces": where no piece can cross; "words"; "characters"
    normalization: str
    normalization_digest: str  # SHA-256 of the compiled rules; empty: none
    add_dummy_prefix: bool
    remove_extra_whitespaces: bool
    lossless: bool
    split_by_unicode_script: bool
    split_by_whitespace: bool
    split_by_number: bool
    split_digits: bool
    treat_whitespace_as_suffix: bool
    allow_whitespace_only_pieces: bool
    has_long_pieces: bool  # max_sentencepiece_length is above 1
    symbols: tuple[str, ...]  # the texts of all special pieces, sorted
    pretokenization_delimiter: str
    split_pattern: str = ""
    superwords: str = ""  # the chunks are joined to phrases: what may stand inside these
    newline: str = "lf"  # "auto": CR LF ended a line of a file, and a BOM was dropped

    @staticmethod
    def of(spec: TrainerSpec, normalizer: NormalizerSpec, symbols: Iterable[str], newline: str = "lf") -> TableRules:
        """Return the rules of these options. symbols: the texts of the meta pieces."""
        blob = normalizer.precompiled_charsmap
        names = [field.name for field in dataclasses.fields(TableRules)]
        shared = {name: getattr(spec, name) for name in names if hasattr(spec, name)}
        shared["split_digits"] = spec.split_digits is True  # a number of digits cuts no text
        shared["superwords"] = "" if spec.superwords is None else spec.superwords.inside
        return TableRules(
            cut=cut_of(spec),
            normalization=normalizer.name,
            normalization_digest=hashlib.sha256(blob).hexdigest() if blob else "",
            add_dummy_prefix=normalizer.add_dummy_prefix,
            remove_extra_whitespaces=normalizer.remove_extra_whitespaces,
            has_long_pieces=spec.max_sentencepiece_length > 1,
            symbols=tuple(sorted(set(symbols))),
            newline=newline,
            **shared,
        )

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> TableRules | None:
        """Return the rules of a dictionary that `to_dict` made; None for one with other rules.

        Raises ValueError for a rule with a value that it cannot have.
        """
        fields = dataclasses.fields(TableRules)
        # Tables of older versions lack these.
        values = {"newline": "lf", "split_pattern": "", "superwords": "", **values}
        if set(values) != {field.name for field in fields}:
            return None
        texts = values["symbols"]
        for field in fields:
            value = values[field.name]
            fits = type(value) is {"str": str, "bool": bool}.get(str(field.type), list)
            if not fits or (type(value) is str and not is_well_formed(value)):
                raise ValueError(f"rules.{field.name} is {value!r:.60}")
        if not all(type(text) is str and is_well_formed(text) for text in texts) or texts != sorted(set(texts)):
            raise ValueError(f"rules.symbols is {texts!r:.60}, not a sorted list of different texts")
        return TableRules(**{**values, "symbols": tuple(texts)})

    def to_dict(self) -> dict[str, Any]:
        """Return the rules as values for JSON."""
        values = {**dataclasses.asdict(self), "symbols": list(self.symbols)}
        for name, default in (("newline", "lf"), ("split_pattern", ""), ("superwords", "")):
            if values[name] == default:
                del values[name]  # so that older versions read the table
        return values

    def difference(self, other: TableRules) -> tuple[str, str] | None:
        """Return the first rule that differs, in words for `self` and for `other`; None if all agree."""
        for field in dataclasses.fields(self):
            mine, theirs = getattr(self, field.name), getattr(other, field.name)
            if mine == theirs:
                continue
            if field.name == "symbols":
                return one_symbol(mine, theirs), one_symbol(theirs, mine)
            if field.name == "normalization_digest":
                return (f"normalization={self.normalization!r} of other rules",) * 2
            if field.name == "cut":
                return f"chunks that are {mine}", f"chunks that are {theirs}"
            if field.name == "superwords":
                return in_words(mine), in_words(theirs)
            if field.name == "has_long_pieces":
                return tuple(f"max_sentencepiece_length{'>1' if value else '=1'}" for value in (mine, theirs))  # type: ignore[return-value]
            return f"{field.name}={mine!r}", f"{field.name}={theirs!r}"
        return None

    def changes_to(self, other: TableRules) -> list[dict[str, Any]]:
        """The options of `train` that make these rules those of `other`; none if other things differ as well."""
        fields = [field.name for field in dataclasses.fields(self)]
        changes = {name: getattr(other, name) for name in fields if getattr(self, name) != getattr(other, name)}
        is_simple = changes.keys().isdisjoint(
            {"cut", "normalization", "normalization_digest", "has_long_pieces", "symbols"}
        )
        if "superwords" in changes:
            changes["superwords"] = {"inside": other.superwords} if other.superwords else None
        return [changes] if is_simple and changes else []


def is_well_formed(text: str) -> bool:
    """Whether a text holds no lone surrogate."""
    return not any("\ud800" <= char <= "\udfff" for char in text)


def cut_of(spec: TrainerSpec) -> str:
    """Where training cuts text, in words."""
    if spec.model_type == "wordpiece" and not spec.split_by_punctuation:
        return "words at spaces"
    return CUTS[spec.model_type]


def in_words(superwords: str) -> str:
    """Whether a table is of phrases, and of which."""
    return f"superwords with inside={superwords!r}" if superwords else "no superwords"


def one_symbol(mine: tuple[str, ...], theirs: tuple[str, ...]) -> str:
    """Return words for one special piece in which the two sets differ."""
    only = sorted(set(mine) - set(theirs))
    return f"the special piece {only[0]!r}" if only else f"no special piece {sorted(set(theirs) - set(mine))[0]!r}"


def check_same(mine: TableRules, theirs: TableRules, me: str, them: str) -> None:
    """Raise OptionError, naming rule and values, unless the rules are equal. me, them: their owners, in words."""
    differing = mine.difference(theirs)
    if differing is not None:
        raise OptionError(
            f"{me} has {differing[0]}, {them} has {differing[1]}: count and train with the same options "
            "(those in count_table.CUT_OPTIONS)",
            remedies=mine.changes_to(theirs),
        )
