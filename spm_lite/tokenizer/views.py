"""The part of a Tokenizer that shows people what it does: a text in pieces, and a card."""

from __future__ import annotations

from spm_lite._typing import TYPE_CHECKING
from spm_lite.tokenizer.encoding import EncodingMethods

if TYPE_CHECKING:
    from typing import TextIO

    from spm_lite.pictures.steps.explanation import Explanation


class ViewMethods(EncodingMethods):
    """Pictures for people."""

    __slots__ = ()

    def show(
        self,
        text: str | bytes,
        *,
        width: int | None = None,
        color: bool | None = None,
        limit: int = 1000,
        file: TextIO | None = None,
    ) -> None:
        """Print a text in pieces: under each piece its id, and the number of bytes of text that it stands for.

        A space is shown as U+2581, and what cannot be seen as an escape. Byte pieces that make a character together
        stand under it, each with its byte in hex. In a notebook the picture is displayed as HTML.

        Args:
            text: as in `encode`.
            width: columns to fill, 20 or more; None: the width of the terminal.
            color: True and False force and forbid colour; None: colour on terminals that have it, unless NO_COLOR is
                set.
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
        <Explanation of 'low': 1 diagram; print it, or see .svg()>
        """
        from spm_lite.pictures.steps.explanation import explain

        return explain(self, text, limit, rivals)
