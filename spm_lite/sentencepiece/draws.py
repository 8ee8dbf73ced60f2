"""The random numbers of the drop-in: one generator for each thread, as sentencepiece has them."""

from __future__ import annotations

import threading
from typing import Any

from spm_lite.sentencepiece import settings


class ThreadState(threading.local):
    """The generator of a thread, and the seeding that it was made after."""

    generation = -1
    random: Any = None


_state = ThreadState()


def thread_random() -> Any:
    """The generator of this thread; a new one after each `set_random_generator_seed`."""
    from spm_lite.segment.random import Random

    seeding = settings.random_state()
    if _state.random is None or _state.generation != seeding.generation:
        _state.random = Random(seeding.seed)
        _state.generation = seeding.generation
    return _state.random
