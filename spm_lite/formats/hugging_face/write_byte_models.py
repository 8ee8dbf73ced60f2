"""Models whose pieces are bytes, in a tokenizer.json: spelled in the byte alphabet of GPT-2."""

from __future__ import annotations

from spm_lite._typing import TYPE_CHECKING
from spm_lite.errors import OptionError
from spm_lite.formats.gpt2_files import spell
from spm_lite.formats.hugging_face.components import Part, escaped, joined, split_regex
from spm_lite.formats.hugging_face.entries import RESERVED, Entry, all_splits, entries_of
from spm_lite.formats.hugging_face.pattern_components import spelled
from spm_lite.formats.hugging_face.write_models import add_ties, bpe_model, refuse_unused
from spm_lite.formats.proof.conditions import Findings, examples, spells_none
from spm_lite.formats.ranks.merge_parts import merge_parts
from spm_lite.kinds import NORMAL, USER_DEFINED
from spm_lite.normalize.rules.named_rules import charsmap_of

if TYPE_CHECKING:
    from spm_lite.vocab.model_file import ModelFile

BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}


def byte_entries(file: ModelFile) -> list[Entry]:
    """The pieces of a model of bytes, spelled; special pieces as they are."""
    return entries_of(file.vocab, spell)


def byte_model(file: ModelFile, entries: list[Entry], findings: Findings) -> tuple[Part, Part | None]:
    """(model, pre-tokenizer) of a model of type byte_bpe or byte."""
    pattern = file.vocab.split_pattern
    rules = file.settings.normalizer.precompiled_charsmap
    if rules and rules != charsmap_of("nfc"):
        raise OptionError("a model of bytes with rules for text other than nfc: tokenizer.json is not written of it")
    refuse_unused(entries, findings)
    symbols = [file.vocab.text(i).decode() for i, (_, _, kind) in enumerate(entries) if kind == USER_DEFINED]
    merges = all_splits(entries) if file.model_type == "byte_bpe" else []
    add_ties(entries, merges, lambda text: spell(text.encode()), findings)
    parts = []
    if symbols:
        add_symbols(file, symbols, findings)
    if pattern is not None:
        parts.append(split_regex(spelled(pattern)))
    if symbols:
        parts.append(split_regex("|".join(map(escaped, sorted(symbols, key=lambda text: (-len(text), text))))))
    looks_up = bool(symbols) or pattern is not None
    model = bpe_model(file, entries, merges, looks_up)
    model["fuse_unk"] = False
    if file.vocab.byte_fallback:
        raise OptionError("a model of bytes with byte fallback: tokenizer.json can have only one of the two")
    return model, joined("pre_tokenizer", [*parts, BYTE_LEVEL])


def add_symbols(file: ModelFile, symbols: list[str], findings: Findings) -> None:
    """Report what text between user-defined symbols becomes: the piece that it is as a whole, if merging makes none."""
    normal = [i for i in range(file.vocab.size) if file.vocab.type(i) == NORMAL]
    best_first = sorted(normal, key=lambda i: (-file.vocab.score(i), i))
    ranks = {file.vocab.text(i): rank for rank, i in enumerate(best_first)}
    of_symbols = [symbol.encode() for symbol in symbols]
    found = [
        spell(piece)
        for piece, rank in ranks.items()
        if len(piece) > 1
        and (len(merge_parts(piece, ranks, rank)) != 2 or any(symbol in piece for symbol in of_symbols))
    ]
    if found:
        is_free = spells_none(found)
        findings.add(
            "whole pieces",
            f"no piece that merging does not make, such as {examples(found)}, alone between user-defined symbols",
            lambda text: is_free(spell(text.encode())),
        )
    reserved = [spell(file.vocab.text(i)) for i in range(file.vocab.size) if file.vocab.type(i) in RESERVED]
    if reserved:
        is_plain = spells_none(reserved)
        findings.add(
            "reserved",
            f"no text that spells a special piece, such as {examples(reserved)}",
            lambda text: is_plain(spell(text.encode())),
        )
