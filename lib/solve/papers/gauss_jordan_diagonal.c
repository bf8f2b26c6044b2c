/* Gauss-Jordan with pivots on the diagonal, element by element: A^-1 in product form replaces A.
 * It serves matrices that need no other pivots, and readers who want to see the paper's elimination
 * run.
 *
 * Layout: element-cyclic on any 2^r x 2^c array, binary or Gray; any number of elements a node.
 * Method: A^-1 = J^(n-1) ... J^0.  J^j is the identity except for column j, which is stored in
 *   column j of A.  Pivot j goes down its rank column, and its row down all rank columns.  The
 *   factors made of its column, above the pivot and below, go along the rank rows.  A multiple of
 *   the row is added to all other rows.  Pivots follow each other as fast as the links allow
 *   (elimination.c).  Right-hand sides are eliminated with A as further columns, or are multiplied
 *   later.
 * Reference: Johnsson 1987, section 6.1, where pivots follow after 3 steps; here after 2.
 * Example of J^0 for n = 2: A = [a b; c d] becomes J^0 A = [1 b/a; 0 d - cb/a], with 1/a and -c/a
 *   stored in column 0.  J^1 then makes column 1 of the identity.
 *
 * Steps: 2 (2^k - 1) + k for 2^k x 2^k elements on as many nodes, then c for the verdict.  Flops:
 * n^3, half of those of the inverse as a matrix.  Memory: elimination.c.  The factors grow with the
 * condition and with small pivots; hyla_factor_check measures the error. */
#include "solve/papers/pipeline.h"

struct diagonal_jordan {
  const struct hy_factorization *problem;
  hyla_cube *cube;
  const struct hy_kernels *k;
  const hyla_matrix *a;
  struct hy_elimination elimination;
  /* For the product with right-hand sides, a panel of factors at a time: */
  struct hy_subcube_op gather; /* the panel, over a rank row */
  struct hy_subcube_op sums;   /* sums over a rank column: the panel's rows and the sides' rows that
                                * all its ranks need */
  int64_t *offsets;            /* where members' columns begin */
  char *gathered, *panel;      /* the panel's columns as received, and in order */
  char *shared;                /* data that are summed */
  char *used; /* rows of sides, as they were when the panel's columns multiplied them */
};

/* The largest number of columns of a panel. */
enum { PANEL = 64 };

/* ------------------------------------------------------------- solutions -- */

/* x := op(A^-1) x, where A^-1 = J^(n-1) ... J^0.
 *
 * J^j x adds f_ij x_j to each x_i with i != j and sets x_j := f_jj x_j.  The transpose of J^j sets
 * x_j to the sum of all f_ij x_i and leaves the other entries.  So columns of factors are used in
 * order or, for an op, in reverse order, a panel of w columns at a time:
 *   the panel is all-gathered along the rank rows, so that each rank has its own rows of it;
 *   the panel's own w rows, those of x and, for an op, the sums of all other rows are added over
 *   the rank columns, so that each rank has them;
 *   each rank applies the panel to the panel's w rows of x, in w steps on w x w factors;
 *   for NONE, one product updates all other rows.
 *
 * Steps: a panel c for the all-gather, r for the sums.  Flops: 2 n^2 a right-hand side. */

/* A panel: its first column and its width, and its data on this rank. */
struct panel {
  int64_t first;
  int width;
  char *factors, *rows, *sums; /* w x w; w rows of x; w sums */
  int64_t top;                 /* the first local row at or after `first' */
  int own;                     /* number of local rows among the panel's own */
};

static struct panel panel_at(const struct diagonal_jordan *g, const hyla_matrix *x, int64_t first) {
  const struct hy_axis *row = &g->a->row;
  struct panel p = {.first = first,
                    .width = (int)hy_min(PANEL, row->n - first),
                    .top = hy_axis_before(row, g->a->row_part, first)};
  p.own = (int)(hy_axis_before(row, g->a->row_part, first + p.width) - p.top);
  p.factors = g->shared;
  p.rows = p.factors + (size_t)p.width * (size_t)p.width * g->k->size;
  p.sums = p.rows + (size_t)p.width * (size_t)x->local_cols * g->k->size;
  return p;
}

/* The panel's row that is the i-th local row among its own. */
static int64_t index_of(const struct diagonal_jordan *g, const struct panel *p, int i) {
  return hyla_matrix_row(g->a, p->top + i) - p->first;
}

