/* What those who negotiate about links have in common.  Private to negotiate.c and
 * negotiate_trees.c. */
#ifndef HY_NEGOTIATE_H
#define HY_NEGOTIATE_H 1

#include "collective/matching.h"

enum {
  HY_UNIT = 64,     /* the price of a link that nobody wants */
  HY_GRUDGE = 20,   /* what each meeting adds to it for good */
  HY_PRESSURE = 32, /* what a meeting costs at first; it grows by a tenth a round */
  HY_PRESSURE_MOST = 1000 * HY_UNIT,
  HY_PATIENCE = 20, /* mostly: rounds without progress, and four times as many at most */
};

/* The links of all steps. */
struct hy_market {
  int dims, steps;
  uint32_t nodes;
  int32_t *wanted; /* [step][node][dimension]: by how many; */
  int32_t *grudge; /* how much dearer it is for good */
  int32_t pressure;
};

static inline int64_t hy_market_slot(const struct hy_market *m, int step, uint32_t node, int dim) {
  return ((int64_t)step * m->nodes + node) * m->dims + dim;
}

static inline int64_t hy_market_price(const struct hy_market *m, int64_t slot) {
  return (int64_t)(HY_UNIT + m->grudge[slot]) * (HY_UNIT + (int64_t)m->pressure * m->wanted[slot]);
}

/* Those who negotiate.  clashes: does number i want a link that others want too?  leave: it no
 * longer wants its links.  take: it takes the cheapest way and wants its links; false: there is
 * none. */
struct hy_talks {
  struct hy_market *market;
  void *arg;
  int64_t count;
  int patience;
  bool (*clashes)(void *arg, int64_t i);
  void (*leave)(void *arg, int64_t i);
  bool (*take)(void *arg, int64_t i);
};

/* Takes the market's memory for so many steps, where nobody wants anything, and negotiates until no
 * two want one link; false: there is no agreement.  The caller frees the market's memory. */
hyla_status hy_negotiate(struct hy_base *base, const struct hy_talks *talks, int steps,
                         bool *agreed);
void hy_market_free(struct hy_base *base, struct hy_market *market);

#endif
