from typing import final

from spm_lite.trainers.trainer import Trainer

@final
class BpeTrainer(Trainer): ...
