/* Shared by both kinds of negotiation.  Private to negotiate.c and negotiate_trees.c. */
#ifndef HY_NEGOTIATE_H
#define HY_NEGOTIATE_H 1

#include "collective/matching.h"

enum {
  HY_UNIT = 64,     /* cost of a link that nobody wants */
  HY_HISTORY = 20,  /* cost that each conflict adds to a link for good */
  HY_PRESSURE = 32, /* cost of a present conflict at first; it grows by a tenth in each round */
  HY_PRESSURE_MOST = 1000 * HY_UNIT,
  HY_IDLE_ROUNDS = 20, /* usual limit of rounds without progress; of all rounds four times that */
};

/* The links of all steps. */
struct hy_link_costs {
  int dims, steps;
  uint32_t nodes;
  int32_t *wanted;  /* [step][node][dimension]: messages that want the link */
  int32_t *history; /* likewise: by how much past conflicts raise its cost */
  int32_t pressure;
};

static inline int64_t hy_link_costs_slot(const struct hy_link_costs *m, int step, uint32_t node,
                                         int dim) {
  return ((int64_t)step * m->nodes + node) * m->dims + dim;
}

static inline int64_t hy_link_costs_price(const struct hy_link_costs *m, int64_t slot) {
  return (int64_t)(HY_UNIT + m->history[slot]) * (HY_UNIT + (int64_t)m->pressure * m->wanted[slot]);
}

/* The messages that negotiate.
 * clashes  does message i want a link that others want too?
 * leave    message i no longer wants its links
 * take     message i takes its cheapest way and wants its links; false: it has no way */
struct hy_router {
  struct hy_link_costs *costs;
  void *arg;
  int64_t count;
  int idle_rounds;
  bool (*clashes)(void *arg, int64_t i);
  void (*leave)(void *arg, int64_t i);
  bool (*route)(void *arg, int64_t i);
};

/* Takes the costs' memory for this number of steps, with no link wanted, and negotiates until no
 * two messages want the same link.  *agreed: was that reached?  The caller frees the costs'
 * memory. */
hyla_status hy_negotiate(struct hy_base *base, const struct hy_router *router, int steps,
                         bool *agreed);
void hy_link_costs_free(struct hy_base *base, struct hy_link_costs *costs);

#endif