/* Gathers the panel's columns in order, in this rank's rows. */
static hyla_status gather(const struct diagonal_jordan *g, const struct panel *p) {
  const hyla_matrix columns = hy_matrix_part(g->a, 0, p->first, g->a->row.n, p->width);
  const struct hy_gathered all = {&g->gather, &columns, g->offsets, g->gathered};
  int64_t rows = g->a->local_rows;
  TRY(hy_gathered_run(&all));
  hy_count_copied(g->cube, rows * p->width);
  if (g->k->dry) return HYLA_OK;
  for (int j = 0; j < p->width; j++)
    g->k->copy(HYLA_NONE, (int)rows, 1, 1, hy_gathered_column(&all, j), (int)hy_max(1, rows),
               g->panel + (size_t)j * (size_t)rows * g->k->size, (int)hy_max(1, rows));
  return HYLA_OK;
}

/* Copies the panel's own rows, of the panel and of x, to the memory where they are summed; zeros
 * replace them in the panel. */
static void take_rows(const struct diagonal_jordan *g, const struct panel *p,
                      const hyla_matrix *x) {
  const struct hy_kernels *k = g->k;
  int w = p->width, r = (int)x->local_cols, rows = (int)g->a->local_rows;
  k->combine(HYLA_NONE, w, w, 0, p->factors, w, 0, p->factors, w);
  k->combine(HYLA_NONE, w, r, 0, p->rows, w, 0, p->rows, w);
  hy_count_copied(g->cube, (int64_t)p->own * (w + r));
  for (int i = 0; i < p->own && !k->dry; i++) {
    int64_t index = index_of(g, p, i);
    char *of_panel = g->panel + (size_t)(p->top + i) * k->size;
    k->copy(HYLA_NONE, 1, w, 1, of_panel, rows, p->factors + (size_t)index * k->size, w);
    k->combine(HYLA_NONE, 1, w, 0, of_panel, rows, 0, of_panel, rows);
    k->copy(HYLA_NONE, 1, r, 1, hy_at(x, p->top + i, 0), (int)x->ld,
            p->rows + (size_t)index * k->size, w);
  }
}

static void put_rows(const struct diagonal_jordan *g, const struct panel *p, const hyla_matrix *x) {
  const struct hy_kernels *k = g->k;
  hy_count_copied(g->cube, (int64_t)p->own * x->local_cols);
  for (int i = 0; i < p->own && !k->dry; i++)
    k->copy(HYLA_NONE, 1, (int)x->local_cols, 1, p->rows + (size_t)index_of(g, p, i) * k->size,
            p->width, hy_at(x, p->top + i, 0), (int)x->ld);
}

static hyla_status add_up(const struct diagonal_jordan *g, int64_t words) {
  return hy_subcube_allreduce(&g->sums, g->shared, words, hy_solve_sum, g->k);
}

/* Applies the panel's J^j in turn to its rows of x; `used' keeps each x_j as it was when it
 * multiplied. */
static void multiply_rows(const struct diagonal_jordan *g, const struct panel *p, int r) {
  const struct hy_kernels *k = g->k;
  int w = p->width;
  for (int j = 0; j < w; j++) {
    char *row = p->rows + (size_t)j * k->size, *used = g->used + (size_t)j * k->size;
    k->copy(HYLA_NONE, 1, r, 1, row, w, used, w);
    k->combine(HYLA_NONE, 1, r, 0, row, w, 0, row, w);
    k->ger(w, r, 1, p->factors + (size_t)j * (size_t)w * k->size, 1, used, w, p->rows, w);
  }
  hy_compute(g->cube, INT64_C(2) * w * w * r, k->size, k->complex_type);
}

static hyla_status multiply(const struct diagonal_jordan *g, const struct panel *p,
                            const hyla_matrix *x) {
  const struct hy_kernels *k = g->k;
  int w = p->width, r = (int)x->local_cols, rows = (int)x->local_rows;
  TRY(add_up(g, (int64_t)w * (w + r)));
  multiply_rows(g, p, r);
  k->gemm(HYLA_NONE, HYLA_NONE, rows, r, w, 1, g->panel, (int)hy_max(1, rows), g->used, w, 1,
          x->local, (int)x->ld);
  hy_compute(g->cube, INT64_C(2) * rows * w * r, k->size, k->complex_type);
  put_rows(g, p, x);
  return HYLA_OK;
}

/* The same for op(J^j), beginning with the last one. */
static hyla_status multiply_opposite(const struct diagonal_jordan *g, hyla_operation op,
                                     const struct panel *p, const hyla_matrix *x) {
  const struct hy_kernels *k = g->k;
  int w = p->width, r = (int)x->local_cols, rows = (int)x->local_rows;
  k->gemm(op, HYLA_NONE, w, r, rows, 1, g->panel, (int)hy_max(1, rows), x->local, (int)x->ld, 0,
          p->sums, w);
  TRY(add_up(g, (int64_t)w * (w + 2 * r)));
  for (int j = w - 1; j >= 0; j--) {
    char *sum = p->sums + (size_t)j * k->size;
    k->gemm(op, HYLA_NONE, 1, r, w, 1, p->factors + (size_t)j * (size_t)w * k->size, w, p->rows, w,
            1, sum, w);
    k->copy(HYLA_NONE, 1, r, 1, sum, w, p->rows + (size_t)j * k->size, w);
  }
  hy_compute(g->cube, INT64_C(2) * (rows + w) * w * r, k->size, k->complex_type);
  put_rows(g, p, x);
  return HYLA_OK;
}

