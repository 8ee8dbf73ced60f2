"""Batch encoding on many threads: each takes the next texts, or the next part of a long text, until none is left.

Parts are numbered. Threads take them in this order and hand in their results in the same order (`PartOrder`).
"""

cimport cython
from libc.stdint cimport int32_t, int64_t
from libcpp.vector cimport vector

from spm_lite.base.system.arrays cimport Int32Array
from spm_lite.base.system.atomics cimport atomic
from spm_lite.base.system.thread_tasks cimport Worker
from spm_lite.encode.encoder cimport Encoder, EncodeScratch
from spm_lite.encode.long_text cimport BatchPart, LongText
from spm_lite.encode.segment.segmenter cimport Scratch
from spm_lite.texts.text_view cimport TextBlock, Texts, TextView


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
    // thread that waits for the GIL (see `thread_tasks`).
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


@cython.final
cdef class EncodeJob:
    cdef Encoder encoder
    cdef Texts texts
    cdef Int32Array ids         # of all texts; with `lists`: of the texts that have no list yet
    cdef list lists             # per text: its ids; None: the caller wants an array
    cdef int64_t* counts        # per text: number of ids
    cdef int32_t bos_id         # put before each text; -1: none
    cdef int32_t eos_id         # put after each text; -1: none
    cdef bint is_counting       # ids are counted, not kept
    # All that follows, except `turns`, is used by the thread that holds the source lock:
    cdef Py_ssize_t at          # index of the next text
    cdef int64_t block_bytes    # bytes of text taken at a time
    cdef int64_t most_bytes     # upper limit of `block_bytes`
    cdef int64_t n_taken        # parts taken so far
    cdef LongText long_text
    cdef TextBlock long_block   # the view of the long text
    cdef Py_ssize_t long_at     # its index
    cdef PartOrder turns

    cdef bint take(self, BatchPart part, int64_t* number, Scratch scratch) except -1 nogil
    cdef bint take_next(self, BatchPart part) except -1 nogil
    cdef bint take_with_gil(self, BatchPart part) except -1 nogil
    cdef bint take_texts(self, BatchPart part) except -1
    cdef void widen_blocks_if_gil_was_slow(self, double since) noexcept nogil
    cdef int list_ids(self, Int32Array ids, Py_ssize_t first_text, Py_ssize_t n_texts) except -1
    cdef int list_with_gil(self, Int32Array ids, Py_ssize_t first_text, Py_ssize_t n_texts) except -1 nogil
    cdef int add(self, BatchPart part, EncodeScratch scratch) except -1 nogil


@cython.final
cdef class EncodeWorker(Worker):
    cdef EncodeJob job
    cdef EncodeScratch scratch
    cdef bint is_first          # runs on the caller's thread
    cdef BatchPart one           # while this part waits to be added, the other is encoded
    cdef BatchPart other
    cdef int64_t number         # of the current part, or of the part that raised
    cdef int64_t largest        # bytes of the largest text

    cdef bint encode_next(self, BatchPart part, BatchPart before) except -1 nogil
    cdef int encode_texts(self, vector[TextView]& views, Py_ssize_t first_text, Int32Array ids) except -1 nogil
    cdef int encode_long(self, BatchPart part) except -1 nogil
    cdef int add_if_due(self, BatchPart part) except -1 nogil
    cdef int add_in_turn(self, BatchPart part) except -1 nogil
    cdef int await_turn(self, int64_t number) except -1 nogil
