/* SUMMA with a stationary factor: A (or B) stays, the other factor and C travel.
 *
 * Reference: Schatz, van de Geijn and Poulson 2016; van de Geijn and Watts 1997.
 * Layout, with A stationary: any for A; C's rows lie like A's rows, B's rows like
 *   A's columns, so n lies over the rows of the array on B and over its columns on C,
 *   in any two ways.  With B stationary the same of the transposed product.
 * Method: n is cut into panels (cut.h), of which one row of the array holds all of
 *   B's columns and one column all of C's.  For each panel the owners broadcast
 *   their part of B along the columns of the array, every node multiplies its block
 *   of A by it, and the products are added along the rows of the array, to C's owner.
 *   So A, the large one when n is small, does not move.
 * Steps: of a node, for each panel one for each packet it sends or receives in a
 *   broadcast and in a reduction by recursive doubling.
 * Memory: one panel of B, and two of C where the array has more than one column.
 * In place: where the nodes can read one another's blocks B's panels are not
 *   broadcast but read, from one loan of each block.  Sums travel as messages.
 * Restriction: none.
 */
#include "gemm/cut.h"

struct stationary {
  bool b_stays;
  struct hy_cut cut; /* of n (m): on the factor that travels, on C */
  struct hy_feed feed;
  struct hy_indices across; /* the node's rows (columns) of C */
  struct hy_indices inner;  /* its part of k */
  char *sum;
  struct hy_group group; /* of the sums */
};

/* The axes of a problem, called as for A stationary: for B they are those of the
 * transposed product. */
struct view {
  struct hy_axis *a_rows, *a_cols, *b_rows, *b_cols, *c_rows, *c_cols;
};

static struct view view_of(struct hy_gemm_problem *p, bool b_stays) {
  struct hy_operand *a = &p->a, *b = &p->b, *c = &p->c;
  return b_stays ? (struct view){&b->col, &b->row, &a->col, &a->row, &c->col, &c->row}
                 : (struct view){&a->row, &a->col, &b->row, &b->col, &c->row, &c->col};
}

static void layouts(bool b_stays, struct hy_gemm_problem *wanted) {
  struct view v = view_of(wanted, b_stays);
  bool b_fits = hy_axis_equal(v.b_rows, v.a_cols);
  bool c_fits = hy_axis_equal(v.c_rows, v.a_rows);
  int panels = (int)hy_max(v.a_rows->parts, v.a_cols->parts);
  if (!b_fits) {
    *v.b_rows = *v.a_cols;
    *v.b_cols = c_fits ? hy_cut_like(&v.a_rows->code, v.c_cols)
                       : hy_inner_axis(&v.a_rows->code, v.c_cols->n, panels);
  }
  if (!c_fits) {
    *v.c_rows = *v.a_rows;
    *v.c_cols = b_fits ? hy_cut_like(&v.a_cols->code, v.b_cols)
                       : hy_inner_axis(&v.a_cols->code, v.b_cols->n, panels);
  }
}

static void layouts_a(const struct hy_gemm_problem *given, struct hy_gemm_problem *wanted) {
  (void)given; /* *wanted is a copy */
  layouts(false, wanted);
}

static void layouts_b(const struct hy_gemm_problem *given, struct hy_gemm_problem *wanted) {
  (void)given;
  layouts(true, wanted);
}

static hyla_status create(bool b_stays, const struct hy_gemm_problem *problem, void **state) {
  hyla_cube *cube = problem->cube;
  int node = cube->address;
  struct stationary *s = NULL;
  TRY(hy_alloc(&cube->base, 1, sizeof *s, &s));
  *state = s;
  s->b_stays = b_stays;
  const struct hy_operand *moving = b_stays ? &problem->a : &problem->b, *c = &problem->c;
  TRY(hy_cut_create(&cube->base, b_stays ? &moving->row : &moving->col, b_stays ? &c->row : &c->col,
                    &s->cut));
  if (!hy_gemm_is_full(problem)) TRY(hy_cut_list(&cube->base, &s->cut));
  if (node < 0) return HYLA_OK;
  const struct hy_axis *across = b_stays ? &c->col : &c->row;
  s->across = hy_indices_of(across, node);
  enum hy_part part = b_stays ? problem->part_a : problem->part_b;
  s->feed = hy_feed_make(&s->cut, 0, moving, part, b_stays, node);
  s->inner = hy_indices_of(b_stays ? &problem->b.row : &problem->a.col, node);
  return HYLA_OK;
}

