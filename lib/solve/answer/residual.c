/* b - A x, and how large it is compared with its terms.
 *
 * Method: on copies, scaled by powers of two so that nothing overflows and underflow does not
 *   matter.  A is scaled to a largest entry in [1/2, 1), each column of x and b by one common power
 *   for which neither A x nor b exceeds n.  Scaling by powers of two rounds nothing and leaves
 *   quotients unchanged.  If A lies over all nodes and its largest entry is not far from 1, it is
 *   read where it is, and x is scaled for A too: the products are the same.
 * Extended: A x is summed and subtracted in twice the precision (local.h).
 * Layout of the copies: A's own or the default one; x's rows over the dimensions of A's columns,
 *   b's over those of its rows.
 * Steps: the redistributions; r for gathering x over the rank columns, c for the sum over the rank
 *   rows, with more words an entry if extended; a few short reductions. */
#include "solve/answer/answer.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An entry below NOISE u times a row's norm times the largest entry of x may be rounding. */
static const double NOISE = 1000;

/* ----------------------------------------------------------------- make -- */

/* Columns over the dimensions of an axis in the order in which a group gathers them, whatever the
 * axis' order is. */
static hyla_layout layout_over(const hyla_cube *cube, const hyla_axis *rows,
                               const hyla_axis *cols) {
  hyla_layout layout = {.row = *rows, .col = {.storage = HYLA_CONSECUTIVE}};
  uint32_t mask = hy_axis_mask(cols);
  for (int d = 0; d < HYLA_DIMS_MAX; d++)
    if (mask >> d & 1) layout.col.dim[layout.col.dims++] = (uint8_t)d;
  hy_axis_on_sides(&cube->sides, &layout.col);
  return layout;
}

static hyla_status allocate(struct hy_residual *r) {
  struct hy_base *base = &r->cube->base;
  size_t size = r->k->size;
  int64_t rows = r->b->local_rows, cols = r->x->local_rows, sides = hy_max(1, r->nrhs);
  TRY(hy_alloc(base, r->x->col.parts + 1, sizeof *r->offsets, &r->offsets));
  int64_t *own = r->offsets;
  TRY(hy_alloc_for(base, own, cols * sides, size, &r->x_all));
  TRY(hy_subcube_make_for(own, r->cube, r->row_dims, HY_TASK_ALLGATHER, cols * r->nrhs, size, NULL,
                          &r->group));
  TRY(hy_subcube_allocate(&r->group));
  TRY(hy_alloc_for(base, own, 2 * rows * sides, size, &r->product));
  TRY(hy_alloc_for(base, own, 2 * rows, sizeof *r->sums, &r->sums));
  TRY(hy_alloc_for(base, own, (hy_residual_pieces(r) + 1) * cols, sizeof *r->columns, &r->columns));
  TRY(hy_alloc_for(base, own, 2 * (2 * r->nrhs + 1), sizeof *r->largest, &r->largest));
  TRY(hy_alloc_for(base, own, 2 * (r->nrhs + 2), sizeof *r->found, &r->found));
  if (r->extended)
    TRY(hy_alloc_for(base, own, 2 * hy_residual_words(r), sizeof *r->words, &r->words));
  TRY(hy_alloc_for(base, own, cols, sizeof *r->weights, &r->weights));
  TRY(hy_alloc_for(base, own, 2 * rows * sides, sizeof *r->sizes, &r->sizes));
  if (!r->componentwise) return HYLA_OK;
  TRY(hy_alloc_for(base, own, 4 * r->nrhs, sizeof *r->worst, &r->worst));
  return hy_alloc_for(base, own, 4 * r->nrhs, sizeof *r->norms, &r->norms);
}

/* Does the matrix lie over all nodes, with each entry once, and is it not a part of another
 * matrix? */
static bool lies_well(const hyla_matrix *a) {
  const struct hy_axis row = hy_axis_make(&a->layout.row, a->row.n);
  const struct hy_axis col = hy_axis_make(&a->layout.col, a->col.n);
  return a->unused_dims == 0 && hy_axis_equal(&a->row, &row) && hy_axis_equal(&a->col, &col);
}

