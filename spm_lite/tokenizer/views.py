"""The part of a Tokenizer that shows what becomes of a text besides ids: pieces, their places, pictures of them."""

from __future__ import annotations

from spm_lite._typing import TYPE_CHECKING
from spm_lite.arguments import text_for_encoder
from spm_lite.tokenizer.foreign_arguments import refuse_arguments
from spm_lite.tokenizer.pieces import PieceMethods

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import NoReturn, TextIO

    import numpy as np
    from numpy.typing import NDArray

    from spm_lite.pictures.explanation import Explanation
    from spm_lite.texts.batch import Batch


class ViewMethods(PieceMethods):
    """Pieces, spans and normalized text for programs, pictures for people."""

    __slots__ = ()

    def pieces(
        self,
        text: str | bytes,
        *,
        prefix_space: bool | None = None,
        user_defined: bool = True,
        errors: str = "strict",
        **other: NoReturn,
    ) -> list[str]:
        """The pieces of a text as strings, with U+2581 for each space. Ill-formed bytes become lone surrogates.

        Args:
            text: str, or bytes of UTF-8.
            prefix_space, user_defined, errors: as in `encode`.
        Returns:
            A list of str, one for each id.
        Raises:
            TextError: the text holds a lone surrogate, and errors is "strict".

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, model_type="bpe", vocab_size=272)
        >>> tok.pieces("the cat")
        ['▁t', 'he', '▁cat']
        """
        if other:
            refuse_arguments("pieces", other)
        return self._variants.encoder(prefix_space, user_defined).pieces(text_for_encoder(text, errors), True)

    def spans(
        self,
        text: str | bytes,
        *,
        unit: str | None = None,
        prefix_space: bool | None = None,
        user_defined: bool = True,
    ) -> list[tuple[int, int]]:
        """The spans (begin, end) of a text, one for each id of `encode(text)`.

        Offsets are in the text as given, not in its normalized form. Spans follow one another. Together they cover the
        text, except spaces that the model removes at its ends, and characters dropped before the first id. If a
        character becomes several ids, such as byte pieces, the last one has its span, and the others have empty spans
        at its start. A dropped character is in the span before it.

        Args:
            text: str, or bytes of UTF-8.
            unit: "char" for code points, "byte" for bytes of UTF-8, or "utf16" for code units of UTF-16. None: the unit
                in which the text itself is indexed. For "char", bytes are decoded with "surrogateescape".
            prefix_space, user_defined: as in `encode`.
        Returns:
            A list of (begin, end), one for each id; offsets are half-open.
        Raises:
            OptionError: unit has another name.
            TextError: the text holds a lone surrogate.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, model_type="bpe", vocab_size=272)
        >>> tok.spans("the cat")
        [(0, 1), (1, 3), (3, 7)]
        """
        from spm_lite.tokenizer import offsets

        return offsets.spans(self._variants.encoder(prefix_space, user_defined), text, unit)

    def spans_batch(
        self,
        texts: Iterable[str | bytes],
        *,
        unit: str | None = None,
        prefix_space: bool | None = None,
        user_defined: bool = True,
        num_threads: int | None = None,
    ) -> tuple[Batch, NDArray[np.int32]]:
        """The ids and the spans of many texts: (batch, spans).

        `batch` is what `encode_batch` returns; spans is an array with a row (begin, end) for each id. The spans of text
        i are `spans[batch.offsets[i] : batch.offsets[i + 1]]`.

        Args:
            texts: any iterable of str or bytes, as in `encode_batch`.
            unit, prefix_space, user_defined: as in `spans`.
            num_threads: None for all CPUs that this process may use.
        Returns:
            A Batch and an array of int32 of shape (ids, 2).
        Raises:
            OptionError: unit has another name, or it is None and the texts are both str and bytes.
            SpmLiteError: as in `encode_batch`.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> batch, spans = tok.spans_batch(["ab", "c"])
        >>> spans.tolist()
        [[0, 1], [1, 2], [0, 1]]
        """
        from spm_lite.tokenizer import offsets

        encoder = self._variants.encoder(prefix_space, user_defined)
        return offsets.spans_batch(encoder, texts, unit, num_threads, self.pad_id)

    def normalize(self, text: str | bytes, *, errors: str = "strict") -> str:
        """The normalized text, with U+2581 for each space. Ill-formed bytes become lone surrogates.

        Args:
            text: str, or bytes of UTF-8.
            errors: as in `encode`.
        Returns:
            A str.
        Raises:
            TextError: the text holds a lone surrogate, and errors is "strict".

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, model_type="bpe", vocab_size=272)
        >>> tok.normalize("the cat")
        '▁the▁cat'
        """
        return self._encoder.normalize(text_for_encoder(text, errors), True)

    def show(
        self,
        text: str | bytes,
        *,
        width: int | None = None,
        color: bool | None = None,
        limit: int = 1000,
        file: TextIO | None = None,
    ) -> None:
        """Print a text in pieces: under each piece its id, and the number of bytes of text that it covers.

        A space is shown as U+2581, and an invisible character as an escape. Byte pieces of a character stand under it,
        each with its byte in hex. In a notebook the picture is displayed as HTML.

        Args:
            text: as in `encode`.
            width: columns to fill, 20 or more; None: the width of the terminal.
            color: True, False, or None: colour on terminals that have it, unless NO_COLOR is set.
            limit: tokens to show at most; a last line tells how many there are.
            file: where to print, open for text; None: standard output.
        Raises:
            OptionError: width is below 20, or limit below 1.
            TextError: the text holds a lone surrogate.

        >>> import spm_lite
        >>> spm_lite.byte_tokenizer().show("hé!")
        pieces  h    é          !
        ids     107  198  172   36
        bytes   1    0xC3 0xA9  1
        <BLANKLINE>
        4 tokens, 4 bytes, 3 characters
        """
        from spm_lite.pictures.show import show

        show(self, text, width, color, limit, file)

    def explain(self, text: str | bytes, *, limit: int = 200, rivals: int = 3) -> Explanation:
        """How the pieces of a text come about: the steps of the method, drawn from this model.

        BPE is explained merge by merge, and WordPiece match by match. For Unigram there are the best path, the paths
        that come next, and all pieces that fit; scores are sums of log-probabilities.

        Args:
            text: as in `encode`.
            limit: characters of the text to explain; a note tells of more.
            rivals: for Unigram, the number of paths after the best one.
        Returns:
            An Explanation: `print` it, display it in a notebook, or write its `svg()` to a file.
        Raises:
            OptionError: limit or rivals is below 1.
            TextError: the text holds a lone surrogate.

        >>> import spm_lite
        >>> tok = spm_lite.train(["low lower lowest"] * 9, model_type="bpe", vocab_size=272)
        >>> tok.explain("low")
        <Explanation of 'low': 1 diagram; print it, or save it: .save('x.svg')>
        """
        from spm_lite.pictures.explanation import explain

        return explain(self, text, limit, rivals)
