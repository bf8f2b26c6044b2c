/* SUMMA with a stationary factor: A (or B) stays, the other factor and C travel.
 *
 * Reference: Schatz, van de Geijn and Poulson 2016; van de Geijn and Watts 1997.
 * Layout, with A stationary: any for A.  C's rows lie like A's rows, B's rows like A's columns; so
 *   n lies over the rows of the array on B and over its columns on C, in any two ways.  With B
 *   stationary the same holds for the transposed product.
 * Method: n is cut into panels (panelling.h).  One row of the array holds B's columns of a panel,
 *   and one column of the array holds C's.  For each panel its owners broadcast their part of B
 *   along the columns of the array, every node multiplies its block of A by it, and the products
 *   are added along the rows of the array on C's owner.  So A, the largest matrix when n is small,
 *   does not move.
 * Example on 4 nodes, 2 x 2: node (i, j) has A(i, j).  For a panel J of n, B(j, J) is broadcast
 *   along column j, node (i, j) computes A(i, j) B(j, J), and the nodes of row i add their two
 *   products to C(i, J).
 * Steps: for each panel a node takes one step for each packet that it sends or receives, in a
 *   broadcast and in a reduction by recursive doubling.
 * Memory: one panel of B; two panels of C if the array has more than one column.
 * In place: if the nodes can read one another's blocks, B's panels are not broadcast but read, and
 *   each block is lent once.  Sums travel as messages.
 * Restriction: none. */
#include "gemm/result.h"
#include "gemm/split_operand.h"

struct stationary {
  const struct hy_gemm_task *task;
  bool b_stays;
  struct hy_panelling panelling;   /* of n (m): on the travelling factor, and on C */
  struct hy_split_operand *moving; /* B, along its columns (A, along its rows) */
  struct hy_split_operand *c;
  struct hy_result old;     /* C's old entries */
  struct hy_indices across; /* the node's rows (columns) of C */
  struct hy_indices inner;  /* the node's part of k */
};

