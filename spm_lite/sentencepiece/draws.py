"""Random generators of the drop-in: one for each thread, as in sentencepiece."""

from __future__ import annotations

import threading

from spm_lite.base.structures.random import Random
from spm_lite.sentencepiece import settings


class ThreadState(threading.local):
    """The generator of a thread, and the generation of the seed that it began with."""

    def __init__(self) -> None:
        self.begin(settings.random_state())

    def begin(self, seeding: settings.RandomState) -> None:
        """Start a new generator from a seed."""
        self.generation = seeding.generation
        self.random = Random(seeding.seed)


_state = ThreadState()


def thread_random() -> Random:
    """The generator of this thread; a new one after each `set_random_generator_seed`."""
    seeding = settings.random_state()
    if _state.generation != seeding.generation:
        _state.begin(seeding)
    return _state.random
