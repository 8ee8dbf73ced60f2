"""Compiler and processor features beyond C++: prefetch, bit scan, wide products, byte order; header only."""

from libc.stdint cimport int64_t, uint64_t


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
    #if defined(_M_IX86)
        if (_BitScanForward(&place, (unsigned long) word)) return (int) place;
        _BitScanForward(&place, (unsigned long) (word >> 32));
        return (int) place + 32;
    #else
        _BitScanForward64(&place, word);
        return (int) place;
    #endif
    }
    #endif
    static inline unsigned long long spm_lite_folded_product(unsigned long long a, unsigned long long b) {
    #if defined(__SIZEOF_INT128__)
        unsigned __int128 product = (unsigned __int128) a * b;
        return (unsigned long long) product ^ (unsigned long long) (product >> 64);
    #elif defined(_M_X64)
        unsigned long long high, low = _umul128(a, b, &high);
        return low ^ high;
    #else
        unsigned long long low = a * (b | 1), high = (b ^ b >> 32) * (a << 1 | 1);
        return (low ^ low >> 32) * 0xD6E8FEB86659FD93ULL ^ high ^ high >> 29;
    #endif
    }
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    #define SPM_LITE_FIRST_LOWEST(word) __builtin_bswap64(word)
    #else
    #define SPM_LITE_FIRST_LOWEST(word) (word)
    #endif
    """
    void prefetch "SPM_LITE_PREFETCH"(const void* address) noexcept nogil
    int first_bit "SPM_LITE_FIRST_BIT"(uint64_t word) noexcept nogil    # the lowest; word: not 0
    # A hash of two words: both halves of their product, XORed; else two products of single width.
    uint64_t folded_product "spm_lite_folded_product"(uint64_t a, uint64_t b) noexcept nogil
    uint64_t first_lowest "SPM_LITE_FIRST_LOWEST"(uint64_t word) noexcept nogil     # its first byte in memory lowest


cdef inline uint64_t low_bytes(int64_t n) noexcept nogil:
    """Return ones in the lowest `n` bytes, at most 8."""
    return ~(~(<uint64_t> 0) << (4 * n) << (4 * n))
