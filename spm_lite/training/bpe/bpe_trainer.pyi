from typing import final

from spm_lite.training.trainer_interface import Trainer

@final
class BpeTrainer(Trainer):
    least: int
    enough: int
    def occurrences(self) -> list[int]: ...
