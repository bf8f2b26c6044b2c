/* SUMMA with stationary C: a sum of panel products, the panels broadcast.
 *
 * Reference: van de Geijn and Watts 1997.
 * Layout: any for C; A's rows lie like C's rows, B's columns like C's columns;
 *   k may lie differently on A's columns and on B's rows.
 * Method: k is cut into panels (cut.h), of which one column of the array holds all
 *   of A's columns and one row all of B's rows.  For each panel the owners
 *   broadcast its part of A along the rows of the array and its part of B along
 *   the columns; every node adds the product to its block of C.
 * Steps: of a node, for each panel and factor one for each packet it sends or
 *   receives in a broadcast by recursive doubling.
 * Memory: one panel of A and one of B.
 * In place: where the nodes can read one another's blocks nothing is broadcast.
 *   All lend their blocks once, in one step.  Panels are stretches of the blocks of
 *   one factor, the one that leads to less work; of the other a panel is copied
 *   together unless it is a stretch too.  Where k lies alike on both, on square
 *   arrays, blocks are multiplied whole; on one node no entry is copied or sent.
 * One matrix: where B is A^T or A^H, the very matrix, neither is brought beside the
 *   other: panels of the one that lies right serve for both, twin.c.  A step more for
 *   each of these, pieces of its panels sent instead of the second broadcast, and the
 *   memory of up to three panels.
 * Restriction: none.
 */
#include "gemm/cut.h"

struct summa {
  enum hy_lead lead;
  struct hy_cut cut; /* of k: on A's columns, on B's rows */
  struct hy_feed a, b;
  struct hy_twin *twin; /* of the one that leads */
};

/* Of two factors that are one matrix that leads which lies right, else A. */
static void layouts_of_one(const struct hy_gemm_problem *given, bool a_stays, bool b_stays,
                           struct hy_gemm_problem *wanted) {
  const struct hy_operand *c = &given->c;
  bool a_leads = a_stays || !b_stays;
  struct hy_operand *lead = a_leads ? &wanted->a : &wanted->b;
  wanted->lead = a_leads ? HY_A_LEADS : HY_B_LEADS;
  if (!a_stays && !b_stays) {
    lead->row = c->row;
    lead->col = hy_inner_axis(&c->col.code, given->k, c->col.parts);
  }
  *(a_leads ? &wanted->b : &wanted->a) =
      (struct hy_operand){lead->col, lead->row, lead->in_place, lead->rest};
}

static void layouts(const struct hy_gemm_problem *given, struct hy_gemm_problem *wanted) {
  const struct hy_operand *c = &given->c;
  bool a_stays = hy_axis_equal(&given->a.row, &c->row);
  bool b_stays = hy_axis_equal(&given->b.col, &c->col);
  int panels = (int)hy_max(c->row.parts, c->col.parts);
  if (given->kin != HYLA_NONE) {
    layouts_of_one(given, a_stays, b_stays, wanted);
    return;
  }
  if (!a_stays) {
    wanted->a.row = c->row;
    wanted->a.col = b_stays ? hy_cut_like(&c->col.code, &given->b.row)
                            : hy_inner_axis(&c->col.code, given->k, panels);
  }
  if (!b_stays) {
    wanted->b.col = c->col;
    wanted->b.row = a_stays ? hy_cut_like(&c->row.code, &given->a.col)
                            : hy_inner_axis(&c->row.code, given->k, panels);
  }
}

/* Of two factors that are one matrix the one that leads has k's axis. */
static hyla_status cut(const struct hy_gemm_problem *problem, struct summa *summa) {
  struct hy_base *base = &problem->cube->base;
  const struct hy_operand *a = &problem->a, *b = &problem->b;
  const struct hy_axis *first = summa->lead == HY_B_LEADS ? &b->row : &a->col;
  const struct hy_axis *second = summa->lead == HY_A_LEADS ? &a->col : &b->row;
  const int64_t across[] = {hy_axis_most(&problem->c.row), hy_axis_most(&problem->c.col)};
  bool a_here = a->in_place || a->col.parts == 1, b_here = b->in_place || b->row.parts == 1;
  if (summa->lead == HY_A_LEADS) b_here = a->in_place || a->row.parts == 1;
  if (summa->lead == HY_B_LEADS) a_here = b->in_place || b->col.parts == 1;
  if (!a_here || !b_here) return hy_cut_create(base, first, second, &summa->cut);
  int64_t width = hy_kernels_depth(problem->kernels);
  return hy_cut_create_in_place(base, first, second, across, width, &summa->cut);
}

