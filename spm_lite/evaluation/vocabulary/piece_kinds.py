"""The pieces of a model as the audit of its vocabulary sees them, and an encoder of its own for trying them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spm_lite.encode.encoder import Encoder
from spm_lite.kinds import NORMAL, SPACE, USER_DEFINED
from spm_lite.normalize.normalizer import Normalizer
from spm_lite.normalize.rules.charsmap import Charsmap

if TYPE_CHECKING:
    from spm_lite.evaluation.figures.subjects import OwnSubject

CACHE_BYTES = 1 << 24  # of encoders for single use: the cache of the user's tokenizer stays as it is
PLAIN = (NORMAL, USER_DEFINED)
REFUSED = b"\xff"


class VocabularyView:
    """A model whose pieces are examined.

    ids: of the pieces that text can match, NORMAL or USER_DEFINED. surfaces: the text of each of these, with spaces.
    The byte FF is not among them in a model with added tokens, which refuses it.
    """

    def __init__(self, subject: OwnSubject) -> None:
        self.subject = subject
        self.tokenizer = subject.own
        self.vocab = subject.vocab
        self.types = subject.types
        self.pieces = subject.pieces
        own = self.tokenizer._encoder
        self.normalizer: Normalizer = own.normalizer
        self.shows_spaces = self.normalizer.escape_whitespaces and not self.vocab.is_bytes
        self.encoder = Encoder(self.normalizer, own.segmenter, CACHE_BYTES)
        refuses = self.normalizer.added is not None or self.normalizer.later is not None
        self.ids = [
            i
            for i, kind in enumerate(self.types)
            if kind in PLAIN and not (refuses and self.vocab.is_bytes and REFUSED in self.vocab.text(i))
        ]
        self.surfaces = [self.surface(i) for i in self.ids]

    def surface(self, piece_id: int) -> str:
        """The text of a piece, with spaces; bytes that are not UTF-8 are lone surrogates."""
        piece = self.pieces[piece_id]
        return piece.replace(SPACE, " ") if self.shows_spaces else piece

    def shown(self, piece_id: int) -> str:
        """A piece as reports show it; that of an id below 0, which other programs use, is unknown."""
        return piece_for_json(self.pieces[piece_id]) if piece_id >= 0 else "<unk>"

    def bare_encoder(self) -> Encoder:
        """An encoder that segments text as it is: without rules, a dummy space, or removal of spaces."""
        own = self.normalizer
        bare = Normalizer(
            Charsmap(b""),
            add_dummy_prefix=False,
            remove_extra_whitespaces=False,
            escape_whitespaces=own.escape_whitespaces,
            compact=own.compact,
            lossless=own.lossless,
        )
        return Encoder(bare, self.tokenizer._encoder.segmenter, CACHE_BYTES)

    def normalized(self, text: str) -> str:
        """The normalized form of a text, with U+2581 for a space."""
        return self.encoder.normalize(as_data(text), True)


def piece_for_json(text: str) -> str:
    """A piece for JSON: ill-formed bytes as escapes."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def as_data(surface: str) -> str | bytes:
    """A surface for an encoder: bytes, if it is not UTF-8."""
    data = surface.encode("utf-8", "surrogateescape")
    try:
        data.decode()
    except UnicodeDecodeError:
        return data
    return surface
