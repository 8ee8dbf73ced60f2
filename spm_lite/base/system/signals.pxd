"""Signals are heard within long work that does without the GIL; header only."""

from cpython.exc cimport PyErr_CheckSignals


cdef extern from *:
    """
    #include <chrono>
    #include <thread>

    #if PY_VERSION_HEX < 0x030D0000
    #define SPM_LITE_IS_ENDING() _Py_IsFinalizing()
    #else
    #define SPM_LITE_IS_ENDING() Py_IsFinalizing()
    #endif

    static inline void spm_lite_stay_if_ending() {
        while (SPM_LITE_IS_ENDING()) std::this_thread::sleep_for(std::chrono::seconds(1));
    }
    """
    # What a thread does that is about to ask for the GIL: an interpreter that has come to its end knows no threads any
    # more, and asking would crash. The thread goes when the program does, which waits for no thread of this kind.
    void stay_if_ending "spm_lite_stay_if_ending"() noexcept nogil


cdef inline int check_signals() except -1 nogil:
    """Raise what a signal raises that came to the main thread, which is this one."""
    stay_if_ending()
    with gil:
        PyErr_CheckSignals()
    return 0
