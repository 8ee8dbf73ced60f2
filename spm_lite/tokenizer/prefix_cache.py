"""A prefix cache: texts that begin as earlier ones did are encoded from there on, with the ids of `encode`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, final

from spm_lite.arguments import as_int
from spm_lite.encode.growing_part import GrowingPart
from spm_lite.encode.known_prefixes import KnownPrefixes
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.texts.batch import as_numpy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from spm_lite.tokenizer.tokenizer import Tokenizer

LEAST_BYTES, MOST_BYTES = 1 << 16, 1 << 60  # of memory; the least holds a dozen blocks of text


class PrefixInfo(NamedTuple):
    """What a prefix cache holds, and how much it helped.

    Attributes:
        used, limit: bytes of memory: in use, and allowed.
        calls: of `encode`.
        read, known: bytes of the texts of all calls, as Python stores them, and how many of these were known.
    """

    used: int
    limit: int
    calls: int
    read: int
    known: int


PrefixInfo.__module__ = "spm_lite"  # where users find it; a pickle names this place


@final
class PrefixCache:
    """Encodes texts, and remembers them: `Tokenizer.prefix_cache` makes it.

    It keeps texts in blocks of 2,048 bytes, with the state of the encoder after each. It finds the longest known
    beginning of a text by hashes, compares all its bytes, and encodes the rest. Threads may share it.

    >>> import spm_lite
    >>> tok = spm_lite.byte_tokenizer()
    >>> cache = tok.prefix_cache()
    >>> cache.encode("abc").tolist() == tok.encode("abc")
    True
    """

    __module__ = "spm_lite"  # where users find it; a pickle names this place

    __slots__ = ("_known", "_tok")

    def __init__(self, tok: Tokenizer, max_bytes: int = 256_000_000) -> None:
        limit = as_int(max_bytes, "max_bytes")
        if not LEAST_BYTES <= limit <= MOST_BYTES:
            raise OptionError(f"max_bytes={limit} is not between {LEAST_BYTES} and {MOST_BYTES}")
        self._tok = tok
        self._known = KnownPrefixes(limit)

    def encode(self, text: str, *, prefix_space: bool | None = None, user_defined: bool = True) -> NDArray[np.int32]:
        """The ids of a text, as `Tokenizer.encode` gives them.

        Args:
            text: a str.
            prefix_space, user_defined: as in `Tokenizer.encode`; texts with other options are known apart.
        Returns:
            An array of int32, which belongs to the caller.
        Raises:
            TextError: the text holds a lone surrogate.

        >>> import spm_lite
        >>> spm_lite.byte_tokenizer().prefix_cache().encode("ab").dtype
        dtype('int32')
        """
        if not isinstance(text, str):
            raise ArgumentTypeError(f"text is {type(text).__name__}, not str")
        encoder = self._tok._variants.encoder(prefix_space, user_defined)
        return as_numpy(self._known.encode(encoder, text), "int32")

    @property
    def helps(self) -> bool:
        """Whether texts of this tokenizer can be encoded on from a place. If not, each text is encoded whole.

        That is so for files of tokenizers whose added tokens or normalizer look at a whole text, for models of words,
        characters and bytes, and for BPE with UNUSED pieces.
        """
        return GrowingPart(self._tok._encoder).resumes

    @property
    def info(self) -> PrefixInfo:
        """A PrefixInfo: the memory in use, and how much was known."""
        known = self._known
        return PrefixInfo(known.used, known.limit, known.n_calls, known.n_bytes, known.n_known)

    def clear(self) -> None:
        """Forget all texts.

        >>> import spm_lite
        >>> cache = spm_lite.byte_tokenizer().prefix_cache()
        >>> _ = cache.encode("a" * 9000)
        >>> cache.clear()
        >>> cache.info.used
        0
        """
        self._known = KnownPrefixes(self._known.limit)

    def __repr__(self) -> str:
        return f"PrefixCache({self._known.used:,} of {self._known.limit:,} bytes)"

    def __reduce__(self) -> tuple[type[PrefixCache], tuple[Tokenizer, int]]:
        """A pickle holds no texts."""
        return PrefixCache, (self._tok, self._known.limit)
