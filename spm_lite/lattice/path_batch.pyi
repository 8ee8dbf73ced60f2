from typing import final

from spm_lite.base.structures.random import Random
from spm_lite.base.system.arrays import Int32Array, Int64Array
from spm_lite.encode.shares import TextWorker
from spm_lite.lattice.distribution import Distribution
from spm_lite.texts.text_view import Texts

@final
class PathWorker(TextWorker): ...

def nbest_batch(
    distribution: Distribution, texts: Texts, n: int, num_threads: int
) -> list[list[tuple[list[int], float]]]: ...
def samples_batch(
    distribution: Distribution,
    texts: Texts,
    n: int,
    alpha: float,
    replace: bool,
    random: Random,
    num_threads: int,
) -> list[list[tuple[list[int], float]]]: ...
def sample_batch(
    distribution: Distribution,
    texts: Texts,
    n: int,
    alpha: float,
    drops_merges: bool,
    random: Random,
    num_threads: int,
    bos_id: int,
    eos_id: int,
) -> tuple[Int32Array, Int64Array]: ...
def entropy_batch(distribution: Distribution, texts: Texts, alpha: float, num_threads: int) -> list[float]: ...
def log_prob_batch(distribution: Distribution, texts: Texts, num_threads: int) -> list[float]: ...
def log_prob_of_batch(
    distribution: Distribution, texts: Texts, ids: list[list[int]], num_threads: int
) -> list[float]: ...
def expected_counts_batch(
    distribution: Distribution, texts: Texts, alpha: float, num_threads: int
) -> list[dict[int, float]]: ...
