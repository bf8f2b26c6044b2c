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
#include "solve/residual.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* What is below so many times u of a row's norm times the largest entry of x may be rounding. */
static const double NOISE = 1000;

/* ----------------------------------------------------------------- make -- */

static hyla_layout layout_over(const hyla_axis *rows, const hyla_axis *cols) {
  hyla_layout layout = {.row = *rows, .col = *cols};
  layout.col.storage = HYLA_CONSECUTIVE;
  return layout;
}

static hyla_status take(struct hy_residual *r) {
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
  TRY(hy_alloc(base, 2 * (r->nrhs + 1), sizeof *r->found, &r->found));
  if (!r->componentwise) return HYLA_OK;
  TRY(hy_alloc(base, r->a->local_cols, sizeof *r->weights, &r->weights));
  TRY(hy_alloc(base, 2 * r->a->local_rows * r->nrhs, sizeof *r->sizes, &r->sizes));
  TRY(hy_alloc(base, 4 * r->nrhs, sizeof *r->worst, &r->worst));
  return hy_alloc(base, 4 * r->nrhs, sizeof *r->norms, &r->norms);
}

hyla_status hy_residual_make(hyla_cube *cube, const struct hy_kernels *k, int64_t n, int64_t nrhs,
                             bool componentwise, struct hy_residual *r) {
  *r = (struct hy_residual){
      .cube = cube, .k = k, .n = n, .nrhs = nrhs, .componentwise = componentwise};
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

void hy_residual_free(struct hy_residual *r) {
  if (r->cube == NULL) return;
  struct hy_base *base = &r->cube->base;
  hy_free(base, &r->norms);
  hy_free(base, &r->worst);
  hy_free(base, &r->sizes);
  hy_free(base, &r->weights);
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
static hyla_status measure(struct hy_residual *r) {
  const struct hy_kernels *k = r->k;
  const hyla_matrix *columns[] = {r->x, r->b};
  memset(r->largest, 0, (size_t)(2 * r->nrhs + 1) * sizeof *r->largest);
  for (int64_t i = 0; i < 2; i++) {
    const hyla_matrix *m = columns[i];
    for (int64_t j = 0; j < m->local_cols; j++)
      r->largest[i * r->nrhs + hy_axis_index(&m->col, m->col_part, j)] =
          k->largest((int)m->local_rows, 1, hy_at(m, 0, j), (int)m->ld);
  }
  r->largest[2 * r->nrhs] = r->has_a ? r->largest_of_a
                                     : k->largest((int)r->a->local_rows, (int)r->a->local_cols,
                                                  r->a->local, (int)r->a->ld);
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

static struct scale scale_of(const struct hy_residual *r, int64_t j) {
  double x = r->largest[j], b = r->largest[r->nrhs + j], a = r->largest[2 * r->nrhs];
  bool product = a > 0 && x > 0;
  int to_a = exponent_of(a), whole = product ? to_a + exponent_of(x) : exponent_of(b);
  if (b > 0 && exponent_of(b) > whole) whole = exponent_of(b);
  return (struct scale){.to_x = to_a - whole, .to_b = -whole, .product = product};
}

/* A column's largest entry of x, scaled. */
static double largest_of_x(const struct hy_residual *r, int64_t j) {
  struct scale scale = scale_of(r, j);
  return scale.product ? ldexp(r->largest[j], scale.to_x) : 0;
}

static void apply_scales(struct hy_residual *r) {
  const struct hy_kernels *k = r->k;
  int to_a = -exponent_of(r->largest[2 * r->nrhs]);
  for (int64_t j = 0; j < r->a->local_cols && !r->has_a; j++)
    shift(k, r->a->local_rows, to_a, hy_at(r->a, 0, j));
  r->largest_of_a = r->largest[2 * r->nrhs];
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

/* product := A x on this rank, summed up in pieces and these then: a sum of n terms that goes by
 * one after the other is wrong by up to n u, one of pieces by no more than PIECE + n / PIECE
 * (Higham 2002, section 4.2).  Refinement comes down to what residuals are worth. */
static void multiply_here(struct hy_residual *r) {
  enum { PIECE = 64 };
  const struct hy_kernels *k = r->k;
  const hyla_matrix *a = r->a;
  int64_t size = (int64_t)k->size, rows = a->local_rows, cols = a->local_cols;
  int ld = (int)hy_max(1, rows), ld_x = (int)hy_max(1, cols);
  char *piece = r->product + rows * r->nrhs * size;
  for (int64_t first = 0; first < hy_max(1, cols); first += PIECE) {
    int count = (int)hy_min(PIECE, cols - first);
    k->gemm(HYLA_NONE, HYLA_NONE, (int)rows, (int)r->nrhs, count, 1,
            count > 0 ? hy_at(a, 0, first) : a->local, (int)a->ld, r->x_all + first * size, ld_x, 0,
            first == 0 ? r->product : piece, ld);
    if (first > 0) k->add((int)rows, (int)r->nrhs, piece, ld, r->product, ld);
  }
}

/* A's row sums and A x, both summed over the rank rows. */
static hyla_status multiply(struct hy_residual *r) {
  const struct hy_kernels *k = r->k;
  const hyla_matrix *a = r->a, *x = r->x;
  int64_t column = a->local_cols * (int64_t)k->size, rows = a->local_rows;
  for (int part = 0; part <= x->col.parts; part++)
    r->offsets[part] = a->local_cols * hy_min(part * x->col.block, r->nrhs);
  for (int64_t j = 0; j < x->local_cols; j++)
    memcpy(r->x_all + column * hy_axis_index(&x->col, x->col_part, j), hy_at(x, 0, j),
           (size_t)column);
  TRY(hy_group_allgather(&r->group, r->x_all, r->offsets));
  multiply_here(r);
  if (!r->has_a) {
    k->row_sums((int)rows, (int)a->local_cols, a->local, (int)a->ld, r->sums);
    TRY(hy_allreduce(r->cube, r->col_dims, r->sums, rows, sizeof *r->sums, add, NULL,
                     r->sums + rows));
    r->has_a = true;
  }
  return hy_allreduce(r->cube, r->col_dims, r->product, rows * r->nrhs, k->size, hy_solve_sum, k,
                      r->product + rows * r->nrhs * (int64_t)k->size);
}

/* |A| |x|, summed over the rank rows. */
static hyla_status multiply_sizes(struct hy_residual *r) {
  const hyla_matrix *a = r->a;
  int64_t rows = a->local_rows, count = rows * r->nrhs;
  memset(r->sizes, 0, (size_t)count * sizeof *r->sizes);
  for (int64_t c = 0; c < r->nrhs; c++) {
    for (int64_t j = 0; j < a->local_cols; j++)
      r->weights[j] = cabs(r->k->get(r->x_all, c * a->local_cols + j));
    r->k->weighted_sums((int)rows, (int)a->local_cols, a->local, (int)a->ld, r->weights,
                        r->sizes + c * rows);
  }
  return hy_allreduce(r->cube, r->col_dims, r->sizes, count, sizeof *r->sizes, add, NULL,
                      r->sizes + count);
}

/* The largest entries of b - A x by columns, and of A's row sums, on all nodes. */
static hyla_status subtract(struct hy_residual *r) {
  const struct hy_kernels *k = r->k;
  const hyla_matrix *b = r->b;
  int64_t count = r->nrhs + 1;
  double *found = r->found;
  memset(found, 0, (size_t)count * sizeof *found);
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

/* Componentwise: |r|_i to what may have rounded it, and the sums of both over a column.  Where
 * that is so small that products underflow, as much as these may lose is added to both, as
 * LAPACK's xGERFS does.  Guarded: a row that meets zeros of x alone has there what rounding left
 * of other rows, and nothing to hold that against; such rows are held against their norm times
 * the largest entry of x (Arioli, Demmel, Duff 1989). */
static void compare_column(struct hy_residual *r, int64_t j) {
  const struct hy_kernels *k = r->k;
  const hyla_matrix *b = r->b;
  int64_t global = hy_axis_index(&b->col, b->col_part, j), rows = b->local_rows;
  const char *column = r->product + global * rows * (int64_t)k->size;
  double least = ((double)r->n + 1) * (k->epsilon > 1e-10 ? FLT_MIN : DBL_MIN);
  double *sizes = r->sizes + global * rows, *worst = r->worst + 2 * global;
  double largest = largest_of_x(r, global), noise = NOISE * k->epsilon;
  for (int64_t i = 0; i < rows; i++) {
    double error = cabs(k->get(column, i)), size = sizes[i] + cabs(k->get(hy_at(b, i, j), 0));
    double guard = size > least / k->epsilon ? 0 : least, whole = r->sums[i] * largest;
    double held = size + guard + (size > noise * whole ? 0 : whole);
    if (error > 0) {
      worst[0] = fmax(worst[0], (error + guard) / (size + guard));
      worst[1] = fmax(worst[1], (error + guard) / held);
    }
    r->norms[global] += error + ((double)r->n + 1) * k->epsilon * size;
  }
}

/* The columns' componentwise errors and norms, on all nodes; r->b becomes r. */
static hyla_status compare(struct hy_residual *r) {
  const hyla_matrix *b = r->b, *x = r->x;
  uint32_t all = r->row_dims | r->col_dims;
  int64_t count = r->nrhs;
  memset(r->worst, 0, (size_t)(2 * count) * sizeof *r->worst);
  memset(r->norms, 0, (size_t)(2 * count) * sizeof *r->norms);
  for (int64_t j = 0; j < b->local_cols; j++) {
    compare_column(r, j);
    int64_t global = hy_axis_index(&b->col, b->col_part, j);
    memcpy(hy_at(b, 0, j), r->product + global * b->local_rows * (int64_t)r->k->size,
           (size_t)b->local_rows * r->k->size);
  }
  for (int64_t j = 0; j < x->local_cols; j++)
    r->k->column_sums((int)x->local_rows, 1, hy_at(x, 0, j), (int)x->ld,
                      &r->norms[count + hy_axis_index(&x->col, x->col_part, j)]);
  TRY(hy_allreduce(r->cube, all, r->worst, 2 * count, sizeof *r->worst, take_larger, NULL,
                   r->worst + 2 * count));
  return hy_allreduce(r->cube, all, r->norms, 2 * count, sizeof *r->norms, add, NULL,
                      r->norms + 2 * count);
}

/* One column's. */
static struct hy_errors errors_of(const struct hy_residual *r, int64_t j) {
  struct hy_errors errors = {.scaled = 0};
  double b = ldexp(r->largest[r->nrhs + j], scale_of(r, j).to_b);
  double size = r->found[r->nrhs] * largest_of_x(r, j) + b;
  if (size > 0) {
    errors.scaled = r->found[j] / (r->k->epsilon * size * (double)r->n);
    errors.normwise = r->found[j] / size;
  }
  if (!r->componentwise) return errors;
  double above = r->norms[j], below = r->norms[r->nrhs + j];
  errors.componentwise = r->worst[2 * j];
  errors.guarded = r->worst[2 * j + 1];
  if (above > 0)
    errors.spread = below > 0 ? ldexp(above / below, exponent_of(r->largest_of_a)) : INFINITY;
  return errors;
}

static bool all_finite(const struct hy_residual *r) {
  for (int64_t i = 0; i < 2 * r->nrhs + 1; i++)
    if (!isfinite(r->largest[i])) return false;
  return true;
}

static hyla_status find(struct hy_residual *r, struct hy_errors *worst) {
  *worst = (struct hy_errors){NAN, NAN, NAN, NAN, NAN};
  TRY(measure(r));
  if (!all_finite(r)) return HYLA_OK;
  apply_scales(r);
  TRY(multiply(r));
  if (r->componentwise) TRY(multiply_sizes(r));
  TRY(subtract(r));
  if (r->componentwise) TRY(compare(r));
  *worst = (struct hy_errors){.scaled = 0};
  for (int64_t j = 0; j < r->nrhs; j++) {
    struct hy_errors errors = errors_of(r, j);
    worst->scaled = fmax(worst->scaled, errors.scaled);
    worst->normwise = fmax(worst->normwise, errors.normwise);
    worst->componentwise = fmax(worst->componentwise, errors.componentwise);
    worst->guarded = fmax(worst->guarded, errors.guarded);
    worst->spread = fmax(worst->spread, errors.spread);
  }
  return HYLA_OK;
}

hyla_status hy_residual_find(struct hy_residual *r, const hyla_matrix *a, const hyla_matrix *x,
                             const hyla_matrix *b, struct hy_errors *errors) {
  if (!r->copied_a) TRY(hy_staged_once(a, r->a));
  r->copied_a = true;
  TRY(hy_staged_once(x, r->x));
  TRY(hy_staged_once(b, r->b));
  TRY(hy_agree(r->cube, r->cube->address < 0 ? HYLA_OK : find(r, errors)));
  return hy_agree(r->cube, hy_tell_guests(r->cube, errors, sizeof *errors));
}

void hy_residual_shift(const struct hy_residual *r, hyla_matrix *m, bool by_copy) {
  int of_a = by_copy ? exponent_of(r->largest_of_a) : 0;
  for (int64_t j = 0; j < m->local_cols; j++)
    shift(r->k, m->local_rows, -of_a - scale_of(r, hy_axis_index(&m->col, m->col_part, j)).to_b,
          hy_at(m, 0, j));
}

/* --------------------------------------------------------------- public -- */

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
  struct hy_residual r;
  struct hy_errors errors = {.scaled = NAN};
  hyla_status status = hy_residual_make(cube, a->k, a->row.n, x->col.n, false, &r);
  if (status == HYLA_OK) status = hy_residual_find(&r, a, x, b, &errors);
  hy_residual_free(&r);
  *residual = errors.scaled;
  return status;
}
