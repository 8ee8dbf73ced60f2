"""The normalizer and the decoder of a tokenizer.json, made of the rules of a model: `normalizer_parts`.

And what a text must meet so that the rules and the search of a model do the same in tokenizers.
"""

from __future__ import annotations

import binascii
import json
import unicodedata
from itertools import permutations
from typing import Any

from spm_lite._typing import TYPE_CHECKING
from spm_lite.formats.hugging_face.components import Part, escaped, metaspace, replace, replace_regex
from spm_lite.formats.proof.condition_checks import reads_alone
from spm_lite.formats.proof.conditions import Findings, examples, spells_none
from spm_lite.formats.text_splits import step_of_split
from spm_lite.kinds import SPACE, UNKNOWN, USER_DEFINED
from spm_lite.normalize.component_steps import adds_space, is_late
from spm_lite.normalize.from_settings import rules_alone
from spm_lite.normalize.rules.charsmap import Charsmap
from spm_lite.normalize.rules.strict import ESCAPES
from spm_lite.normalize.rules.unicode_form import OLDER, unicode_form

if TYPE_CHECKING:
    from spm_lite.specs import RuleSettings
    from spm_lite.vocab.model_file import ModelFile


FEW_RULES = 6  # at most so many become a chain of `Replace`
FEW_RULES_BYTES = 1 << 17  # of their charsmap, at most
STRIP: Part = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
END_OF_TEXT = r"(?m)(?<=.)\z"  # of a text that is not empty; with (?m) the dot matches a line feed too


def chain_of(blob: bytes) -> list[tuple[str, str]] | None:
    """A handful of rules as replacements one after the other; None: they do more than such a chain can.

    Each source is one character, and no target holds a source whose turn comes later.
    """
    if len(blob) > FEW_RULES_BYTES:
        return None
    charsmap = Charsmap(blob)
    rules = charsmap.decompile()
    if not charsmap.is_well_formed or len(rules) > FEW_RULES or any(len(source) != 1 for source, _ in rules):
        return None
    for chain in permutations(rules):
        later = [{source for source, _ in chain[k + 1 :]} for k in range(len(chain))]
        if all(sources.isdisjoint(target) for (_, target), sources in zip(chain, later, strict=True)):
            return list(chain)
    return None


def rules_part(settings: RuleSettings) -> list[Part]:
    """What applies the charsmap of a model."""
    blob = settings.precompiled_charsmap
    if not blob:
        return []
    chain = chain_of(blob)
    if chain is not None:
        return [replace(source, target) for source, target in chain]
    return [{"type": "Precompiled", "precompiled_charsmap": binascii.b2a_base64(blob, newline=False).decode()}]


def form_parts(file: ModelFile, findings: Findings) -> list[Part]:
    """The form of Unicode that a text gets first. Reports the characters that tokenizers is too old for."""
    name = file.settings.normalizer.unicode_form
    if not name:
        return []
    if not name.endswith(OLDER):
        own, there = unicode_form(name), unicode_form(name + OLDER)
        findings.add(
            "Unicode",
            "no marks and letters with parts that are newer than Unicode 9.0, whose tables tokenizers has",
            lambda text: own.normalize(data := text.encode("utf-8", "surrogatepass")) == there.normalize(data),
        )
    return [{"type": name.removesuffix(OLDER)}]


def step_parts(file: ModelFile) -> tuple[list[Part], list[Part]]:
    """(normalizers, pre-tokenizers that make words) among the steps of a model, as in the file that it was read from.

    ByteLevel among the first stands for the space that it puts before a text.
    """
    parts = [json.loads(step) for step in file.settings.normalizer.steps]
    words = [part for part in parts if is_late(part) and part["type"] != "ByteLevel"]
    splits = [
        (part["pattern"]["Regex"], part["behavior"], part["invert"]) if part["type"] == "Split" else None
        for part in words
    ]
    written = [part if cut is None else step_of_split(*cut) for part, cut in zip(words, splits, strict=True)]
    return parts[: len(parts) - len(words)], written


