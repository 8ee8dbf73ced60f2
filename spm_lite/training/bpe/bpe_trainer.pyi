from typing_extensions import disjoint_base

from spm_lite.training.trainer_interface import Trainer

@disjoint_base
class BpeTrainer(Trainer):
    by_ids: bool
    least: int
    enough: int
    def occurrences(self) -> list[int]: ...
    def merged_pairs(self) -> list[tuple[int, int]]: ...
