"""Other segmentations of a text than the plain one: arguments checked, results in their Python form."""

from __future__ import annotations

import math

from spm_lite._typing import TYPE_CHECKING
from spm_lite.arguments import BOOLS, as_flag, as_ids, as_int, as_iterable
from spm_lite.base.structures.random import Random
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.ids.batch import Batch
from spm_lite.texts.inputs import texts_and_threads
from spm_lite.tokenizer.parts import ModelParts

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from numpy.typing import NDArray

    from spm_lite.tokenizer.results import Segmentation


MAX_N = 2**31 - 1
NO_ID = -2  # what no piece has


class SegmentationMethods(ModelParts):
    """The methods of a Tokenizer that give other segmentations than the plain one, or numbers about them all."""

    __slots__ = ()

    def nbest(self, text: str | bytes, n: int) -> list[Segmentation]:
        """The plain encoding and the best other segmentations of a text, `n` together; fewer when there are fewer.

        Scores are sums over the pieces: log-probabilities in a Unigram model. A BPE file holds no probabilities; there
        a piece has -ln(2 + rank), where the one that merges first has rank 0. After the first, scores never rise, and
        of equal ones the one whose first other piece is longer comes first.
        Raises OptionError if n < 1 or the model has one segmentation of a text only (char and word models).
        Source: Jimenez and Marzal 1999 (recursive enumeration).

        >>> tokenizer.nbest("ab", 1)[0].ids == tokenizer.encode("ab")  # doctest: +SKIP
        True
        """
        return as_segmentations(self._distribution.nbest(text, as_n(n)))

    def nbest_batch(
        self, texts: Iterable[str | bytes], n: int, *, num_threads: int | None = None
    ) -> list[list[Segmentation]]:
        """The same for each of many texts."""
        from spm_lite.lattice import path_batch as path_jobs

        items, threads = texts_and_threads(texts, num_threads)
        lists = path_jobs.nbest_batch(self._distribution, items, as_n(n), threads)
        return [as_segmentations(found) for found in lists]

    def sample(
        self,
        text: str | bytes,
        *,
        alpha: float = 1.0,
        nbest_size: int | None = None,
        dropout: float | None = None,
        seed: Any = None,
    ) -> list[int]:
        """The ids of a segmentation taken at random, its probability growing as exp(alpha * score), as `nbest` scores.

        alpha: 0 is uniform over all segmentations, larger is closer to the best. nbest_size: only from that many best
        ones. dropout: instead, for BPE models, the probability that a merge is left out whenever its turn comes.
        seed: an integer of 0 to 2^64 - 1 or a numpy Generator; None: never the same twice.
        Source: Kudo 2018; Provilkov, Emelianenko, Voita 2020 (dropout).
        """
        strength, size = as_strength(alpha, dropout), as_listed(nbest_size, dropout)
        if size:
            return self._distribution.sample_listed(text, size, strength, as_random(seed))
        return self._distribution.sample(text, strength, dropout is not None, as_random(seed))

    def samples(
        self, text: str | bytes, n: int, *, alpha: float = 1.0, replace: bool = True, seed: Any = None
    ) -> list[Segmentation]:
        """`n` segmentations taken at random, as `sample` does; scores are logarithms of probabilities.

        replace=True: independent ones, each with its own probability. replace=False: different ones, or all where
        there are fewer than n, each with the probability to be among n so drawn (Kool, van Hoof, Welling 2019).
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
        """The same for each of many texts. With a seed it depends on the texts and their order, not on the threads."""
        from spm_lite.lattice import path_batch as path_jobs

        items, threads = texts_and_threads(texts, num_threads)
        own_each, random = as_flag(replace, "replace"), as_random(seed)
        lists = path_jobs.samples_batch(self._distribution, items, as_n(n), as_alpha(alpha), own_each, random, threads)
        return [as_segmentations(found) for found in lists]

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
        """One sample of each of many texts, as `sample` takes it, in the form of `encode_batch`.

        With a seed it depends on the texts and their order, not on the threads.
        """
        from spm_lite.lattice import path_batch as path_jobs

        added = self._bos_eos(bos, eos)
        items, threads = texts_and_threads(texts, num_threads)
        strength, drops_merges = as_strength(alpha, dropout), dropout is not None
        size = as_listed(nbest_size, dropout)
        ids, offsets = path_jobs.sample_batch(
            self._distribution, items, size, strength, drops_merges, as_random(seed), threads, *added
        )
        *_, pad_id = self._file.special_ids
        return Batch._from_vectors(ids, offsets, pad_id)

    def log_prob(self, text: str | bytes, ids: Iterable[Any] | None = None) -> float:
        """Logarithm of the probability of a text: of the sum over all its segmentations, scored as by `nbest`.

        ids: only the segmentations that become these ids; -inf where none does.
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
        """The same for each of many texts, as an array of float64. ids: a sequence for each text."""
        import numpy as np

        from spm_lite.lattice import path_batch as path_jobs

        items, threads = texts_and_threads(texts, num_threads)
        if ids is None:
            return np.array(path_jobs.log_prob_batch(self._distribution, items, threads), dtype=np.float64)
        rows = [as_wanted(row, i) for i, row in enumerate(as_iterable(ids, "ids"))]
        if len(rows) != len(items):
            raise OptionError(f"there are {len(items)} texts and ids of {len(rows)}: pass ids for each text")
        return np.array(path_jobs.log_prob_of_batch(self._distribution, items, rows, threads), dtype=np.float64)

    def entropy(self, text: str | bytes, *, alpha: float = 1.0) -> float:
        """Entropy in nats of what `sample` draws from; 0 where there is one segmentation."""
        return self._distribution.entropy(text, as_alpha(alpha))

    def entropy_batch(
        self, texts: Iterable[str | bytes], *, alpha: float = 1.0, num_threads: int | None = None
    ) -> NDArray[Any]:
        """The same for each of many texts, as an array of float64."""
        import numpy as np

        from spm_lite.lattice import path_batch as path_jobs

        items, threads = texts_and_threads(texts, num_threads)
        return np.array(path_jobs.entropy_batch(self._distribution, items, as_alpha(alpha), threads), dtype=np.float64)

    def expected_counts(self, text: str | bytes, *, alpha: float = 1.0) -> dict[int, float]:
        """How often each id is expected in a sample, without those that never occur.

        Unknown characters count each by itself, under the id of the unknown piece, -1 without one.
        """
        return self._distribution.expected_counts(text, as_alpha(alpha))

    def expected_counts_batch(
        self, texts: Iterable[str | bytes], *, alpha: float = 1.0, num_threads: int | None = None
    ) -> list[dict[int, float]]:
        """The same for each of many texts."""
        from spm_lite.lattice import path_batch as path_jobs

        items, threads = texts_and_threads(texts, num_threads)
        return path_jobs.expected_counts_batch(self._distribution, items, as_alpha(alpha), threads)


