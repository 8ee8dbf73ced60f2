"""Signal checks within long work without the GIL; header only."""

from cpython.exc cimport PyErr_CheckSignals


cdef extern from *:
    """
    #if PY_VERSION_HEX < 0x030D0000
    #define SPM_LITE_IS_ENDING() _Py_IsFinalizing()
    #else
    #define SPM_LITE_IS_ENDING() Py_IsFinalizing()
    #endif

    #ifdef _WIN32
    #include <chrono>
    #include <thread>
    #define SPM_LITE_SLEEP() std::this_thread::sleep_for(std::chrono::seconds(1))
    #else
    #include <unistd.h>     /* those two would be read by half of all modules */
    #define SPM_LITE_SLEEP() sleep(1)
    #endif

    static inline void spm_lite_stay_if_ending() {
        while (SPM_LITE_IS_ENDING()) SPM_LITE_SLEEP();
    }
    """
    # Call this before asking for the GIL. While the interpreter ends, asking would crash, so the thread sleeps here. It
    # ends with the program, which waits for no thread of this kind.
    void stay_if_ending "spm_lite_stay_if_ending"() noexcept nogil
    bint is_ending "SPM_LITE_IS_ENDING"() noexcept nogil       # the interpreter; then threads no longer start


cdef inline int check_signals() except -1 nogil:
    """Raise the exception of a signal that has arrived. To be called on the main thread, which handles signals."""
    stay_if_ending()
    with gil:
        PyErr_CheckSignals()
    return 0
