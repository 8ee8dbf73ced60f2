from typing import final

from spm_lite.trainers.trainer_interface import Trainer
from spm_lite.trainers.unigram.fork import Fork

@final
class UnigramTrainer(Trainer):
    fork: Fork | None

def ignore(phase: str, done: int, total: int) -> None: ...
