"""Options of model types that SentencePiece lacks: which have no meaning there, and the ids of special pieces."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from spm_lite.errors import OptionError
from spm_lite.kinds import BYTE_LEVEL, CONTROL, FAMILIES
from spm_lite.specs import TrainerSpec
from spm_lite.training.meta_pieces import LAST, last_pieces

NO_CHARACTERS = "each of the 256 bytes is a piece, so there is no text that the pieces do not cover"
NO_RULES = "the text is taken as it is"
BYTE_BPE: dict[str, tuple[Any, str]] = {  # option -> the value that it has anyway, and why it has no other
    "character_coverage": (1.0, NO_CHARACTERS),
    "auto_character_coverage": (False, NO_CHARACTERS),
    "required_chars": ("", NO_CHARACTERS),
    "byte_fallback": (False, NO_CHARACTERS),
    "unk_id": (-1, NO_CHARACTERS),
    "unk_piece": (TrainerSpec.unk_piece, NO_CHARACTERS),
    "unk_surface": (TrainerSpec.unk_surface, NO_CHARACTERS),
    "normalization": ("identity", NO_RULES),
    "denormalization": (None, NO_RULES),
    "add_dummy_prefix": (False, NO_RULES),
    "remove_extra_whitespaces": (False, NO_RULES),
}


def family_options(model_type: Any, asked: Mapping[str, Any], **arguments: Any) -> dict[str, Any]:
    """The options of a training as given, with the values that its model type has anyway.

    arguments: other arguments of `train`, by name. Raises OptionError for an option without a meaning.
    """
    if model_type not in BYTE_LEVEL:
        return dict(asked)
    for name, value in {**arguments, **asked}.items():
        if name in BYTE_BPE and value != BYTE_BPE[name][0]:
            anyway, reason = BYTE_BPE[name]
            raise OptionError(
                f"{name}={value!r:.80} has no meaning for model_type={model_type!r}: {reason}. Leave it out",
                remedies=[{name: anyway}],
            )
    options = {name: anyway for name, (anyway, _) in BYTE_BPE.items() if name not in arguments}
    del options["character_coverage"]
    return {**options, **{name: value for name, value in asked.items() if name != "character_coverage"}}


def check_family(spec: TrainerSpec, asked: Mapping[str, Any]) -> TrainerSpec:
    """The spec with the ids of its special pieces, which come last. Raises OptionError if other ids were asked."""
    if spec.model_type not in BYTE_LEVEL:
        return spec
    for name in (*LAST, "unk"):
        text = getattr(spec, f"{name}_piece")
        if len(text.encode()) == 1:
            raise OptionError(
                f"{name}_piece={text!r} is a byte piece as well: give another text",
                remedies=[{f"{name}_piece": getattr(TrainerSpec, f"{name}_piece")}],
            )
    for option in ("control_symbols", "user_defined_symbols"):
        symbols = getattr(spec, option)
        for text in symbols:
            if len(text.encode()) == 1:
                raise OptionError(
                    f"{option} holds {text!r}, which is a byte piece as well: leave it out",
                    remedies=[{option: [other for other in symbols if other != text]}],
                )
    for name in LAST:
        wanted = asked.get(f"{name}_id", -1)
        if wanted != -1:
            raise OptionError(
                f"{name}_id={wanted}: special pieces come after the merges in {spec.model_type} models, so their ids "
                f"cannot be chosen. Leave it out{as_symbol(spec, name)}; -1 means no such piece",
                remedies=[{f"{name}_id": -1}],
            )
    return with_last_ids(spec, spec.vocab_size)


def as_symbol(spec: TrainerSpec, name: str) -> str:
    """How to have a special piece that models of this type lack by default, in words."""
    if getattr(TrainerSpec, f"{name}_id") >= 0:
        return ""
    return f", and name {getattr(spec, f'{name}_piece')!r} among control_symbols"


def with_last_ids(spec: TrainerSpec, vocab_size: int) -> TrainerSpec:
    """The spec of a model of `vocab_size` pieces, with its bos_id, eos_id and pad_id; -1: there is no such piece."""
    pieces = last_pieces(spec)
    ids = {piece.text: vocab_size - len(pieces) + i for i, piece in enumerate(pieces) if piece.type == CONTROL}
    return dataclasses.replace(
        spec,
        vocab_size=vocab_size,
        bos_id=ids.get(spec.bos_piece, -1),
        eos_id=ids.get(spec.eos_piece, -1),
        pad_id=ids.get(spec.pad_piece, -1),
    )


def check_no_reference(spec: TrainerSpec, reference_rules: bool) -> None:
    """Raise OptionError if the original's rules are wanted for a model that the original lacks."""
    if reference_rules and spec.model_type in FAMILIES:
        raise OptionError(
            f"reference_rules=True has no meaning for model_type={spec.model_type!r}: the original library has no such "
            "models. Leave it out",
            remedies=[{"reference_rules": False}],
        )
