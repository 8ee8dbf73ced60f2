from typing import final

from spm_lite.encode.shares import TextWorker
from spm_lite.lattice.distribution import Distribution
from spm_lite.texts.text_view import Texts

@final
class LikelihoodWorker(TextWorker): ...

def log_likelihood(distribution: Distribution, texts: Texts, num_threads: int) -> tuple[float, float]: ...
