"""Threads that take the parts of a job one after the other, and hand in what becomes of them in that order."""

from libc.stdint cimport int64_t

from spm_lite.atomics cimport atomic


cdef extern from *:
    """
    #include <atomic>
    #include <chrono>
    #include <cstdint>
    #include <mutex>
    #include <thread>

    namespace {

    constexpr int brief = 100;  // tries, before a thread lets itself be woken, which takes longer than most waits

    struct Turns {
        std::mutex source;
        std::atomic<std::int64_t> due{0};
        std::atomic<std::int64_t> n_stopped{0};

        bool wait(std::int64_t number) {
            for (int k = 0; due.load() != number; ++k) {
                if (n_stopped.load()) return false;
                if (k < brief) std::this_thread::yield();
                else std::this_thread::sleep_for(std::chrono::microseconds(50));
            }
            return true;
        }
    };

    // A thread that is ended while it waits for the GIL (see `workers`) leaves these as an exception would.
    struct Presence {
        Turns* turns = nullptr;
        void enter(Turns* of) { turns = of; }
        void leave() { turns = nullptr; }
        ~Presence() { if (turns) turns->n_stopped.fetch_add(1); }
    };

    struct SourceLock {
        std::unique_lock<std::mutex> lock;
        void take(Turns* turns) {
            lock = std::unique_lock<std::mutex>(turns->source, std::try_to_lock);
            for (int k = 0; k < brief && !lock.owns_lock(); ++k) {
                std::this_thread::yield();
                lock.try_lock();
            }
            if (!lock.owns_lock()) lock.lock();
        }
    };

    double spm_lite_now() {
        return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    }

    }  // namespace
    """
    cdef cppclass Turns:
        Turns() except +
        atomic[int64_t] due             # the part whose ids come next
        atomic[int64_t] n_stopped       # of those who take part
        bint wait(int64_t number) nogil     # until a part is due; False: somebody has stopped

    cdef cppclass Presence:             # who does not leave has stopped
        Presence() except +
        void enter(Turns* turns) nogil
        void leave() nogil

    cdef cppclass SourceLock:           # of the next part: held as long as it lives
        SourceLock() except +
        void take(Turns* turns) except + nogil

    double now "spm_lite_now"() noexcept nogil      # seconds since some time