static hyla_status apply(void *state, hyla_operation op, hyla_matrix *x) {
  const struct diagonal_jordan *g = state;
  if (g->cube->address < 0 || x->col.n == 0) return HYLA_OK;
  int64_t n = g->a->row.n, count = hy_ceil_div(n, PANEL);
  for (int64_t i = 0; i < count; i++) {
    int64_t index = op == HYLA_NONE ? i : count - 1 - i;
    const struct panel p = panel_at(g, x, index * PANEL);
    TRY(gather(g, &p));
    if (x->local_cols == 0) continue; /* true on the whole rank column */
    take_rows(g, &p, x);
    TRY(op == HYLA_NONE ? multiply(g, &p, x) : multiply_opposite(g, op, &p, x));
  }
  return HYLA_OK;
}

/* ------------------------------------------------------------- the variant -- */

/* The groups of the product with right-hand sides. */
static hyla_status make_groups(struct diagonal_jordan *g) {
  const struct hy_factorization *problem = g->problem;
  const int64_t w = hy_min(PANEL, problem->n), sides = hy_axis_most(&problem->x_col);
  const uint32_t row_dims = hy_axis_mask(&problem->row.code),
                 col_dims = hy_axis_mask(&problem->col.code);
  const struct hy_group groups[] = {
      {&g->gather, col_dims, HY_TASK_ALLGATHER, hy_axis_most(&problem->row) * w, g->k->size},
      {&g->sums, row_dims, HY_TASK_ALLREDUCE, w * (w + 2 * sides), g->k->size},
      {0}};
  return hy_make_groups(g, g->cube, groups);
}

static hyla_status create(const struct hy_variant *variant, const void *given, void **state) {
  const struct hy_factorization *problem = given;
  struct diagonal_jordan *g = NULL;
  (void)variant;
  TRY(hy_alloc(&problem->cube->base, 1, sizeof *g, state));
  g = *state;
  *g = (struct diagonal_jordan){.problem = problem, .cube = problem->cube, .k = problem->k};
  TRY(hy_elimination_create(g, problem, HY_ELIMINATE_ALL, &g->elimination));
  if (problem->nrhs == 0) return HYLA_OK;
  TRY(hy_alloc_for(&g->cube->base, g, problem->col.parts + 1, sizeof *g->offsets, &g->offsets));
  return make_groups(g);
}

static hyla_status take_product(struct diagonal_jordan *g) {
  const struct hy_factorization *problem = g->problem;
  const int64_t size = (int64_t)g->k->size, w = hy_min(PANEL, problem->n);
  const int64_t sides = hy_held_at(&problem->x_col, g->cube->address);
  const int64_t panel = hy_held_at(&problem->row, g->cube->address) * w * size;
  const struct hy_owned arrays[] = {{&g->gathered, panel},
                                    {&g->panel, panel},
                                    {&g->shared, w * (w + 2 * sides) * size},
                                    {&g->used, w * sides * size},
                                    {0}};
  struct hy_subcube_op *const groups[] = {&g->gather, &g->sums, NULL};
  TRY(hy_take_arrays(&g->cube->base, g, arrays));
  return hy_allocate_groups(groups);
}

static hyla_status allocate(void *state) {
  struct diagonal_jordan *g = state;
  g->a = g->problem->factors->a;
  hy_factor_no_swaps(g->problem);
  hyla_status mine = hy_elimination_allocate(&g->elimination, g->a);
  if (mine == HYLA_OK && g->cube->address >= 0 && g->problem->nrhs > 0) mine = take_product(g);
  return hy_agree(g->cube, mine);
}

static hyla_status run(void *state) {
  struct diagonal_jordan *g = state;
  return hy_elimination_run(&g->elimination, g->problem);
}

static void explain(const void *state, struct hy_text *text) {
  const struct diagonal_jordan *g = state;
  hy_pipeline_explain(&g->elimination.pipeline, g->problem->nrhs, text);
}

static const struct hy_factor_traits SUBSTITUTIONS = {
    .form = HY_INVERSE_PRODUCT, .solve = {{.run = apply}}, .solve_transposed = {{.run = apply}}};

const struct hy_variant hy_gauss_jordan_on_diagonal = {
    .name = "diagonal",
    .reference = "johnsson-1987, section 6.1, corollary 6.1",
    .traits = &SUBSTITUTIONS,
    .asked = "only when asked for",
    .applies = hy_elimination_applies,
    HY_OPERATIONS,
};
