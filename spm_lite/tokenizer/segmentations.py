"""N-best lists, samples and probabilities of the segmentations of a text. Checks arguments and converts results."""

from __future__ import annotations

import math

from spm_lite._typing import TYPE_CHECKING
from spm_lite.arguments import BOOLS, as_flag, as_ids, as_int, as_iterable
from spm_lite.base.structures.random import Random
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.texts.batch import Batch
from spm_lite.texts.inputs import texts_and_threads
from spm_lite.tokenizer.encoding import EncodingMethods

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from numpy.typing import NDArray

    from spm_lite.lattice.distribution import Distribution
    from spm_lite.tokenizer.results import Segmentation


MAX_N = 2**31 - 1
NO_ID = -2  # an id that no piece has


class SegmentationMethods(EncodingMethods):
    """The methods of a Tokenizer for n-best lists and samples of segmentations."""

    __slots__ = ()

    def nbest(self, text: str | bytes, n: int) -> list[Segmentation]:
        """The `n` best segmentations of a text: the plain encoding, then the best others; fewer if there are fewer.

        The score is the sum of the scores of the pieces: log-probabilities in a Unigram model. A BPE file holds none:
        there a piece scores -ln(2 + rank), with rank 0 for the first merge. After the plain encoding, scores never
        rise. Of equal scores, the segmentation whose first differing piece is longer comes first.

        Args:
            text: str, or bytes of UTF-8.
            n: how many at most, 1 or more.
        Returns:
            A list of Segmentations (ids, score), best first.
        Raises:
            OptionError: n < 1, or the model has only one segmentation of a text (char and word models).
        Source: Jimenez and Marzal 1999 (recursive enumeration).

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, vocab_size=270, hard_vocab_limit=False)
        >>> tok.nbest("the cat", 1)[0].ids == tok.encode("the cat")
        True
        """
        return as_segmentations(self._distribution.nbest(text, as_n(n)))

    def sample(
        self,
        text: str | bytes,
        *,
        alpha: float = 1.0,
        nbest_size: int | None = None,
        dropout: float | None = None,
        seed: Any = None,
    ) -> list[int]:
        """The ids of a random segmentation, its probability proportional to exp(alpha * score), scored as by `nbest`.

        Args:
            text: str, or bytes of UTF-8.
            alpha: 0 is uniform over all segmentations; a larger alpha stays closer to the best.
            nbest_size: draw from that many best segmentations only; None: from all.
            dropout: for BPE models, instead of alpha: the probability that a merge is left out whenever its turn comes.
            seed: an integer from 0 to 2^64 - 1, or a numpy Generator; None: another seed for each call.
        Returns:
            A list of int.
        Raises:
            OptionError: an argument is out of range, or does not suit the type of the model.
            TextError: the text holds a lone surrogate.
        Source: Kudo 2018; Provilkov, Emelianenko, Voita 2020 (dropout).

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, vocab_size=270, hard_vocab_limit=False)
        >>> tok.decode(tok.sample("the cat", seed=1))
        'the cat'
        """
        strength, size = as_strength(alpha, dropout), as_listed(nbest_size, dropout)
        if size:
            return self._distribution.sample_listed(text, size, strength, as_random(seed))
        return self._distribution.sample(text, strength, dropout is not None, as_random(seed))

    def sample_batch(
        self,
        texts: Iterable[str | bytes],
        *,
        alpha: float = 1.0,
        nbest_size: int | None = None,
        dropout: float | None = None,
        seed: Any = None,
        bos: bool = False,
        eos: bool = False,
        num_threads: int | None = None,
    ) -> Batch:
        """One random segmentation of each text, as `sample` draws it, in a Batch as `encode_batch` returns it.

        With a seed, the result depends on the texts and their order, not on the threads.

        Args:
            texts: any iterable of str or bytes, as in `encode_batch`.
            alpha, nbest_size, dropout, seed: as in `sample`.
            bos, eos, num_threads: as in `encode_batch`.
        Returns:
            A Batch.
        Raises:
            SpmLiteError: as in `sample`; the message names the index of the text in the batch.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, vocab_size=270, hard_vocab_limit=False)
        >>> tok.decode_batch(tok.sample_batch(["the", "cat"], seed=1))
        ['the', 'cat']
        """
        from spm_lite.lattice import path_batch

        added = self._bos_eos(bos, eos)
        items, threads = texts_and_threads(texts, num_threads)
        strength, drops_merges = as_strength(alpha, dropout), dropout is not None
        size = as_listed(nbest_size, dropout)
        ids, offsets = path_batch.sample_batch(
            self._distribution, items, size, strength, drops_merges, as_random(seed), threads, *added
        )
        *_, pad_id = self._file.special_ids
        return Batch._from_vectors(ids, offsets, pad_id)

    @property
    def lattice(self) -> Lattice:
        """Sums over all segmentations of a text, and more samples: `log_prob`, `entropy`, `expected_counts` ..."""
        return Lattice(self)


