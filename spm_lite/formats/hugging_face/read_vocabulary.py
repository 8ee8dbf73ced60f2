"""The vocabulary of a file: texts by id, added tokens among them, and the type of each piece."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import repeat
from typing import Any, cast

from spm_lite.errors import ModelError
from spm_lite.formats.hugging_face.write_special_pieces import is_blank
from spm_lite.formats.json_file import field, refuse, type_name
from spm_lite.formats.ranks.rank_file import MAX_PIECE
from spm_lite.kinds import BYTE, CONTROL, NORMAL, UNKNOWN, UNUSED, USER_DEFINED
from spm_lite.specs import AddedToken
from spm_lite.vocab.model_writer import Piece

BYTE_TEXTS = [f"<0x{byte:02X}>" for byte in range(256)]
MOST_PIECES = 4_000_000


@dataclass
class AddedTokens:
    """The added tokens of a file.

    texts: all, in the order of the file, which is that of their ids. special, others: those that are special, and not.
    normalized: those that are looked for in normalized text. flagged: those that take the spaces beside them, or that
    are found only as whole words.
    """

    texts: list[str]
    special: list[str]
    others: list[str]
    normalized: list[str]
    flagged: list[str]
    rules: dict[str, dict[str, bool]]  # how each is found, by the names of its flags

    def __iter__(self) -> Any:
        return iter(self.texts)


def read_added(parts: dict[str, Any]) -> AddedTokens:
    """The added tokens. Raises ModelError for an entry of another form."""
    found = AddedTokens([], [], [], [], [], {})
    seen = set()
    for i, token in enumerate(field(parts, "added_tokens", list, "the file", [])):
        place = f"added_tokens[{i}]"
        if not isinstance(token, dict):
            raise ModelError(f"{place} is {type_name(token)}: it must be an object")
        text = field(token, "content", str, place)
        if not text:
            raise ModelError(f"{place}.content is missing or empty")
        if text not in seen:
            seen.add(text)
            found.texts.append(text)
            is_special = field(token, "special", bool, place, False)
            if is_special:
                check_special(text, f"{place}.content")
            (found.special if is_special else found.others).append(text)
            is_normalized = field(token, "normalized", bool, place, not is_special)
            if is_normalized:
                found.normalized.append(text)
            flags = {flag: field(token, flag, bool, place, False) for flag in ("single_word", "lstrip", "rstrip")}
            if any(flags.values()):
                found.flagged.append(text)
            found.rules[text] = {**flags, "normalized": is_normalized}
    return found


def texts_by_id(vocab: dict[str, Any], added: AddedTokens) -> list[str]:
    """The texts of a vocabulary by id; empty ones for ids without a piece. Added tokens that it lacks follow.

    vocab: text -> id, from the file. Raises ModelError for an id that two pieces have.
    """
    n = len(vocab)
    if n > MOST_PIECES:
        raise ModelError(f"model.vocab has {n} pieces: at most {MOST_PIECES} are read")
    ids = [*vocab.values()]
    is_ordered = ids == [*range(n)] and {*map(type, ids)} <= {int}
    texts: list[str | None] = [*vocab] if is_ordered else [None] * n
    for text, i in () if is_ordered else vocab.items():
        if type(i) is not int or not 0 <= i < MOST_PIECES:
            raise ModelError(f"model.vocab: the id {i!r:.20} of {text!r:.60} is not one from 0 to {MOST_PIECES - 1}")
        if i >= len(texts):
            texts += [None] * (i + 1 - len(texts))
        if texts[i] is not None:
            raise ModelError(f"model.vocab: {text!r:.60} and {texts[i]!r:.60} have the same id, {i}")
        texts[i] = text
    found = ["" if text is None else text for text in texts] if None in texts else cast("list[str]", texts)
    last = -1
    for text in added:  # the next id there is the number of pieces, or one more than the last added token has
        i = vocab.get(text, max(n, last + 1))
        last = max(last, i)
        if text not in vocab:
            found += [""] * (i + 1 - len(found))
            if found[i]:
                raise refuse("added_tokens", f"{text!r:.60} with the id {i}, which {found[i]!r:.60} has too")
            found[i] = text
    return found


def check_texts(texts: list[str], may_be_empty: bool = True) -> None:
    """Raise ModelError for a piece that is too long or not text. The time for a piece may be quadratic later.

    may_be_empty: an empty text stands for an id without a piece; no text that a model gets holds it.
    """
    if texts and len(max(texts, key=len)) > MAX_PIECE:
        wrong = next(i for i, text in enumerate(texts) if len(text) > MAX_PIECE)
        raise ModelError(
            f"the piece {wrong}, {texts[wrong]!r:.40}..., has {len(texts[wrong])} characters: at most {MAX_PIECE} "
            "bytes are read"
        )
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        wrong = next(i for i, text in enumerate(texts) if any("\ud800" <= sign <= "\udfff" for sign in text))
        raise ModelError(
            f"the piece {wrong}, {texts[wrong]!a:.60}, holds a lone surrogate, which no text has"
        ) from None
    if not may_be_empty and "" in texts:
        raise ModelError(f"the piece {texts.index('')} is empty")


def not_one_piece(symbol: str) -> ModelError:
    """The error for a text that the pre-tokenizer isolates, and that does not become one piece then."""
    return refuse("pre_tokenizer", f"Split at {symbol!r:.60}, which does not become one piece")


def added_tokens(entries: Iterable[Piece], added: AddedTokens) -> list[AddedToken]:
    """How the added tokens of a file are found: those that are found in all texts, and special ones with flags."""
    places = {text: i for i, (text, _, _) in enumerate(entries) if text in added.rules}
    others = set(added.others)
    return [
        AddedToken(places[text], **flags)
        for text, flags in added.rules.items()
        if text in places and (text in others or any(flags.values()))
    ]


def check_special(text: str, place: str) -> None:
    """Raise ModelError for a special piece of spaces alone: usual text spells it there, and never here.

    place: where it stands, in messages.
    """
    if is_blank(text):
        raise refuse(place, f"{text!r:.60}, white space that is a special piece")


def check_spaced(normalized: Iterable[str]) -> None:
    """Raise ModelError for white space in tokens that are looked for in the text that BERT normalizes."""
    spaced = next((text for text in normalized if any(map(str.isspace, text))), None)
    if spaced is not None:
        raise refuse("added_tokens", f"{spaced!r:.60}, white space that BERT puts around ideographs too")


def types_of(
    texts: list[str], added: AddedTokens, unknown: str | None, has_bytes: bool, symbols: list[str]
) -> list[int]:
    """The type of each piece. has_bytes: the model has byte fallback. symbols: user-defined ones."""
    kinds = dict.fromkeys(symbols, USER_DEFINED)
    if has_bytes:
        missing = set(BYTE_TEXTS).difference(texts)
        if missing:
            raise ModelError(
                f"model.byte_fallback is true, but {len(missing)} of the 256 byte pieces are missing, such as "
                f"{min(missing)}"
            )
        kinds.update(dict.fromkeys(BYTE_TEXTS, BYTE))
    if unknown is not None and unknown in added.others:
        raise refuse("added_tokens", f"the unknown token {unknown!r:.60}, which is not special")
    kinds.update(dict.fromkeys(added.others, USER_DEFINED))
    kinds.update(dict.fromkeys(added.special, CONTROL))
    if unknown is not None:
        kinds[unknown] = UNKNOWN
    kinds[""] = UNUSED  # an id without a piece
    return list(map(kinds.get, texts, repeat(NORMAL)))
