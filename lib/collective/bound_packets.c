/* Lower bounds that count starts besides words: of scatters, and of packets that all have one size.
 *
 * Starts and words may not simply be added: a bound is the largest of several (Stout and Wagar
 * 1990, sections 5 and 9).
 *
 * Scatter, with all ports: some neighbour of the root gets at least W = (2^d - 1) m / d words over
 * its link, and passes all but m of them on over its d - 1 other links.  If they come in j packets,
 * the link alone takes tau W + j beta.  What comes with packet i or later can only leave after that
 * packet has come.  So for every i the time is at least that of the first i packets and of the
 * rest, less m, over d - 1 links.  The least time in j packets is the one for which packets as long
 * as these conditions allow carry W words; the bound is the least over j.  For long messages it is
 * tau W + k beta with the k of DISTRIBUTE 2, since packets that each are d - 1 times as long as the
 * next carry enough in k and not in fewer.
 *
 * One size s: the sender's links carry d packets at a time.  So the last one leaves after
 * ceil(m / (d s)) - 1 others, and crosses as many links as the farthest receiver is away.  Stout
 * and Wagar 1990, section 2. */
#include "collective/papers.h"

#include <math.h>

/* Can a neighbour of the root get its words in j packets, and pass them on, until `time'? */
static bool arrives(double d, int j, double words, double m, double tau, double beta, double time) {
  double come = 0;
  for (int i = 1; i <= j; i++) {
    const double left = fmax(0, words - come - m) / (d - 1);
    come = fmin(words, (time - i * beta) / tau - left);
  }
  return come >= words;
}

/* The least time in j packets, if it is above that of the link alone, `low'. */
static double passed_on(double d, int j, double words, double m, double tau, double beta,
                        double low) {
  double high = 2 * low;
  if (arrives(d, j, words, m, tau, beta, low * (1 + 1e-12))) return low;
  while (!arrives(d, j, words, m, tau, beta, high)) high *= 2;
  for (int halving = 0; halving < 60; halving++) {
    const double middle = (low + high) / 2;
    if (arrives(d, j, words, m, tau, beta, middle))
      high = middle;
    else
      low = middle;
  }
  return low;
}

double hy_bound_scatter(int d, double m, double tau, double beta, int *packets) {
  const double words = ((double)(INT64_C(1) << d) - 1) * m / d;
  /* Halving ends a hair below the time that it looks for.  A link's own time is exact, so it counts
   * where the two are equal. */
  const double hair = 1e-12;
  double best = INFINITY;
  *packets = 0;
  if (!(m > 0)) return 0;
  for (int j = 1; tau * words + j * beta < best * (1 + hair); j++) {
    const double link = tau * words + j * beta;
    const double time = d > 1 && tau > 0 ? passed_on(d, j, words, m, tau, beta, link) : link;
    if (time >= best * (1 + hair)) continue;
    best = time;
    *packets = time > link ? 0 : j;
  }
  return best;
}

double hy_bound_one_size(const struct hy_collective *c, int64_t hops, double tau, double beta,
                         int64_t *size) {
  const double m = (double)c->blocks.words, links = (double)hy_max(1, c->dims);
  const struct hy_stage stage = {.each = 1, .once = hops - 1, .parts = hy_max(1, c->dims)};
  struct hy_collective any = *c;
  any.groups = 0;
  *size = 0;
  if (c->blocks.words == 0 || hops == 0) return 0;
  const int64_t g = hy_best_groups(&any, c->blocks.words, &stage, 1);
  *size = hy_ceil_div(c->blocks.words, stage.parts * g);
  const double time = (double)(hops + g - 1) * (tau * (double)*size + beta);
  /* Were fractional sizes and more groups better, they would be the bound. */
  const double more = HY_GROUPS_MAX + 1;
  if (((double)hops + more - 1) * (tau * m / (links * more) + beta) >= time) return time;
  *size = 0;
  return tau * m / links + 2 * sqrt((double)(hops - 1) * beta * tau * m / links) +
         (double)(hops - 1) * beta;
}