hyla_status hy_residual_make(hyla_cube *cube, const struct hy_kernels *k, int64_t n, int64_t nrhs,
                             enum hy_residual_kind kind, const hyla_matrix *lies,
                             struct hy_residual *r) {
  *r = (struct hy_residual){.cube = cube,
                            .k = k,
                            .n = n,
                            .nrhs = nrhs,
                            .componentwise = kind != HY_RESIDUAL_NORMS,
                            .extended = kind == HY_RESIDUAL_EXTENDED};
  r->there = lies != NULL && lies_well(lies);
  TRY(hyla_layout_default(cube, r->n, r->n, &r->layout));
  if (r->there) r->layout = lies->layout;
  hyla_layout like_x = layout_over(cube, &r->layout.col, &r->layout.row);
  hyla_layout like_b = layout_over(cube, &r->layout.row, &r->layout.col);
  r->row_dims = hy_axis_mask(&r->layout.row);
  r->col_dims = hy_axis_mask(&r->layout.col);
  TRY(hy_matrix_make(cube, r->k->type, r->n, r->nrhs, &like_x, &r->x));
  TRY(hy_matrix_make(cube, r->k->type, r->n, r->nrhs, &like_b, &r->b));
  return hy_agree(cube, allocate(r));
}

void hy_residual_free(struct hy_residual *r) {
  if (r->cube == NULL) return;
  hy_free(&r->cube->base, &r->offsets);
  (void)hyla_matrix_destroy(&r->b);
  (void)hyla_matrix_destroy(&r->x);
  (void)hyla_matrix_destroy(&r->a);
}

/* ------------------------------------------------------------- the parts -- */

/* Takes the larger one; NaN if either is NaN. */
static void take_larger(void *into, const void *from, int64_t count, const void *arg) {
  (void)arg;
  double *a = into;
  const double *b = from;
  for (int64_t i = 0; i < count; i++)
    if (!isnan(a[i]) && !(b[i] <= a[i])) a[i] = b[i];
}

/* Finds the largest entries of x's and b's columns and of A, on all nodes. */
static hyla_status measure(struct hy_residual *r) {
  const struct hy_kernels *k = r->k;
  const hyla_matrix *columns[] = {r->x, r->b};
  memset(r->largest, 0, (size_t)(2 * r->nrhs + 1) * sizeof *r->largest);
  for (int64_t i = 0; i < 2; i++) {
    const hyla_matrix *m = columns[i];
    for (int64_t j = 0; j < m->local_cols; j++)
      r->largest[i * r->nrhs + hy_axis_index(&m->col, m->col_part, j)] =
          hy_norm_largest(k, m->local_rows, 1, hy_at(m, 0, j), m->ld);
  }
  r->largest[2 * r->nrhs] = r->largest_of_a;
  int64_t count = 2 * r->nrhs + 1;
  return hy_allreduce(r->cube, r->row_dims | r->col_dims, r->largest, count, sizeof *r->largest,
                      hy_norm_allocate_larger, NULL, r->largest + count);
}

/* A column's scales: 2^to_x for x, 2^to_b for b; A has 2^-(the exponent of its largest entry). */
struct scale {
  int to_x, to_b;
  bool product; /* A x is not zero */
};

static struct scale scale_of(const struct hy_residual *r, int64_t j) {
  const struct hy_norm x = r->largest[j], b = r->largest[r->nrhs + j], a = r->largest[2 * r->nrhs];
  bool product = a.value > 0 && x.value > 0;
  int whole = product ? a.exponent + x.exponent : b.exponent;
  if (b.value > 0 && b.exponent > whole) whole = b.exponent;
  return (struct scale){.to_x = a.exponent - whole, .to_b = -whole, .product = product};
}

/* A number times 2^exponent. */
static double number_of(struct hy_norm norm, int exponent) {
  return ldexp(norm.value, norm.exponent + exponent);
}

/* A column's largest entry of x, scaled. */
static double largest_of_x(const struct hy_residual *r, int64_t j) {
  struct scale scale = scale_of(r, j);
  return scale.product ? number_of(r->largest[j], scale.to_x) : 0;
}

