"""One long text on several threads: each takes the next part of it, cut where no piece can span, and encodes that."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.vector cimport vector

from spm_lite.atomics cimport atomic
from spm_lite.segment.arrays cimport Int32Array
from spm_lite.segment.chunks cimport ChunkEncoder, ChunkScratch, RunningScore
from spm_lite.segment.normalized cimport NormalizedText
from spm_lite.segment.stretches cimport Stretch
from spm_lite.segment.workers cimport Worker


cdef extern from *:
    """
    #include <atomic>
    #include <chrono>
    #include <cstdint>
    #include <mutex>
    #include <thread>

    #ifndef SPM_LITE_TURNS
    #define SPM_LITE_TURNS

    namespace {

    struct Turns {
        std::mutex source;
        std::atomic<std::int64_t> due{0};
        std::atomic<std::int64_t> n_stopped{0};

        bool wait(std::int64_t number) {
            while (due.load() != number) {
                if (n_stopped.load()) return false;
                std::this_thread::sleep_for(std::chrono::microseconds(20));
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
        void take(Turns* turns) { lock = std::unique_lock<std::mutex>(turns->source); }
    };

    }  // namespace

    #endif
    """
    cdef cppclass Turns:
        Turns() except +
        atomic[int64_t] due             # the part whose ids come next
        atomic[int64_t] n_stopped       # of those who share the text
        bint wait(int64_t number) nogil     # until a part is due; False: somebody has stopped

    cdef cppclass Presence:             # who does not leave has stopped
        Presence() except +
        void enter(Turns* turns) nogil
        void leave() nogil

    cdef cppclass SourceLock:           # held as long as it lives
        SourceLock() except +
        void take(Turns* turns) except + nogil


cdef enum LongTexts:
    LONG_BYTES = 1 << 20    # of text: from here on it is worth to share it out
    PART_BYTES = 1 << 17    # of normalized text, or some more: it and its ids stay in the cache until all is done


@cython.final
cdef class TextPart:
    cdef vector[uint8_t] text       # normalized; bytes behind it are readable, as of a whole text
    cdef int32_t size
    cdef int64_t number             # among the parts
    cdef bint is_waiting            # it is encoded, but other parts are due before
    cdef Int32Array ids
    cdef vector[Stretch] stretches  # Unigram


@cython.final
cdef class LongText:
    cdef ChunkEncoder chunks
    cdef NormalizedText source      # of one thread at a time
    cdef int32_t n_searched         # bytes of it that cannot be cut
    cdef int64_t n_taken            # parts
    cdef bint is_over               # there are no more
    cdef bint is_refused            # it cannot come in parts after all
    cdef Turns turns
    cdef Int32Array ids             # of all parts so far, behind those of other texts
    cdef size_t n_first
    cdef int64_t n_counted          # ids that are not kept any more
    cdef bint is_counting           # there are none of other texts
    cdef RunningScore score
    cdef bint was_unknown           # the last id stands for a run of unknown characters

    cdef bint take(self, TextPart part) except -1 nogil
    cdef int add(self, TextPart part, ChunkScratch scratch) except -1 nogil
    cdef int add_merged(self, TextPart part) except -1 nogil
    cdef int settle(self, TextPart part, ChunkScratch scratch) except -1 nogil
    cdef bint holds(self, const Stretch* stretch, size_t n_ids, ChunkScratch scratch) noexcept nogil
    cdef int add_unknown(
        self, const int32_t* ids, size_t n_ids, int32_t n_unknown, ChunkScratch scratch,
    ) except -1 nogil


@cython.final
cdef class PartWorker(Worker):
    cdef LongText text
    cdef ChunkScratch scratch
    cdef TextPart one               # while it waits, the other is filled
    cdef TextPart other
    cdef int64_t n_unchecked        # bytes since it looked for signals

    cdef bint encode_next(self, TextPart part, TextPart before) except -1 nogil
    cdef int encode(self, TextPart part) except -1 nogil
    cdef int add_if_due(self, TextPart part) except -1 nogil
    cdef bint add_in_turn(self, TextPart part) except -1 nogil


cdef bint is_for_all(ChunkEncoder chunks, int64_t size, int64_t total, Py_ssize_t n_workers)

# Add the ids of the text that `source` has started on to `ids`, or count them; their number is returned. -1: it cannot
# come in parts, and none is added. scratches: a ChunkScratch for each thread.
cdef int64_t add_long_text(
    ChunkEncoder chunks, NormalizedText source, list scratches, Int32Array ids, bint is_counting,
) except -2
