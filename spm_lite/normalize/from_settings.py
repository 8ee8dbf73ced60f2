"""The one place where a Normalizer is built: from settings of a model file or a training, or as a copy of another."""

from __future__ import annotations

from spm_lite._typing import TYPE_CHECKING
from spm_lite.normalize.normalizer import Normalizer
from spm_lite.normalize.rules.charsmap import Charsmap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spm_lite.specs import RuleSettings


def make_normalizer(
    settings: RuleSettings,
    *,
    may_be_compact: bool = False,
    whitespace_as_suffix: bool = False,
    lossless: bool = False,
    protected: Sequence[bytes] = (),
) -> Normalizer:
    """The Normalizer of some settings. Raises ModelError if their rules are damaged.

    may_be_compact: hold an escaped space as one byte if all rules are well-formed; that is up to three times as fast.
    protected: texts that rules leave alone. For the others see `Normalizer`.
    """
    charsmap = Charsmap(settings.precompiled_charsmap)
    form = None
    if getattr(settings, "unicode_form", ""):  # the message of a spec has no such field
        from spm_lite.normalize.rules.unicode_form import unicode_form  # here, since few models need it

        form = unicode_form(settings.unicode_form)
    return Normalizer(
        charsmap,
        add_dummy_prefix=settings.add_dummy_prefix,
        remove_extra_whitespaces=settings.remove_extra_whitespaces,
        escape_whitespaces=settings.escape_whitespaces,
        whitespace_as_suffix=whitespace_as_suffix,
        compact=may_be_compact and settings.escape_whitespaces and charsmap.is_well_formed,
        lossless=lossless,
        protected=protected,
        form=form,
        prefix_unless_space=bool(getattr(settings, "prefix_unless_space", False)),
    )


def rules_alone(blob: bytes) -> Normalizer:
    """The Normalizer of compiled rules that leaves spaces as they are. Raises ModelError if the rules are damaged."""
    return Normalizer(Charsmap(blob), add_dummy_prefix=False, remove_extra_whitespaces=False, escape_whitespaces=False)


def copy_normalizer(own: Normalizer, *, add_dummy_prefix: bool, keeps_protected: bool) -> Normalizer:
    """A copy with another dummy prefix, and without protected texts unless `keeps_protected`."""
    return Normalizer(
        own.charsmap,
        add_dummy_prefix=add_dummy_prefix,
        remove_extra_whitespaces=own.remove_extra_whitespaces,
        escape_whitespaces=own.escape_whitespaces,
        whitespace_as_suffix=own.whitespace_as_suffix,
        compact=own.compact,
        lossless=own.lossless,
        protected=own.protected if keeps_protected else (),
        form=own.form,
        prefix_unless_space=own.prefix_unless_space,
    )


def plain_normalizer(own: Normalizer) -> Normalizer:
    """A Normalizer for text that `own` has normalized: it changes nothing, but holds spaces in the same way."""
    return Normalizer(
        Charsmap(),
        add_dummy_prefix=False,
        remove_extra_whitespaces=False,
        escape_whitespaces=own.escape_whitespaces,
        whitespace_as_suffix=own.whitespace_as_suffix,
        compact=own.compact,
        lossless=own.lossless,
        protected=own.protected,
    )
