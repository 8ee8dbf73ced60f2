"""A signal that comes when a call looks for signals the n-th time: what is done by then is the same on every machine."""

from cpython.exc cimport PyErr_CheckSignals

from signal import SIGINT


cdef extern from "Python.h":
    int PyErr_SetInterruptEx(int number)


cdef class PendingSignal:
    """A handler of SIGINT. While `watch` runs a call, the signal is pending each time that the call looks for signals.

    n_checks: how often that was. Check number `at`, the first is 1, calls `action`, which may raise; 0: none does.
    """

    cdef readonly int n_checks
    cdef int at
    cdef object action
    cdef bint is_watching

    def __init__(self, int at, action):
        self.at = at
        self.action = action

    def __call__(self, number, frame):
        if self.is_watching:
            self.n_checks += 1
            PyErr_SetInterruptEx(SIGINT)  # compiled code does not notice it by itself: the next check does
            if self.n_checks == self.at:
                self.action()

    def watch(self, call):
        """Return what `call` returns."""
        self.is_watching = True
        PyErr_SetInterruptEx(SIGINT)
        try:
            return call()
        finally:
            self.is_watching = False
            PyErr_CheckSignals()  # so that none is left for the next handler