def as_segmentations(found: Iterable[tuple[list[int], float]]) -> list[Segmentation]:
    from spm_lite.tokenizer import results  # quicker than to ask for the class each time

    return [results.Segmentation(*one) for one in found]


def as_n(n: Any, name: str = "n") -> int:
    """A number of segmentations; more than there can be counts as MAX_N."""
    number = as_int(n, name)
    if number < 1:
        raise OptionError(f"{name} {number} is below 1: ask for at least one segmentation")
    return min(number, MAX_N)


def as_number(value: Any, name: str) -> float:
    """A float of any number; bool and str are refused."""
    if type(value).__name__ not in BOOLS and not isinstance(value, (str, bytes, bytearray)):
        try:
            return float(value)
        except (TypeError, ValueError):
            pass
        except OverflowError:
            raise OptionError(f"{name} {value!r:.40} does not fit into a float") from None
    raise ArgumentTypeError(f"{name} is a number, not {type(value).__name__} {value!r:.40}")


def as_alpha(alpha: Any) -> float:
    """An inverse temperature."""
    number = as_number(alpha, "alpha")
    if not 0 <= number < math.inf:
        raise OptionError(f"alpha {number} is not in range: 0 (all alike) or more (closer to the best), and finite")
    return number


def as_strength(alpha: Any, dropout: Any) -> float:
    """What the engine calls alpha: the probability of dropout, if that is given."""
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
    """How many of the best segmentations a sample is taken from; 0: from all."""
    if nbest_size is None:
        return 0
    if dropout is not None:
        raise OptionError("nbest_size and dropout are two kinds of sampling: pass one of them")
    return as_n(nbest_size, "nbest_size")


def as_wanted(ids: Any, row: int | None = None) -> list[int]:
    """Ids to look for in a text; those that no model has are all the same."""
    return [number if -1 <= number < 2**31 else NO_ID for number in (as_int(i, "an id") for i in as_ids(ids, row))]


def as_random(seed: Any) -> Random:
    """The generator of a call."""
    if seed is None:
        return Random()
    if callable(getattr(seed, "integers", None)):  # a numpy Generator gives the seed, and moves on
        return Random(int(seed.integers(0, 2**64, dtype="uint64")))
    number = as_int(seed, "seed")
    if not 0 <= number < 2**64:
        raise OptionError(f"seed {number} is not in range: 0 to 2^64 - 1")
    return Random(number)
