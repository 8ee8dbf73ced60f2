"""Ordered parts: threads take the parts of a job one after the other and hand in the results in that order."""

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

    constexpr int brief = 100;  // tries before a thread sleeps: being woken takes longer than most waits
    #if defined(Py_GIL_DISABLED)
    constexpr int brief_at_gil = 0;
    #else
    constexpr int brief_at_gil = 1000;  // tries at the GIL, which other threads hold while they make lists
    #endif
    constexpr auto patience = std::chrono::milliseconds(50);

    // Whether a condition becomes true within `tries` tries; between them other threads may run.
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
        std::atomic<int> n_at_gil{0};           // threads that hold it or ask for it

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

    // If it is destroyed without leave(), the job counts its thread as stopped: by an exception, or by the end of a
    // thread that waits for the GIL (see `tasks`).
    struct StopGuard {
        PartOrder* turns = nullptr;
        void enter(PartOrder* of) { turns = of; }
        void leave() { turns = nullptr; }
        ~StopGuard() { if (turns) turns->n_stopped.fetch_add(1); }
    };

    struct SourceLock {
        std::unique_lock<std::timed_mutex> lock;
        StopGuard holder;    // destroyed before `lock`: the next thread to lock it sees the count

        bool take(PartOrder* turns) {
            lock = std::unique_lock<std::timed_mutex>(turns->source, std::defer_lock);
            if (!is_so_soon(brief, [&] { return lock.try_lock(); }) && !lock.try_lock_for(patience)) return false;
            holder.enter(turns);
            return true;
        }
        void leave() { holder.leave(); }
    };

    // Before a thread asks for the GIL, it spins here for a while as long as another thread of the job is there.
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
        atomic[int64_t] due             # the part whose results come next
        atomic[int64_t] n_stopped       # threads of the job that have stopped
        bint wait(int64_t number) nogil     # for a while, until the part is due; False: it is not yet
        void advance() nogil                # make the next part due

    cdef cppclass StopGuard:             # destroyed without leave(): the thread has stopped
        StopGuard() except +
        void enter(PartOrder* turns) nogil
        void leave() nogil

    cdef cppclass SourceLock:           # of the source of the parts; held until it is destroyed
        SourceLock() except +
        bint take(PartOrder* turns) nogil       # for a while; False: another thread still has it
        void leave() nogil                  # destroyed without it: the thread has stopped

    cdef cppclass GilQueue:             # a place at the GIL, until it is destroyed
        GilQueue() except +
        void take(PartOrder* turns) nogil       # as soon as no other thread is there, or after a while

    double now "spm_lite_now"() noexcept nogil      # seconds of a steady clock
