/* Copies of runs of bytes at regular distances. */
#include "local/line.h"

/* Whole lines go past the caches, what is before and behind them does not. */
static void put_stream(char *to, const char *from, int64_t bytes, int64_t ahead) {
  int64_t head = hy_line_head(to), at = head < bytes ? head : bytes;
  if (at > 0) memcpy(to, from, (size_t)at);
  for (; at + HY_LINE <= bytes; at += HY_LINE) {
    if (ahead != 0) hy_line_prefetch(from + at, ahead);
    hy_line_put(to + at, from + at, true);
  }
  if (at < bytes) memcpy(to + at, from + at, (size_t)(bytes - at));
}

static void put_cached(char *to, const char *from, int64_t bytes, int64_t ahead) {
  for (int64_t at = 0; ahead != 0 && at < bytes; at += HY_LINE) hy_line_prefetch(from + at, ahead);
  memcpy(to, from, (size_t)bytes);
}

/* What is short is waited for piece by piece unless it is fetched: so many columns ahead,
 * where columns are far apart. */
enum { COLUMNS_AHEAD = 8, FAR = 1 << 10 };
static int64_t columns_ahead(const struct hy_runs *r) {
  return r->from_ld >= FAR && r->bytes <= FAR ? COLUMNS_AHEAD * r->from_ld : 0;
}

/* Runs of a size that the compiler knows become single moves.  By value: what is
 * written could be the description itself otherwise. */
static inline void put_short(const struct hy_runs r, size_t bytes, const char *from, char *to) {
  const int64_t ahead = columns_ahead(&r);
  for (int64_t column = 0; column < r.columns; column++) {
    const char *in = from + column * r.from_ld;
    char *out = to + column * r.to_ld;
    for (int64_t run = 0; run < r.count; run++, in += r.from_step, out += r.to_step) {
      if (ahead != 0) hy_line_prefetch(in, ahead);
      memcpy(out, in, bytes);
    }
  }
}

/* From a run to what is fetched while it is copied: what the cache can hold until then. */
static int64_t ahead_of(const struct hy_runs *r, int64_t run, int64_t column, const char *in) {
  if (run + 1 < r->count) return r->from_step;
  if (r->next == NULL || r->bytes > FAR) return columns_ahead(r);
  return (int64_t)((uintptr_t)r->next + (uintptr_t)(column * r->next_ld) - (uintptr_t)in);
}

/* All columns of a run before the next run, which is fetched meanwhile: that many
 * streams in parallel keep the memory busy, where one column of short runs does
 * not look to the processor like something to be fetched ahead. */
static void put_long(const struct hy_runs *r, const char *from, char *to) {
  for (int64_t run = 0; run < r->count; run++)
    for (int64_t column = 0; column < r->columns; column++) {
      const char *in = from + run * r->from_step + column * r->from_ld;
      char *out = to + run * r->to_step + column * r->to_ld;
      int64_t ahead = ahead_of(r, run, column, in);
      if (r->stream)
        put_stream(out, in, r->bytes, ahead);
      else
        put_cached(out, in, r->bytes, ahead);
    }
}

/* Up to a line, in entries of every type. */
#define SHORT_RUNS(X) X(4) X(8) X(12) X(16) X(20) X(24) X(28) X(32) X(40) X(48) X(56) X(64)

void hy_copy_runs(const struct hy_runs *r, const void *from, void *to) {
  switch (r->bytes) {
#define SHORT_RUN(size)                                                                            \
  case size: put_short(*r, size, from, to); break;
    SHORT_RUNS(SHORT_RUN)
#undef SHORT_RUN
  default: put_long(r, from, to);
  }
}

void hy_stream_end(void) {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}