static hyla_status create_a(const struct hy_gemm_problem *problem, void **state) {
  return create(false, problem, state);
}

static hyla_status create_b(const struct hy_gemm_problem *problem, void **state) {
  return create(true, problem, state);
}

static uint32_t sum_dims(const struct stationary *s) { return hy_axis_mask(&s->cut.axis[1]->code); }

/* The node that gets the sum of a panel. */
static int owner_of(const struct stationary *s, const struct hy_cut_panel *panel, int node) {
  return hy_node_along(s->cut.axis[1], node, hy_cut_owner(&s->cut, panel, 1));
}

static int64_t sum_entries(const struct stationary *s) {
  int64_t widest = 0;
  for (int64_t x = 0; x < s->cut.panel_count; x++) widest = hy_max(widest, s->cut.panels[x].width);
  return widest * s->across.count;
}

static struct hy_leaf leaf_of(const struct stationary *s, const struct hy_cut_panel *panel) {
  struct hy_indices moving = hy_cut_indices(&s->cut, panel);
  return (struct hy_leaf){.rows = s->b_stays ? moving : s->across,
                          .cols = s->b_stays ? s->across : moving,
                          .inner = s->inner};
}

/* -------------------------------------------------------------- memory -- */

static hyla_status take(const struct hy_gemm_task *task, void *state) {
  struct stationary *s = state;
  struct hy_base *base = &task->problem.cube->base;
  size_t size = task->problem.kernels->size;
  if (task->problem.cube->address < 0) return HYLA_OK;
  TRY(hy_feed_take(&s->feed, s->b_stays ? &task->a : &task->b));
  TRY(hy_alloc_data(base, sum_entries(s), size, &s->sum));
  TRY(hy_group_make(task->problem.cube, sum_dims(s), HY_TASK_REDUCE, sum_entries(s), size,
                    &s->group));
  return hy_group_take(&s->group);
}

static void destroy(hyla_cube *cube, void **state) {
  struct stationary *s = *state;
  if (s == NULL) return;
  hy_feed_free(cube, &s->feed);
  hy_cut_destroy(&cube->base, &s->cut);
  hy_free(&cube->base, &s->sum);
  hy_group_free(&s->group);
  hy_free(&cube->base, state);
}

/* ----------------------------------------------------------------- run -- */

static void add(void *into, const void *from, int64_t count, const void *arg) {
  const struct hy_gemm_problem *problem = arg;
  const struct hy_kernels *k = problem->kernels;
  int64_t done = 0;
  for (int64_t some; done < count; done += some) {
    some = hy_min(count - done, INT32_MAX);
    int64_t at = done * (int64_t)k->size;
    k->add((int)some, 1, (const char *)from + at, (int)some, (char *)into + at, (int)some);
  }
  hy_count_copied(problem->cube, count);
  hy_compute(problem->cube, count, k->size, k->complex_type);
}