static hyla_status create(const struct hy_gemm_problem *problem, void **state) {
  hyla_cube *cube = problem->cube;
  struct summa *summa = NULL;
  TRY(hy_alloc(&cube->base, 1, sizeof *summa, &summa));
  *state = summa;
  summa->lead = problem->lead;
  TRY(cut(problem, summa));
  if (!hy_gemm_is_full(problem)) TRY(hy_cut_list(&cube->base, &summa->cut));
  if (cube->address < 0) return HYLA_OK;
  summa->a = hy_feed_make(&summa->cut, 0, &problem->a, problem->part_a, false, cube->address);
  summa->b = hy_feed_make(&summa->cut, 1, &problem->b, problem->part_b, true, cube->address);
  if (summa->lead == HY_EACH_FOR_ITSELF) return HYLA_OK;
  return hy_twin_create(problem, summa->lead == HY_A_LEADS ? &summa->a : &summa->b, &summa->twin);
}

static hyla_cost cost(const struct hy_gemm_problem *problem, const void *state, int node) {
  const struct summa *summa = state;
  size_t size = problem->kernels->size;
  int64_t rows = hy_held_at(&problem->c.row, node), cols = hy_held_at(&problem->c.col, node);
  hyla_cost cost = {.flops = hy_gemm_flops(problem, node),
                    .touched = hy_gemm_touched(rows, cols, problem->k, summa->cut.panel_count)};
  if (summa->lead != HY_B_LEADS) hy_feed_cost(&summa->a, size, &cost);
  if (summa->lead != HY_A_LEADS) hy_feed_cost(&summa->b, size, &cost);
  if (summa->twin != NULL) hy_twin_cost(summa->twin, size, &cost);
  return cost;
}

static hyla_status take(const struct hy_gemm_task *task, void *state) {
  struct summa *summa = state;
  if (task->problem.cube->address < 0) return HYLA_OK;
  if (summa->lead != HY_B_LEADS) TRY(hy_feed_take(&summa->a, &task->a));
  if (summa->lead != HY_A_LEADS) TRY(hy_feed_take(&summa->b, &task->b));
  if (summa->twin == NULL) return HYLA_OK;
  return hy_twin_take(summa->twin, summa->lead == HY_A_LEADS ? &task->a : &task->b);
}

static void destroy(hyla_cube *cube, void **state) {
  struct summa *summa = *state;
  if (summa == NULL) return;
  hy_twin_destroy(cube, &summa->twin);
  hy_feed_free(cube, &summa->a);
  hy_feed_free(cube, &summa->b);
  hy_cut_destroy(&cube->base, &summa->cut);
  hy_free(&cube->base, state);
}

static hyla_status begin(struct summa *summa) {
  if (summa->lead != HY_B_LEADS) TRY(hy_feed_begin(&summa->a));
  if (summa->lead != HY_A_LEADS) TRY(hy_feed_begin(&summa->b));
  return summa->twin == NULL ? HYLA_OK : hy_twin_begin(summa->twin);
}

static hyla_status end(struct summa *summa) {
  if (summa->lead != HY_B_LEADS) TRY(hy_feed_end(&summa->a));
  if (summa->lead != HY_A_LEADS) TRY(hy_feed_end(&summa->b));
  return summa->twin == NULL ? HYLA_OK : hy_twin_end(summa->twin);
}

static hyla_status bring(const struct hy_gemm_task *task, struct summa *summa,
                         const struct hy_cut_panel *panel, struct hy_panel *a, struct hy_panel *b) {
  bool a_leads = summa->lead == HY_A_LEADS;
  if (summa->lead != HY_B_LEADS) TRY(hy_feed_panel(&summa->a, panel, &task->a, a));
  if (summa->lead != HY_A_LEADS) TRY(hy_feed_panel(&summa->b, panel, &task->b, b));
  if (summa->twin == NULL) return HYLA_OK;
  return hy_twin_panel(summa->twin, panel, a_leads ? a : b, a_leads ? b : a);
}

static hyla_status run(const struct hy_gemm_task *task, void *state) {
  struct summa *summa = state;
  struct hy_gemm_sum sum = {.task = task};
  hyla_cube *cube = task->problem.cube;
  if (cube->address < 0) return HYLA_OK;
  TRY(begin(summa));
  for (int64_t x = 0; x < summa->cut.panel_count; x++) {
    const struct hy_cut_panel *panel = &summa->cut.panels[x];
    struct hy_panel a, b;
    TRY(bring(task, summa, panel, &a, &b));
    /* C += A(:, panel) B(panel, :) */
    const struct hy_indices inner = hy_cut_indices(&summa->cut, panel);
    hy_count_touched(cube,
                     hy_gemm_touched(task->c->local_rows, task->c->local_cols, inner.count, 1));
    hy_gemm_add(&sum, &a, &b, &inner);
  }
  hy_gemm_finish(&sum);
  return end(summa);
}

const struct hy_gemm_variant hy_gemm_summa = {
    .row = {.name = "summa", .reference = "vandegeijn-1997, section 3"},
    .layouts = layouts,
    .create = create,
    .cost = cost,
    .take = take,
    .run = run,
    .destroy = destroy,
};