class Lattice:
    """All segmentations of a text, the paths of a lattice: sums, lists and samples. Made by `Tokenizer.lattice`.

    Segmentations are scored as by `Tokenizer.nbest`.
    """

    __slots__ = ("_tok",)
    __module__ = "spm_lite"  # where users find it

    def __init__(self, tok: EncodingMethods) -> None:
        self._tok = tok

    def __repr__(self) -> str:
        return f"<Lattice of {self._tok!r}>"

    @property
    def _distribution(self) -> Distribution:
        return self._tok._distribution

    def nbest_batch(
        self, texts: Iterable[str | bytes], n: int, *, num_threads: int | None = None
    ) -> list[list[Segmentation]]:
        """The n best segmentations of each text, as `Tokenizer.nbest` gives them.

        Args:
            texts: any iterable of str or bytes, as in `encode_batch`.
            n: how many at most of each text.
            num_threads: None for all usable CPUs.
        Returns:
            A list of lists of Segmentations.
        Raises:
            SpmLiteError: as in `nbest`; the message names the index of the text in the batch.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, vocab_size=270, hard_vocab_limit=False)
        >>> len(tok.lattice.nbest_batch(["the", "cat"], 2))
        2
        """
        from spm_lite.lattice import path_batch

        items, threads = texts_and_threads(texts, num_threads)
        lists = path_batch.nbest_batch(self._distribution, items, as_n(n), threads)
        return [as_segmentations(found) for found in lists]

    def samples(
        self, text: str | bytes, n: int, *, alpha: float = 1.0, replace: bool = True, seed: Any = None
    ) -> list[Segmentation]:
        """`n` random segmentations, drawn as by `Tokenizer.sample`; their scores are logarithms of probabilities.

        Args:
            text: str, or bytes of UTF-8.
            n: how many, 1 or more.
            alpha, seed: as in `sample`.
            replace: True draws independently; each score is the log-probability of that segmentation. False draws n
                different ones, or all if there are fewer; each score is the log-probability to be among n drawn so.
        Returns:
            A list of Segmentations (ids, score).
        Raises:
            OptionError: n < 1, alpha or seed is out of range, or the model has only one segmentation of a text.
            TextError: the text holds a lone surrogate.

        Source: Kool, van Hoof, Welling 2019 (without replacement).

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, vocab_size=270, hard_vocab_limit=False)
        >>> [tok.decode(one.ids) for one in tok.lattice.samples("cat", 2, seed=1)]
        ['cat', 'cat']
        """
        count, strength, own_each = as_n(n), as_alpha(alpha), as_flag(replace, "replace")
        found = self._distribution.samples(text, count, strength, own_each, as_random(seed))
        return as_segmentations(found)

    def samples_batch(
        self,
        texts: Iterable[str | bytes],
        n: int,
        *,
        alpha: float = 1.0,
        replace: bool = True,
        seed: Any = None,
        num_threads: int | None = None,
    ) -> list[list[Segmentation]]:
        """`n` random segmentations of each text, as `samples` draws them.

        With a seed, the result depends on the texts and their order, not on the threads.

        Args:
            texts: any iterable of str or bytes, as in `encode_batch`.
            n: how many of each text.
            alpha, replace, seed: as in `samples`.
            num_threads: None for all usable CPUs.
        Returns:
            A list of lists of Segmentations.
        Raises:
            SpmLiteError: as in `samples`; the message names the index of the text in the batch.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, vocab_size=270, hard_vocab_limit=False)
        >>> [len(found) for found in tok.lattice.samples_batch(["the", "cat"], 2, seed=1)]
        [2, 2]
        """
        from spm_lite.lattice import path_batch

        items, threads = texts_and_threads(texts, num_threads)
        own_each, random = as_flag(replace, "replace"), as_random(seed)
        lists = path_batch.samples_batch(self._distribution, items, as_n(n), as_alpha(alpha), own_each, random, threads)
        return [as_segmentations(found) for found in lists]

    def log_prob(self, text: str | bytes, ids: Iterable[Any] | None = None) -> float:
        """The logarithm of the probability of a text, summed over all its segmentations.

        Args:
            text: str, or bytes of UTF-8.
            ids: sum over the segmentations with just these ids; -inf if there is none.
        Returns:
            A float, in nats.
        Raises:
            OptionError: the model has only one segmentation of a text.
            TextError: the text holds a lone surrogate.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, vocab_size=270, hard_vocab_limit=False)
        >>> tok.lattice.log_prob("the cat") < 0
        True
        """
        if ids is None:
            return self._distribution.log_prob(text)
        return self._distribution.log_prob_of(text, as_wanted(ids))

    def log_prob_batch(
        self,
        texts: Iterable[str | bytes],
        ids: Iterable[Iterable[Any]] | None = None,
        *,
        num_threads: int | None = None,
    ) -> NDArray[Any]:
        """The `log_prob` of each text, as an array of float64.

        Args:
            texts: any iterable of str or bytes, as in `encode_batch`.
            ids: a sequence of ids for each text; None: all segmentations.
            num_threads: None for all usable CPUs.
        Returns:
            An array of float64.
        Raises:
            SpmLiteError: as in `log_prob`; the message names the index of the text in the batch.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, vocab_size=270, hard_vocab_limit=False)
        >>> tok.lattice.log_prob_batch(["the", "cat"]).shape
        (2,)
        """
        import numpy as np

        from spm_lite.lattice import path_batch

        items, threads = texts_and_threads(texts, num_threads)
        if ids is None:
            return np.array(path_batch.log_prob_batch(self._distribution, items, threads), dtype=np.float64)
        rows = [as_wanted(row, i) for i, row in enumerate(as_iterable(ids, "ids"))]
        if len(rows) != len(items):
            raise OptionError(f"there are {len(items)} texts, but ids of {len(rows)}: pass ids for each text")
        return np.array(path_batch.log_prob_of_batch(self._distribution, items, rows, threads), dtype=np.float64)

    def entropy(self, text: str | bytes, *, alpha: float = 1.0) -> float:
        """The entropy, in nats, of the distribution that `sample` draws from; 0 if there is one segmentation only.

        Args:
            text: str, or bytes of UTF-8.
            alpha: as in `sample`.
        Returns:
            A float.
        Raises:
            OptionError: the model has only one segmentation of a text, or alpha is out of range.
            TextError: the text holds a lone surrogate.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, vocab_size=270, hard_vocab_limit=False)
        >>> tok.lattice.entropy("the cat") >= 0
        True
        """
        return self._distribution.entropy(text, as_alpha(alpha))

    def entropy_batch(
        self, texts: Iterable[str | bytes], *, alpha: float = 1.0, num_threads: int | None = None
    ) -> NDArray[Any]:
        """The `entropy` of each text, as an array of float64.

        Args:
            texts: any iterable of str or bytes, as in `encode_batch`.
            alpha: as in `sample`.
            num_threads: None for all usable CPUs.
        Returns:
            An array of float64.
        Raises:
            SpmLiteError: as in `entropy`; the message names the index of the text in the batch.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, vocab_size=270, hard_vocab_limit=False)
        >>> tok.lattice.entropy_batch(["the", "cat"]).shape
        (2,)
        """
        import numpy as np

        from spm_lite.lattice import path_batch

        items, threads = texts_and_threads(texts, num_threads)
        return np.array(path_batch.entropy_batch(self._distribution, items, as_alpha(alpha), threads), dtype=np.float64)

    def expected_counts(self, text: str | bytes, *, alpha: float = 1.0) -> dict[int, float]:
        """The expected number of times that each id occurs in a `sample` of a text; ids that never occur are left out.

        Each unknown character counts by itself, under the id of the unknown piece, or -1 in a model without one.

        Args:
            text: str, or bytes of UTF-8.
            alpha: as in `sample`.
        Returns:
            A dict of id and expected count.
        Raises:
            OptionError: the model has only one segmentation of a text, or alpha is out of range.
            TextError: the text holds a lone surrogate.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, vocab_size=270, hard_vocab_limit=False)
        >>> sum(tok.lattice.expected_counts("the").values()) >= 1
        True
        """
        return self._distribution.expected_counts(text, as_alpha(alpha))

    def expected_counts_batch(
        self, texts: Iterable[str | bytes], *, alpha: float = 1.0, num_threads: int | None = None
    ) -> list[dict[int, float]]:
        """The `expected_counts` of each text.

        Args:
            texts: any iterable of str or bytes, as in `encode_batch`.
            alpha: as in `sample`.
            num_threads: None for all usable CPUs.
        Returns:
            A list of dicts, one for each text.
        Raises:
            SpmLiteError: as in `expected_counts`; the message names the index of the text in the batch.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, vocab_size=270, hard_vocab_limit=False)
        >>> len(tok.lattice.expected_counts_batch(["the", "cat"]))
        2
        """
        from spm_lite.lattice import path_batch

        items, threads = texts_and_threads(texts, num_threads)
        return path_batch.expected_counts_batch(self._distribution, items, as_alpha(alpha), threads)


