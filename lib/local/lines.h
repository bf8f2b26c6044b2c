/* Private to this room: functions on whole cache lines, once for any processor (`plain') and once
 * with vectors of 32 bytes (`wide').
 *   put_line     Writes a line, past the caches if asked to.  The processor need not read a line
 *                that is written in full: large targets take two thirds of the time, with wide
 *                vectors one third.
 *   turn_square  Transposes a square of whole lines in registers.  Memory would be slower: a
 *                vector that is read just after its parts were written waits for them. */
#ifndef HY_LINES_H
#define HY_LINES_H 1

#include "local/local.h"

#include <string.h>
#if defined(__x86_64__) && defined(__GNUC__)
#define HY_WIDE __attribute__((target("avx")))
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { HY_LINE = 64 }; /* bytes */

/* Bytes from `to' to the start of the next line; 0 at the start of a line. */
static inline int64_t line_head(const void *to) { return (int64_t)(-(uintptr_t)to % HY_LINE); }

static inline void prefetch_line(const char *from, int64_t ahead) {
#if defined(__GNUC__)
  __builtin_prefetch((const void *)((uintptr_t)from + (uintptr_t)ahead), 0, 2);
#else
  (void)from, (void)ahead;
#endif
}

/* ------------------------------------------------------------------ plain -- */

/* stream: `to' must be a multiple of HY_LINE. */
static inline void put_line_plain(void *to, const void *from, bool stream) {
#if defined(__SSE2__)
  if (stream) {
    const __m128i *in = from;
    __m128i *out = to;
    const __m128i a = _mm_loadu_si128(in), b = _mm_loadu_si128(in + 1);
    const __m128i c = _mm_loadu_si128(in + 2), d = _mm_loadu_si128(in + 3);
    _mm_stream_si128(out, a);
    _mm_stream_si128(out + 1, b);
    _mm_stream_si128(out + 2, c);
    _mm_stream_si128(out + 3, d);
    return;
  }
#else
  (void)stream;
#endif
  memcpy(to, from, HY_LINE);
}

/* Each transposes a square as wide as a vector has entries. */
#if defined(__SSE2__)
static inline void turn_8_plain(const char *a, int64_t lda, char *b) {
  const __m128i first = _mm_loadu_si128((const void *)a);
  const __m128i second = _mm_loadu_si128((const void *)(a + lda));
  _mm_store_si128((void *)b, _mm_unpacklo_epi64(first, second));
  _mm_store_si128((void *)(b + HY_LINE), _mm_unpackhi_epi64(first, second));
}

static inline void turn_4_plain(const char *a, int64_t lda, char *b) {
  __m128 w = _mm_loadu_ps((const void *)a), x = _mm_loadu_ps((const void *)(a + lda));
  __m128 y = _mm_loadu_ps((const void *)(a + 2 * lda));
  __m128 z = _mm_loadu_ps((const void *)(a + 3 * lda));
  _MM_TRANSPOSE4_PS(w, x, y, z);
  _mm_store_ps((void *)b, w);
  _mm_store_ps((void *)(b + HY_LINE), x);
  _mm_store_ps((void *)(b + 2 * HY_LINE), y);
  _mm_store_ps((void *)(b + 3 * HY_LINE), z);
}

static inline int vector_plain(int size) { return 16 / size; }
#else
static inline int vector_plain(int size) { return (void)size, 1; }
#endif

static inline void turn_vectors_plain(size_t entry, const char *a, int64_t lda, char *b) {
#if defined(__SSE2__)
  if (entry == 4) turn_4_plain(a, lda, b);
  if (entry == 8) turn_8_plain(a, lda, b);
  if (entry < 16) return;
#endif
  (void)lda;
  memcpy(b, a, entry);
}

/* Distances are in bytes.  The lines of the result `square' follow each other and are aligned. */
static inline void turn_square_plain(size_t entry, const char *a, int64_t lda, char *square) {
  const int size = (int)entry, side = HY_LINE / size, step = vector_plain(size);
  for (int j = 0; j < side; j += step)
    for (int i = 0; i < side; i += step)
      turn_vectors_plain(entry, a + j * size + i * lda, lda, square + j * HY_LINE + i * size);
}

/* ------------------------------------------------------------------- wide -- */

#ifdef HY_WIDE

