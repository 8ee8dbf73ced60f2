"""The tokens that the settings of a folder of transformers add: their texts, flags and ids, as its slow classes do it.

They give the last word to `added_tokens_decoder` of tokenizer_config.json. Without it, special_tokens_map.json comes
before tokenizer_config.json, and added_tokens.json tells ids. Named tokens without an id get the next ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from spm_lite.errors import ModelError
from spm_lite.formats.hugging_face.folder import SPECIAL_MAP
from spm_lite.formats.json_file import parse, type_name
from spm_lite.formats.vocab_txt import CONFIG, is_piece, read_config

ROLES = ("bos", "eos", "unk", "sep", "pad", "cls", "mask")  # in the order in which they get ids
LISTED = "additional_special_tokens"
FLAGS = ("single_word", "lstrip", "rstrip")
MOST_TOKENS = 100_000


@dataclass(frozen=True)
class Token:
    """An added token. is_plain: its flags are not said, so those of an earlier one stay.

    normalized: fast classes look for it in normalized text; slow ones never do.
    """

    text: str
    special: bool = True
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool = False
    is_plain: bool = False

    @property
    def flags(self) -> dict[str, bool]:
        """The flags that are set."""
        return {name: True for name in FLAGS if getattr(self, name)}


@dataclass(frozen=True)
class FolderTokens:
    """What a folder says of added tokens.

    by_id: those whose ids it tells. roles: "bos" ... -> the token; None: there is none; missing: as the class says.
    listed: further special tokens; None: as the class says.
    """

    by_id: dict[int, Token]
    roles: dict[str, Token | None]
    listed: list[Token] | None


def read_tokens(place: str, config: Mapping[str, Any]) -> FolderTokens:
    """The tokens of the settings of a folder. config: its tokenizer_config.json. Raises ModelError for other values."""
    named, own = dict(config), str(Path(place, CONFIG))
    listed = named.get(LISTED)
    by_id: dict[int, Token] = {}
    decoder = config.get("added_tokens_decoder")
    others: dict[str, Any] = {}
    if decoder is not None:
        if not isinstance(decoder, dict):
            raise ModelError(f"{own}: added_tokens_decoder is {type_name(decoder)}: it must be an object")
        by_id = {as_id(own, i): as_token(own, token, False) for i, token in decoder.items()}
    else:
        others = read_config(Path(place), SPECIAL_MAP)
        named |= others
        if isinstance(listed, list) and isinstance(others.get(LISTED), list):
            listed = [*listed, *(token for token in others[LISTED] if token not in listed)]
        else:
            listed = named.get(LISTED)
    files = dict.fromkeys(others, str(Path(place, SPECIAL_MAP)))
    listed = [as_token(files.get(LISTED, own), token, True) for token in listed] if isinstance(listed, list) else None
    roles = {
        role: None if named[key] is None else as_token(files.get(key, own), named[key], True)
        for role in ROLES
        if (key := f"{role}_token") in named
    }
    path = Path(place) / "added_tokens.json"
    if decoder is None and path.is_file():
        last = others.get(LISTED)
        if (
            isinstance(last, list)
            and last
            and last[-1] in [token.text for token in roles.values() if token is not None]
        ):
            raise ModelError(
                f"{place}: the last of the {LISTED} of {SPECIAL_MAP}, {last[-1]!r:.60}, has a role too, and "
                "transformers 4 then takes a token of added_tokens.json for it: leave it out of the list"
            )
        special = {token.text for token in (*roles.values(), *(listed or ())) if token is not None}
        for text, i in parse(path.read_bytes(), str(path)).items():
            as_token(str(path), {"content": text}, False)
            by_id[as_id(str(path), i)] = Token(text, text in special, normalized=text not in special)
    known = {} if decoder is None else {token.text: token for token in by_id.values()}
    roles = {role: token and known.get(token.text, token) for role, token in roles.items()}
    return FolderTokens(by_id, roles, listed)


def as_id(file: str, given: Any) -> int:
    """An id of a settings file. Raises ModelError for anything else."""
    if not (type(given) in (int, str) and str(given).isascii() and str(given).isdigit() and len(str(given)) < 10):
        raise ModelError(f"{file}: {given!r:.60} is not the id of an added token")
    return int(given)


def as_token(file: str, given: Any, is_named: bool) -> Token:
    """A token of a settings file: a text, or an object with flags. is_named: it has a role, so it is special."""
    if isinstance(given, str) and given and is_named:
        return Token(given, is_plain=True)
    text = given.get("content") if isinstance(given, dict) else None
    if not is_piece(text) or not text:
        raise ModelError(f"{file}: {given!r:.80} is not an added token: an object with a content")
    is_special = is_named or given.get("special") is True
    flags = {name: given.get(name) is True for name in FLAGS}
    return Token(text, is_special, normalized=given.get("normalized", not is_special) is True, **flags)


def with_class(given: Token | None, usual: Token | None) -> Token | None:
    """A token of a role as its class makes it: a text alone gets the flags that the class gives to the role."""
    if given is None or not given.is_plain or usual is None or usual.is_plain:
        return given
    return replace(usual, text=given.text)


def numbered(place: str, preset: Mapping[int, Token], roles: Mapping[str, Token | None], listed: Iterable[Token],
             texts: Mapping[int, str]) -> dict[int, Token]:  # fmt: skip
    """All added tokens by id, as the slow classes of transformers count them. Raises ModelError for an id of two.

    place: the folder. preset: those whose ids are told. roles, listed: the special tokens, in their order.
    texts: of the vocabulary by id.
    """
    found = dict(preset)
    ids = {found[i].text if i in found else text: i for i, text in texts.items()}
    ids |= {token.text: i for i, token in found.items()}
    known: set[str] = {token.text for token in found.values()}
    seen: set[str] = set()
    last = len(ids)
    for token in [*(token for role in ROLES if (token := roles.get(role)) is not None), *listed]:
        if token.text in seen or (token.is_plain and token.text in known):
            seen.add(token.text)
            continue
        seen.add(token.text)
        if token.text not in ids:
            if last in found or last in texts:
                taken = found[last].text if last in found else texts[last]
                raise ModelError(
                    f"{place}: the settings of the folder give {token.text!r:.60} the id {last} of {taken!r:.60}: "
                    "transformers mixes them up"
                )
            ids[token.text] = last
            last += 1
        found[ids[token.text]] = replace(token, special=True, is_plain=False)
    return found
