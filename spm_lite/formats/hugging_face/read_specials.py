"""Which pieces begin and end a text: from the template of a file, and from the settings beside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from spm_lite.errors import ModelError
from spm_lite.formats.hugging_face.read_text_parts import flat
from spm_lite.formats.json_file import field, refuse
from spm_lite.formats.proof.conditions import Findings, examples
from spm_lite.kinds import CONTROL, UNKNOWN
from spm_lite.specs import TrainerSpec
from spm_lite.vocab.model_writer import Piece
from spm_lite.vocab.vocab import Vocab

Roles = dict[str, str]  # bos, eos, pad -> the text of the piece
CONFIG_KEYS = {"bos": ("bos_token", "cls_token"), "eos": ("eos_token", "sep_token"), "pad": ("pad_token",)}
NAMED = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
LISTED = ("additional_special_tokens", "extra_special_tokens", "added_tokens_decoder")
USUAL = {"bos": ("<s>", "[CLS]"), "eos": ("</s>", "[SEP]"), "pad": ("<pad>", "[PAD]")}


def edge_tokens(part: Any) -> Roles:
    """The pieces that a post-processor puts before and after a text. Raises ModelError for a field of another type."""
    found: Roles = {}
    for step in flat(part, "post_processor", "post_processor"):
        if step["type"] in ("BertProcessing", "RobertaProcessing"):
            for role, key in (("bos", "cls"), ("eos", "sep")):
                pair = field(step, key, list, "post_processor", [])
                if pair and type(pair[0]) is not str:
                    raise ModelError(f"post_processor.{key} is {pair!r:.60}: it must be a text and its id")
                found |= {role: pair[0]} if pair else {}
        elif step["type"] == "TemplateProcessing":
            found |= edges_of_template(field(step, "single", list, "post_processor", []))
    return found


def edges_of_template(single: list[Any]) -> Roles:
    """The pieces before and after the text in a template."""
    found: Roles = {}
    role = "bos"
    for i, item in enumerate(single):
        place = f"post_processor.single[{i}]"
        special = field(item, "SpecialToken", dict, place) if isinstance(item, dict) else None
        if special is not None:
            piece = field(special, "id", str, f"{place}.SpecialToken")
            if piece is None:
                raise ModelError(f"{place}.SpecialToken has no id")
            found.setdefault(role, piece)
        elif isinstance(item, dict) and "Sequence" in item:
            role = "eos"
        else:
            raise ModelError(f"{place} is {item!r:.60}: it must be an object with a SpecialToken or a Sequence")
    if sum("Sequence" in item for item in single) != 1:
        raise refuse("post_processor.single", "a template that does not hold the text once")
    return found


def roles_of_config(config: dict[str, Any]) -> Roles:
    """The special tokens that a tokenizer_config.json names: as a text, or as an object with the content."""
    found: Roles = {}
    for role, keys in CONFIG_KEYS.items():
        for key in keys:
            given = config.get(key)
            given = given.get("content") if isinstance(given, dict) else given
            if isinstance(given, str) and given:
                found.setdefault(role, given)
    return found


def named_tokens(config: dict[str, Any]) -> Iterator[str]:
    """The texts of all tokens that a tokenizer_config.json names."""
    given = [config.get(key) for key in NAMED]
    for listed in map(config.get, LISTED):
        given += listed.values() if isinstance(listed, dict) else listed if isinstance(listed, list) else ()
    for token in given:
        text = token.get("content") if isinstance(token, dict) else token
        if isinstance(text, str) and text:
            yield text


def check_named(vocab: Vocab, config: dict[str, Any], findings: Findings) -> None:
    """Raise OptionError for tokens of a tokenizer_config.json that a vocabulary lacks, unless they are allowed."""
    named = dict.fromkeys(named_tokens(config))
    missing = [text for text in named if not has_piece(vocab, text.encode("utf-8", "surrogatepass"))]
    if missing:
        findings.demand(
            "config",
            f"tokenizer_config.json names {examples(missing)}, which tokenizer.json lacks. transformers gives each a "
            "new id, and its save_pretrained writes them into tokenizer.json; here they are text",
        )


def has_piece(vocab: Vocab, text: bytes) -> bool:
    """Whether a vocabulary holds these bytes, as a piece of any type."""
    piece_id = vocab.find_id(text)
    return piece_id >= 0 and vocab.text(piece_id) == text


def role_fields(roles: Roles, entries: Iterable[Piece], unknown: str | None) -> dict[str, Any]:
    """The fields of a TrainerSpec that name the special pieces and their ids; only special pieces can have a role."""
    reserved = (CONTROL, UNKNOWN)
    ids = {text: i for i, (text, _, kind) in enumerate(entries) if kind in reserved and isinstance(text, str)}
    found: dict[str, Any] = {"unk_id": ids.get(unknown, -1) if unknown else -1}
    for role, usual in USUAL.items():
        names = (roles.get(role, ""), *usual)
        name = next((name for name in names if name in ids and name != unknown), None)
        found[f"{role}_id"] = -1 if name is None else ids[name]
        if name is not None:
            found[f"{role}_piece"] = name
    return found


def with_roles(spec: TrainerSpec, roles: Roles, entries: Iterable[Piece]) -> TrainerSpec:
    """The settings with the names and ids of the special pieces."""
    return replace(spec, **role_fields(roles, entries, spec.unk_piece))
