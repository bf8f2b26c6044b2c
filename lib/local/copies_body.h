/* Copies and transpositions in the instructions of a processor.  copies.c includes this file with
 * these macros set:
 *   SUFFIX      of the names of functions for these instructions, here and in lines.h
 *   TARGET      the attribute that allows the compiler to use them */

#define TYPE_BODY "local/turn_body.h"
#include "local/types.h"

/* ------------------------------------------------------------------- runs -- */

/* Whole lines go past the caches; the ends of the run, before and behind them, go through. */
static TARGET void FOR(put_stream)(char *to, const char *from, int64_t bytes) {
  int64_t head = line_head(to), at = head < bytes ? head : bytes;
  if (at > 0) memcpy(to, from, (size_t)at);
  for (; at + HY_LINE <= bytes; at += HY_LINE) FOR(put_line)(to + at, from + at, true);
  if (at < bytes) memcpy(to + at, from + at, (size_t)(bytes - at));
}

/* The compiler turns a copy of known size into one move.  The description is passed by value;
 * otherwise the compiler would have to assume that the copies may overwrite it. */
static TARGET inline void FOR(put_short)(const struct hy_runs r, size_t bytes, const char *from,
                                         char *to) {
  const int64_t ahead = columns_ahead(&r);
  for (int64_t column = 0; column < r.columns; column++) {
    const char *in = from + column * r.from_ld;
    char *out = to + column * r.to_ld;
    for (int64_t run = 0; run < r.count; run++, in += r.from_step, out += r.to_step) {
      if (ahead != 0) prefetch_line(in, ahead);
      memcpy(out, in, bytes);
    }
  }
}

/* Copies one part of the run in all columns, then the next part, which is prefetched meanwhile.
 * Working in many columns at once keeps the memory busy.  The processor sees no long stream, so it
 * prefetches nothing beyond the run. */
static TARGET void FOR(put_parts)(const struct hy_runs *r, const char *from, char *to) {
  for (int64_t run = 0; run < r->count; run++)
    for (int64_t at = 0; at < r->bytes; at += PART)
      for (int64_t column = 0; column < r->columns; column++) {
        const char *in = from + run * r->from_step + column * r->from_ld;
        char *out = to + run * r->to_step + column * r->to_ld;
        const int64_t head = line_head(out), begin = at == 0 ? 0 : head + at;
        const int64_t end = hy_min(head + at + PART, r->bytes);
        if (begin >= end) continue;
        prefetch_part(after_part(r, run, column, in, end));
        FOR(put_stream)(out + begin, in + begin, end - begin);
      }
}

static TARGET void FOR(put_long)(const struct hy_runs *r, const char *from, char *to) {
  for (int64_t run = 0; run < r->count; run++)
    for (int64_t column = 0; column < r->columns; column++) {
      const char *in = from + run * r->from_step + column * r->from_ld;
      char *out = to + run * r->to_step + column * r->to_ld;
      if (r->stream)
        FOR(put_stream)(out, in, r->bytes);
      else
        put_cached(out, in, r->bytes, after_part(r, run, column, in, r->bytes));
    }
}

static TARGET void FOR(runs)(const struct hy_runs *r, const void *from, void *to) {
  switch (r->bytes) {
#define SHORT_RUN(size)                                                                            \
  case size: FOR(put_short)(*r, size, from, to); break;
    SHORT_RUNS(SHORT_RUN)
#undef SHORT_RUN
  default:
    if (r->stream && !is_one_stream(r))
      FOR(put_parts)(r, from, to);
    else
      FOR(put_long)(r, from, to);
  }
}

/* ------------------------------------------------------------------ zeros -- */

static TARGET void FOR(clear)(int64_t bytes, int64_t columns, void *to, int64_t ld) {
  const char zeros[HY_LINE] = {0};
  for (int64_t column = 0; column < columns; column++) {
    char *out = (char *)to + column * ld;
    int64_t at = hy_min(line_head(out), bytes);
    memset(out, 0, (size_t)at);
    for (; at + HY_LINE <= bytes; at += HY_LINE) FOR(put_line)(out + at, zeros, true);
    memset(out + at, 0, (size_t)(bytes - at));
  }
}

static const struct hy_copies FOR(copies) = {
    .runs = FOR(runs),
    .clear = FOR(clear),
    .turn = BY_TYPE(turn),
};

#undef SUFFIX
#undef TARGET
