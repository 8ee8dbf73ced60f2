"""Threads that take the parts of a job one after the other, and hand in what becomes of them in that order."""

from libc.stdint cimport int64_t

from spm_lite.base.system.atomics cimport atomic


cdef extern from *:
    """
    #include <atomic>
    #include <chrono>
    #include <condition_variable>
    #include <cstdint>
    #include <mutex>
    #include <thread>

    namespace {

    constexpr int brief = 100;  // tries, before a thread lets itself be woken, which takes longer than most waits
    #if defined(Py_GIL_DISABLED)
    constexpr int brief_at_gil = 0;
    #else
    constexpr int brief_at_gil = 1000;  // the same at the GIL, which others may have for as long as they make lists
    #endif
    constexpr auto patience = std::chrono::milliseconds(50);

    // Whether something becomes so within some tries, between which others may run.
    template <class Condition>
    bool is_so_soon(int tries, Condition is_so) {
        for (int k = 0; k < tries; ++k) {
            if (is_so()) return true;
            std::this_thread::yield();
        }
        return is_so();
    }

    struct PartOrder {
        std::timed_mutex source;
        std::mutex mutex;
        std::condition_variable changed;
        std::atomic<std::int64_t> due{0};       // written under `mutex`
        std::atomic<std::int64_t> n_stopped{0};
        std::atomic<int> n_at_gil{0};           // who has it or asks for it

        bool wait(std::int64_t number) {
            auto is_due = [&] { return due.load() == number; };
            if (is_so_soon(brief, is_due)) return true;
            std::unique_lock<std::mutex> lock(mutex);
            return changed.wait_for(lock, patience, is_due);
        }
        void advance() {
            {
                std::lock_guard<std::mutex> lock(mutex);
                due.fetch_add(1);
            }
            changed.notify_all();
        }
    };

    // A thread that is ended while it waits for the GIL (see `workers`) leaves these as an exception would.
    struct StopGuard {
        PartOrder* turns = nullptr;
        void enter(PartOrder* of) { turns = of; }
        void leave() { turns = nullptr; }
        ~StopGuard() { if (turns) turns->n_stopped.fetch_add(1); }
    };

    struct SourceLock {
        std::unique_lock<std::timed_mutex> lock;
        StopGuard holder;    // destroyed before `lock`: who gets that next knows what has happened

        bool take(PartOrder* turns) {
            lock = std::unique_lock<std::timed_mutex>(turns->source, std::defer_lock);
            if (!is_so_soon(brief, [&] { return lock.try_lock(); }) && !lock.try_lock_for(patience)) return false;
            holder.enter(turns);
            return true;
        }
        void leave() { holder.leave(); }
    };

    // Who is about to ask for the GIL waits here while another thread of the same job has it.
    struct GilQueue {
        PartOrder* turns = nullptr;
        void take(PartOrder* of) {
            is_so_soon(brief_at_gil, [&] { return of->n_at_gil.load() == 0; });
            turns = of;
            turns->n_at_gil.fetch_add(1);
        }
        ~GilQueue() { if (turns) turns->n_at_gil.fetch_sub(1); }
    };

    double spm_lite_now() {
        return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    }

    }  // namespace
    """
    cdef cppclass PartOrder:
        PartOrder() except +
        atomic[int64_t] due             # the part whose ids come next
        atomic[int64_t] n_stopped       # of those who take part
        bint wait(int64_t number) nogil     # for a while, until a part is due; False: it is not yet
        void advance() nogil                # let the next part be due

    cdef cppclass StopGuard:             # who does not leave has stopped
        StopGuard() except +
        void enter(PartOrder* turns) nogil
        void leave() nogil

    cdef cppclass SourceLock:           # of where the parts come from: held as long as it lives
        SourceLock() except +
        bint take(PartOrder* turns) nogil       # within a while; False: others still have it
        void leave() nogil                  # who does not has stopped

    cdef cppclass GilQueue:             # at the GIL, as long as it lives
        GilQueue() except +
        void take(PartOrder* turns) nogil       # as soon as no other is there, or after a while

    double now "spm_lite_now"() noexcept nogil      # seconds since some time