static void apply_scales(struct hy_residual *r) {
  const struct hy_kernels *k = r->k;
  int exponent = r->largest[2 * r->nrhs].exponent;
  for (int64_t j = 0; r->a != NULL && j < r->a->local_cols && !r->has_a; j++)
    hy_shift(k, r->a->local_rows, -exponent, hy_at(r->a, 0, j));
  r->held = r->a == NULL ? exponent : 0;
  r->largest_of_a = r->largest[2 * r->nrhs];
  r->norm.exponent = exponent;
  for (int64_t j = 0; j < r->b->local_cols; j++)
    hy_shift(k, r->b->local_rows, scale_of(r, hy_axis_index(&r->b->col, r->b->col_part, j)).to_b,
             hy_at(r->b, 0, j));
  for (int64_t j = 0; j < r->x->local_cols; j++) {
    struct scale scale = scale_of(r, hy_axis_index(&r->x->col, r->x->col_part, j));
    if (scale.product)
      hy_shift(k, r->x->local_rows, scale.to_x, hy_at(r->x, 0, j));
    else
      memset(hy_at(r->x, 0, j), 0, (size_t)r->x->local_rows * k->size);
  }
}

/* column := b - A x; the column is that of A x in the plain case. */
static void subtract_column(const struct hy_residual *r, int64_t j, int64_t global, char *column) {
  const hyla_matrix *b = r->b;
  int rows = (int)b->local_rows, ld = (int)b->ld;
  if (r->extended) {
    hy_extended_rest(r->k, rows, hy_at(b, 0, j), r->words + global * rows * hy_extended_words(r->k),
                     column);
  } else {
    r->k->scale(rows, -1, column, 1);
    r->k->add(rows, 1, hy_at(b, 0, j), ld, column, ld);
  }
}

/* Finds the largest entries of b - A x by columns, and of A's row sums, on all nodes. */
static hyla_status subtract(struct hy_residual *r) {
  const struct hy_kernels *k = r->k;
  const hyla_matrix *b = r->b;
  int64_t count = r->nrhs + 2;
  double *found = r->found;
  memset(found, 0, (size_t)count * sizeof *found);
  for (int64_t j = 0; j < b->local_cols; j++) {
    int64_t global = hy_axis_index(&b->col, b->col_part, j);
    char *column = r->product + global * b->local_rows * (int64_t)k->size;
    subtract_column(r, j, global, column);
    found[global] = k->largest((int)b->local_rows, 1, column, (int)b->ld);
  }
  for (int64_t i = 0; i < b->local_rows; i++) found[r->nrhs] = fmax(found[r->nrhs], r->sums[i]);
  found[r->nrhs + 1] = r->norm.value;
  TRY(hy_allreduce(r->cube, r->row_dims | r->col_dims, found, count, sizeof *found, take_larger,
                   NULL, found + count));
  r->norm.value = found[r->nrhs + 1];
  return HYLA_OK;
}

/* Componentwise: |r|_i relative to its possible rounding, and the sums of both over a column.  If
 * that is so small that products underflow, the possible loss is added to both, as LAPACK's xGERFS
 * does.  Guarded: if a row meets only zeros of x, its residual is the rounding of other rows, and
 * it has no size to be compared with.  Such rows are compared with their norm times the largest
 * entry of x (Arioli, Demmel, Duff 1989). */
static void compare_column(struct hy_residual *r, int64_t j) {
  const struct hy_kernels *k = r->k;
  const hyla_matrix *b = r->b;
  int64_t global = hy_axis_index(&b->col, b->col_part, j), rows = b->local_rows;
  const char *column = r->product + global * rows * (int64_t)k->size;
  double least = ((double)r->n + 1) * (k->epsilon > 1e-10 ? FLT_MIN : DBL_MIN);
  double *sizes = r->sizes + global * rows, *worst = r->worst + 2 * global;
  double largest = largest_of_x(r, global), noise = NOISE * k->epsilon;
  double rounding = ((double)r->n + 1) * k->epsilon * (r->extended ? k->epsilon : 1);
  for (int64_t i = 0; i < rows; i++) {
    double error = cabs(k->get(column, i)), size = sizes[i] + cabs(k->get(hy_at(b, i, j), 0));
    double guard = size > least / k->epsilon ? 0 : least, whole = r->sums[i] * largest;
    double held = size + guard + (size > noise * whole ? 0 : whole);
    if (error > 0) {
      worst[0] = fmax(worst[0], (error + guard) / (size + guard));
      worst[1] = fmax(worst[1], (error + guard) / held);
    }
    r->norms[global] += error + rounding * size;
  }
}