static HY_WIDE inline void put_line_wide(void *to, const void *from, bool stream) {
  const __m256i *in = from;
  __m256i *out = to;
  const __m256i a = _mm256_loadu_si256(in), b = _mm256_loadu_si256(in + 1);
  if (stream) {
    _mm256_stream_si256(out, a);
    _mm256_stream_si256(out + 1, b);
  } else {
    _mm256_storeu_si256(out, a);
    _mm256_storeu_si256(out + 1, b);
  }
}

static HY_WIDE inline __m256d load_wide(const char *from) {
  return _mm256_loadu_pd((const void *)from);
}

static HY_WIDE inline void store_wide(char *to, __m256d x) { _mm256_store_pd((void *)to, x); }

static HY_WIDE inline void turn_16_wide(const char *a, int64_t lda, char *b) {
  const __m256d x = load_wide(a), y = load_wide(a + lda);
  store_wide(b, _mm256_permute2f128_pd(x, y, 0x20));
  store_wide(b + HY_LINE, _mm256_permute2f128_pd(x, y, 0x31));
}

static HY_WIDE inline void turn_8_wide(const char *a, int64_t lda, char *b) {
  const __m256d w = load_wide(a), x = load_wide(a + lda);
  const __m256d y = load_wide(a + 2 * lda), z = load_wide(a + 3 * lda);
  const __m256d even = _mm256_unpacklo_pd(w, x), odd = _mm256_unpackhi_pd(w, x);
  const __m256d even_after = _mm256_unpacklo_pd(y, z), odd_after = _mm256_unpackhi_pd(y, z);
  store_wide(b, _mm256_permute2f128_pd(even, even_after, 0x20));
  store_wide(b + HY_LINE, _mm256_permute2f128_pd(odd, odd_after, 0x20));
  store_wide(b + 2 * HY_LINE, _mm256_permute2f128_pd(even, even_after, 0x31));
  store_wide(b + 3 * HY_LINE, _mm256_permute2f128_pd(odd, odd_after, 0x31));
}

/* half[c + r] holds rows r and r + 4 of columns c to c + 3. */
static HY_WIDE inline void turn_4_wide(const char *a, int64_t lda, char *b) {
  __m256d half[8];
  for (int c = 0; c < 8; c += 4) {
    const __m256 w = _mm256_castpd_ps(load_wide(a + c * lda));
    const __m256 x = _mm256_castpd_ps(load_wide(a + (c + 1) * lda));
    const __m256 y = _mm256_castpd_ps(load_wide(a + (c + 2) * lda));
    const __m256 z = _mm256_castpd_ps(load_wide(a + (c + 3) * lda));
    const __m256d wx = _mm256_castps_pd(_mm256_unpacklo_ps(w, x));
    const __m256d yz = _mm256_castps_pd(_mm256_unpacklo_ps(y, z));
    const __m256d wx_after = _mm256_castps_pd(_mm256_unpackhi_ps(w, x));
    const __m256d yz_after = _mm256_castps_pd(_mm256_unpackhi_ps(y, z));
    half[c] = _mm256_unpacklo_pd(wx, yz);
    half[c + 1] = _mm256_unpackhi_pd(wx, yz);
    half[c + 2] = _mm256_unpacklo_pd(wx_after, yz_after);
    half[c + 3] = _mm256_unpackhi_pd(wx_after, yz_after);
  }
  for (int r = 0; r < 4; r++) {
    store_wide(b + r * HY_LINE, _mm256_permute2f128_pd(half[r], half[r + 4], 0x20));
    store_wide(b + (r + 4) * HY_LINE, _mm256_permute2f128_pd(half[r], half[r + 4], 0x31));
  }
}

static HY_WIDE inline void turn_vectors_wide(size_t entry, const char *a, int64_t lda, char *b) {
  if (entry == 4) turn_4_wide(a, lda, b);
  if (entry == 8) turn_8_wide(a, lda, b);
  if (entry == 16) turn_16_wide(a, lda, b);
}

static HY_WIDE inline void turn_square_wide(size_t entry, const char *a, int64_t lda,
                                            char *square) {
  const int size = (int)entry, side = HY_LINE / size, step = 32 / size;
  for (int j = 0; j < side; j += step)
    for (int i = 0; i < side; i += step)
      turn_vectors_wide(entry, a + j * size + i * lda, lda, square + j * HY_LINE + i * size);
}

#endif
#endif
