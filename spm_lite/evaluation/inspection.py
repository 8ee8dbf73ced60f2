"""Inspection: describe what a model file holds, and which texts the model changes."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from spm_lite.kinds import CONTROL, FAMILIES, NORMAL, SPACE, TYPE_NAMES, USER_DEFINED
from spm_lite.normalize.rules.charsmap import Charsmap
from spm_lite.specs import REFERENCE_DEFAULTS, NormalizerSpec, TrainerSpec
from spm_lite.tokenizer.roundtrip import REASONS, RoundTripReport, printed_form

if TYPE_CHECKING:
    from spm_lite.tokenizer.tokenizer import Tokenizer

PROBES: tuple[str | bytes, ...] = (  # texts that models may change, one difficulty each, in letters most models have
    "  a  b ", f"a{SPACE}b", b"a\xffb", "ﬁ", "Ａ", "½", "e\u0301", "A", "a\tb", "a\nb", "a\u3000b", "a\u00a0b",
    "a\u200bb", "a\u00adb", "a\0b", "a\x07b", "\u0378", "é", "я", "漢", "가", "ก", "😀",
)  # fmt: skip
SHOWN_RULES = 3  # examples of rules


@dataclass(frozen=True)
class RulesSummary:
    """The normalization rules of a model, summed up."""

    name: str
    n_rules: int
    n_deleting: int  # number of rules whose target is empty
    n_to_space: int  # number of rules whose target is a space
    n_merging: int  # number of rules that share a target, other than empty or a space, with another
    examples: tuple[tuple[str, str], ...]
    digest: str  # SHA-256 of the compiled rules
    add_dummy_prefix: bool
    remove_extra_whitespaces: bool
    escape_whitespaces: bool

    @staticmethod
    def of(spec: NormalizerSpec) -> RulesSummary:
        """The summary of the rules of a spec. Raises ModelError if they are damaged."""
        blob = spec.precompiled_charsmap
        charsmap = Charsmap(blob)
        targets, short = charsmap.count_targets()
        short = short or charsmap.decompile()
        step = max(1, len(short) // SHOWN_RULES)
        return RulesSummary(
            name=spec.name,
            n_rules=sum(targets.values()),
            n_deleting=targets.get("", 0),
            n_to_space=targets.get(" ", 0),
            n_merging=sum(count for target, count in targets.items() if count > 1 and target not in ("", " ")),
            examples=tuple(short[step // 2 :: step][:SHOWN_RULES]),
            digest=hashlib.sha256(blob).hexdigest() if blob else "",
            add_dummy_prefix=spec.add_dummy_prefix,
            remove_extra_whitespaces=spec.remove_extra_whitespaces,
            escape_whitespaces=spec.escape_whitespaces,
        )

    def __str__(self) -> str:
        flags = [
            name
            for name in ("add_dummy_prefix", "remove_extra_whitespaces", "escape_whitespaces")
            if getattr(self, name)
        ]
        text = f"{self.name or 'no name'}, {self.n_rules:,} rules"
        if self.n_rules:
            text += f" ({self.n_deleting:,} delete text, {self.n_to_space:,} give a space, "
            text += f"{self.n_merging:,} give the same as another rule)"
        return f"{text}; {', '.join(flags) or 'no flags'}"


@dataclass(frozen=True)
class Inspection:
    """The description of a model. `str(inspection)` is for people, `to_dict()` for programs."""

    size: int  # bytes of the file
    digest: str  # SHA-256 of the file
    model_type: str
    vocab_size: int
    pieces: dict[str, int]  # number of pieces by type
    longest_piece: str
    special_ids: dict[str, tuple[int, str]]  # unk, bos, eos, pad: id and piece; -1: none
    control_pieces: tuple[str, ...]
    user_defined_pieces: tuple[str, ...]
    byte_fallback: bool
    normalizer: RulesSummary
    denormalizer: RulesSummary | None
    format_version: int | None  # of the spm_lite extension in the file; None: the file has none
    lossless: bool  # marked so in the file
    strict: bool  # lossless with the original library's encoder too
    losses: RoundTripReport  # changes of the texts in PROBES
    trainer: dict[str, Any]  # the fields of the trainer spec

    def to_dict(self) -> dict[str, Any]:
        """The description as a dict, in types that JSON has."""
        result = asdict(self)
        losses = {
            change.reason: {"given": as_json(change.given), "became": as_json(change.became)}
            for change in reversed(self.losses.examples)
        }
        return {**result, "losses": dict(reversed(losses.items()))}

    def __str__(self) -> str:
        rows = {
            "model": f"{self.model_type}, {self.vocab_size:,} pieces, {self.size:,} bytes",
            "types": ", ".join(f"{count:,} {name}" for name, count in self.pieces.items()),
            "special ids": ", ".join(
                f"{name} {i} {text!r}" if i >= 0 else f"{name} none" for name, (i, text) in self.special_ids.items()
            ),
            "control": listed(self.control_pieces),
            "user-defined": listed(self.user_defined_pieces),
            "longest": f"{self.longest_piece!r:.80}, {len(self.longest_piece)} characters",
            "bytes": self.byte_words(),
            "normalizer": str(self.normalizer),
            "denormalizer": "none" if self.denormalizer is None else str(self.denormalizer),
            "training": ", ".join(f"{name}={value!r}" for name, value in self.unusual_options().items()) or "defaults",
            "extension": "none"
            if self.format_version is None
            else f"of spm_lite, format version {self.format_version}",
            "digest": self.digest,
        }
        lines = [f"{name:<13} {value}" for name, value in rows.items()]
        examples = {
            f"  rule {printed_form(source)}": printed_form(target) for source, target in self.normalizer.examples
        }
        lines += [f"{name} -> {target}" for name, target in examples.items()]
        return "\n".join([*lines, *self.loss_lines()])

    def byte_words(self) -> str:
        """What becomes of characters without a piece, in words."""
        if self.model_type in FAMILIES:
            return "no byte fallback" if self.model_type == "wordpiece" else "each byte is a piece"
        return "byte fallback" if self.byte_fallback else "no byte fallback: characters without a piece are unknown"

    def loss_lines(self) -> list[str]:
        """The lines on texts that decoding does not give back, with an example for each reason."""
        if self.model_type in FAMILIES and self.lossless:
            return [f"{'lossless':<13} yes: the pieces are bytes of the text"]
        if self.lossless:
            there = "sentencepiece's encoder too (except for ill-formed bytes)" if self.strict else "spm_lite"
            mark = "" if self.strict else "; sentencepiece's encoder takes U+2581 for a space"
            return [f"{'lossless':<13} yes, marked in the file: for {there}{mark}"]
        if self.losses.is_lossless:
            return [f"{'lossless':<13} not marked; {self.losses.texts} difficult texts came back as they were"]
        lines = [f"{'lossless':<13} no; for example, it loses:"]
        for reason in self.losses.changes:
            change = next(change for change in self.losses.examples if change.reason == reason)
            lines.append(
                f"  {reason} ({REASONS[reason]}): {printed_form(change.given)} became {printed_form(change.became)}"
            )
        return lines

    def unusual_options(self) -> dict[str, Any]:
        """The training options that differ from the original's defaults and that no other row shows."""
        elsewhere = ("model_type", "vocab_size", "byte_fallback", "control_symbols", "user_defined_symbols", "lossless")
        defaults: dict[str, Any] = {field.name: field.default for field in fields(TrainerSpec)} | REFERENCE_DEFAULTS
        return {
            name: value for name, value in self.trainer.items() if name not in elsewhere and value != defaults[name]
        }