/* Finds the columns' componentwise errors and norms, on all nodes; r->b becomes r. */
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
  return hy_allreduce(r->cube, all, r->norms, 2 * count, sizeof *r->norms, hy_residual_add, NULL,
                      r->norms + 2 * count);
}

/* The errors of one column. */
static struct hy_errors errors_of(const struct hy_residual *r, int64_t j) {
  struct hy_errors errors = {.scaled = 0};
  double b = number_of(r->largest[r->nrhs + j], scale_of(r, j).to_b);
  double size = r->found[r->nrhs] * largest_of_x(r, j) + b;
  if (size > 0) {
    errors.scaled = r->found[j] / (r->k->epsilon * size * (double)r->n);
    errors.normwise = r->found[j] / size;
  }
  if (!r->componentwise) return errors;
  double above = r->norms[j], below = r->norms[r->nrhs + j];
  errors.componentwise = r->worst[2 * j];
  errors.guarded = r->worst[2 * j + 1];
  if (above > 0) errors.spread = below > 0 ? above / below : INFINITY;
  return errors;
}

/* Are largest entries first ... end-1 finite?  First come x's columns, then b's, then A. */
static bool all_finite(const struct hy_residual *r, int64_t first, int64_t end) {
  for (int64_t i = first; i < end; i++)
    if (!isfinite(r->largest[i].value)) return false;
  return true;
}

static hyla_status find(struct hy_residual *r, struct hy_errors *worst) {
  const struct hy_norm unknown = {NAN, 0};
  *worst = (struct hy_errors){NAN, NAN, NAN, NAN, NAN, 0, false, unknown, unknown};
  TRY(measure(r));
  worst->given_finite = all_finite(r, r->nrhs, 2 * r->nrhs + 1);
  if (!worst->given_finite || !all_finite(r, 0, r->nrhs)) return HYLA_OK;
  apply_scales(r);
  TRY(hy_residual_multiply(r));
  TRY(subtract(r));
  if (r->componentwise) TRY(compare(r));
  *worst = (struct hy_errors){.exponent = r->largest_of_a.exponent,
                              .given_finite = true,
                              .norm = hy_norm_fraction(r->norm),
                              .largest = r->largest_of_a};
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

/* A may be read where it is if its largest entry is at most this power of two away from 1: products
 * with the scaled x then neither overflow nor underflow. */
static int near_of(const struct hy_kernels *k) { return k->epsilon > 1e-10 ? 20 : 200; }

/* Sets r->from, the matrix that is read as A. */
static hyla_status bring(struct hy_residual *r, const hyla_matrix *a) {
  if (r->there) {
    r->largest_of_a = r->seen.matrix == a ? r->seen.largest : hy_norm_here(a);
    int64_t far = abs(r->largest_of_a.exponent) > near_of(r->k);
    TRY(hy_agree(r->cube, hy_cube_max(r->cube, &far, 1)));
    if (!far) r->from = a;
    if (!far) return HYLA_OK;
  }
  TRY(hy_matrix_make(r->cube, r->k->type, r->n, r->n, &r->layout, &r->a));
  TRY(hy_move_once(a, r->a));
  r->largest_of_a = hy_norm_here(r->a);
  r->from = r->a;
  return HYLA_OK;
}

hyla_status hy_residual_find(struct hy_residual *r, const hyla_matrix *a, const hyla_matrix *x,
                             const hyla_matrix *b, struct hy_errors *errors) {
  if (r->from == NULL) TRY(bring(r, a));
  TRY(hy_move_once(x, r->x));
  TRY(hy_move_once(b, r->b));
  TRY(hy_agree(r->cube, r->cube->address < 0 ? HYLA_OK : find(r, errors)));
  return hy_agree(r->cube, hy_tell_guests(r->cube, errors, sizeof *errors));
}

void hy_residual_shift(const struct hy_residual *r, hyla_matrix *m, bool by_copy) {
  int of_a = by_copy ? r->largest_of_a.exponent : 0;
  for (int64_t j = 0; j < m->local_cols; j++)
    hy_shift(r->k, m->local_rows, -of_a - scale_of(r, hy_axis_index(&m->col, m->col_part, j)).to_b,
             hy_at(m, 0, j));
}
