"""The rules of a strict model: they escape U+2581, so that the original library's encoder cannot take it for a space.

Other characters stay. An escape begins with U+F0000, a private-use character. An escaped text holds no U+2581, and
U+F0001 or U+F0002 follows each U+F0000 in it. So reading it back from left to right is unambiguous.
"""

from __future__ import annotations

from spm_lite._typing import TYPE_CHECKING
from spm_lite.kinds import SPACE
from spm_lite.normalize.rules.charsmap import Charsmap

if TYPE_CHECKING:
    from spm_lite.specs import NormalizerSpec, RuleSettings

NAME = "strict"
ESCAPE = "\U000f0000"
ESCAPES = {SPACE: "\U000f0000\U000f0002", ESCAPE: "\U000f0000\U000f0001"}


def strict_normalizer() -> NormalizerSpec:
    """The normalizer settings of a strict model."""
    from spm_lite.normalize.rules.named_rules import compile_rules
    from spm_lite.specs import NormalizerSpec

    return NormalizerSpec(NAME, compile_rules(ESCAPES), True, False, True)


def strict_denormalizer() -> NormalizerSpec:
    """The denormalizer settings of a strict model: they undo the escapes in decoded text."""
    from spm_lite.normalize.rules.named_rules import compile_rules
    from spm_lite.specs import NormalizerSpec

    return NormalizerSpec(
        NAME, compile_rules({target: source for source, target in ESCAPES.items()}), False, False, False
    )


def are_strict(normalizer: RuleSettings, denormalizer: RuleSettings | None) -> bool:
    """Whether these are the settings of a strict model; `add_dummy_prefix` of the normalizer does not matter.

    Raises ModelError for damaged rules.
    """
    if denormalizer is None or not normalizer.precompiled_charsmap or not denormalizer.precompiled_charsmap:
        return False
    flags = [normalizer.remove_extra_whitespaces, not normalizer.escape_whitespaces]
    flags += [denormalizer.add_dummy_prefix, denormalizer.remove_extra_whitespaces, denormalizer.escape_whitespaces]
    if any(flags):
        return False
    rules = dict(Charsmap(normalizer.precompiled_charsmap).decompile())
    back = dict(Charsmap(denormalizer.precompiled_charsmap).decompile())
    return rules == ESCAPES and back == {target: source for source, target in ESCAPES.items()}