def inspect(tok: Tokenizer) -> Inspection:
    """Describe a model: its file, pieces, rules, losses and training options."""
    file = tok._file
    vocab, trainer = file.vocab, asdict(file.trainer)
    kinds = [*map(vocab.type, range(len(vocab)))]
    types = Counter(kinds)
    pieces = [*map(tok._encoder.objects.string, range(len(vocab)))]  # as id_to_piece, which checks each id
    normal = (piece for piece, kind in zip(pieces, kinds, strict=True) if kind in (NORMAL, USER_DEFINED))
    ids = dict(zip(("unk", "bos", "eos", "pad"), file.special_ids, strict=True))
    return Inspection(
        size=len(file.data),
        digest=hashlib.sha256(file.data).hexdigest(),
        model_type=file.model_type,
        vocab_size=len(vocab),
        pieces={name: types[number] for number, name in enumerate(TYPE_NAMES) if types[number]},
        longest_piece=max(normal, key=len, default=""),
        special_ids={name: (i, pieces[i] if i >= 0 else "") for name, i in ids.items()},
        control_pieces=tuple(piece for piece, kind in zip(pieces, kinds, strict=True) if kind == CONTROL),
        user_defined_pieces=tuple(piece for piece, kind in zip(pieces, kinds, strict=True) if kind == USER_DEFINED),
        byte_fallback=vocab.byte_fallback,
        normalizer=RulesSummary.of(file.normalizer),
        denormalizer=None if file.denormalizer is None else RulesSummary.of(file.denormalizer),
        format_version=file.settings.format_version if file.settings.has_extension else None,
        lossless=file.lossless,
        strict=file.strict,
        losses=tok.roundtrip_report(PROBES, n_examples=1000, num_threads=1),
        trainer={name: list(value) if isinstance(value, tuple) else value for name, value in trainer.items()},
    )


def as_json(text: str | bytes) -> str | list[int]:
    """A text unchanged; bytes as a list of their values."""
    return text if isinstance(text, str) else list(text)


def listed(pieces: tuple[str, ...], limit: int = 12) -> str:
    """The first pieces, and how many more there are."""
    more = f" and {len(pieces) - limit:,} more" if len(pieces) > limit else ""
    return ", ".join(map(repr, pieces[:limit])) + more or "none"
