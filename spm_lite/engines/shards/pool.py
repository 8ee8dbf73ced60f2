"""All tasks of a plan on one machine: processes that take task after task."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING

from spm_lite.errors import SpmLiteError

if TYPE_CHECKING:
    from spm_lite.engines.shards.plans import Plan

_plan: Plan | None = None  # of a worker process


def run_in_processes(plan: Plan, numbers: Sequence[int], num_workers: int) -> None:
    """Run some tasks of a plan. Raises what a task raises, after the tasks that had begun have ended."""
    n_workers = min(num_workers, len(numbers))
    if n_workers <= 1:
        for number in numbers:
            plan.run_task(number, num_threads=num_workers)
        return
    from multiprocessing import get_context

    refuse_unguarded()
    before = os.environ.get("OMP_NUM_THREADS")
    os.environ["OMP_NUM_THREADS"] = "1"  # for libraries that the processes import
    try:
        with ProcessPoolExecutor(n_workers, get_context("spawn"), set_plan, (plan,)) as pool:
            try:
                for done in as_completed([pool.submit(run_one, number) for number in numbers]):
                    done.result()
            except BrokenProcessPool:
                raise SpmLiteError(
                    "a worker process has died, perhaps for lack of memory; its messages are on standard error. The "
                    "finished shards are kept: run it again, with fewer workers"
                ) from None
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    finally:
        if before is None:
            del os.environ["OMP_NUM_THREADS"]
        else:
            os.environ["OMP_NUM_THREADS"] = before


def refuse_unguarded() -> None:
    """Raise SpmLiteError in a worker process that imports the script which started it, and comes to this call again.

    Python refuses to start processes there, and its pool of processes would wait for them for ever.
    """
    from multiprocessing import current_process

    if getattr(current_process(), "_inheriting", False):
        raise SpmLiteError(
            "the processes of a pool import the script that starts them: call Plan.run under if __name__ == '__main__':"
        )


def set_plan(plan: Plan) -> None:
    """Keep the plan of a worker process, so that it is not sent with each task."""
    global _plan
    _plan = plan


def run_one(number: int) -> int:
    """Run one task of the worker's plan, and return its number."""
    assert _plan is not None
    _plan.run_task(number, num_threads=1)
    return number
