"""Models with further pieces, whose ids come after the others, and BPE models with the first merges only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from spm_lite._typing import TYPE_CHECKING
from spm_lite.arguments import as_int, as_iterable, as_piece
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.kinds import CONTROL, NORMAL, SPACE, UNUSED, USER_DEFINED
from spm_lite.vocab.chosen_pieces import choose, pieces_of

if TYPE_CHECKING:
    from spm_lite.vocab.model_file import ModelFile


MERGING = ("bpe", "byte_bpe")  # types of models


def with_vocab_size(file: ModelFile, vocab_size: Any) -> bytes:
    """The bytes of a model of `vocab_size` pieces, without the last merges. Raises OptionError if there is none."""
    size = as_int(vocab_size, "vocab_size")
    if file.model_type not in MERGING:
        raise OptionError(
            f"a {file.model_type} model has no merges to leave out, as only bpe and byte_bpe models have: "
            + ("prune(n, source=text) makes it smaller" if file.model_type == "unigram" else "train a smaller one")
        )
    if file.vocab.merge_list is not None:
        raise OptionError(
            "the model keeps a list of its merges, so no piece is the last one: prune(n, source=text) makes it smaller"
        )
    merges = merges_of(file)
    least = file.vocab.size - len(merges)
    if not least <= size <= file.vocab.size:
        raise OptionError(
            f"vocab_size={size}: this model can have {least} to {file.vocab.size} pieces: {least} are not merges",
            remedies=[{"vocab_size": min(max(size, least), file.vocab.size)}],
        )
    return without(file, set(merges[size - least :]))


def merges_of(file: ModelFile) -> list[int]:
    """The ids of the pieces that are merges, the first merge first; none for other methods than BPE.

    Of equal scores the lower id comes first. Single characters, or bytes in byte-level models, need no merge.
    """
    if file.model_type not in MERGING:
        return []
    vocab, in_bytes = file.vocab, file.vocab.is_bytes
    found = [
        i
        for i in range(vocab.size)
        if vocab.type(i) in (NORMAL, UNUSED)
        and len(vocab.text(i) if in_bytes else vocab.text(i).decode("utf-8", "surrogateescape")) > 1
    ]
    return sorted(found, key=lambda i: (-vocab.score(i), i))


def without(file: ModelFile, dropped: set[int]) -> bytes:
    """The bytes of a model without some merges. Characters that came after all merges keep their places after them."""
    from spm_lite.vocab.messages import serialize  # here, since it takes long to import

    message = file.message()
    lowest = min((file.vocab.score(i) for i in dropped), default=0.0)
    for piece in pieces_of(message, file):
        if piece.type == NORMAL and piece.score < lowest:
            piece.score += len(dropped)
    choose(message, file, [i for i in range(len(file.vocab)) if i not in dropped])
    return serialize(message)


MAX_PIECE = 7999  # bytes


def with_pieces(file: ModelFile, pieces: Any, are_control: bool) -> bytes:
    """The bytes of a model with further pieces. Raises OptionError for a piece that it cannot have."""
    if file.vocab.word_rules is not None and not are_control:
        raise OptionError(
            "a wordpiece model has no pieces that match in every text: pass control=True for special tokens, and allow "
            "them where you encode (allow_special)"
        )
    if file.vocab.has_parts and not are_control:
        raise OptionError(
            "the model cuts a text by patterns first, so no further piece matches in every text: pass control=True for "
            "special tokens, and allow them where you encode (allow_special)"
        )
    texts = [checked(file, piece) for piece in as_iterable(pieces, "pieces", "a list of str, such as ['<sep>']")]
    check_new(file, texts)
    if not are_control and not file.vocab.is_bytes:
        for text in texts:
            check_spaces(file, text.decode())
    kind = CONTROL if are_control else NORMAL if file.model_type == "word" else USER_DEFINED
    from spm_lite.vocab.messages import extension_of, serialize  # here, since it takes long to import

    message = file.message()
    if file.has_own_pieces:
        entries: Any = extension_of(message).pieces
    else:
        entries = message.pieces
    lowest = min((file.vocab.score(i) for i in range(len(file.vocab))), default=0.0)
    for number, text in enumerate(texts, 1):
        entry = entries.add()
        entry.piece = text if file.has_own_pieces else text.decode("utf-8")
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
