"""Other segmentations of a text than the plain one: arguments checked, results in their Python form."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from spm_lite.arguments import BOOLS, as_flag, as_ids, as_int, as_iterable
from spm_lite.batch import Batch
from spm_lite.batch_texts import as_shared
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.segment import path_jobs
from spm_lite.segment.random import Random

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from spm_lite.segment.distribution import Distribution
    from spm_lite.segment.texts import Texts

MAX_N = 2**31 - 1
NO_ID = -2  # what no piece has


class Segmentation(NamedTuple):
    """One way to cut a text into pieces."""

    ids: list[int]
    score: float  # what the method that made it says


def nbest(distribution: Distribution, text: str | bytes, n: int) -> list[Segmentation]:
    return [Segmentation(*found) for found in distribution.nbest(text, as_n(n))]


def nbest_batch(
    distribution: Distribution, texts: Iterable[str | bytes], n: int, num_threads: int | None
) -> list[list[Segmentation]]:
    items, threads = as_shared(texts, num_threads)
    lists = path_jobs.nbest_batch(distribution, items, as_n(n), threads)
    return [[Segmentation(*found) for found in one] for one in lists]


def sample(
    distribution: Distribution,
    text: str | bytes,
    alpha: float,
    nbest_size: int | None,
    dropout: float | None,
    seed: Any,
) -> list[int]:
    strength, n = as_strength(alpha, dropout), as_listed(nbest_size, dropout)
    if n:
        return distribution.sample_listed(text, n, strength, as_random(seed))
    return distribution.sample(text, strength, dropout is not None, as_random(seed))


def samples(
    distribution: Distribution, text: str | bytes, n: int, alpha: float, replace: bool, seed: Any
) -> list[Segmentation]:
    found = distribution.samples(text, as_n(n), as_alpha(alpha), as_flag(replace, "replace"), as_random(seed))
    return [Segmentation(*one) for one in found]


def samples_batch(
    distribution: Distribution,
    texts: Iterable[str | bytes],
    n: int,
    alpha: float,
    replace: bool,
    seed: Any,
    num_threads: int | None,
) -> list[list[Segmentation]]:
    items, threads = as_shared(texts, num_threads)
    replace, random = as_flag(replace, "replace"), as_random(seed)
    lists = path_jobs.samples_batch(distribution, items, as_n(n), as_alpha(alpha), replace, random, threads)
    return [[Segmentation(*found) for found in one] for one in lists]


def sample_batch(
    distribution: Distribution,
    texts: Texts | Iterable[str | bytes],
    alpha: float,
    nbest_size: int | None,
    dropout: float | None,
    seed: Any,
    num_threads: int | None,
    bos_eos: tuple[int, int],
    pad_id: int,
) -> Batch:
    items, threads = as_shared(texts, num_threads)
    strength, drops_merges = as_strength(alpha, dropout), dropout is not None
    n = as_listed(nbest_size, dropout)
    ids, offsets = path_jobs.sample_batch(
        distribution, items, n, strength, drops_merges, as_random(seed), threads, *bos_eos
    )
    return Batch._from_vectors(ids, offsets, pad_id)


def log_prob(distribution: Distribution, text: str | bytes, ids: Iterable[Any] | None) -> float:
    if ids is None:
        return distribution.log_prob(text)
    return distribution.log_prob_of(text, as_wanted(ids))


def log_prob_batch(
    distribution: Distribution,
    texts: Iterable[str | bytes],
    ids: Iterable[Iterable[Any]] | None,
    num_threads: int | None,
) -> NDArray[Any]:
    import numpy as np

    items, threads = as_shared(texts, num_threads)
    if ids is None:
        return np.array(path_jobs.log_prob_batch(distribution, items, threads), dtype=np.float64)
    rows = [as_wanted(row, i) for i, row in enumerate(as_iterable(ids, "ids"))]
    if len(rows) != len(items):
        raise OptionError(f"there are {len(items)} texts and ids of {len(rows)}: pass ids for each text")
    return np.array(path_jobs.log_prob_of_batch(distribution, items, rows, threads), dtype=np.float64)


def entropy(distribution: Distribution, text: str | bytes, alpha: float) -> float:
    return distribution.entropy(text, as_alpha(alpha))


def entropy_batch(
    distribution: Distribution, texts: Iterable[str | bytes], alpha: float, num_threads: int | None
) -> NDArray[Any]:
    import numpy as np

    items, threads = as_shared(texts, num_threads)
    return np.array(path_jobs.entropy_batch(distribution, items, as_alpha(alpha), threads), dtype=np.float64)


def expected_counts(distribution: Distribution, text: str | bytes, alpha: float) -> dict[int, float]:
    return distribution.expected_counts(text, as_alpha(alpha))


def expected_counts_batch(
    distribution: Distribution, texts: Iterable[str | bytes], alpha: float, num_threads: int | None
) -> list[dict[int, float]]:
    items, threads = as_shared(texts, num_threads)
    return path_jobs.expected_counts_batch(distribution, items, as_alpha(alpha), threads)


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
