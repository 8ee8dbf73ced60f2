"""Other segmentations of a text than the plain one: arguments checked, results in their Python form."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from spm_lite.arguments import BOOLS, as_flag, as_ids, as_int, as_iterable, as_num_threads
from spm_lite.batch import Batch
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.segment import path_jobs
from spm_lite.segment.random import Random

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from spm_lite.segment.distribution import Distribution

MAX_N = 2**31 - 1


class Segmentation(NamedTuple):
    """One way to cut a text into pieces."""

    ids: list[int]
    score: float  # what the method that made it says


def nbest(distribution: Distribution, text: str | bytes, n: int) -> list[Segmentation]:
    return [Segmentation(*found) for found in distribution.nbest(text, as_n(n))]


def nbest_batch(
    distribution: Distribution, texts: Iterable[str | bytes], n: int, num_threads: int | None
) -> list[list[Segmentation]]:
    items, threads = as_texts(texts, num_threads)
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
    strength = as_strength(alpha, dropout)
    if nbest_size is None:
        return distribution.sample(text, strength, dropout is not None, as_random(seed))
    if dropout is not None:
        raise OptionError("nbest_size and dropout are two kinds of sampling: pass one of them")
    return distribution.sample_listed(text, as_n(nbest_size, "nbest_size"), strength, as_random(seed))


def samples(
    distribution: Distribution, text: str | bytes, n: int, alpha: float, replace: bool, seed: Any
) -> list[Segmentation]:
    found = distribution.samples(text, as_n(n), as_alpha(alpha), as_flag(replace, "replace"), as_random(seed))
    return [Segmentation(*one) for one in found]


def sample_batch(
    distribution: Distribution,
    texts: Iterable[str | bytes],
    alpha: float,
    dropout: float | None,
    seed: Any,
    num_threads: int | None,
    bos_eos: tuple[int, int],
    pad_id: int,
) -> Batch:
    items, threads = as_texts(texts, num_threads)
    strength = as_strength(alpha, dropout)
    ids, offsets = path_jobs.sample_batch(
        distribution, items, strength, dropout is not None, as_random(seed), threads, *bos_eos
    )
    import numpy as np

    flat = np.frombuffer(ids.view(), dtype=np.int32) if len(ids) else np.empty(0, dtype=np.int32)
    return Batch(flat, np.frombuffer(offsets.view(), dtype=np.int64), pad_id)


def log_prob(distribution: Distribution, text: str | bytes, ids: Iterable[Any] | None) -> float:
    if ids is None:
        return distribution.log_prob(text)
    numbers = [as_int(i, "an id") for i in as_ids(ids)]
    if not all(-(2**31) <= number < 2**31 for number in numbers):
        return -math.inf  # no model has such an id
    return distribution.log_prob_of(text, numbers)


def log_prob_batch(distribution: Distribution, texts: Iterable[str | bytes], num_threads: int | None) -> NDArray[Any]:
    import numpy as np

    return np.array(path_jobs.log_prob_batch(distribution, *as_texts(texts, num_threads)), dtype=np.float64)


def entropy(distribution: Distribution, text: str | bytes, alpha: float) -> float:
    return distribution.entropy(text, as_alpha(alpha))


def entropy_batch(
    distribution: Distribution, texts: Iterable[str | bytes], alpha: float, num_threads: int | None
) -> NDArray[Any]:
    import numpy as np

    items, threads = as_texts(texts, num_threads)
    return np.array(path_jobs.entropy_batch(distribution, items, as_alpha(alpha), threads), dtype=np.float64)


def expected_counts(distribution: Distribution, text: str | bytes, alpha: float) -> dict[int, float]:
    return distribution.expected_counts(text, as_alpha(alpha))


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


def as_texts(texts: Any, num_threads: int | None) -> tuple[tuple[Any, ...], int]:
    """The texts of a batch and the number of threads for them."""
    if isinstance(texts, (str, bytes)):
        raise ArgumentTypeError(f"texts is one {type(texts).__name__}: pass a list of texts")
    items = tuple(as_iterable(texts, "texts"))
    return items, max(1, min(as_num_threads(num_threads), len(items)))
