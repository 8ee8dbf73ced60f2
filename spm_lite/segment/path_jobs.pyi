from spm_lite.segment.arrays import Int32Array, Int64Array
from spm_lite.segment.distribution import Distribution
from spm_lite.segment.random import Random

def nbest_batch(
    distribution: Distribution, texts: tuple[str | bytes, ...], n: int, num_threads: int
) -> list[list[tuple[list[int], float]]]: ...
def samples_batch(
    distribution: Distribution,
    texts: tuple[str | bytes, ...],
    n: int,
    alpha: float,
    replace: bool,
    random: Random,
    num_threads: int,
) -> list[list[tuple[list[int], float]]]: ...
def sample_batch(
    distribution: Distribution,
    texts: tuple[str | bytes, ...],
    n: int,
    alpha: float,
    drops_merges: bool,
    random: Random,
    num_threads: int,
    bos_id: int,
    eos_id: int,
) -> tuple[Int32Array, Int64Array]: ...
def entropy_batch(
    distribution: Distribution, texts: tuple[str | bytes, ...], alpha: float, num_threads: int
) -> list[float]: ...
def log_prob_batch(distribution: Distribution, texts: tuple[str | bytes, ...], num_threads: int) -> list[float]: ...
def log_prob_of_batch(
    distribution: Distribution, texts: tuple[str | bytes, ...], ids: list[list[int]], num_threads: int
) -> list[float]: ...
def expected_counts_batch(
    distribution: Distribution, texts: tuple[str | bytes, ...], alpha: float, num_threads: int
) -> list[dict[int, float]]: ...
