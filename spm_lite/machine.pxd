"""What compilers and processors offer beyond C++: fetching ahead, bits, byte order; header only."""

from libc.stdint cimport uint64_t


cdef extern from *:
    """
    #if defined(__GNUC__)
    #define SPM_LITE_PREFETCH(address) __builtin_prefetch(address)
    #define SPM_LITE_FIRST_BIT(word) __builtin_ctzll(word)
    #else
    #include <intrin.h>
    #define SPM_LITE_PREFETCH(address) ((void) 0)
    static inline int SPM_LITE_FIRST_BIT(unsigned long long word) {
        unsigned long place;
        _BitScanForward64(&place, word);
        return (int) place;
    }
    #endif
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    #define SPM_LITE_FIRST_LOWEST(word) __builtin_bswap64(word)
    #else
    #define SPM_LITE_FIRST_LOWEST(word) (word)
    #endif
    """
    void prefetch "SPM_LITE_PREFETCH"(const void* address) noexcept nogil
    int first_bit "SPM_LITE_FIRST_BIT"(uint64_t word) noexcept nogil    # of a word that is not 0
    uint64_t first_lowest "SPM_LITE_FIRST_LOWEST"(uint64_t word) noexcept nogil     # its first byte in memory lowest
