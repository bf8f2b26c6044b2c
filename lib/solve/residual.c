/* hyla_residual: |A x - b| / (eps (|A| |x| + |b|) n), infinity norms, as HPL
 * defines it, the largest over the columns.
 *
 * On copies, scaled by powers of two so that nothing overflows and what
 * underflows does not matter: A to a largest entry in [1/2, 1), each column of
 * x and b by one common power for which neither A x nor b exceeds n.  Scaling
 * by powers of two rounds nothing and leaves the quotient as it is.
 * Layout of the copies: A the default one, x's rows over the dimensions of A's
 * columns, b's over those of its rows.  Steps: the redistributions; r for
 * gathering x over the rank columns, c for the sum over the rank rows; a few
 * short reductions. */
#include "solve/solve.h"

#include <math.h>
#include <string.h>

struct residual {
  hyla_cube *cube;
  const struct hy_kernels *k;
  int64_t n, nrhs;
  hyla_matrix *a, *x, *b; /* the copies */
  uint32_t row_dims, col_dims;
  int64_t *offsets; /* of the ranks' columns of x, in entries */
  struct hy_group group;
  char *x_all;     /* all columns of x at the rows of this rank's columns of A */
  char *product;   /* A x at this rank's rows; twice, to combine */
  double *sums;    /* of the rows of A; twice */
  double *largest; /* entries of x's columns, of b's, of A; twice */
  double *found;   /* largest entries of A x - b by columns, norm of A; twice */
};

/* ----------------------------------------------------------------- make -- */

static hyla_layout layout_over(const hyla_axis *rows, const hyla_axis *cols) {
  hyla_layout layout = {.row = *rows, .col = *cols};
  layout.col.storage = HYLA_CONSECUTIVE;
  return layout;
}

static hyla_status take(struct residual *r) {
  struct hy_base *base = &r->cube->base;
  size_t size = r->k->size;
  TRY(hy_alloc(base, r->a->row.parts + 1, sizeof *r->offsets, &r->offsets));
  TRY(hy_alloc(base, r->a->local_cols * r->nrhs, size, &r->x_all));
  TRY(hy_group_make(r->cube, r->row_dims, HY_TASK_ALLGATHER, r->a->local_cols * r->nrhs, size,
                    &r->group));
  TRY(hy_group_take(&r->group));
  TRY(hy_alloc(base, 2 * r->a->local_rows * r->nrhs, size, &r->product));
  TRY(hy_alloc(base, 2 * r->a->local_rows, sizeof *r->sums, &r->sums));
  TRY(hy_alloc(base, 2 * (2 * r->nrhs + 1), sizeof *r->largest, &r->largest));
  return hy_alloc(base, 2 * (r->nrhs + 1), sizeof *r->found, &r->found);
}

static hyla_status make(struct residual *r) {
  hyla_cube *cube = r->cube;
  hyla_layout layout;
  TRY(hyla_layout_default(cube, r->n, r->n, &layout));
  hyla_layout like_x = layout_over(&layout.col, &layout.row);
  hyla_layout like_b = layout_over(&layout.row, &layout.col);
  r->row_dims = hy_axis_mask(&layout.row);
  r->col_dims = hy_axis_mask(&layout.col);
  TRY(hy_matrix_make(cube, r->k->type, r->n, r->n, &layout, &r->a));
  TRY(hy_matrix_make(cube, r->k->type, r->n, r->nrhs, &like_x, &r->x));
  TRY(hy_matrix_make(cube, r->k->type, r->n, r->nrhs, &like_b, &r->b));
  return hy_agree(cube, take(r));
}

static void destroy(struct residual *r) {
  struct hy_base *base = &r->cube->base;
  hy_free(base, &r->found);
  hy_free(base, &r->largest);
  hy_free(base, &r->sums);
  hy_free(base, &r->product);
  hy_free(base, &r->x_all);
  hy_group_free(&r->group);
  hy_free(base, &r->offsets);
  (void)hyla_matrix_destroy(&r->b);
  (void)hyla_matrix_destroy(&r->x);
  (void)hyla_matrix_destroy(&r->a);
}

/* ------------------------------------------------------------- the parts -- */

/* The larger one; NaN when either is. */
static void take_larger(void *into, const void *from, int64_t count, const void *arg) {
  (void)arg;
  double *a = into;
  const double *b = from;
  for (int64_t i = 0; i < count; i++)
    if (!isnan(a[i]) && !(b[i] <= a[i])) a[i] = b[i];
}

static void add(void *into, const void *from, int64_t count, const void *arg) {
  (void)arg;
  double *a = into;
  const double *b = from;
  for (int64_t i = 0; i < count; i++) a[i] += b[i];
}

