"""Threads of one call, joined before it returns: tasks, taken one by one without the GIL, or workers with a share each.

Ctrl-C stops tasks. Workers look for signals themselves.
"""

from libc.stdint cimport uint32_t


cdef extern from *:
    """
    #include <atomic>
    #include <chrono>
    #include <condition_variable>
    #include <cstdint>
    #include <mutex>
    #include <thread>
    #include <vector>

    namespace spm_lite {

    // The state that the threads of one call share.
    struct TaskBoard {
        std::atomic<uint32_t> next_task{0};
        std::atomic<bool> stop{false};
        std::mutex mutex;
        std::condition_variable finished;
        uint32_t n_running = 0;
        std::vector<std::thread> threads;

        void start(uint32_t n, void (*body)(void*, uint32_t), void* call) {
            threads.reserve(n);
            for (uint32_t worker = 1; worker <= n; ++worker) {
                { std::lock_guard<std::mutex> lock(mutex); ++n_running; }
                try {
                    threads.emplace_back(body, call, worker);
                } catch (...) {  // no more threads to be had: the call works with those it has
                    std::lock_guard<std::mutex> lock(mutex);
                    --n_running;
                    return;
                }
            }
        }
        void leave() {
            std::lock_guard<std::mutex> lock(mutex);
            --n_running;
            finished.notify_one();
        }
        // Whether all workers have left, after waiting at most `milliseconds` for it.
        bool wait(int milliseconds) {
            std::unique_lock<std::mutex> lock(mutex);
            return finished.wait_for(lock, std::chrono::milliseconds(milliseconds), [this] { return n_running == 0; });
        }
        void join() {
            for (auto& thread : threads) thread.join();
            threads.clear();
        }
        uint32_t n_started() const { return static_cast<uint32_t>(threads.size()); }
        // Until CPython 3.14 a daemon thread that asks for the GIL while the interpreter ends is ended itself, and its
        // stack is destroyed frame by frame: what the other threads work on must not be gone before they are.
        ~TaskBoard() {
            stop.store(true);
            join();
        }
    };

    }  // namespace spm_lite
    """
    cdef cppclass TaskBoard "spm_lite::TaskBoard":
        TaskBoard() except +
        void start(uint32_t n, void (*body)(void*, uint32_t) noexcept nogil, void* call) except + nogil
        void leave() noexcept nogil
        bint wait(int milliseconds) noexcept nogil
        void join() noexcept nogil
        uint32_t n_started() noexcept nogil


cdef struct TaskThread:
    # The thread that a task runs on.
    uint32_t index      # 0: the thread that called run_tasks
    TaskBoard* board

# One task: `job` is the caller's, `task` counts from 0. It may raise.
ctypedef int (*Task)(void* job, uint32_t task, const TaskThread* worker) except -1 nogil

cdef int run_tasks(Task task, void* job, uint32_t n_tasks, uint32_t n_threads) except -1 nogil
cdef bint is_stopped(const TaskThread* worker) except -1 nogil


cdef class Worker:
    """One share of a job with buffers of its own. The first exception of `work` ends the share and is kept."""

    cdef object error                   # the exception, or None

    cdef int work(self) except -1 nogil


cdef int run_workers(list workers) except -1