/* sum := alpha times the stationary block times the panel */
static void multiply(const struct hy_gemm_task *task, const struct stationary *s,
                     const struct hy_cut_panel *panel, const struct hy_panel *moved) {
  const hyla_matrix *x = s->b_stays ? task->b.matrix : task->a.matrix;
  size_t size = task->problem.kernels->size;
  const struct hy_panel still = {x->local, x->ld, s->b_stays ? task->b.op : task->a.op};
  const struct hy_reach reach = hy_feed_reach(&s->feed, panel);
  const struct hy_panel a = hy_panel_at(s->b_stays ? moved : &still, 0, reach.from, size),
                        b = hy_panel_at(s->b_stays ? &still : moved, reach.from, 0, size);
  struct hy_leaf leaf = leaf_of(s, panel);
  hy_count_touched(x->cube, hy_gemm_touched(leaf.rows.count, leaf.cols.count, leaf.inner.count, 1));
  leaf.inner.first += reach.from;
  leaf.inner.count = reach.count;
  leaf.a = &a;
  leaf.b = &b;
  leaf.data = s->sum;
  leaf.ld = hy_max(1, leaf.rows.count);
  hy_leaf_multiply(task, &leaf);
}

/* C's part of the panel += sum */
static void put(const struct stationary *s, const struct hy_cut_panel *panel, hyla_matrix *c) {
  int64_t ld = s->b_stays ? panel->width : s->across.count, done = 0;
  for (int64_t p = panel->first; p >= 0; p = s->cut.pieces[p].next) {
    const struct hy_cut_piece *piece = &s->cut.pieces[p];
    int64_t at = piece->at[1], length = piece->length;
    int64_t rows = s->b_stays ? length : s->across.count,
            cols = s->b_stays ? s->across.count : length;
    const char *from = s->sum + done * (s->b_stays ? 1 : ld) * (int64_t)c->k->size;
    char *into = s->b_stays ? hy_at(c, at, 0) : hy_at(c, 0, at);
    c->k->add((int)rows, (int)cols, from, (int)ld, into, (int)c->ld);
    done += length;
  }
  hy_count_copied(c->cube, panel->width * s->across.count);
  hy_compute(c->cube, panel->width * s->across.count, c->k->size, c->k->complex_type);
}

/* Multiplies by a panel, adds along the nodes that share it, puts the sum into C. */
static hyla_status add_panel(const struct hy_gemm_task *task, struct stationary *s,
                             const struct hy_cut_panel *panel) {
  hyla_cube *cube = task->problem.cube;
  struct hy_panel moved;
  TRY(hy_feed_panel(&s->feed, panel, s->b_stays ? &task->a : &task->b, &moved));
  if (s->across.count == 0) return HYLA_OK;
  multiply(task, s, panel, &moved);
  int64_t count = panel->width * s->across.count;
  int owner = owner_of(s, panel, cube->address);
  TRY(hy_group_reduce(&s->group, owner, s->sum, count, add, &task->problem));
  if (owner == cube->address) put(s, panel, task->c);
  return HYLA_OK;
}

static hyla_status run(const struct hy_gemm_task *task, void *state) {
  struct stationary *s = state;
  struct hy_gemm_sum nothing = {.task = task};
  if (task->problem.cube->address < 0) return HYLA_OK;
  hy_gemm_finish(&nothing); /* C := beta C */
  TRY(hy_feed_begin(&s->feed));
  for (int64_t x = 0; x < s->cut.panel_count && task->problem.k > 0; x++)
    TRY(add_panel(task, s, &s->cut.panels[x]));
  return hy_feed_end(&s->feed);
}

static void explain(const void *state, struct hy_text *text) {
  const struct stationary *s = state;
  hy_feed_explain(&s->feed, s->b_stays ? "panels of op(A)" : "panels of op(B)", text);
  hy_group_explain(&s->group, "sums of C", text);
}

const struct hy_gemm_variant hy_gemm_summa_a = {
    .row = {.name = "summa-a",
            .reference = "schatz-2016, stationary A",
            .applies = hy_gemm_whole,
            .explain = explain},
    .layouts = layouts_a,
    .create = create_a,
    .take = take,
    .run = run,
    .destroy = destroy,
};

const struct hy_gemm_variant hy_gemm_summa_b = {
    .row = {.name = "summa-b",
            .reference = "schatz-2016, stationary B",
            .applies = hy_gemm_whole,
            .explain = explain},
    .layouts = layouts_b,
    .create = create_b,
    .take = take,
    .run = run,
    .destroy = destroy,
};
