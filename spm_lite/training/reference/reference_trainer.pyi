from typing import final

from spm_lite.training.trainer_interface import Trainer

@final
class ReferenceUnigramTrainer(Trainer):
    n_lanes: int
    seed_file: str
