"""What a tokenizer is, in parts that a lock keeps: pieces, kinds, merges or scores, special tokens, settings.

Parts tell why ids differ. A part has a form, since two files may say the same in different ways: SentencePiece has
scores where tokenizers has a list of merges. Only parts of one form are compared.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spm_lite.evaluation.locks.lock_digests import Grid, digest, joined_bytes
from spm_lite.kinds import CONTROL, NORMAL, TYPE_NAMES, UNKNOWN, USER_DEFINED
from spm_lite.vocab.changed_pieces import MERGING, merges_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spm_lite.tokenizer.tokenizer import Tokenizer
    from spm_lite.vocab.model_file import ModelFile

MOST_LISTED = 256  # special tokens that are kept by name
LONGEST = 1000  # characters of a setting that is kept as it stands; of a longer one the digest is kept
NORMALIZATION = (
    "add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces", "treat_whitespace_as_suffix", "lossless",
    "charsmap", "unicode_form", "steps", "prefix_unless_space",
)  # fmt: skip
SPLITS = ("split_pattern", "splits")
DECODING = ("denormalizer", "unk_surface", "word_rules")
ROLES = ("unk", "bos", "eos", "pad")


@dataclass(frozen=True)
class Parts:
    """The parts of a tokenizer. weights: what decides which pieces a text becomes. weight_form: what they are.

    form: how the file says it. special: (id, text, kind, rules) of the first special tokens; special_digest: of all.
    """

    form: str
    pieces: Grid
    kinds: Grid
    weight_form: str
    weights: Grid
    roles: Mapping[str, int]
    special: list[tuple[int, str, str, list[str]]]
    special_digest: str
    settings: Mapping[str, Any]


def parts_of(tok: Tokenizer, n_pieces: int | None = None, n_weights: int | None = None) -> Parts:
    """The parts of a tokenizer. n_pieces, n_weights: of the one that it is compared with; None: there is none."""
    file = tok._file
    vocab = file.vocab
    weight_form, weights = weights_of(file)
    special = list(special_tokens(file))
    return Parts(
        form_of(file),
        Grid.of([vocab.text(i) for i in range(vocab.size)], n_pieces),
        Grid.of([b"%d" % vocab.type(i) for i in range(vocab.size)], n_pieces),
        weight_form,
        Grid.of(weights, n_weights),
        dict(zip(ROLES, file.special_ids, strict=True)),
        special[:MOST_LISTED],
        digest(json.dumps(special).encode()).hex(),
        settings_of(file),
    )


def names_of(parts: Parts) -> list[str]:
    """The texts of the special tokens that are kept."""
    return [text for _, text, _, _ in parts.special if text]


def form_of(file: ModelFile) -> str:
    """How a file says what it does: two files of one form are the same where their settings are."""
    own = file.settings
    flags = {
        "own pieces": own.n_own,
        "steps": own.normalizer.steps,
        "merges": file.vocab.merge_list,
        "splits": own.splits,
    }
    return ", ".join([file.model_type, *(name for name, value in flags.items() if value)])


def weights_of(file: ModelFile) -> tuple[str, list[bytes]]:
    """The name and the items of what decides: merges one by one, the order of pieces that merge, or scores."""
    vocab = file.vocab
    if vocab.merge_list is not None:
        return "merges", [struct.pack("<3I", *merge) for merge in vocab.merge_list]
    if file.model_type in MERGING:
        ranks, last, rank = [b""] * vocab.size, 0.0, 0
        for piece_id in merges_of(file):
            rank += vocab.score(piece_id) != last or not rank
            last = vocab.score(piece_id)
            ranks[piece_id] = b"%d" % rank
        return "order of merges", ranks
    if file.model_type != "unigram":
        return "no scores", []
    exact = vocab.exact_scores
    if exact:
        return "exact scores", [exact[begin : begin + 8] for begin in range(0, len(exact), 8)]
    normal = [vocab.type(i) == NORMAL for i in range(vocab.size)]
    return "scores", [struct.pack("<f", vocab.score(i)) if normal[i] else b"" for i in range(vocab.size)]


def special_tokens(file: ModelFile) -> Iterator[tuple[int, str, str, list[str]]]:
    """(id, text, kind, rules) of each piece that is found in texts as it stands, or that no text gives."""
    vocab = file.vocab
    names = ("single_word", "lstrip", "rstrip", "normalized")
    rules = {
        one[0]: [name for name, value in zip(names, one[1:], strict=True) if value]
        for one in file.settings.added_tokens
    }
    for i in range(vocab.size):
        if vocab.type(i) in (CONTROL, UNKNOWN, USER_DEFINED) or i in rules:
            yield i, vocab.text(i).decode("utf-8", "backslashreplace"), TYPE_NAMES[vocab.type(i)], rules.get(i, [])


def settings_of(file: ModelFile) -> dict[str, Any]:
    """The settings by name; long ones as a digest."""
    vocab, own, rules, later = file.vocab, file.settings, file.settings.normalizer, file.settings.denormalizer
    merges = vocab.merge_list
    found: dict[str, Any] = {
        "model_type": file.model_type,
        **{name: getattr(rules, name) for name in NORMALIZATION[:3]},
        "treat_whitespace_as_suffix": own.treat_whitespace_as_suffix,
        "lossless": file.lossless,
        "charsmap": kept_bytes(rules.precompiled_charsmap),
        "unicode_form": rules.unicode_form,
        "steps": kept("\n".join(rules.steps)),
        "prefix_each_text": rules.prefix_each_text,
        "prefix_unless_space": rules.prefix_unless_space,
        "denormalizer": kept_bytes(b"" if later is None else later.precompiled_charsmap),
        "byte_fallback": own.byte_fallback,
        "unk_surface": kept(own.unk_surface.decode("utf-8", "backslashreplace")),
        "split_pattern": kept(vocab.split_pattern or ""),
        "splits": kept("\n".join(f"{pattern} {behavior} {invert}" for pattern, behavior, invert in vocab.splits)),
        "scores_restart": vocab.scores_restart,
    }
    if vocab.word_rules is not None:
        found["word_rules"] = kept(repr(vocab.word_rules))
    if merges is not None:
        affixes = joined_bytes([merges.continuing_prefix, merges.word_suffix]).decode("utf-8", "backslashreplace")
        found["merge_rules"] = [bool(merges.fuse_unknown), bool(merges.whole_pieces), affixes]
    return found


def kept(text: str) -> str:
    """A setting as a lock keeps it."""
    return text if len(text) <= LONGEST else kept_bytes(text.encode("utf-8", "surrogatepass"))


def kept_bytes(data: bytes) -> str:
    """The digest of some bytes, after their number; "" for none."""
    return f"{len(data):,} bytes {digest(data, 8).hex()}" if data else ""


def fields_of(parts: Parts) -> dict[str, Any]:
    """The fields of the parts by name; grids stay grids."""
    return {name: getattr(parts, name) for name in Parts.__dataclass_fields__}


def differing_parts(ours: Parts, theirs: Parts) -> dict[str, Any]:
    """The parts of a converted file that differ, as a lock keeps them: grids by their digest."""
    left, right = fields_of(ours), fields_of(theirs)
    found = {
        name: value.whole.hex() if isinstance(value, Grid) else value
        for name, value in right.items()
        if value != left[name] and name not in ("special", "settings")
    }
    changed = {name: value for name, value in theirs.settings.items() if ours.settings.get(name) != value}
    return {**found, **({"settings": changed} if changed else {})}