def as_segmentations(found: Iterable[tuple[list[int], float]]) -> list[Segmentation]:
    from spm_lite.tokenizer import results  # faster than importing the class in each call

    return [results.Segmentation(*one) for one in found]


def as_n(n: Any, name: str = "n") -> int:
    """A number of segmentations, at least 1; larger numbers than MAX_N become MAX_N."""
    number = as_int(n, name)
    if number < 1:
        raise OptionError(f"{name} {number} is below 1: ask for at least one segmentation")
    return min(number, MAX_N)


def as_number(value: Any, name: str) -> float:
    """Any number as a float; bool and str are refused."""
    if type(value).__name__ not in BOOLS and not isinstance(value, (str, bytes, bytearray)):
        try:
            return float(value)
        except (TypeError, ValueError):
            pass
        except OverflowError:
            raise OptionError(f"{name} {value!r:.40} does not fit into a float") from None
    raise ArgumentTypeError(f"{name} is a number, not {type(value).__name__} {value!r:.40}")


def as_alpha(alpha: Any) -> float:
    """An inverse temperature: finite, 0 or more."""
    number = as_number(alpha, "alpha")
    if not 0 <= number < math.inf:
        raise OptionError(f"alpha {number} is not in range: 0 (all alike) or more (closer to the best), and finite")
    return number


