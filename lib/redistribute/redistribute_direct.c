/* Redistribution, variant "direct": every pair of nodes exchanges the entries that the two have for
 * each other in one step; direct.c has the algorithm.
 *
 * Reference: Nicol and Bokhari 1994, 2.2, with blocks of any lengths.
 * Layout: any.  Steps: at most 2^d - 1, for all transfers together.
 * Memory: if blocks cannot be read in place, one packing buffer for the largest step, with one
 * message out and one in. */
#include "redistribute/redistribute.h"

struct state {
  const struct hy_redistribution *problem;
  hyla_cost cost;
  struct hy_direct *move;
};

static hyla_status make(const struct hy_redistribution *problem, struct state **state) {
  struct state *s = NULL;
  TRY(hy_alloc(&problem->cube->base, 1, sizeof *s, &s));
  *state = s;
  s->problem = problem;
  return hy_direct_expect(problem->cube, problem->transfers, problem->parts, problem->count,
                          &s->cost);
}

static hyla_status create(const struct hy_variant *variant, const void *problem, void **state) {
  (void)variant;
  const struct hy_redistribution *it = problem;
  struct state *s = NULL;
  hyla_status status = hy_agree(it->cube, make(it, &s));
  *state = s;
  return status;
}

static hyla_cost cost(const void *state) {
  const struct state *s = state;
  return s->cost;
}

static hyla_status allocate(void *state) {
  struct state *s = state;
  const struct hy_redistribution *problem = s->problem;
  TRY(hy_direct_create_parts(problem->cube, problem->transfers, problem->parts, problem->count,
                             &s->move));
  hy_own(s, s->move);
  return HYLA_OK;
}

static hyla_status run(void *state) {
  struct state *s = state;
  return hy_direct_run(s->move);
}

static void explain(const void *state, struct hy_text *text) {
  (void)state;
  hy_text_add(text, "  each pair of nodes at once, in at most one packed message each way\n");
}

const struct hy_variant hy_redistribute_direct = {
    .name = "direct",
    .reference = "nicol-bokhari-1994, section 2.2",
    HY_OPERATIONS,
    .cost = cost,
};
