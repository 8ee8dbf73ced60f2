"""tekken.json of mistral-common: byte-level BPE by ranks, its split pattern, and special tokens before the pieces."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from spm_lite._typing import TYPE_CHECKING
from spm_lite.errors import ModelError, OptionError
from spm_lite.formats.byte_level import written_model
from spm_lite.formats.json_file import field, parse, type_name
from spm_lite.formats.ranks.rank_file import MAX_PIECE, from_base64
from spm_lite.formats.ranks.rank_table import RankTable
from spm_lite.formats.special_tokens import MOST_GAPS
from spm_lite.formats.text_splits import cuts_of_tiktoken
from spm_lite.vocab.byte_model_writer import OWN_PIECES

if TYPE_CHECKING:
    from spm_lite.formats.text_splits import Cuts

LAST_WITHOUT_TOKENS = 7  # the last version whose files need not hold special tokens: then they have these
OLD_TOKENS = (
    "<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]", "[IMG_END]", "[PREFIX]", "[MIDDLE]",
    "[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]",
)  # fmt: skip
ROLES = {"bos": "<s>", "eos": "</s>", "pad": "<pad>"}


@dataclass(frozen=True)
class Tekken:
    """What a file says. pieces, special: by id, special ones first. pattern: as the file has it. cuts: what it does."""

    pieces: dict[int, bytes]
    special: dict[int, str]
    pattern: str
    cuts: Cuts


def read_tekken(data: bytes, name: str) -> Tekken:
    """The content of a file. name: of the file, in messages. Raises ModelError, naming what is wrong."""
    parts = parse(data, name)
    config = needed(parts, "config", dict, name)
    place = f"{name}: config"
    pattern = needed(config, "pattern", str, place)
    try:
        cuts = cuts_of_tiktoken(pattern)
    except OptionError as error:
        raise ModelError(f"{place}: {error}") from None
    n_special = needed(config, "default_num_special_tokens", int, place)
    n_pieces = needed(config, "default_vocab_size", int, place) - n_special
    if not 0 <= n_special <= MOST_GAPS:
        raise ModelError(f"{place}.default_num_special_tokens is {n_special}: it must be 0 to {MOST_GAPS}")
    vocab = needed(parts, "vocab", list, name)
    if not 256 <= n_pieces <= len(vocab):
        raise ModelError(
            f"{place}.default_vocab_size asks for {n_pieces} pieces beside {n_special} special tokens: there are "
            f"{len(vocab)}, and at least 256 are needed"
        )
    special = names_of(parts, needed(config, "version", str, place), n_special, name)
    pieces = {n_special + rank: piece for rank, piece in enumerate(pieces_of(vocab[:n_pieces], name))}
    return Tekken(pieces, dict(enumerate(special)), pattern, cuts)


def needed(part: dict[str, Any], key: str, kind: type, place: str) -> Any:
    """A field that must be there."""
    found = field(part, key, kind, place)
    if found is None:
        raise ModelError(f"{place}.{key} is missing: it is not a tekken.json of mistral-common, or it is damaged")
    return found


def check_rank(entry: Any, rank: int, place: str) -> None:
    """Raise ModelError unless an entry is an object whose rank is its position."""
    if not isinstance(entry, dict):
        raise ModelError(f"{place} is {type_name(entry)}: it must be an object")
    if entry.get("rank") != rank or isinstance(entry["rank"], bool):
        raise ModelError(f"{place}.rank is {entry.get('rank')!r:.40}: ranks are positions")


def pieces_of(vocab: list[Any], name: str) -> list[bytes]:
    """The pieces by rank: the bytes in order, then the others."""
    found: dict[bytes, int] = {}
    for rank, entry in enumerate(vocab):
        place = f"{name}: vocab[{rank}]"
        check_rank(entry, rank, place)
        spelled = needed(entry, "token_bytes", str, place)
        try:
            piece = from_base64(spelled)
        except ValueError as error:
            raise ModelError(f"{place}.token_bytes is not base64 ({error})") from None
        if not 1 <= len(piece) <= MAX_PIECE:
            raise ModelError(f"{place}: a piece of {len(piece)} bytes; 1 to {MAX_PIECE} are allowed")
        if rank < 256 and piece != bytes([rank]):
            raise ModelError(f"{place} is {piece!r:.40}: the first 256 pieces are the bytes in order")
        if found.setdefault(piece, rank) != rank:
            raise ModelError(f"{place}: the piece {piece!r:.60} occurs twice, at rank {found[piece]} too")
    return list(found)


def names_of(parts: dict[str, Any], version: str, n_special: int, name: str) -> list[str]:
    """The special tokens by id, filled up with `<SPECIAL_n>`."""
    entries = field(parts, "special_tokens", list, name)
    if entries is None:
        number = re.match(r"v(\d{1,4})", version)
        if number is None or int(number[1]) > LAST_WITHOUT_TOKENS:
            raise ModelError(f"{name}: special_tokens is missing: files of version {version!r:.40} hold them")
        entries = [{"rank": i, "token_str": text} for i, text in enumerate(OLD_TOKENS)]
    if len(entries) > n_special:
        raise ModelError(
            f"{name}: there are {len(entries)} special tokens, and config.default_num_special_tokens is {n_special}"
        )
    found = [name_of(entry, i, f"{name}: special_tokens[{i}]") for i, entry in enumerate(entries)]
    found += [f"<SPECIAL_{i}>" for i in range(len(found), n_special)]
    if len(set(found)) != len(found):
        twice = next(text for i, text in enumerate(found) if text in found[:i])
        raise ModelError(f"{name}: the special token {twice!r:.60} occurs twice")
    return found


def name_of(entry: Any, rank: int, place: str) -> str:
    """The text of a special token."""
    check_rank(entry, rank, place)
    text: str = needed(entry, "token_str", str, place)
    if not text or "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise ModelError(f"{place}.token_str is {text!r:.60}: it must be text, and not hold U+0000")
    return text


def model_of_tekken(found: Tekken) -> bytes:
    """The bytes of the model of a file."""
    ids = {text: i for i, text in found.special.items()}
    roles: dict[str, Any] = {}
    for role, text in ROLES.items():
        if text in ids:
            roles |= {f"{role}_id": ids[text], f"{role}_piece": text}
    pieces = RankTable(found.pieces).write(found.special, OWN_PIECES)
    return written_model(pieces, len(found.pieces) + len(found.special), found.cuts, "", roles)