/* The largest entries of x's and b's columns and of A, on all nodes. */
static hyla_status measure(struct residual *r) {
  const struct hy_kernels *k = r->k;
  const hyla_matrix *columns[] = {r->x, r->b};
  for (int64_t i = 0; i < 2; i++) {
    const hyla_matrix *m = columns[i];
    for (int64_t j = 0; j < m->local_cols; j++)
      r->largest[i * r->nrhs + hy_axis_index(&m->col, m->col_part, j)] =
          k->largest((int)m->local_rows, 1, hy_at(m, 0, j), (int)m->ld);
  }
  r->largest[2 * r->nrhs] =
      k->largest((int)r->a->local_rows, (int)r->a->local_cols, r->a->local, (int)r->a->ld);
  int64_t count = 2 * r->nrhs + 1;
  return hy_allreduce(r->cube, r->row_dims | r->col_dims, r->largest, count, sizeof *r->largest,
                      take_larger, NULL, r->largest + count);
}

/* x := 2^exponent x, in steps that the type can represent. */
static void shift(const struct hy_kernels *k, int64_t rows, int exponent, char *x) {
  const int most = k->epsilon > 1e-10 ? 100 : 1000;
  while (exponent != 0) {
    int step = exponent > most ? most : exponent < -most ? -most : exponent;
    k->scale((int)rows, ldexp(1, step), x, 1);
    exponent -= step;
  }
}

static int exponent_of(double x) {
  int exponent = 0;
  (void)frexp(x, &exponent);
  return exponent;
}

/* A column's scales: x by 2^to_x, b by 2^to_b; A has 2^-exponent_of(its largest). */
struct scale {
  int to_x, to_b;
  bool product; /* A x is not zero */
};

static struct scale scale_of(const struct residual *r, int64_t j) {
  double x = r->largest[j], b = r->largest[r->nrhs + j], a = r->largest[2 * r->nrhs];
  bool product = a > 0 && x > 0;
  int to_a = exponent_of(a), whole = product ? to_a + exponent_of(x) : exponent_of(b);
  if (b > 0 && exponent_of(b) > whole) whole = exponent_of(b);
  return (struct scale){.to_x = to_a - whole, .to_b = -whole, .product = product};
}

static void apply_scales(struct residual *r) {
  const struct hy_kernels *k = r->k;
  int to_a = -exponent_of(r->largest[2 * r->nrhs]);
  for (int64_t j = 0; j < r->a->local_cols; j++)
    shift(k, r->a->local_rows, to_a, hy_at(r->a, 0, j));
  for (int64_t j = 0; j < r->b->local_cols; j++)
    shift(k, r->b->local_rows, scale_of(r, hy_axis_index(&r->b->col, r->b->col_part, j)).to_b,
          hy_at(r->b, 0, j));
  for (int64_t j = 0; j < r->x->local_cols; j++) {
    struct scale scale = scale_of(r, hy_axis_index(&r->x->col, r->x->col_part, j));
    if (scale.product)
      shift(k, r->x->local_rows, scale.to_x, hy_at(r->x, 0, j));
    else
      memset(hy_at(r->x, 0, j), 0, (size_t)r->x->local_rows * k->size);
  }
}

/* A's row sums and A x, both summed over the rank rows. */
static hyla_status multiply(struct residual *r) {
  const struct hy_kernels *k = r->k;
  const hyla_matrix *a = r->a, *x = r->x;
  int64_t column = a->local_cols * (int64_t)k->size, rows = a->local_rows;
  for (int part = 0; part <= x->col.parts; part++)
    r->offsets[part] = a->local_cols * hy_min(part * x->col.block, r->nrhs);
  for (int64_t j = 0; j < x->local_cols; j++)
    memcpy(r->x_all + column * hy_axis_index(&x->col, x->col_part, j), hy_at(x, 0, j),
           (size_t)column);
  TRY(hy_group_allgather(&r->group, r->x_all, r->offsets));
  k->gemm(HYLA_NONE, HYLA_NONE, (int)rows, (int)r->nrhs, (int)a->local_cols, 1, a->local,
          (int)a->ld, r->x_all, (int)hy_max(1, a->local_cols), 0, r->product, (int)hy_max(1, rows));
  k->row_sums((int)rows, (int)a->local_cols, a->local, (int)a->ld, r->sums);
  TRY(hy_allreduce(r->cube, r->col_dims, r->sums, rows, sizeof *r->sums, add, NULL,
                   r->sums + rows));
  return hy_allreduce(r->cube, r->col_dims, r->product, rows * r->nrhs, k->size, hy_solve_sum, k,
                      r->product + rows * r->nrhs * (int64_t)k->size);
}

