"""Random generators of the drop-in: one for each thread, as in sentencepiece."""

from __future__ import annotations

import threading

from spm_lite.base.structures.random import Random
from spm_lite.sentencepiece import settings


class ThreadState(threading.local):
    """The generator of a thread, and the seeding that it began with."""

    seeding: settings.Seeding | None = None  # until the first draw
    random: Random


_state = ThreadState()


def thread_random() -> Random:
    """The generator of this thread.

    A new one begins after each `set_random_generator_seed`. Without a seed, one begins in a forked process too: there
    sentencepiece goes on with a copy, so that forked workers draw alike if their parent drew before.
    """
    seeding = settings.seeding()
    if _state.seeding is not seeding:
        _state.random = Random(seeding.seed)
        _state.seeding = seeding
    return _state.random
