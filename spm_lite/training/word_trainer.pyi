from typing import final

from spm_lite.training.trainer_interface import Trainer

@final
class CharTrainer(Trainer): ...

@final
class WordTrainer(Trainer): ...