def normalizer_parts(file: ModelFile) -> list[Part]:
    """The normalizer of a model of SentencePiece's types, in order."""
    spec = file.settings.normalizer
    parts = rules_part(spec)
    if has_late_prefix(file):
        if spec.remove_extra_whitespaces:  # one space at the start of a text may stay: see `prefix_parts`
            return [*parts, replace_regex(" {2,}", " "), replace_regex(f"[ {SPACE}]+\\z", "")]
        # A Metaspace with the sign U+2581 turns spaces into it by itself, after the search for tokens.
        return parts if spec.prefix_unless_space else [*parts, replace(" ", SPACE)]
    space = SPACE if spec.escape_whitespaces else " "
    if spec.remove_extra_whitespaces:
        parts += [replace_regex(r"\A +| +\z", ""), replace_regex(" {2,}", " ")]
    if spec.escape_whitespaces:
        parts.append(replace(" ", SPACE))
        if spec.remove_extra_whitespaces:
            parts.append(replace_regex(f"{SPACE}+\\z", ""))  # a U+2581 of the text is trimmed too
    if spec.add_dummy_prefix:
        if file.settings.treat_whitespace_as_suffix:
            parts.append(replace_regex(END_OF_TEXT, space))
        else:
            parts.append({"type": "Prepend", "prepend": space})
    return parts


def has_late_prefix(file: ModelFile) -> bool:
    """Whether the dummy space comes before the first text alone, which only a pre-tokenizer knows."""
    spec = file.settings.normalizer
    return (
        spec.add_dummy_prefix
        and spec.escape_whitespaces
        and not (spec.prefix_each_text and not spec.prefix_unless_space)
        and not file.settings.treat_whitespace_as_suffix
    )


def prefix_parts(file: ModelFile) -> list[Part]:
    """What puts the dummy space before the text at the start of a prompt.

    A Metaspace leaves it out before a text that begins with its sign. So the first one has a real space as its sign:
    where spaces are U+2581 already, no text begins with it; where extra spaces are removed, a text that does has its
    space. The second turns real spaces into U+2581.
    """
    if not has_late_prefix(file):
        return []
    if file.settings.normalizer.prefix_unless_space:
        return [metaspace(SPACE, "always" if file.settings.normalizer.prefix_each_text else "first")]
    return [metaspace(" ", "first"), metaspace(SPACE, "never")]


def decoder_parts(file: ModelFile, findings: Findings) -> list[Part]:
    """The decoder of a model of SentencePiece's types, in order."""
    vocab, spec = file.vocab, file.settings.normalizer
    parts = []
    if vocab.unknown_index >= 0 and vocab.type(vocab.unknown_index) == UNKNOWN:
        unknown = escaped(vocab.text(vocab.unknown_index).decode())
        surface = file.settings.unk_surface.decode("utf-8", "replace")
        parts.append(replace_regex(rf"\A{unknown}\z", surface))
    drops = (spec.add_dummy_prefix or spec.remove_extra_whitespaces) and spec.escape_whitespaces
    drops = drops or adds_space(spec.steps)
    several = "+" if spec.remove_extra_whitespaces else ""
    if vocab.byte_fallback:  # first spaces, then bytes: those of a U+2581 stay
        parts += [replace(SPACE, " "), {"type": "ByteFallback"}, {"type": "Fuse"}]
        if drops:
            parts.append(replace_regex(r"\A +", "") if several else STRIP)
        return parts + back_parts(file, findings)
    parts.append({"type": "Fuse"})
    if drops:
        parts.append(replace_regex(rf"\A{SPACE}{several}", ""))  # not the space of an unknown piece
    parts.append(replace(SPACE, " "))
    return parts + back_parts(file, findings)


