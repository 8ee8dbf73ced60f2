"""Tasks of a plan on an engine: an error of the data is a result, so that no engine tries again what cannot succeed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from spm_lite import errors
from spm_lite.engines.shards.finishing import SHOWN, Manifest
from spm_lite.errors import SpmLiteError

if TYPE_CHECKING:
    from spm_lite.engines.shards.plans import Plan

RAISED = re.compile(r"spm_lite\.(?:errors\.)?(\w+Error): (.*(?:\n(?!\n|\s|[\w.]+Error\b).*)*)")


class Failure(NamedTuple):
    """How a task ended: in an error of class `kind`, or without one if that is empty."""

    number: int
    kind: str  # the name of the class, as users know it
    message: str


def attempt(plan: Plan, number: int) -> Failure:
    """Run one task with one thread."""
    try:
        plan.run_task(number, num_threads=1)
    except SpmLiteError as error:
        return Failure(number, type(error).__qualname__, str(error))
    return Failure(number, "", "")


def run_all(plan: Plan, run: Callable[[Sequence[int]], Iterable[Failure]]) -> Manifest:
    """Run all missing tasks of a plan by an engine, and finish it. A finished job starts nothing.

    run: yields how the tasks of these numbers ended. Raises the error of the first task that failed; the others are
    done, and another call goes on from there.
    """
    missing = plan.missing()
    if missing:
        failures = sorted(found for found in run(missing) if found.kind)
        if failures:
            raise the_error(failures)
    return plan.finish()


def the_error(failures: Sequence[Failure]) -> SpmLiteError:
    """The error of the first task, with the numbers of the others."""
    first = failures[0]
    others = ", ".join(str(failure.number) for failure in failures[1 : SHOWN + 1])
    more = f"; tasks {others}{', ...' if len(failures) > SHOWN + 1 else ''} failed too" if others else ""
    return error_of(first.kind, f"task {first.number}: {first.message}{more}")


def error_of(kind: str, message: str) -> SpmLiteError:
    """The error that a worker raised, as a new object of its class; SpmLiteError for a class of another package."""
    found = getattr(errors, kind, None)
    is_ours = isinstance(found, type) and issubclass(found, SpmLiteError)
    made: Any = found if is_ours else SpmLiteError
    error: SpmLiteError = made(message)
    return error


def raised_in_worker(text: str) -> SpmLiteError | None:
    """The error of spm_lite that the text of a worker's traceback ends with; None: there is none."""
    found = RAISED.findall(text)
    return error_of(found[-1][0], found[-1][1].strip()) if found else None