def as_strength(alpha: Any, dropout: Any) -> float:
    """The `alpha` argument of the engine: the dropout probability if it is given, else alpha."""
    number = as_alpha(alpha)
    if dropout is None:
        return number
    if number != 1.0:
        raise OptionError(f"alpha {number} has no meaning with dropout: pass one of them")
    probability = as_number(dropout, "dropout")
    if not 0 <= probability <= 1:
        raise OptionError(f"dropout {probability} is not a probability, 0 to 1")
    return probability


def as_listed(nbest_size: Any, dropout: Any) -> int:
    """The number of best segmentations that a sample is drawn from; 0: all segmentations."""
    if nbest_size is None:
        return 0
    if dropout is not None:
        raise OptionError("nbest_size and dropout are two kinds of sampling: pass one of them")
    return as_n(nbest_size, "nbest_size")


def as_wanted(ids: Any, row: int | None = None) -> list[int]:
    """The ids to search in the segmentations of a text; numbers that no model has become NO_ID."""
    return [number if -1 <= number < 2**31 else NO_ID for number in (as_int(i, "an id") for i in as_ids(ids, row))]


def as_random(seed: Any) -> Random:
    """The random number generator of one call."""
    if seed is None:
        return Random()
    if callable(getattr(seed, "integers", None)):  # a numpy Generator: its next number is the seed
        return Random(int(seed.integers(0, 2**64, dtype="uint64")))
    number = as_int(seed, "seed")
    if not 0 <= number < 2**64:
        raise OptionError(f"seed {number} is not in range: 0 to 2^64 - 1")
    return Random(number)