def back_parts(file: ModelFile, findings: Findings) -> list[Part]:
    """What the rules for decoded text do, in a decoder."""
    back = file.settings.denormalizer
    if back is None or not back.precompiled_charsmap:
        return []
    if file.strict:
        return [replace(target, source) for source, target in ESCAPES.items()]
    chain = chain_of(back.precompiled_charsmap)
    flags = back.add_dummy_prefix or back.remove_extra_whitespaces or back.escape_whitespaces
    if chain is None or flags:
        findings.refuse(
            "denormalizer",
            "the model has rules for decoded text, which tokenizer.json cannot express: ids stay the same, decoded "
            "text differs",
            lambda text: True,
        )
        return []
    return [replace(source, target) for source, target in chain]


def add_text_conditions(tok: Any, findings: Findings) -> None:
    """Report what the rules of a model of SentencePiece's types demand of a text."""
    file = tok._file
    if file.lossless and not file.strict:
        findings.add("U+2581", "no U+2581 in the text", lambda text: SPACE not in text)
    spec = file.settings.normalizer
    if file.settings.treat_whitespace_as_suffix and spec.add_dummy_prefix and spec.remove_extra_whitespaces:
        findings.add(
            "only U+2581",
            "more in a text with U+2581 than that and spaces",
            lambda text: SPACE not in text or bool(tok.normalize(text).strip(SPACE)),
        )
    if spec.precompiled_charsmap:
        add_charsmap(file, findings)
        if has_late_prefix(file) and may_remove(spec.precompiled_charsmap):
            charsmap = Charsmap(spec.precompiled_charsmap)
            findings.add(
                "removed start",
                "no character at the start of the text that the rules remove: no space comes before such a text",
                lambda text: (charsmap.match(text[:64].encode("utf-8", "replace")) or (0, b"kept"))[1] != b"",
            )
        if spec.add_dummy_prefix and not spec.remove_extra_whitespaces and may_remove(spec.precompiled_charsmap):
            findings.add(
                "no text left",
                "some character that the rules do not remove, in a text that is not empty",
                lambda text: not text or tok.normalize(text) != SPACE,
            )


def may_remove(blob: bytes) -> bool:
    """Whether rules may leave nothing of a text."""
    chain = chain_of(blob)
    return chain is None or any(not target for _, target in chain)


def add_charsmap(file: ModelFile, findings: Findings) -> None:
    """Report what the charsmap demands, and user-defined symbols that it changes."""
    blob = file.settings.normalizer.precompiled_charsmap
    charsmap = Charsmap(blob)
    if chain_of(blob) is None:
        add_read_alone(charsmap, findings)
    normalizer = rules_alone(blob)
    symbols = [text for text in file.vocab.texts_of_type(USER_DEFINED) if normalizer.normalize(text) != text]
    if symbols:
        texts = [symbol.decode("utf-8", "replace") for symbol in symbols]
        findings.add(
            "protected symbols",
            f"no user-defined symbol that the rules would change, such as {examples(texts)}",
            spells_none(texts),
        )


def add_read_alone(charsmap: Charsmap, findings: Findings) -> None:
    """Report what Precompiled of tokenizers demands: it drops or leaves some characters that rules read together."""
    findings.add(
        "charsmap",
        "no characters that the rules of the model read together: letters with marks of their own, half-width kana "
        "with voicing marks, loose jamo, CR LF",
        lambda text: reads_alone(charsmap, text.encode()),
    )


def add_canonical_order(tok: Any, findings: Findings) -> None:
    """Report what NFC demands: our rules read a text from left to right, and do not sort marks."""
    newer = spells_none(map(chr, (0x11930, 0x11935, 0x11938)))  # of Unicode 13; tokenizers has Unicode 12
    normalizer = tok._encoder

    def is_met(text: str) -> bool:
        return newer(text) and unicodedata.normalize("NFC", text) == normalizer.normalize(text, True)

    findings.add("order of marks", "marks in their canonical order, of Unicode 12", is_met)
