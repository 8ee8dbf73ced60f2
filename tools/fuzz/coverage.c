/* Which edges of the sanitized modules a run has taken, for tools/fuzz/run.py.
 *
 * gcc's -fsanitize-coverage=trace-pc calls __sanitizer_cov_trace_pc in every basic block. An edge is two blocks, one
 * after the other, hashed into a table of counters (as in AFL, Zalewski 2014). This library is preloaded, so that the
 * modules find the call; outside of a fuzzer it only counts.
 */
#include <stdint.h>
#include <string.h>

enum { N_EDGES = 1 << 18 };

static uint8_t counts[N_EDGES];
static uint8_t seen[N_EDGES]; /* the bits of all classes of counts so far */
static __thread uintptr_t previous;

static inline uint32_t slot(uint64_t value) { return (uint32_t) (value * 0x9E3779B97F4A7C15u >> 46); }

static inline void count(uint32_t place) {
    if (counts[place] != 255) counts[place]++; /* threads may lose a count: it is a hint, not a result */
}

void __sanitizer_cov_trace_pc(void) {
    uintptr_t here = (uintptr_t) __builtin_return_address(0);
    count(slot((uint64_t) here ^ (uint64_t) previous << 17));
    previous = here;
}

/* Begin a run. */
void coverage_reset(void) {
    memset(counts, 0, sizeof counts);
    previous = 0;
}

/* Note something else that a run did, as if it were an edge. */
void coverage_note(uint64_t value) { count(slot(value ^ 0x5851F42D4C957F2Du)); }

/* 1, 2, 3, 4-7, 8-15, 16-31, 32-127 and more times: one bit each. */
static uint8_t class_of(uint8_t n) {
    return n < 4 ? 1 << (n - 1) : n < 8 ? 8 : n < 16 ? 16 : n < 32 ? 32 : n < 128 ? 64 : 128;
}

/* How many edges took a class of counts that no run had before; they are known from now on. */
int coverage_merge(void) {
    int n_new = 0;
    for (int i = 0; i < N_EDGES; i += 8) {
        uint64_t word;
        memcpy(&word, counts + i, 8);
        if (word == 0) continue;
        for (int k = i; k < i + 8; k++) {
            uint8_t bit = counts[k] ? class_of(counts[k]) : 0;
            n_new += (bit & ~seen[k]) != 0;
            seen[k] |= bit;
        }
    }
    return n_new;
}

/* Edges taken by any run. */
int coverage_edges(void) {
    int n_edges = 0;
    for (int i = 0; i < N_EDGES; i++) n_edges += seen[i] != 0;
    return n_edges;
}
