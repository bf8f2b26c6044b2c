/* Private to this folder: stores that go past the caches, a line at a time.  A
 * line that is written in full need not be read from memory before; what is
 * larger than the caches is written in two thirds of the time. */
#ifndef HY_LINE_H
#define HY_LINE_H 1

#include "local/local.h"

#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { HY_LINE = 64 }; /* bytes */

/* stream: `to` begins on a multiple of HY_LINE. */
static inline void hy_line_put(void *to, const void *from, bool stream) {
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

/* Bytes from `to` to the next line. */
static inline int64_t hy_line_head(const void *to) { return (int64_t)(-(uintptr_t)to % HY_LINE); }

static inline void hy_line_prefetch(const char *from, int64_t ahead) {
#if defined(__GNUC__)
  __builtin_prefetch((const void *)((uintptr_t)from + (uintptr_t)ahead), 0, 2);
#else
  (void)from, (void)ahead;
#endif
}

#endif