/* The largest entries of A x - b by columns, and of A's row sums, on all nodes. */
static hyla_status subtract(struct residual *r) {
  const struct hy_kernels *k = r->k;
  const hyla_matrix *b = r->b;
  int64_t count = r->nrhs + 1;
  double *found = r->found;
  for (int64_t j = 0; j < b->local_cols; j++) {
    int64_t global = hy_axis_index(&b->col, b->col_part, j);
    char *column = r->product + global * b->local_rows * (int64_t)k->size;
    k->scale((int)b->local_rows, -1, column, 1);
    k->add((int)b->local_rows, 1, hy_at(b, 0, j), (int)b->ld, column, (int)b->ld);
    found[global] = k->largest((int)b->local_rows, 1, column, (int)b->ld);
  }
  for (int64_t i = 0; i < r->a->local_rows; i++) found[r->nrhs] = fmax(found[r->nrhs], r->sums[i]);
  return hy_allreduce(r->cube, r->row_dims | r->col_dims, found, count, sizeof *found, take_larger,
                      NULL, found + count);
}

/* One column's. */
static double quotient(const struct residual *r, int64_t j) {
  struct scale scale = scale_of(r, j);
  double x = scale.product ? ldexp(r->largest[j], scale.to_x) : 0;
  double b = ldexp(r->largest[r->nrhs + j], scale.to_b);
  double size = r->found[r->nrhs] * x + b;
  return size > 0 ? r->found[j] / (r->k->epsilon * size * (double)r->n) : 0;
}

static bool all_finite(const struct residual *r) {
  for (int64_t i = 0; i < 2 * r->nrhs + 1; i++)
    if (!isfinite(r->largest[i])) return false;
  return true;
}

static hyla_status find(struct residual *r, double *worst) {
  *worst = NAN;
  TRY(measure(r));
  if (!all_finite(r)) return HYLA_OK;
  apply_scales(r);
  TRY(multiply(r));
  TRY(subtract(r));
  *worst = 0;
  for (int64_t j = 0; j < r->nrhs; j++) *worst = fmax(*worst, quotient(r, j));
  return HYLA_OK;
}

static hyla_status compute(struct residual *r, const hyla_matrix *a, const hyla_matrix *x,
                           const hyla_matrix *b, double *worst) {
  TRY(make(r));
  TRY(hy_staged_once(a, r->a));
  TRY(hy_staged_once(x, r->x));
  TRY(hy_staged_once(b, r->b));
  hyla_status mine = r->cube->address < 0 ? HYLA_OK : find(r, worst);
  TRY(hy_agree(r->cube, mine));
  return hy_agree(r->cube, hy_tell_guests(r->cube, worst, sizeof *worst));
}

static hyla_status check(hyla_cube *cube, const hyla_matrix *a, const hyla_matrix *x,
                         const hyla_matrix *b, const double *residual) {
  struct hy_base *base = &cube->base;
  TRY(hy_matrix_check(cube, a, "a"));
  TRY(hy_matrix_check(cube, x, "x"));
  TRY(hy_matrix_check(cube, b, "b"));
  CHECK(base, residual != NULL, ARGUMENT, "hyla_residual: residual is NULL");
  CHECK(base, a->k == x->k && a->k == b->k, ARGUMENT, "hyla_residual: types %s, %s, %s of a, x, b",
        a->k->name, x->k->name, b->k->name);
  CHECK(base, a->row.n == a->col.n, ARGUMENT, "hyla_residual: a is %lld x %lld, not square",
        (long long)a->row.n, (long long)a->col.n);
  CHECK(base, x->row.n == a->row.n, ARGUMENT, "hyla_residual: a has %lld columns, x %lld rows",
        (long long)a->row.n, (long long)x->row.n);
  CHECK(base, b->row.n == x->row.n && b->col.n == x->col.n, ARGUMENT,
        "hyla_residual: x is %lld x %lld, b %lld x %lld", (long long)x->row.n, (long long)x->col.n,
        (long long)b->row.n, (long long)b->col.n);
  return HYLA_OK;
}

hyla_status hyla_residual(hyla_cube *cube, const hyla_matrix *a, const hyla_matrix *x,
                          const hyla_matrix *b, double *residual) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  hyla_status mine = check(cube, a, x, b, residual);
  if (mine == HYLA_OK) mine = hy_need_data(cube, "hyla_residual");
  uint64_t fingerprint = hy_matrix_fingerprint(hy_matrix_fingerprint(0, a), x);
  fingerprint = hy_matrix_fingerprint(fingerprint, b);
  TRY(hy_enter(cube, mine, fingerprint, "hyla_residual"));
  struct residual r = {.cube = cube, .k = a->k, .n = a->row.n, .nrhs = x->col.n};
  double worst = 0;
  hyla_status status = compute(&r, a, x, b, &worst);
  destroy(&r);
  *residual = worst;
  return status;
}
