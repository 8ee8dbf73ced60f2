from typing import final

from spm_lite.training.trainer_interface import Trainer

SPACE: str

@final
class SharedSeeds:
    def __new__(cls) -> SharedSeeds: ...

@final
class UnigramTrainer(Trainer):
    shared: SharedSeeds | None

def ignore(phase: str, done: int, total: int) -> None: ...
