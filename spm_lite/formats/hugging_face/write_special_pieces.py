"""Special pieces in a tokenizer.json: the added tokens, and the template that puts them around a text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from spm_lite._typing import TYPE_CHECKING
from spm_lite.arguments import as_flag
from spm_lite.errors import OptionError
from spm_lite.formats.hugging_face.components import Entry, Part
from spm_lite.formats.proof.conditions import Findings, examples, spells_none
from spm_lite.kinds import CONTROL, SPACE, UNKNOWN
from spm_lite.specs import AddedToken

if TYPE_CHECKING:
    from spm_lite.vocab.model_file import ModelFile


def special_entries(entries: list[Entry]) -> dict[int, str]:
    """The control pieces and the unknown piece, by id."""
    return {i: text for i, (text, _, kind) in enumerate(entries) if kind in (CONTROL, UNKNOWN)}


def added_token(file: ModelFile, piece_id: int, text: str) -> dict[str, Any]:
    """A token that is found in texts, in the way that the model says."""
    one = next((AddedToken(*one) for one in file.settings.added_tokens if one[0] == piece_id), AddedToken(piece_id))
    return {
        "id": piece_id,
        "content": text,
        "single_word": one.single_word,
        "lstrip": one.lstrip,
        "rstrip": one.rstrip,
        "normalized": one.normalized,
        "special": not file.vocab.is_added(piece_id),
    }


def add_spelled(
    file: ModelFile, special: dict[int, str], are_matched: bool, normalize: Callable[[str], str], findings: Findings
) -> None:
    """Report that text that spells a special piece becomes it: as an added token, or as an entry like any other.

    are_matched: they are added tokens. Raises OptionError for one that usual text spells: white space.
    """
    entries = found_as_entries(file, special.values())
    blank = next((text for text in (*entries, *(special.values() if are_matched else ())) if is_blank(text)), None)
    if blank is not None:
        raise OptionError(
            f"the special piece {blank!r:.40} is white space, and tokenizers takes each space for it: give it another "
            "text when you train"
        )
    if not entries and not (special and are_matched):
        return
    is_free, is_free_later = spells_none(special.values() if are_matched else entries), spells_none(entries)
    findings.add(
        "special",
        f"no text that spells a special piece: {examples(special.values() if are_matched else entries, 6)}",
        lambda text: is_free(text) and (not entries or is_free_later(normalize(text))),
    )


def add_normalized(tok: Any, texts: list[str], findings: Findings) -> None:
    """Report added tokens that text may become when it is normalized, where either program looks for them then."""
    has_rules = tok._file.settings.normalizer.has_rules or tok.model_type == "wordpiece"
    forms = {text: tok.normalize(text) for text in texts}
    bare = {text: without_prefix(form, text) for text, form in forms.items()}
    forms = {text: form for text, form in forms.items() if has_rules or SPACE in text or bare[text] != text}
    if forms:
        parts = {part for text, form in forms.items() for part in (form, bare[text])}
        is_free = spells_none(parts - {""}) if all(forms.values()) else lambda text: False
        findings.add(
            "normalized",
            f"no text that becomes an added token when it is normalized: {examples(forms, 6)}",
            lambda text: is_free(tok.normalize(text)),
        )


def without_prefix(form: str, text: str) -> str:
    """A normalized text without the space that comes before each text, which is a real one before bytes."""
    return form.removeprefix(SPACE) if text[:1] == " " else form.removeprefix(SPACE).removeprefix(" ")


def found_as_entries(file: ModelFile, special: Iterable[str]) -> list[str]:
    """The special pieces that tokenizers finds in text like any other piece. Merges make none of them."""
    if file.model_type in ("unigram", "word", "wordpiece"):
        return list(special)
    return merged_signs(file, special)


def merged_signs(file: ModelFile, special: Iterable[str]) -> list[str]:
    """The special pieces of one character in a model whose characters are merged."""
    is_merged = file.model_type in ("bpe", "char") and not file.vocab.is_bytes
    return [text for text in special if len(text) == 1] if is_merged else []


def is_blank(text: str) -> bool:
    """Whether a piece is nothing but spaces, as text or as in models."""
    return not text.strip(f" {SPACE}")


def wanted_template(file: ModelFile, bos: bool | None, eos: bool | None) -> tuple[bool, bool]:
    """Whether the template adds bos and eos. None: as BERT does, in a model that has both of its pieces."""
    is_bert = file.model_type == "wordpiece" and min(file.special_ids[1:3]) >= 0
    return (
        is_bert if bos is None else as_flag(bos, "bos"),
        is_bert if eos is None else as_flag(eos, "eos"),
    )


def template(file: ModelFile, bos: bool, eos: bool) -> Part | None:
    """What puts the pieces for beginning and end around a text. Raises OptionError if the model lacks one."""
    ids = dict(zip(("bos", "eos"), file.special_ids[1:3], strict=True))
    for name, is_wanted in (("bos", bos), ("eos", eos)):
        if is_wanted and ids[name] < 0:
            raise OptionError(f"{name}=True: the model has no piece for it ({name}_id is -1)")
    if not bos and not eos:
        return None
    first, last = (file.vocab.text(ids[name]).decode() if ids[name] >= 0 else "" for name in ("bos", "eos"))
    of_bert = file.model_type == "wordpiece"  # the second text of a pair has the segment 1

    def sequence(name: str, segment: int) -> Part:
        return {"Sequence": {"id": name, "type_id": segment}}

    def token(text: str, segment: int) -> Part:
        return {"SpecialToken": {"id": text, "type_id": segment}}

    before, after = [token(first, 0)] * bos, [token(last, 0)] * eos
    second = [*([] if of_bert else [token(first, 1)] * bos), sequence("B", 1), *([token(last, 1)] * eos)]
    used = {text: i for text, i, is_used in ((first, ids["bos"], bos), (last, ids["eos"], eos)) if is_used}
    return {
        "type": "TemplateProcessing",
        "single": [*before, sequence("A", 0), *after],
        "pair": [*before, sequence("A", 0), *after, *second],
        "special_tokens": {text: {"id": text, "ids": [i], "tokens": [text]} for text, i in used.items()},
    }
