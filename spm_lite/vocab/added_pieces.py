"""Models with further pieces: new ids at the end, the old ones as they were."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from spm_lite._typing import TYPE_CHECKING
from spm_lite.arguments import as_iterable, as_piece
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.kinds import CONTROL, FAMILIES, NORMAL, SPACE, USER_DEFINED

if TYPE_CHECKING:
    from spm_lite.vocab.model_file import ModelFile

MAX_PIECE = 7999  # bytes


def with_pieces(file: ModelFile, pieces: Any, are_control: bool) -> bytes:
    """The bytes of a model with further pieces. Raises OptionError for a piece that it cannot have."""
    if file.vocab.word_rules is not None and not are_control:
        raise OptionError(
            "a wordpiece model has no pieces that match in every text: pass control=True for special tokens, and allow "
            "them where you encode (allow_special)"
        )
    texts = [checked(file, piece) for piece in as_iterable(pieces, "pieces", "a list of str, such as ['<sep>']")]
    check_new(file, texts)
    if not are_control and not file.vocab.is_bytes:
        for text in texts:
            check_spaces(file, text.decode())
    kind = CONTROL if are_control else NORMAL if file.model_type == "word" else USER_DEFINED
    from spm_lite.vocab.messages import extension_of, serialize  # here, since it takes long to import

    message = file.message()
    if file.model_type in FAMILIES:
        entries: Any = extension_of(message).pieces
    else:
        entries = message.pieces
    lowest = min((file.vocab.score(i) for i in range(len(file.vocab))), default=0.0)
    for number, text in enumerate(texts, 1):
        entry = entries.add()
        entry.piece = text if file.model_type in FAMILIES else text.decode("utf-8")
        entry.score = lowest - number if kind == NORMAL else 0.0
        entry.type = kind
    message.trainer_spec.vocab_size = len(file.vocab) + len(texts)
    return serialize(message)


def checked(file: ModelFile, piece: Any) -> bytes:
    """The bytes of a new piece."""
    if not isinstance(piece, (str, bytes)):
        raise ArgumentTypeError(f"a piece is str or bytes, not {type(piece).__name__} {piece!r:.40}")
    text = as_piece(piece)
    if not 1 <= len(text) <= MAX_PIECE or b"\0" in text:
        raise OptionError(f"the piece {piece!r:.40} has {len(text)} bytes: 1 to {MAX_PIECE} without U+0000 are allowed")
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        raise OptionError(f"the piece {piece!r:.40} is not UTF-8") from None
    if file.vocab.is_bytes and len(text) == 1:
        raise OptionError(f"the piece {piece!r} is a byte piece as well")
    return text


def check_spaces(file: ModelFile, text: str) -> None:
    """Raise OptionError for a piece with a space that no text would match."""
    if file.model_type == "word":
        words = text.replace(SPACE, " ").split()
        if len(words) > 1:
            one_by_one = [SPACE + word for word in words]
            raise OptionError(f"{text!r} is {len(words)} words: add them one by one, as {one_by_one}")
    elif file.lossless and (" " in text or SPACE in text):
        raise OptionError(f"the piece {text!r} has a space, but pieces of a lossless model have none: leave it out")
    if " " in text:
        raise OptionError(
            f"the piece {text!r} has a space, which is U+2581 in pieces: write {text.replace(' ', SPACE)!r}"
        )


def check_new(file: ModelFile, texts: Iterable[bytes]) -> None:
    """Raise OptionError for a piece that the model has already, or that is named twice."""
    seen: set[bytes] = set()
    for text in texts:
        found = file.vocab.find_id(text)
        if text in seen or (found >= 0 and file.vocab.text(found) == text):
            where = "is named twice" if text in seen else f"is piece {found} of the model already"
            raise OptionError(f"{text.decode()!r} {where}: leave it out")
        seen.add(text)
