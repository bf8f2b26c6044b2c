/* Copies of runs of bytes, and transpositions: one body, compiled for the plain and for the wide
 * instructions of a processor. */
#include "local/kernels.h"
#include "local/lines.h"

#include <complex.h>

enum {
  TILE = 64,         /* columns that a transposition reads in parallel */
  PART = 2 * HY_LINE /* bytes that processors fetch together */
};

/* Processors do not prefetch short pieces that are far apart, so the copy prefetches them,
 * COLUMNS_AHEAD columns ahead. */
enum { COLUMNS_AHEAD = 8, FAR = 1 << 10 };
static int64_t columns_ahead(const struct hy_runs *r) {
  return r->from_ld >= FAR && r->bytes <= FAR ? COLUMNS_AHEAD * r->from_ld : 0;
}

/* An address that may lie beyond the array.  It is only prefetched, never read. */
static inline const char *beyond(const char *from, int64_t bytes) {
  return (const char *)((uintptr_t)from + (uintptr_t)bytes);
}

/* The address to prefetch while the part up to `end' of a run is copied: the next part, the next
 * run, or the data after them. */
static const char *after_part(const struct hy_runs *r, int64_t run, int64_t column, const char *in,
                              int64_t end) {
  if (end < r->bytes) return in + end;
  if (run + 1 < r->count) return in + r->from_step;
  if (r->next != NULL) return beyond(r->next, column * r->next_ld);
  return beyond(in, columns_ahead(r));
}

static inline void prefetch_part(const char *from) {
  prefetch_line(from, 0);
  prefetch_line(from, HY_LINE);
  prefetch_line(from, PART - 1); /* a part may begin within a line */
}

/* Are the columns nearly contiguous?  Then the processor prefetches by itself. */
static bool is_one_stream(const struct hy_runs *r) {
  return r->count == 1 && (r->columns == 1 || r->from_ld - r->bytes <= r->bytes / 8);
}

static void put_cached(char *to, const char *from, int64_t bytes, const char *next) {
  for (int64_t at = 0; at < bytes && bytes <= FAR; at += HY_LINE) prefetch_line(next, at);
  memcpy(to, from, (size_t)bytes);
}

/* Sizes of the runs that one move copies: entries of every type, up to a line. */
#define SHORT_RUNS(X) X(4) X(8) X(12) X(16) X(20) X(24) X(28) X(32) X(40) X(48) X(56) X(64)

#define SUFFIX _plain
#define TARGET
#include "local/copies_body.h"

#ifdef HY_WIDE
#define SUFFIX _wide
#define TARGET HY_WIDE
#include "local/copies_body.h"
#endif

const struct hy_copies *hy_copies_of(bool wide) {
#ifdef HY_WIDE
  if (wide) return __builtin_cpu_supports("avx") ? &copies_wide : NULL;
#else
  if (wide) return NULL;
#endif
  return &copies_plain;
}

const struct hy_copies *hy_copies_best(void) {
  const struct hy_copies *wide = hy_copies_of(true);
  return wide != NULL ? wide : &copies_plain;
}

void hy_copy_runs(const struct hy_runs *r, const void *from, void *to) {
  hy_copies_best()->runs(r, from, to);
}

void hy_stream_end(void) {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}
