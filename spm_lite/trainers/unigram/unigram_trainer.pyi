from typing import final

from spm_lite.trainers.trainer_interface import Trainer

@final
class UnigramTrainer(Trainer): ...

def ignore(phase: str, done: int, total: int) -> None: ...
