"""The `progress` argument of a call: a function, a bar, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from spm_lite.arguments import as_python
from spm_lite.errors import ArgumentTypeError
from spm_lite.progress.meter import Meter, Progress, Reporter


def as_reporter(progress: Callable[[Progress], object] | bool | None) -> Reporter | None:
    """The Reporter for a `progress` argument: a function, True for a progress bar, None or False for none.

    Raises ArgumentTypeError for anything else, and for a function that does not take one argument.
    """
    progress = as_python(progress)
    if progress is None or progress is False:
        return None
    if progress is True:
        from spm_lite.progress.bar import ProgressBar  # here, since most calls show none

        bar = ProgressBar()
        return Meter(bar.measured, bar.close)
    if not callable(progress):
        raise ArgumentTypeError(f"progress={progress!r}: must be True, a function of one Progress, or None")
    import inspect  # here, since it takes as long to import as a model to load

    try:
        inspect.signature(progress).bind(None)
    except TypeError:
        raise ArgumentTypeError(
            f"progress={progress!r}: must take one argument, a Progress with phase, fraction and rate"
        ) from None
    except ValueError:  # a built-in function without a signature
        pass
    return Meter(progress)


@contextmanager
def closing_bar(reporter: Reporter | None) -> Iterator[None]:
    """The call that reports runs within; at its end the progress bar is closed, if there is one."""
    close = closer(reporter)
    try:
        yield
    finally:
        if close is not None:
            close()


def closer(reporter: Reporter | None) -> Callable[[], None] | None:
    """The function that closes the progress bar to which a Reporter reports; None: there is no bar."""
    return reporter.close if isinstance(reporter, Meter) else None
