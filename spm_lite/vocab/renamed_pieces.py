"""Models in which special or unused pieces have other names; all ids stay."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from spm_lite._typing import TYPE_CHECKING
from spm_lite.arguments import as_iterable, as_piece
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.kinds import CONTROL, NORMAL, TYPE_NAMES, UNKNOWN, UNUSED, USER_DEFINED
from spm_lite.vocab.changed_pieces import check_spaces, checked
from spm_lite.vocab.chosen_pieces import pieces_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spm_lite.vocab.model_file import ModelFile
    from spm_lite.vocab.vocab import Vocab

NAMES = ("unk_piece", "bos_piece", "eos_piece", "pad_piece")
LISTS = ("control_symbols", "user_defined_symbols")
# Such as <unused0>, [unused1], <|reserved_special_token_2|>, <reserved_106>.
PLACEHOLDER = re.compile(rb"[<\[{]\W?\w*(unused|reserved)\w*\W?[>\]}]", re.IGNORECASE)


def renamed(file: ModelFile, names: Any) -> tuple[bytes, list[int]]:
    """The bytes of a model with other names, and their ids. Raises OptionError for a piece that must keep its name."""
    if not isinstance(names, Mapping):
        raise ArgumentTypeError(f"names is {type(names).__name__}: pass old and new names, as {{'<old>': '<new>'}}")
    if not names:
        raise OptionError("names is empty: name at least one piece")
    vocab = file.vocab
    changes = {}
    for old, new in names.items():
        piece_id = id_of(vocab, old)
        kind = vocab.type(piece_id)
        if (
            kind not in (CONTROL, UNKNOWN, USER_DEFINED)
            and not vocab.is_added(piece_id)
            and not is_spare(file, piece_id)
        ):
            raise OptionError(
                f"{old!r:.60} is a piece of type {TYPE_NAMES[kind]}, whose name is what it stands for: only special "
                "and spare pieces can be renamed"
            )
        changes[piece_id] = checked(file, new)
    return with_names(file, changes, {}), sorted(changes)


def claimed(file: ModelFile, names: Any, are_control: bool) -> tuple[bytes, list[int]]:
    """The bytes of a model whose first spare pieces have these names, and their ids, in the order of the names."""
    if file.vocab.word_rules is not None and not are_control:
        raise OptionError(
            "a wordpiece model has no pieces that match in every text: pass control=True", remedies=[{"control": True}]
        )
    texts = [checked(file, name) for name in as_iterable(names, "names", "a list of str, such as ['<sep>']")]
    spare = [i for i in range(len(file.vocab)) if is_spare(file, i)]
    if not texts:
        raise OptionError("names is empty: name at least one piece")
    if len(texts) > len(spare):
        raise OptionError(
            f"{len(texts)} spare pieces are wanted, and the model has {len(spare)}, such as <unused0>: add_pieces adds "
            "further ones"
        )
    ids = spare[: len(texts)]
    kind = CONTROL if are_control else USER_DEFINED
    return with_names(file, dict(zip(ids, texts, strict=True)), dict.fromkeys(ids, kind)), ids


def is_spare(file: ModelFile, piece_id: int) -> bool:
    """Whether a piece only holds a place: by its name, or because encoding does not use it.

    Unused pieces of BPE models are steps of merging, and so may a piece of text be that looks like a placeholder.
    """
    vocab = file.vocab
    kind, is_named = vocab.type(piece_id), bool(PLACEHOLDER.fullmatch(vocab.text(piece_id)))
    if kind == UNUSED:
        return file.model_type not in ("bpe", "byte_bpe") or not vocab.text(piece_id)
    return is_named and (kind in (CONTROL, USER_DEFINED) or (kind == NORMAL and vocab.word_rules is not None))


def id_of(vocab: Vocab, name: Any) -> int:
    """The id of a piece. Raises OptionError for a text that is none."""
    if not isinstance(name, (str, bytes)):
        raise ArgumentTypeError(f"a piece is str or bytes, not {type(name).__name__} {name!r:.40}")
    text = as_piece(name)
    found = vocab.find_id(text)
    if found < 0 or vocab.text(found) != text:
        raise OptionError(f"{name!r:.60} is no piece of the model: get_vocab() has their names")
    return found


def with_names(file: ModelFile, changes: Mapping[int, bytes], kinds: Mapping[int, int]) -> bytes:
    """The bytes of a model with other names and types of some pieces. Raises OptionError if a name is there twice."""
    from spm_lite.vocab.messages import serialize  # here, since it takes long to import

    vocab = file.vocab
    check_different(vocab, changes)
    message = file.message()
    entries = pieces_of(message, file)
    for i, text in changes.items():
        kind = kinds.get(i, vocab.type(i))
        if kind == USER_DEFINED and not vocab.is_bytes:
            check_spaces(file, [text])
        entries[i].piece = text if file.has_own_pieces else text.decode()
        entries[i].type = kind
    rename_settings(message.trainer_spec, {vocab.text(i): text for i, text in changes.items()})
    return serialize(message)


def check_different(vocab: Vocab, changes: Mapping[int, bytes]) -> None:
    """Raise OptionError for a new name that another piece has."""
    seen: dict[bytes, int] = {}
    for i, text in changes.items():
        other = vocab.find_id(text)
        has_it = other >= 0 and vocab.text(other) == text and other not in changes
        if text in seen or has_it:
            where = f"is piece {other} of the model already" if has_it else "is there twice"
            raise OptionError(f"the new name {text.decode()!r:.60} {where}: give another one")
        seen[text] = i


def rename_settings(trainer: Any, names: Mapping[bytes, bytes]) -> None:
    """Follow other names in the settings of a training: special pieces by role, and the lists of symbols."""
    texts = {old.decode("utf-8", "replace"): new.decode() for old, new in names.items()}
    for field in NAMES:
        if getattr(trainer, field) in texts:
            setattr(trainer, field, texts[getattr(trainer, field)])
    for field in LISTS:
        listed: Iterable[str] = getattr(trainer, field)
        new = [texts.get(name, name) for name in listed]
        if new != [*listed]:
            del getattr(trainer, field)[:]
            getattr(trainer, field).extend(new)
