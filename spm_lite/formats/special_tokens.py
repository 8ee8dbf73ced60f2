"""Names of special tokens that a caller gives for a vocabulary whose file does not hold them."""

from __future__ import annotations

from collections.abc import Mapping

from spm_lite._typing import TYPE_CHECKING
from spm_lite.arguments import as_int, as_iterable
from spm_lite.errors import ArgumentTypeError, OptionError

if TYPE_CHECKING:
    from collections.abc import Container, Iterable
    from typing import Any

    from spm_lite.formats.ranks.rank_table import RankTable

LIST = "a list of str, such as ['<|endoftext|>']"
MOST_GAPS = 100_000  # ids without a token between the special tokens


def special_names(names: Any, option: str, taken: Container[bytes | str] = ()) -> list[str]:
    """The names as a list. Raises OptionError for a name that no token can have, or that occurs twice.

    option: the argument, in messages. taken: the pieces that the model has already.
    """
    found: dict[str, None] = {}
    for name in as_iterable(names, option, LIST):
        check_name(name, option)
        if name in found:
            raise OptionError(f"{option}: the special token {name!r:.60} occurs twice: name it once")
        if name in taken or name.encode() in taken:
            raise OptionError(f"{option}: the special token {name!r:.60} is a piece already: give it another name")
        found[name] = None
    return list(found)


def check_name(name: Any, option: str) -> None:
    """Raise an error for a name that no token can have."""
    if not isinstance(name, str):
        raise ArgumentTypeError(f"{option}: a special token is a str, not {type(name).__name__} {name!r:.40}")
    if not name or "\0" in name:
        raise OptionError(f"{option}: the special token {name!r:.60} must not be empty, nor hold U+0000")
    if any("\ud800" <= character <= "\udfff" for character in name):
        raise OptionError(f"{option}: the special token {name!r:.60} holds a lone surrogate, which no text has")


def names_after(tokens: Any, option: str, pieces: RankTable) -> dict[int, str]:
    """The special tokens by id.

    tokens: an iterable of names, which get the ids after the pieces in order; or a mapping of name to id, as tiktoken
    has it. An id after the pieces and before another one of a mapping that has no name gets `<|unused id|>`.
    Raises OptionError for an id of a piece, and for an id below that of a piece that stays without any.
    """
    taken = pieces.values()
    first = pieces.last + 1
    if isinstance(tokens, Mapping):
        by_id = ids_of_names(tokens, option, pieces, taken)
    else:
        by_id = dict(enumerate(special_names(tokens, option, taken), first))
    holes = [i for i in range(first) if i not in pieces] if first > len(pieces) else []
    hole = next((i for i in holes if i not in by_id), None)
    if hole is not None:
        raise OptionError(
            f"the id {hole} has no piece, though there are higher ones: name its token, as in "
            f"{option}={{'<|endoftext|>': {hole}}}"
        )
    last = max(by_id, default=first - 1)
    if last >= first + len(by_id) + MOST_GAPS:
        raise OptionError(f"{option}: the id {last} leaves more than {MOST_GAPS} ids without a token before it")
    return {i: by_id.get(i, f"<|unused {i}|>") for i in (*holes, *range(first, last + 1))}


def ids_of_names(
    tokens: Mapping[Any, Any], option: str, pieces: RankTable, taken: Container[bytes | str]
) -> dict[int, str]:
    """Turn a mapping of name to id round: id -> name. Raises OptionError for an id that a piece or two names have."""
    by_id: dict[int, str] = {}
    for name in special_names(tokens.keys(), option, taken):
        number = as_int(tokens[name], f"{option}: the id of {name!r:.60}")
        if number in pieces or number < 0:
            raise OptionError(
                f"{option}: the id {number} of {name!r:.60} is that of one of the {len(pieces)} pieces, or below 0: "
                f"special tokens have ids from {pieces.last + 1} on, or those without a piece"
            )
        if number in by_id:
            raise OptionError(f"{option}: {by_id[number]!r:.60} and {name!r:.60} have the same id {number}")
        by_id[number] = name
    return by_id


def is_evidently_special(text: str) -> bool:
    """Whether a text is written as names of special tokens are: in angle or square brackets."""
    return len(text) > 2 and (text[0], text[-1]) in (("<", ">"), ("[", "]"))


def refuse_unmerged(texts: Iterable[str], merges: str) -> None:
    """Raise OptionError for texts that no merge makes and that do not look like special tokens.

    merges: name of the file of merges, in messages.
    """
    unmerged = [text for text in texts if not is_evidently_special(text)]
    if unmerged:
        raise OptionError(
            f"{merges} has no merge for {len(unmerged)} pieces of the vocabulary, such as {unmerged[0]!r:.60}: the "
            "file may be cut off. If they are special tokens, name all of them in special_tokens"
        )
