"""Reading a tokenizer.json: from its parts to the bytes of a model.

The decoder of a file changes no ids, so only what would change text beyond recognition is refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from spm_lite.errors import ModelError, OptionError
from spm_lite.formats.hugging_face import read_byte_level, read_word_piece
from spm_lite.formats.hugging_face.near_ties import add_ties_of_file
from spm_lite.formats.hugging_face.read_cuts import read_cuts, report_made
from spm_lite.formats.hugging_face.read_pieces import Pieces, kind_of, read_bpe, read_unigram, read_words
from spm_lite.formats.hugging_face.read_specials import Roles, edge_tokens, with_roles
from spm_lite.formats.hugging_face.read_steps import read_steps
from spm_lite.formats.hugging_face.read_text_parts import (
    ESCAPE_SPACE,
    LATE_PREFIX,
    PREFIXES,
    TextSettings,
    flat,
    plain,
    read_normalizer,
    read_pre_tokenizer,
)
from spm_lite.formats.hugging_face.read_vocabulary import AddedTokens, added_tokens, read_added
from spm_lite.formats.hugging_face.write_normalizer import add_read_alone, chain_of
from spm_lite.formats.json_file import field, parse, refuse
from spm_lite.formats.json_numbers import read_float
from spm_lite.formats.proof.conditions import Findings, examples, spells_none
from spm_lite.kinds import NORMAL, SPACE, UNUSED
from spm_lite.normalize.from_settings import rules_alone
from spm_lite.normalize.rules.charsmap import Charsmap
from spm_lite.normalize.rules.named_rules import compile_rules
from spm_lite.normalize.rules.strict import strict_denormalizer, strict_normalizer
from spm_lite.normalize.rules.unicode_form import unicode_form
from spm_lite.specs import AddedToken, NormalizerSpec, TrainerSpec
from spm_lite.texts.id_lists import PausedGc
from spm_lite.vocab.model_writer import Piece, write_model

USUAL = ("Replace", "ByteFallback", "Fuse", "Strip", "Metaspace", "ByteLevel", "WordPiece")
WORD_END = "</w>"  # what BPEDecoder looks for unless it says otherwise


def read_decoder(part: Any, unknown: str | None, settings: TextSettings, suffix: str = "") -> None:
    """Enter what the unknown piece decodes to into `settings`. Raises ModelError for a decoder of another kind.

    suffix: of the last piece of a word.
    """
    from spm_lite.formats.hugging_face.components import escaped

    steps = usual_steps(part, suffix)
    if steps and unknown is not None:
        first = plain(steps[0])
        if first.get("pattern") == {"Regex": rf"\A{escaped(unknown)}\z"} and isinstance(steps[0].get("content"), str):
            settings.unk_surface = steps[0]["content"]


def has_cleanup(part: Any) -> bool:
    """Whether the decoder of a WordPiece model cleans up its text. Raises ModelError for a decoder of another kind."""
    words = [step for step in usual_steps(part) if step["type"] == "WordPiece"]
    return any(field(step, "cleanup", bool, "decoder.WordPiece", True) for step in words)


def usual_steps(part: Any, suffix: str = "") -> list[dict[str, Any]]:
    """The components of a decoder. Raises ModelError for one of another kind. suffix: as in `read_decoder`."""
    steps = flat(part, "decoder", "decoder")
    for step in steps:
        if step["type"] == "BPEDecoder" and suffix and step.get("suffix", WORD_END) == suffix:
            continue
        if step["type"] not in USUAL:
            raise refuse("decoder", f"the component {step['type']}")
    return steps


KEYS = {
    "version", "truncation", "padding", "added_tokens", "normalizer", "pre_tokenizer", "post_processor", "decoder",
    "model",
}  # fmt: skip
READERS = {"BPE": read_bpe, "Unigram": read_unigram, "WordLevel": read_words}


def model_of_json(data: bytes, name: str, findings: Findings, roles: Roles | None = None) -> bytes:
    """The bytes of the model that a tokenizer.json holds.

    name: of the file, in messages. findings: gets conditions under which ids are the same, besides the ones that
    writing the model finds. roles: special tokens that another file names.
    Raises ModelError for a damaged file, and for a component that no model does; OptionError for what `allow` lifts.
    """
    try:
        with PausedGc():
            parts = parse(data, "the file", read_float)
            return model_of_parts(parts, findings, roles or {})
    except ModelError as error:
        raise ModelError(f"{name}: {error}") from None
    except UnicodeEncodeError as error:
        text = error.object[max(error.start - 20, 0) : error.start + 20]
        raise ModelError(f"{name}: a text holds a lone surrogate: ...{text!a}...") from None


def check_flags(added: AddedTokens, parts: dict[str, Any], kind: str, findings: Findings) -> None:
    """Report what the flags of special tokens mean for texts that allow none of them.

    Raises ModelError if the normalizer may make such a token of other texts within a word.
    """
    words = [text for text, flags in added.rules.items() if flags["single_word"] and text in added.special]
    steps = flat(parts.get("normalizer"), "normalizer", "normalizer")
    change = next((step for step in steps if plain(step) not in (ESCAPE_SPACE, *PREFIXES)), None)
    if words and change is not None and kind != "WordPiece":
        raise refuse(
            "added_tokens", f"{words[0]!r:.60}, special with single_word, after the normalizer {change['type']}"
        )
    if words:
        findings.add(
            "single word",
            f"no text that spells {examples(words)} within a longer word, where pieces may make it",
            spells_none(words),
        )


def model_of_parts(parts: dict[str, Any], findings: Findings, roles: Roles) -> bytes:
    """The bytes of the model of a parsed file."""
    unknown_keys = parts.keys() - KEYS
    if unknown_keys:
        some = ", ".join(f"{key!r:.50}" for key in sorted(unknown_keys)[:3])
        raise ModelError(f"the file is not a tokenizer.json, which has no {some}")
    if parts.get("version", "1.0") != "1.0":
        raise ModelError(f"a tokenizer.json of version {parts['version']!r:.100}; only 1.0 can be read")
    model = field(parts, "model", dict, "the file")
    if model is None:
        raise ModelError("there is no model")
    kind = kind_of(model)
    added = read_added(parts)
    check_flags(added, parts, kind, findings)
    edges = edge_tokens(parts.get("post_processor")) | roles
    if kind == "BPE" and read_byte_level.is_byte_level(parts):
        read_decoder(parts.get("decoder"), None, TextSettings())
        return read_byte_level.read_byte_level(parts, model, added, edges, findings)
    if kind == "WordPiece":
        is_clean = has_cleanup(parts.get("decoder"))
        entries, spec, normalizer, cuts = read_word_piece.read_wordpiece(parts, model, added, findings)
        found = added_tokens(entries, added)
        spec = with_roles(spec, edges, entries)
        return write_model(entries, spec, normalizer, cleanup=is_clean, added_tokens=found, splits=cuts)
    if kind not in READERS:
        raise refuse("model.type", f"{kind!r:.40}")
    settings, pieces = read_pieces(parts, kind, model, added, findings)
    if kind != "BPE" or (pieces.merges is not None and pieces.merges.whole_pieces):
        report_made(settings, pieces.entries, added, findings)
    if settings.has_spaces:
        pieces.entries = with_marks(pieces.entries)
        settings.steps.append(json.dumps(HIDE_MARKS))
    if settings.splits:
        pieces.entries = without_inner_spaces(pieces)
    suffix = pieces.merges.word_suffix.decode() if pieces.merges is not None else ""
    read_decoder(parts.get("decoder"), pieces.unknown, settings, suffix)
    data = sentencepiece_model(pieces, settings, edges, added_tokens(pieces.entries, added))
    if kind == "Unigram" and not pieces.exact_scores:
        add_ties_of_file(data, added, findings)
    return data


def read_pieces(
    parts: dict[str, Any], kind: str, model: dict[str, Any], added: AddedTokens, findings: Findings
) -> tuple[TextSettings, Pieces]:
    """What happens to a text, and the pieces of its model, whose texts are cut where nothing simpler will do."""
    settings = read_settings(parts, kind, added, findings)
    n_before = len(findings.conditions)
    try:
        return settings, READERS[kind](model, added, settings, findings)
    except ModelError:
        if settings.cuts:
            raise
        del findings.conditions[n_before:]
        try:
            settings = read_cuts(parts)
            return settings, READERS[kind](model, added, settings, findings)
        except ModelError:
            pass
        raise


def read_settings(parts: dict[str, Any], kind: str, added: AddedTokens, findings: Findings) -> TextSettings:
    """What happens to a text: the settings of SentencePiece where they say it, else steps."""
    n_before = len(findings.conditions)
    settings = TextSettings()
    cuts = [plain(cut) for cut in flat(parts.get("pre_tokenizer"), "pre_tokenizer", "pre_tokenizer")]
    is_late = cuts[:2] != LATE_PREFIX and any(cut["type"] == "Metaspace" for cut in cuts)
    try:
        read_normalizer(parts.get("normalizer"), settings)
        read_pre_tokenizer(parts.get("pre_tokenizer"), settings, findings)
        if settings.cuts_words and kind != "WordLevel":
            raise refuse("pre_tokenizer", "Split at U+2581")
        if settings.late_prefix and any(text in added.flagged for text in added.normalized):
            raise ModelError(
                "added_tokens: a normalized token with lstrip, rstrip or single_word, before a Metaspace of real "
                "spaces, which no model of spm_lite has"
            )
        changes = settings.charsmap or settings.rules or settings.extra_spaces
        if changes and added.normalized and is_late:
            raise refuse("added_tokens", "normalized ones before Metaspace")
        if settings.form and settings.charsmap and chain_of(settings.charsmap) is None:
            raise refuse("normalizer", "Precompiled after a form of Unicode")
        rules = [*settings.rules, *(chain_of(settings.charsmap) or [] if settings.charsmap else [])]
        removes = any(not target for _, target in rules)  # a text that becomes empty has no prefix there
        if settings.unless_space and (removes or (changes and not settings.each_text)):
            raise refuse("normalizer", "rules before Metaspace")
        if is_late and has_steps(parts, settings, kind, findings):
            raise refuse("normalizer", "Precompiled before Metaspace")
        if settings.prefix and not (settings.escapes or is_late) and (removes or settings.charsmap):
            raise refuse("normalizer", "Prepend after rules, which leaves a text that they make empty")
        if kind == "WordLevel" and not settings.cuts_words:
            raise refuse("pre_tokenizer", "other words than those that begin with U+2581")
    except (ModelError, OptionError) as error:
        del findings.conditions[n_before:]
        settings = TextSettings()
        try:
            if kind == "WordLevel":
                return read_cuts(parts)
            read_steps(parts, settings)
        except ModelError as second:
            try:
                return read_cuts(parts)
            except ModelError as third:
                raise (error if isinstance(error, OptionError) else third) from second
    if added.normalized and not settings.prefix and is_late:
        settings.unless_space = True  # tokens are looked for before spaces become U+2581
    if settings.charsmap and chain_of(settings.charsmap) is None:
        add_read_alone(Charsmap(settings.charsmap), findings)
    return settings


def has_steps(parts: dict[str, Any], settings: TextSettings, kind: str, findings: Findings) -> bool:
    """Whether steps read a charsmap as it is, which settings do for some texts only, if `allow` lets them."""
    if kind == "WordLevel" or "metaspace" in findings.allow:
        return False
    if not settings.charsmap or chain_of(settings.charsmap) is not None:
        return False
    try:
        read_steps(parts, TextSettings())
    except ModelError:
        return False
    return True


# Where pieces hold real spaces, a U+2581 of a text is a character that no piece has.
HIDE_MARKS = {"type": "Replace", "pattern": {"String": SPACE}, "content": "\ufffe"}


def with_marks(entries: Iterable[Piece]) -> list[Piece]:
    """Pieces with U+2581 for real spaces. Raises ModelError for one that holds U+2581 already."""
    found: list[Piece] = []
    for text, score, kind in entries:
        if SPACE in str(text) or "\ufffe" in str(text):
            raise refuse("model.vocab", f"the piece {text!r:.60} beside pieces with real spaces")
        found.append((str(text).replace(" ", SPACE), score, kind))
    return found


def without_inner_spaces(pieces: Pieces) -> list[Piece]:
    """The pieces where Metaspace cuts before each U+2581: those that hold one further on are unused.

    In BPE their merges come last, so that all others are done before; then they are taken apart again.
    """
    found = [*pieces.entries]
    last = min((score for _, score, _ in found), default=0.0) if pieces.model_type == "bpe" else 0.0
    for i, (text, score, kind) in enumerate(found):
        if kind == NORMAL and str(text).rfind(SPACE) > 0:
            found[i] = text, last - 1.0 - i if pieces.model_type == "bpe" else score, UNUSED
    return found


def sentencepiece_model(pieces: Pieces, settings: TextSettings, edges: Roles, added: list[AddedToken]) -> bytes:
    """The bytes of a model of SentencePiece's types."""
    spec = TrainerSpec(
        model_type=pieces.model_type,
        vocab_size=len(pieces.entries),
        byte_fallback=pieces.byte_fallback,
        treat_whitespace_as_suffix=settings.suffix,
        unk_surface=settings.unk_surface,
        unk_piece=pieces.unknown or "<unk>",
    )
    spec = with_roles(spec, edges, pieces.entries)
    if (
        pieces.merges is None
        and settings.rules
        and not settings.form
        and settings.is_strict
        and pieces.byte_fallback
        and settings.escapes
        and not settings.suffix
        and not added
    ):
        normalizer = replace(strict_normalizer(), add_dummy_prefix=settings.prefix)
        return write_model(
            pieces.entries,
            spec,
            normalizer,
            strict_denormalizer(),
            True,
            exact_scores=pieces.exact_scores,
            scores_restart=settings.splits,
        )
    blob = settings.charsmap or (compile_rules(settings.rules) if settings.rules else b"")
    if settings.steps and settings.symbols:
        raise refuse("pre_tokenizer", f"Split at {settings.symbols[0]!r:.60} after such a normalizer")
    check_kept(settings.symbols, blob, settings.form)
    normalizer = NormalizerSpec(
        "user_defined" if blob or settings.steps else settings.form.partition(" ")[0].lower() or "identity",
        blob, settings.prefix, settings.extra_spaces, settings.escapes, unicode_form=settings.form,
        steps=tuple(settings.steps),
        prefix_each_text=settings.each_text and settings.prefix, prefix_unless_space=settings.unless_space,
    )  # fmt: skip
    return write_model(
        pieces.entries,
        spec,
        normalizer,
        added_tokens=added,
        merges=pieces.merges,
        exact_scores=pieces.exact_scores,
        scores_restart=settings.splits,
        splits=settings.cuts,
    )


def check_kept(symbols: list[str], blob: bytes, form: str) -> None:
    """Raise ModelError if the rules for text change a symbol: they come first there, and symbols are found first here.

    blob: the rules as a charsmap. form: of Unicode, before them.
    """
    if not (blob or form) or not symbols:
        return
    normalizer = rules_alone(blob)
    for symbol in symbols:
        raw = symbol.replace(SPACE, " ").encode()
        formed = unicode_form(form).normalize(raw) if form else raw
        if formed != raw or normalizer.normalize(raw) != raw:
            raise refuse("pre_tokenizer", f"Split at {symbol!r:.60}, which the normalizer changes before")
