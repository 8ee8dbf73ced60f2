"""The one place where a Normalizer is built: from settings of a model file or a training, or as a copy of another."""

from __future__ import annotations

from spm_lite._typing import TYPE_CHECKING
from spm_lite.errors import ModelError
from spm_lite.normalize.normalizer import Normalizer
from spm_lite.normalize.rules.charsmap import Charsmap

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from spm_lite.normalize.added_tokens import AddedTokens
    from spm_lite.normalize.protected_strings import ProtectedStrings
    from spm_lite.normalize.text_step import TextStep
    from spm_lite.specs import AddedToken, RuleSettings


def make_normalizer(
    settings: RuleSettings,
    *,
    may_be_compact: bool = False,
    whitespace_as_suffix: bool = False,
    lossless: bool = False,
    protected: Iterable[bytes] | ProtectedStrings = (),
    marks_words: bool = False,
) -> Normalizer:
    """The Normalizer of some settings. Raises ModelError if their rules are damaged.

    may_be_compact: hold an escaped space as one byte if all rules are well-formed; that is up to three times as fast.
    protected: texts that rules leave alone. For the others see `Normalizer`.
    """
    charsmap = Charsmap(settings.precompiled_charsmap)
    if lossless and settings.escape_whitespaces and not charsmap.is_well_formed:
        raise ModelError("a normalization rule writes bytes that are not UTF-8, in a model that keeps U+2581 apart")
    form: TextStep | None = None
    early: TextStep | None = None
    words: TextStep | None = None
    plain: Normalizer | None = None
    if getattr(settings, "unicode_form", ""):  # the message of a spec has no such field
        from spm_lite.normalize.rules.unicode_form import unicode_form  # here, since few models need it

        form = unicode_form(settings.unicode_form)
    if getattr(settings, "steps", ()):
        from spm_lite.normalize.component_steps import steps_of  # here, since few models need it
        from spm_lite.normalize.step_chain import plain_filter

        form, early, words = steps_of(settings.steps)
        plain = plain_filter(form) if form and not charsmap.blob else None
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
        prefix_each_text=bool(getattr(settings, "prefix_each_text", False)),
        marks_words=marks_words,
        early=early,
        words=words,
        plain=plain,
    )


def rules_alone(blob: bytes) -> Normalizer:
    """The Normalizer of compiled rules that leaves spaces as they are. Raises ModelError if the rules are damaged."""
    return Normalizer(Charsmap(blob), add_dummy_prefix=False, remove_extra_whitespaces=False, escape_whitespaces=False)


FIELDS = (
    "charsmap", "add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces", "whitespace_as_suffix", "compact",
    "lossless", "protected", "form", "prefix_unless_space", "added", "later", "prefix_each_text", "marks_words",
    "early", "words", "plain",
)  # fmt: skip


def without_tokens(own: Normalizer) -> dict[str, Any]:
    """The changes of a Normalizer that looks for no added tokens, and still refuses the byte that begins their marks.

    The segmenter takes such bytes for marks.
    """
    if own.added is None and own.later is None:
        return {}
    from spm_lite.normalize.added_tokens import AddedTokens

    return {"added": AddedTokens(()), "later": None}


def copy_normalizer(own: Normalizer, **changes: Any) -> Normalizer:
    """A copy of a Normalizer with other values of some of its FIELDS."""
    return Normalizer(**{name: getattr(own, name) for name in FIELDS} | changes)


def with_tokens(own: Normalizer, tokens: Iterable[tuple[bytes, AddedToken]]) -> Normalizer:
    """A copy of a Normalizer that finds added tokens, given as (text, flags).

    Raises ModelError for a text that is empty, or that normalizing makes empty.
    """
    from spm_lite.normalize.added_tokens import AddedTokens

    if own.marks_words:  # extra spaces change no word, and tokens may hold them
        own = copy_normalizer(own, remove_extra_whitespaces=False)
    raw: list[tuple[bytes, int, bool, bool, bool]] = []
    later: list[tuple[bytes, int, bool, bool, bool]] = []
    for text, one in tokens:
        form = normalized_token(own, text) if one.normalized else text
        if not form and text:
            raise ModelError(
                f"added_tokens: {text!r:.60}, which the normalizer makes empty; no model of spm_lite has it"
            )
        (later if one.normalized else raw).append((form, one.id, one.single_word, one.lstrip, one.rstrip))
    if not raw and not later:
        return own
    is_early = own.prefix_unless_space or own.words is not None or own.lossless or not own.escape_whitespaces
    found: dict[str, AddedTokens | None] = {
        "added": AddedTokens(raw) if raw else None,
        "later": AddedTokens(later, is_early) if later else None,
    }
    return copy_normalizer(own, **found)


def normalized_token(own: Normalizer, text: bytes) -> bytes:
    """How a token stands in the text where it is looked for: with a dummy space only if each text has one."""
    if own.prefix_unless_space or own.words:
        return own.early.normalize(text) if own.early else text
    is_late = own.add_dummy_prefix and not own.prefix_each_text and not own.whitespace_as_suffix
    if own.remove_extra_whitespaces and own.leading_spaces(text):
        is_late = False  # that space stands for those of the text
    return (copy_normalizer(own, add_dummy_prefix=False) if is_late else own).normalize(text, shows_spaces=False)
