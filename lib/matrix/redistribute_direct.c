/* Redistribution, variant "direct": every pair of nodes exchanges at once what the
 * two have for each other; move.c says how.
 *
 * Reference: Nicol and Bokhari 1994, 1.1, with blocks of any lengths.
 * Layout: any.  Steps: at most 2^d - 1 a transfer.
 * Memory: where blocks cannot be read in place, one packing buffer each way as
 * large as the largest message. */
#include "matrix/matrix.h"

struct state {
  struct hy_redistribution problem;
  hyla_cost cost;
  struct hy_move **moves; /* one a transfer */
};

static const char *applies(const struct hy_redistribution *problem) {
  for (int x = 0; x < problem->count; x++)
    if (problem->transfers[x].from->others != 0 || problem->transfers[x].to->others != 0)
      return "a layout leaves cube dimensions over";
  return NULL;
}

static void destroy(hyla_cube *cube, void **state) {
  struct state *s = *state;
  if (s == NULL) return;
  for (int x = 0; x < s->problem.count; x++) hy_move_destroy(&s->moves[x]);
  hy_free(&cube->base, &s->moves);
  hy_free(&cube->base, state);
}

static bool all_in_place(const hyla_matrix *from) {
  if (from->window == NULL) return false;
  for (int node = 0; node < from->cube->nodes; node++)
    if (hy_window_peer(from->window, node) == NULL) return false;
  return true;
}

static hyla_status add_cost(struct state *s, const hyla_transfer *transfer) {
  const hyla_matrix *from = transfer->from, *to = transfer->to;
  hyla_cube *cube = s->problem.cube;
  bool turned = transfer->op != HYLA_NONE;
  const struct hy_axis *const axes[] = {turned ? &from->col : &from->row,
                                        turned ? &from->row : &from->col, &to->row, &to->col};
  if (cube->address < 0) return HYLA_OK;
  return hy_move_cost(&cube->base, axes, all_in_place(from), from->k->size, cube->address,
                      &s->cost);
}

static hyla_status make(const struct hy_redistribution *problem, struct state **state) {
  struct hy_base *base = &problem->cube->base;
  struct state *s = NULL;
  TRY(hy_alloc(base, 1, sizeof *s, &s));
  *state = s;
  s->problem = (struct hy_redistribution){.cube = problem->cube};
  TRY(hy_alloc(base, problem->count, sizeof(struct hy_move *), &s->moves));
  s->problem = *problem;
  for (int x = 0; x < problem->count; x++) TRY(add_cost(s, &problem->transfers[x]));
  return HYLA_OK;
}

static hyla_status create(const struct hy_redistribution *problem, void **state) {
  struct state *s = NULL;
  hyla_status status = hy_agree(problem->cube, make(problem, &s));
  *state = s;
  return status;
}

static hyla_cost cost(const void *state) {
  const struct state *s = state;
  return s->cost;
}

static hyla_status take(void *state) {
  struct state *s = state;
  for (int x = 0; x < s->problem.count; x++) {
    const hyla_transfer *transfer = &s->problem.transfers[x];
    TRY(hy_move_create(transfer->op, transfer->from, transfer->to, &s->moves[x]));
  }
  return HYLA_OK;
}

static hyla_status run(void *state) {
  struct state *s = state;
  for (int x = 0; x < s->problem.count; x++) TRY(hy_move_run(s->moves[x]));
  return HYLA_OK;
}

static void explain(const void *state, struct hy_text *text) {
  (void)state;
  hy_text_add(text, "  each pair of nodes at once\n");
}

const struct hy_redistribute_variant hy_redistribute_direct = {
    .name = "direct",
    .reference = "nicol-bokhari-1994, section 1.1",
    .applies = applies,
    .create = create,
    .cost = cost,
    .take = take,
    .run = run,
    .explain = explain,
    .destroy = destroy,
};
