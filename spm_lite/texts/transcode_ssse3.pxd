"""Transcoding to UTF-8 by byte shuffles (SSSE3): four characters at a time, whatever their sizes.

Each of four characters is expanded to UTF-8 in its own 32-bit word. An 8-bit key says which bytes are used, and selects
the shuffle mask that packs them. The mix of scripts in a text does not matter.
Source: Lemire, Mula 2022.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t


cdef extern from *:
    """
    #include <stdint.h>
    #if defined(__GNUC__) && defined(__x86_64__)
    #include <immintrin.h>
    #define SPM_LITE_SHUFFLING __attribute__((target("ssse3")))
    #define SPM_LITE_PART static inline __attribute__((target("ssse3"), always_inline))

    SPM_LITE_PART __m128i spm_lite_load(const uint8_t* source) { return _mm_loadu_si128((const __m128i*) source); }

    /* Loads four characters, each into a 32-bit word. */
    SPM_LITE_PART __m128i spm_lite_four(const uint8_t* source, int width) {
        const __m128i zero = _mm_setzero_si128();
        int32_t four;
        if (width == 4) return spm_lite_load(source);
        if (width == 2) return _mm_unpacklo_epi16(_mm_loadl_epi64((const __m128i*) source), zero);
        __builtin_memcpy(&four, source, 4);
        return _mm_unpacklo_epi16(_mm_unpacklo_epi8(_mm_cvtsi32_si128(four), zero), zero);
    }

    /* Writes sixteen characters if all are ASCII; else the output is meaningless. */
    SPM_LITE_PART int spm_lite_narrow(const uint8_t* source, int width, uint8_t* out) {
        __m128i a = spm_lite_load(source), b, c, d;
        if (width == 2) {
            b = spm_lite_load(source + 16);
            c = _mm_or_si128(a, b);
            a = _mm_packus_epi16(a, b);
            if (_mm_movemask_epi8(_mm_cmpgt_epi16(_mm_srli_epi16(c, 7), _mm_setzero_si128()))) return 0;
        }
        if (width == 4) {
            b = spm_lite_load(source + 16), c = spm_lite_load(source + 32), d = spm_lite_load(source + 48);
            if (_mm_movemask_epi8(_mm_cmpeq_epi32(
                _mm_srli_epi32(_mm_or_si128(_mm_or_si128(a, b), _mm_or_si128(c, d)), 7), _mm_setzero_si128()
            )) != 0xFFFF) return 0;
            a = _mm_packus_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d));
        }
        _mm_storeu_si128((__m128i*) out, a);
        return width > 1 || _mm_movemask_epi8(a) == 0;
    }

    /* The bits of `a` where `yes` has ones, else the bits of `b`. */
    SPM_LITE_PART __m128i spm_lite_choose(__m128i yes, __m128i a, __m128i b) {
        return _mm_or_si128(_mm_and_si128(yes, a), _mm_andnot_si128(yes, b));
    }

    SPM_LITE_PART __m128i spm_lite_masked(__m128i words, int32_t mask) {
        return _mm_and_si128(words, _mm_set1_epi32(mask));
    }

    typedef struct { __m128i wrong, mark; uint8_t* to; } spm_lite_written;

    /* Writes four characters; 0: one is beyond U+FFFF, nothing is written. */
    SPM_LITE_PART int spm_lite_write_four(__m128i four, int width, const uint8_t* moves, spm_lite_written* written) {
        __m128i is_two, is_three = _mm_setzero_si128(), two, three;
        if (width == 4 && _mm_movemask_epi8(_mm_cmpeq_epi32(_mm_srli_epi32(four, 16), is_three)) != 0xFFFF) return 0;
        is_two = _mm_cmpgt_epi32(four, _mm_set1_epi32(0x7F));
        two = _mm_or_si128(_mm_set1_epi32(0x80C0), _mm_or_si128(
            _mm_srli_epi32(four, 6), _mm_slli_epi32(spm_lite_masked(four, 0x3F), 8)
        ));
        if (width > 1) {
            is_three = _mm_cmpgt_epi32(four, _mm_set1_epi32(0x7FF));
            three = _mm_or_si128(
                _mm_or_si128(_mm_set1_epi32(0x8080E0), _mm_srli_epi32(four, 12)),
                _mm_or_si128(
                    spm_lite_masked(_mm_slli_epi32(four, 2), 0x3F00),
                    spm_lite_masked(_mm_slli_epi32(four, 16), 0x3F0000)
                )
            );
            two = spm_lite_choose(is_three, three, two);
            written->wrong = _mm_or_si128(
                written->wrong, _mm_cmpeq_epi32(spm_lite_masked(four, 0xF800), _mm_set1_epi32(0xD800))
            );
            written->mark = _mm_or_si128(written->mark, _mm_cmpeq_epi32(four, _mm_set1_epi32(0x2581)));
        }
        moves += 17 * (_mm_movemask_ps(_mm_castsi128_ps(is_two)) | _mm_movemask_ps(_mm_castsi128_ps(is_three)) << 4);
        _mm_storeu_si128(
            (__m128i*) written->to, _mm_shuffle_epi8(spm_lite_choose(is_two, two, four), spm_lite_load(moves))
        );
        written->to += moves[16];
        return 1;
    }

    SPM_LITE_PART int32_t spm_lite_transcode(
        const uint8_t* source, int32_t n, int width, const uint8_t* moves, uint8_t** out,
        uint32_t* wrong, uint32_t* mark
    ) {
        static const uint8_t shifts[32] = {
            0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
            128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128
        };
        spm_lite_written written = {_mm_setzero_si128(), _mm_setzero_si128(), *out};
        __m128i four;
        int32_t i = 0, end;
        while (n - i >= 4) {
            end = i + 4;
            if (n - i >= 16) {
                if (spm_lite_narrow(source + (int64_t) i * width, width, written.to)) {
                    written.to += 16;
                    i += 16;
                    continue;
                }
                end = i + 16;
            }
            for (; i < end; i += 4)
                if (!spm_lite_write_four(spm_lite_four(source + (int64_t) i * width, width), width, moves, &written))
                    goto done;
        }
        if (n >= 4) {
            /* The last three or fewer: the last four with those already written shifted out, and zeros after them. */
            four = spm_lite_four(source + (int64_t) (n - 4) * width, width);
            four = _mm_shuffle_epi8(four, spm_lite_load(shifts + 4 * (i + 4 - n)));
            if (spm_lite_write_four(four, width, moves, &written)) {
                written.to -= i + 4 - n;
                i = n;
            }
        }
    done:
        *wrong |= (uint32_t) _mm_movemask_epi8(written.wrong);
        *mark |= (uint32_t) _mm_movemask_epi8(written.mark);
        *out = written.to;
        return i;
    }

    SPM_LITE_SHUFFLING static int32_t spm_lite_transcode_ssse3(
        const uint8_t* source, int32_t n, int width, const uint8_t* moves, uint8_t** out,
        uint32_t* wrong, uint32_t* mark
    ) {
        if (width == 1) return spm_lite_transcode(source, n, 1, moves, out, wrong, mark);
        if (width == 2) return spm_lite_transcode(source, n, 2, moves, out, wrong, mark);
        return spm_lite_transcode(source, n, 4, moves, out, wrong, mark);
    }
    static inline int spm_lite_can_shuffle(void) { return __builtin_cpu_supports("ssse3") != 0; }
    #else
    static inline int32_t spm_lite_transcode_ssse3(
        const uint8_t* source, int32_t n, int width, const uint8_t* moves, uint8_t** out,
        uint32_t* wrong, uint32_t* mark
    ) {
        (void) source, (void) n, (void) width, (void) moves, (void) out, (void) wrong, (void) mark;
        return 0;
    }
    static inline int spm_lite_can_shuffle(void) { return 0; }
    #endif
    """
    bint can_shuffle "spm_lite_can_shuffle"() noexcept nogil
    # Transcode characters of `width` bytes, if there are four or more, up to four of which one is beyond U+FFFF. Return
    # their number; `out` moves to the end of the output, and 16 bytes from there may be overwritten.
    # moves: MOVE_BYTES for each of the 256 kinds of four. wrong, mark: nonzero if a surrogate, U+2581 is one of them.
    int32_t transcode_ssse3 "spm_lite_transcode_ssse3"(
        const uint8_t* source, int32_t n, int32_t width, const uint8_t* moves, uint8_t** out, uint32_t* wrong,
        uint32_t* mark,
    ) noexcept nogil


cdef enum:
    MOVE_BYTES = 17     # the source of each result byte among the four words' 16, then the number of result bytes
