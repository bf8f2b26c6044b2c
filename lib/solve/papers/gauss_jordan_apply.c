/* Gauss-Jordan in product form: x := op(A^-1) x, where A^-1 = J^(n-1) ... J^0.
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
#include "solve/papers/gauss_jordan_diagonal.h"

/* A panel: its first column and its width, and its data on this rank. */
struct panel {
  int64_t first;
  int width;
  char *factors, *rows, *sums; /* w x w; w rows of x; w sums */
  int64_t top;                 /* the first local row at or after `first' */
  int own;                     /* number of local rows among the panel's own */
};

static struct panel panel_at(const struct hy_diagonal_jordan *g, const hyla_matrix *x,
                             int64_t first) {
  const struct hy_axis *row = &g->a->row;
  struct panel p = {.first = first,
                    .width = (int)hy_min(HY_JORDAN_PANEL, row->n - first),
                    .top = hy_axis_before(row, g->a->row_part, first)};
  p.own = (int)(hy_axis_before(row, g->a->row_part, first + p.width) - p.top);
  p.factors = g->shared;
  p.rows = p.factors + (size_t)p.width * (size_t)p.width * g->k->size;
  p.sums = p.rows + (size_t)p.width * (size_t)x->local_cols * g->k->size;
  return p;
}

/* The panel's row that is the i-th local row among its own. */
static int64_t index_of(const struct hy_diagonal_jordan *g, const struct panel *p, int i) {
  return hyla_matrix_row(g->a, p->top + i) - p->first;
}

/* Gathers the panel's columns in order, in this rank's rows. */
static hyla_status gather(const struct hy_diagonal_jordan *g, const struct panel *p) {
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
static void take_rows(const struct hy_diagonal_jordan *g, const struct panel *p,
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

static void put_rows(const struct hy_diagonal_jordan *g, const struct panel *p,
                     const hyla_matrix *x) {
  const struct hy_kernels *k = g->k;
  hy_count_copied(g->cube, (int64_t)p->own * x->local_cols);
  for (int i = 0; i < p->own && !k->dry; i++)
    k->copy(HYLA_NONE, 1, (int)x->local_cols, 1, p->rows + (size_t)index_of(g, p, i) * k->size,
            p->width, hy_at(x, p->top + i, 0), (int)x->ld);
}

static hyla_status add_up(const struct hy_diagonal_jordan *g, int64_t words) {
  return hy_subcube_allreduce(&g->sums, g->shared, words, hy_solve_sum, g->k);
}

/* Applies the panel's J^j in turn to its rows of x; `used' keeps each x_j as it was when it
 * multiplied. */
static void multiply_rows(const struct hy_diagonal_jordan *g, const struct panel *p, int r) {
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

static hyla_status multiply(const struct hy_diagonal_jordan *g, const struct panel *p,
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
static hyla_status multiply_opposite(const struct hy_diagonal_jordan *g, hyla_operation op,
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

hyla_status hy_diagonal_jordan_apply(void *state, hyla_operation op, hyla_matrix *x) {
  const struct hy_diagonal_jordan *g = state;
  if (g->cube->address < 0 || x->col.n == 0) return HYLA_OK;
  int64_t n = g->a->row.n, count = hy_ceil_div(n, HY_JORDAN_PANEL);
  for (int64_t i = 0; i < count; i++) {
    int64_t index = op == HYLA_NONE ? i : count - 1 - i;
    const struct panel p = panel_at(g, x, index * HY_JORDAN_PANEL);
    TRY(gather(g, &p));
    if (x->local_cols == 0) continue; /* true on the whole rank column */
    take_rows(g, &p, x);
    TRY(op == HYLA_NONE ? multiply(g, &p, x) : multiply_opposite(g, op, &p, x));
  }
  return HYLA_OK;
}
