"""The rules of a model for text, as the normalizer and the decoder of a tokenizer.json."""

from __future__ import annotations

import binascii
from itertools import permutations

from spm_lite._typing import TYPE_CHECKING
from spm_lite.formats.hugging_face.components import Part, escaped, replace, replace_regex
from spm_lite.formats.proof.conditions import Findings
from spm_lite.kinds import SPACE, UNKNOWN
from spm_lite.normalize.rules.charsmap import Charsmap
from spm_lite.normalize.rules.strict import ESCAPES

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


def normalizer_parts(file: ModelFile) -> list[Part]:
    """The normalizer of a model of SentencePiece's types, in order."""
    spec = file.settings.normalizer
    parts = rules_part(spec)
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


def decoder_parts(file: ModelFile, findings: Findings) -> list[Part]:
    """The decoder of a model of SentencePiece's types, in order."""
    vocab, spec = file.vocab, file.settings.normalizer
    parts = []
    if vocab.unknown_index >= 0 and vocab.type(vocab.unknown_index) == UNKNOWN:
        unknown = escaped(vocab.text(vocab.unknown_index).decode())
        surface = file.settings.unk_surface.decode("utf-8", "replace")
        parts.append(replace_regex(rf"\A{unknown}\z", surface))
    drops = (spec.add_dummy_prefix or spec.remove_extra_whitespaces) and spec.escape_whitespaces
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
