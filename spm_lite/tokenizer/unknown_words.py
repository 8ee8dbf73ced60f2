"""What a call does with text that no piece covers: the unknown piece, an error that names it, or byte pieces."""

from __future__ import annotations

from spm_lite._typing import TYPE_CHECKING
from spm_lite.encode.spans import spans_of
from spm_lite.errors import OptionError, TextError
from spm_lite.kinds import BYTE

if TYPE_CHECKING:
    from typing import Any

    from spm_lite.encode.encoder import Encoder
    from spm_lite.tokenizer.parts import Variants
    from spm_lite.vocab.vocab import Vocab

CHOICES = ("unk", "raise", "bytes")
CHARACTERS = 1  # unit of `spans_of`
BYTES = 0


def encoder_for(unknown: Any, variants: Variants, vocab: Vocab, prefix_space: Any, user_defined: Any) -> Encoder:
    """The encoder that treats unknown text in this way. Raises OptionError for a way that the model does not have."""
    if unknown is None:
        return variants.encoder(prefix_space, user_defined)
    if unknown not in CHOICES:
        raise OptionError(f"unknown={unknown!r:.40} must be one of {', '.join(map(repr, CHOICES))}, or None")
    if unknown == "bytes":
        if not vocab.byte_fallback:
            raise OptionError(
                "unknown='bytes': no text is unknown to a model whose pieces are all bytes. Leave it out"
                if vocab.is_bytes
                else "unknown='bytes': a wordpiece model has no byte pieces. Pass 'unk' or 'raise'"
                if vocab.word_rules is not None
                else "unknown='bytes': the model has no byte pieces. Pass 'unk' or 'raise', or train with "
                "byte_fallback=True"
            )
        return variants.encoder(prefix_space, user_defined)
    if unknown == "unk" and vocab.byte_fallback and vocab.unknown_index < 0:
        raise OptionError("unknown='unk': the model has no unknown piece. Pass 'raise' or 'bytes'")
    return variants.encoder(prefix_space, user_defined, vocab.unknown_index < 0)


def check_known(encoder: Encoder, text: str | bytes, where: str = "") -> None:
    """Raise TextError, naming the text and its place, if no piece covers a part of `text`.

    where: of the text in a batch, in words.
    """
    vocab = encoder.vocab
    ids = encoder.encode(text)
    is_unknown = [i == vocab.unknown_index or vocab.type(i) == BYTE for i in ids]
    if True not in is_unknown:
        return
    first = is_unknown.index(True)
    last = first  # an unknown piece is one word; bytes of one stand side by side
    while vocab.type(ids[first]) == BYTE and last + 1 < len(ids) and is_unknown[last + 1]:
        last += 1
    spans = spans_of(encoder, text, BYTES if isinstance(text, bytes) else CHARACTERS)
    begin, end = spans[first][0], spans[last][1]
    while begin < end - 1 and text[begin : begin + 1] in (" ", b" "):  # the space before a word
        begin += 1
    word = text[begin:end].split(" " if isinstance(text, str) else b" ", 1)[0]  # type: ignore[arg-type]
    end = begin + max(len(word), 1)  # neighbouring words share one id
    raise TextError(
        f"{where}no piece of the model covers {text[begin:end]!r:.80} at position {begin}: leave it out, or pass "
        "unknown='unk'"
    )
