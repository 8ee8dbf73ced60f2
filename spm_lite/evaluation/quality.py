"""Evaluate how well a model fits a text: bytes per token, and likelihood."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from math import fsum, log
from typing import TYPE_CHECKING

from spm_lite.arguments import as_num_threads
from spm_lite.encode.encode_batch import encode_batch
from spm_lite.errors import ArgumentTypeError, OptionError, TrainingError
from spm_lite.evaluation.text_sums import TextSums
from spm_lite.files.corpus import FILES, NO_TEXT, TEXTS, Files, Input, chosen_input, open_source
from spm_lite.files.documents import CorpusFigures, read_documents, texts_of
from spm_lite.files.plain_text import log_notes
from spm_lite.files.read_options import as_reading
from spm_lite.lattice.likelihood import log_likelihood
from spm_lite.lattice.path_batch import log_prob_batch

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from spm_lite.specs import ReadOptions
    from spm_lite.texts.text_view import Texts
    from spm_lite.tokenizer.tokenizer import Tokenizer


COUNTS = (  # fields that are whole numbers
    "texts", "bytes", "characters", "tokens", "unknown_tokens", "byte_tokens", "empty_texts",
)  # fmt: skip


@dataclass(frozen=True)
class Quality:
    """Sums over the texts that a model was evaluated on. `str(quality)` is a table for people.

    Qualities of one model can be added: `a + b` has the figures of both texts together.

    Attributes:
        texts: the number of texts, without the empty ones.
        bytes: bytes of UTF-8, as given, without the separators of files.
        characters: code points; each ill-formed byte counts as one.
        tokens: the number of ids.
        unknown_tokens: tokens that are the unknown piece.
        byte_tokens: tokens that are byte pieces.
        log_likelihood: in nats, summed over all segmentations; None: the model has no probabilities.
        empty_texts: the texts without a byte, such as empty lines, which are left out.
    """

    __module__ = "spm_lite"  # where users find it; a pickle names this place

    texts: int
    bytes: int
    characters: int
    tokens: int
    unknown_tokens: int
    byte_tokens: int
    log_likelihood: float | None
    empty_texts: int = field(default=0, compare=False)

    def __add__(self, other: Quality) -> Quality:
        """The figures of both texts together: all exact sums, except that `log_likelihood` is right to 1e-12.

        Raises OptionError if only one of the two has a log-likelihood, so that they are of different models.
        """
        if not isinstance(other, Quality):
            return NotImplemented
        mine, theirs = self.log_likelihood, other.log_likelihood
        if (mine is None) != (theirs is None):
            raise OptionError("only one of the two Qualities has a log-likelihood: add only Qualities of one model")
        sums = {name: getattr(self, name) + getattr(other, name) for name in COUNTS}
        return Quality(**sums, log_likelihood=None if mine is None or theirs is None else mine + theirs)

    def __radd__(self, other: int) -> Quality:
        """The quality itself for 0 + quality, so that `sum(qualities)` is that of all texts together."""
        return self if type(other) is int and other == 0 else NotImplemented

    @property
    def bytes_per_token(self) -> float:
        """The mean number of bytes per token: the larger, the fewer ids a text has."""
        return self.bytes / self.tokens

    @property
    def characters_per_token(self) -> float:
        """The mean number of characters (code points) per token."""
        return self.characters / self.tokens

    @property
    def bits_per_byte(self) -> float | None:
        """How well the model predicts the texts: -log_likelihood / (ln 2 * bytes). Fewer bits are better."""
        return None if self.log_likelihood is None else -self.log_likelihood / log(2) / self.bytes

    def _rows(self) -> dict[str, str]:
        """The rows of the table, by title."""
        if self.log_likelihood is None:
            likelihood = "the model holds no probabilities"
        else:
            likelihood = f"{self.bits_per_byte:.4f} bits per byte" if self.bytes else ""
        empty = f"; {self.empty_texts:,} empty ones are left out" if self.empty_texts else ""
        per_token = (
            f"{self.bytes_per_token:.3f} bytes, {self.characters_per_token:.3f} characters" if self.tokens else ""
        )
        rows = {
            "texts": f"{self.texts:,}, {self.bytes:,} bytes, {self.characters:,} characters{empty}",
            "tokens": f"{self.tokens:,}",
            "per token": per_token,
            "of these": f"{self.unknown_tokens:,} unknown, {self.byte_tokens:,} single bytes",
            "prediction": likelihood,
        }
        return {name: value for name, value in rows.items() if value}

    def __str__(self) -> str:
        return "\n".join(f"{name:<12} {value}" for name, value in self._rows().items())

    def _repr_html_(self) -> str:
        from spm_lite.cards import card

        return card("Quality", self._rows())


def evaluate(
    tokenizer: Tokenizer,
    source: Input | None = None,
    *,
    files: Files | None = None,
    texts: Input | None = None,
    num_threads: int | None = None,
    **reading: Unpack[ReadOptions],
) -> Quality:
    """Encode texts and return sums over them as a Quality: tokens and, for Unigram models, the log-likelihood.

    Args:
        tokenizer: a Tokenizer.
        source: the texts, as the `input` of `train`, but no CountTable. To compare models, use text that no
            model was trained on.
        files, texts: the same in place of `source`, where the caller says which it is, as in `train`.
        num_threads: None for all CPUs that this process may use, or fewer by OMP_NUM_THREADS.
        reading: how the text is read, by column, newline, separator and the other options of reading, as in `train`.
    Returns:
        A Quality.
    Raises:
        ArgumentTypeError: `tokenizer` is not a Tokenizer.
        FileError: a file cannot be read.
        TrainingError: the text is empty.

    >>> import spm_lite
    >>> tok = spm_lite.byte_tokenizer()
    >>> spm_lite.evaluate(tok, ["four", "five!"]).tokens
    9
    """
    from spm_lite.tokenizer.tokenizer import Tokenizer

    if not isinstance(tokenizer, Tokenizer):
        raise ArgumentTypeError(f"tokenizer is {type(tokenizer).__name__}, not a Tokenizer: load the model first")
    how = as_reading(reading, "evaluate", evaluate.__kwdefaults__ or ())
    sums = Sums(tokenizer, as_num_threads(num_threads))
    figures = CorpusFigures()
    kind, given = chosen_input({"source": source, FILES: files, TEXTS: texts}, NO_TEXT)
    opened = open_source(given, how, kind)
    with closing(read_documents(opened, figures)) as parts:
        for part in parts:
            sums.add(texts_of(part.documents))
    log_notes(figures.notes.texts)
    return sums.quality()


class Sums:
    """The running sums of `evaluate`, block by block."""

    def __init__(self, tokenizer: Tokenizer, threads: int) -> None:
        self.tokenizer = tokenizer
        self.threads = threads
        self.texts = TextSums(tokenizer._encoder.vocab)
        self.has_scores = tokenizer.model_type == "unigram" and not tokenizer._file.vocab.is_cut
        self.log_likelihood = 0.0
        self.rounding = 0.0  # what rounding took of the log-likelihood, so that it does not depend on the blocks
        self.n_texts = 0  # with the empty ones

    def add(self, texts: Texts) -> None:
        """Encode and count some texts."""
        self.n_texts += len(texts)
        self.texts.add(texts, encode_batch(self.tokenizer._encoder, texts, self.threads, -1, -1)[0])
        if self.has_scores:
            distribution = self.tokenizer._distribution
            has_chunks = self.tokenizer._encoder.chunks is not None
            found = (log_likelihood if has_chunks else log_prob_batch)(distribution, texts, self.threads)
            terms = [self.log_likelihood, self.rounding, *found]
            self.log_likelihood = fsum(terms)
            self.rounding = fsum([*terms, -self.log_likelihood])

    def quality(self) -> Quality:
        """The sums. Raises TrainingError if there was no text."""
        found = self.figures()
        if found.tokens == 0:
            raise TrainingError(f"there is no text to evaluate: {found.texts} texts were read, and none has a token")
        return found

    def figures(self) -> Quality:
        """The sums, also of no text at all."""
        sums = self.texts
        return Quality(
            sums.texts,
            sums.bytes,
            sums.characters,
            sums.tokens,
            sums.unknown_tokens,
            sums.byte_tokens,
            self.log_likelihood if self.has_scores else None,
            self.n_texts - sums.texts,
        )