/* The axes of a problem, named as for A stationary; if B is stationary, they are those of the
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
  int panels = hy_inner_panels(v.a_rows->parts, v.a_cols->parts);
  if (!b_fits) {
    *v.b_rows = *v.a_cols;
    *v.b_cols = c_fits ? hy_panelling_like(&v.a_rows->code, v.c_cols)
                       : hy_inner_axis(&v.a_rows->code, v.c_cols->n, panels);
  }
  if (!c_fits) {
    *v.c_rows = *v.a_rows;
    *v.c_cols = b_fits ? hy_panelling_like(&v.a_cols->code, v.b_cols)
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

static const struct hy_gemm_traits TRAITS_A = {.layouts = layouts_a};
static const struct hy_gemm_traits TRAITS_B = {.layouts = layouts_b};

static hyla_status create(const struct hy_variant *variant, const void *given, void **state) {
  const struct hy_gemm_task *task = given;
  const struct hy_gemm_problem *problem = &task->problem;
  bool b_stays = variant->traits == &TRAITS_B;
  hyla_cube *cube = problem->cube;
  int node = cube->address;
  struct stationary *s = NULL;
  TRY(hy_alloc(&cube->base, 1, sizeof *s, &s));
  *state = s;
  s->task = task;
  s->b_stays = b_stays;
  const struct hy_operand *moving = b_stays ? &problem->a : &problem->b, *c = &problem->c;
  TRY(hy_panelling_create(&cube->base, s, b_stays ? &moving->row : &moving->col,
                          b_stays ? &c->row : &c->col, &s->panelling));
  if (!hy_gemm_is_full(problem)) TRY(hy_panelling_list(&cube->base, s, &s->panelling));
  if (node < 0) return HYLA_OK;
  TRY(hy_split_operand_create(s, problem, b_stays ? HY_A : HY_B, b_stays, &s->moving));
  TRY(hy_split_operand_create(s, problem, HY_C, b_stays, &s->c));
  hy_split_operand_in_panels(s->moving, &s->panelling, 0);
  hy_split_operand_of_sums(s->c, &s->panelling, 1);
  s->old = hy_result_make(s, problem, 0, node);
  s->across = hy_indices_of(b_stays ? &c->col : &c->row, node);
  s->inner = hy_indices_of(b_stays ? &problem->b.row : &problem->a.col, node);
  return HYLA_OK;
}

static struct hy_local_product product_of(const struct stationary *s,
                                          const struct hy_index_panel *panel) {
  struct hy_indices moving = hy_panelling_indices(&s->panelling, panel);
  return (struct hy_local_product){.rows = s->b_stays ? moving : s->across,
                                   .cols = s->b_stays ? s->across : moving,
                                   .inner = s->inner};
}

static hyla_status allocate(void *state) {
  struct stationary *s = state;
  const struct hy_gemm_task *task = s->task;
  if (task->problem.cube->address < 0) return HYLA_OK;
  TRY(hy_split_operand_allocate(s->moving, task));
  TRY(hy_split_operand_allocate(s->c, task));
  return hy_result_allocate(&s->old, task);
}

/* sum := alpha times the stationary block times the panel */
static void multiply(const struct stationary *s, const struct hy_index_panel *panel,
                     const struct hy_panel *moved, char *sum) {
  const struct hy_gemm_task *task = s->task;
  size_t size = task->problem.kernels->size;
  const struct hy_panel still = hy_panel_own(s->b_stays ? &task->b : &task->a);
  const struct hy_reach reach = hy_split_operand_reach(s->moving, panel);
  const struct hy_panel a = hy_panel_at(s->b_stays ? moved : &still, 0, reach.from, size),
                        b = hy_panel_at(s->b_stays ? &still : moved, reach.from, 0, size);
  struct hy_local_product product = product_of(s, panel);
  hy_count_touched(task->problem.cube,
                   hy_gemm_touched(product.rows.count, product.cols.count, product.inner.count, 1));
  product.inner.first += reach.from;
  product.inner.count = reach.count;
  product.a = &a;
  product.b = &b;
  product.data = sum;
  product.ld = hy_max(1, product.rows.count);
  hy_local_product_run(task, &product);
}

static hyla_status run(void *state) {
  struct stationary *s = state;
  const struct hy_gemm_task *task = s->task;
  struct hy_panel moved;
  if (task->problem.cube->address < 0) return HYLA_OK;
  hy_result_begin(&s->old);
  TRY(hy_result_finish(&s->old)); /* C := beta C */
  TRY(hy_split_operand_begin(s->moving));
  for (int64_t x = 0; x < s->panelling.panel_count && task->problem.k > 0; x++) {
    const struct hy_index_panel *panel = &s->panelling.panels[x];
    TRY(hy_split_operand_broadcast(s->moving, panel, &moved)); /* B(:, panel) along the columns */
    multiply(s, panel, &moved, hy_split_operand_summand(s->c));
    TRY(hy_split_operand_reduce(s->c, panel)); /* C(:, panel) along the rows */
  }
  return hy_split_operand_end(s->moving);
}

static void explain(const void *state, struct hy_text *text) {
  const struct stationary *s = state;
  hy_split_operand_explain(s->moving, s->b_stays ? "panels of op(A)" : "panels of op(B)", text);
  hy_split_operand_explain(s->c, "sums of C", text);
}

const struct hy_variant hy_gemm_summa_a = {
    .name = "summa-a",
    .arrays = true,
    .reference = "schatz-2016, stationary A",
    .traits = &TRAITS_A,
    .applies = hy_gemm_whole,
    .create = create,
    .allocate = allocate,
    .run = run,
    .explain = explain,
};

const struct hy_variant hy_gemm_summa_b = {
    .name = "summa-b",
    .arrays = true,
    .reference = "schatz-2016, stationary B",
    .traits = &TRAITS_B,
    .applies = hy_gemm_whole,
    .create = create,
    .allocate = allocate,
    .run = run,
    .explain = explain,
};
