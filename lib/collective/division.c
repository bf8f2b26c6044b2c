/* The number of groups and parts into which a message is cut. */
#include "collective/variant.h"

#include <math.h>

struct hy_times hy_times_of(const struct hy_collective *c) {
  if (c->tau <= 0 && c->beta <= 0) return (struct hy_times){1, 1};
  return (struct hy_times){(double)c->tau, (double)c->beta};
}

/* A message on its way through stages. */
struct pipeline {
  struct hy_times times;
  int64_t words;
  const struct hy_stage *stages;
  int count;
};

/* The most words of a packet.  In an uneven division a packet of several pieces may have a word
 * more for each further piece, because each cut is rounded on its own. */
static double packet_of(const struct hy_stage *stage, int64_t words, int64_t g) {
  bool even = stage->pieces < 2 || words % (stage->divisor * g) == 0;
  return (double)(hy_ceil_div(words, stage->parts * g) + (even ? 0 : stage->pieces - 1));
}

/* The time in g groups.  It is at least least_in, the time with packets of fractional words, which
 * is a line plus a hyperbola in g. */
static double time_in(const struct pipeline *p, int64_t g) {
  double sum = 0, longest = 0;
  for (int i = 0; i < p->count; i++) {
    double packet = packet_of(&p->stages[i], p->words, g);
    longest = fmax(longest, packet);
    if (i > 0) sum += (double)p->stages[i].once * (p->times.tau * packet + p->times.beta);
  }
  return sum +
         (double)(p->stages->each * g + p->stages->once) * (p->times.tau * longest + p->times.beta);
}

static double least_in(const struct pipeline *p, int64_t g) {
  double sum = 0;
  for (int i = 0; i < p->count; i++)
    sum += (double)(p->stages[i].each * g + p->stages[i].once) *
           (p->times.tau * (double)p->words / (double)(p->stages[i].parts * g) + p->times.beta);
  return sum;
}

/* The g at which the line plus the hyperbola is lowest, rounded down. */
static int64_t lowest(const struct pipeline *p, int64_t most) {
  double falls = 0, rises = 0;
  for (int i = 0; i < p->count; i++) {
    falls +=
        (double)p->stages[i].once * p->times.tau * (double)p->words / (double)p->stages[i].parts;
    rises += (double)p->stages[i].each * p->times.beta;
  }
  if (!(falls > 0)) return 1;
  double root = rises > 0 ? sqrt(falls / rises) : (double)most;
  return root < 1 ? 1 : root < (double)most ? (int64_t)root : most;
}

/* Searches to both sides of the lowest point, as far as the time with fractional words is below the
 * best time found. */
int hy_best_groups(const struct hy_collective *c, int64_t words, const struct hy_stage *stages,
                   int count) {
  if (c->groups > 0) return c->groups;
  const struct pipeline p = {hy_times_of(c), words, stages, count};
  int64_t most = hy_max(1, hy_min(hy_ceil_div(words, stages[0].parts), HY_GROUPS_MAX));
  int64_t middle = lowest(&p, most), best = middle;
  double least = time_in(&p, middle);
  for (int64_t g = middle - 1; g > 0 && least_in(&p, g) <= least; g--) {
    double time = time_in(&p, g);
    if (time <= least) best = g;
    least = fmin(time, least);
  }
  for (int64_t g = middle + 1; g <= most && least_in(&p, g) < least; g++) {
    double time = time_in(&p, g);
    if (time < least) best = g;
    least = fmin(time, least);
  }
  return (int)best;
}

int hy_best_packets(const struct hy_collective *c, int64_t hops) {
  const struct hy_stage stage = {.each = 1, .once = hy_max(0, hops - 1), .parts = 1};
  return hy_best_groups(c, c->blocks.words, &stage, 1);
}

struct hy_form hy_form_packets(int64_t g, int64_t hops, int64_t transmissions) {
  if (hops == 0) return (struct hy_form){0, {0, 1}, 0, g};
  return (struct hy_form){g + hops - 1, {g + hops - 1, g}, transmissions, g};
}

/* With packets of whole words. */
static double time_of(const struct hy_collective *c, const struct hy_form *form) {
  const struct hy_times times = hy_times_of(c);
  const double words = (double)hy_ceil_div(c->blocks.words, form->divisor);
  return (double)form->steps * (times.tau * words + times.beta);
}

struct hy_form hy_form_slower(const struct hy_collective *c, struct hy_form a, struct hy_form b) {
  return time_of(c, &b) < time_of(c, &a) ? a : b;
}

uint32_t hy_common_multiple(int d) {
  uint32_t multiple = 1;
  for (uint32_t i = 2; i <= (uint32_t)d; i++) {
    uint32_t a = multiple;
    uint32_t b = i;
    while (b != 0) {
      uint32_t rest = a % b;
      a = b;
      b = rest;
    }
    multiple = multiple / a * i;
  }
  return multiple;
}
