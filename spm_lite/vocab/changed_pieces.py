"""Models with further pieces, whose ids come after the others, and BPE models with the first merges only."""

from __future__ import annotations

from contextlib import suppress
from itertools import repeat
from typing import Any

from spm_lite._typing import TYPE_CHECKING
from spm_lite.arguments import as_int, as_iterable, as_piece
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.kinds import CONTROL, NORMAL, SPACE, TYPE_NAMES, UNUSED, USER_DEFINED
from spm_lite.normalize.from_settings import copy_normalizer, make_normalizer
from spm_lite.vocab.appended_pieces import with_appended
from spm_lite.vocab.chosen_pieces import choose, pieces_of

if TYPE_CHECKING:
    from spm_lite.vocab.model_file import ModelFile


SPACE_MARK = SPACE.encode()
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
    given = [*as_iterable(pieces, "pieces", "a list of str, such as ['<sep>']")]
    texts = checked_texts(file, given)
    check_new(file, texts)
    if not are_control:
        check_spaces(file, texts)
        check_unchanged(file, texts)
    kind = CONTROL if are_control else NORMAL if file.model_type == "word" else USER_DEFINED
    lowest = min((file.vocab.score(i) for i in range(len(file.vocab))), default=0.0) if kind == NORMAL else 0.0
    scores = [lowest - number for number in range(1, len(texts) + 1)] if kind == NORMAL else repeat(0.0)
    return with_appended(file, zip(texts, scores, repeat(kind)), len(texts))


def checked_texts(file: ModelFile, given: list[Any]) -> list[bytes]:
    """The bytes of new pieces. All are looked at together, and one by one only to name the first that is wrong."""
    with suppress(UnicodeEncodeError):
        texts = [piece.encode() if type(piece) is str else checked(file, piece) for piece in given]
        sizes = {*map(len, texts)}
        if not sizes or (
            (2 if file.vocab.is_bytes else 1) <= min(sizes) <= max(sizes) <= MAX_PIECE and b"\0" not in b"".join(texts)
        ):
            return texts
    return [checked(file, piece) for piece in given]


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


def check_new(file: ModelFile, texts: list[bytes]) -> None:
    """Raise OptionError for a piece that the model has already, or that is named twice."""
    vocab = file.vocab
    if (first := vocab.first_known(texts)) >= 0:
        found = vocab.find_id(texts[first])
        kind = TYPE_NAMES[vocab.type(found)]
        raise OptionError(
            f"{texts[first].decode()!r:.80} is piece {found} of the model already, of type {kind}: leave it out"
        )
    if len({*texts}) < len(texts):
        seen: set[bytes] = set()
        twice = next(text for text in texts if text in seen or seen.add(text))  # type: ignore[func-returns-value]
        raise OptionError(f"{twice.decode()!r:.80} is named twice: leave it out")


def check_spaces(file: ModelFile, texts: list[bytes]) -> None:
    """Raise OptionError for a piece with a space that no text would match."""
    if file.vocab.is_bytes or not file.settings.normalizer.escape_whitespaces:
        wrong = [text.decode() for text in texts if text.startswith(SPACE_MARK)]
        if wrong:
            raise OptionError(
                f"the piece {wrong[0]!r:.80} begins with U+2581, but in this {file.model_type} model a space is a "
                f"space: write {wrong[0].replace(SPACE, ' ')!r:.80}"
            )
        return
    if file.strict and SPACE_MARK in b"".join(texts):
        wrong = [text.decode() for text in texts if SPACE_MARK in text]
        raise OptionError(
            f"the piece {wrong[0]!r:.80} holds U+2581: the rules of a strict model escape it, and sentencepiece would "
            "take the piece for spaces. Leave U+2581 out, or train with lossless=True"
        )
    if file.model_type == "word":
        for text in [text.decode() for text in texts if b" " in text or SPACE_MARK in text[1:]]:
            words = text.replace(SPACE, " ").split()
            if len(words) > 1:
                one_by_one = [SPACE + word for word in words]
                raise OptionError(f"{text!r} is {len(words)} words: add them one by one, as {one_by_one}")
    if b" " in b"".join(texts):
        text = next(text for text in texts if b" " in text).decode()
        raise OptionError(
            f"the piece {text!r:.80} has a space, which is U+2581 in pieces: write {text.replace(' ', SPACE)!r:.80}"
        )


def check_unchanged(file: ModelFile, texts: list[bytes]) -> None:
    """Raise OptionError for a piece that no text becomes, since normalization changes the texts that spell it.

    Rules leave a user-defined piece alone where a text spells it. But a text spells U+2581 as a space, and steps that
    come before the rules know no pieces.
    """
    spec = file.settings.normalizer
    drops = spec.remove_extra_whitespaces
    if not spec.has_rules and not drops:
        return
    if not (spec.unicode_form or spec.steps or file.model_type == "word"):
        texts = [text for text in texts if SPACE_MARK in text]
    normalizer = copy_normalizer(
        make_normalizer(spec), add_dummy_prefix=False, remove_extra_whitespaces=False, prefix_unless_space=False
    )

    def normalized(text: bytes) -> bytes:
        """What a text with spaces for U+2581, if they become that, is within another one."""
        found = normalizer.normalize(text.replace(SPACE_MARK, b" ") if spec.escape_whitespaces else text)
        while drops and SPACE_MARK * 2 in found:
            found = found.replace(SPACE_MARK * 2, SPACE_MARK)
        return found

    whole = b"\0".join(texts)  # a NUL is in no piece and no rule
    if normalized(whole) == whole:
        return
    for text in texts:
        if (found := normalized(text)) != text:
            is_free = found and file.vocab.first_known([found]) < 0
            raise OptionError(
                f"the piece {text.decode()!r:.80} is in no normalized text, which holds "
                f"{found.decode('utf-8', 'replace')!r:.80} in its place: {'add that' if is_free else 'leave it out'}"
            )
