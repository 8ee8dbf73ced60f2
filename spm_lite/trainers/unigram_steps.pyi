from spm_lite.trainers.counts import CountTable

def expected_counts(
    counts: CountTable, scores: dict[str, float | None], num_threads: int = 1
) -> tuple[dict[str, float], float]: ...
def best_counts(counts: CountTable, scores: dict[str, float | None], num_threads: int = 1) -> dict[str, int]: ...
def maximized(
    counts: CountTable, scores: dict[str, float | None], floor: int = 0, num_threads: int = 1
) -> dict[str, float | None]: ...
def pruned(
    counts: CountTable,
    scores: dict[str, float | None],
    target: int,
    shrinking_factor: float,
    floor: int = 0,
    num_threads: int = 1,
) -> set[str]: ...
def unshadowed(counts: CountTable, scores: dict[str, float | None], floor: int = 0) -> set[str]: ...
