/* Sums of rows, from which results are checked: op(A) x for a vector x that every node holds in
 * full, and the size of each row (Huang and Abraham 1984, section III).
 *
 * Layout: any, of any type.  A node's block is cut into tiles of a few columns, which are still in
 * the cache when they are read a second time.  Every node sums its entries in their type; the
 * nodes' sums are added in double precision.  Steps: d, with three doubles a row.  Memory: a few
 * vectors. */
#include "collective/collective.h"
#include "matrix/matrix.h"

#include <complex.h>
#include <math.h>
#include <string.h>

hyla_status hy_row_sums_allocate(hyla_cube *cube, const struct hy_kernels *k, int64_t local,
                                 int64_t rows, void *owner, struct hy_row_sums *s) {
  struct hy_base *base = &cube->base;
  *s = (struct hy_row_sums){.cube = cube, .k = k};
  TRY(hy_alloc(base, local, k->size, &s->x)); /* owns the rest */
  if (owner != NULL) hy_own(owner, s->x);
  TRY(hy_alloc_for(base, s->x, local, k->size, &s->y));
  TRY(hy_alloc_for(base, s->x, local, sizeof *s->weights, &s->weights));
  TRY(hy_alloc_for(base, s->x, local, sizeof *s->sizes, &s->sizes));
  return hy_alloc_for(base, s->x, rows, sizeof *s->work, &s->work);
}

void hy_row_sums_free(struct hy_row_sums *s) {
  if (s->cube != NULL) hy_free(&s->cube->base, &s->x);
}

double hy_row_sign(int64_t j) {
  return hy_fingerprint(UINT64_C(0x5e3f), &j, sizeof j) >> 63 ? 1 : -1;
}

double hy_row_weight(int64_t j, int64_t n) {
  int64_t whole = 1;
  while (whole < n) whole *= 2;
  return 1 + (double)j / (double)whole;
}

/* The rounding error of a sum of n terms is about sqrt(n) u times the size of the terms (Higham and
 * Mary 2019).  Random signs do not depend on the entries, so the errors of a row's entries add up
 * to the root of their squares.  MARGIN covers the tails, equal entries that all round alike, and
 * other orders of summation. */
double hy_row_tolerance(const struct hy_kernels *k, int64_t inner, int64_t n) {
  static const double MARGIN = 8;
  double parts = k->complex_type ? 2 : 1;
  return MARGIN * parts * k->epsilon * (sqrt((double)inner) + sqrt((double)n) + 2);
}

double hy_row_size_of(const struct hy_row_sum *squares) {
  return fmax(squares->size, cabs(squares->value));
}

bool hy_row_fits(const struct hy_row_sum *due, const struct hy_row_sum *found, double tolerance) {
  if (!isfinite(cabs(due->value)) || !isfinite(due->size)) return true;
  return cabs(due->value - found->value) <= tolerance * due->size;
}

/* One pass over the entries of a summand. */
struct pass {
  const struct hy_row_sums *s;
  const hyla_matrix *a;
  hyla_operation op;
  const struct hy_row_vector *vector;
  int64_t entries; /* visited so far */
  double scale;    /* multiplies entries before they are squared */
  bool again;      /* second pass: squares alone */
};

/* Adds local rows from ... to-1 of local columns first ... first+count-1. */
static void add_tile(struct pass *p, int64_t from, int64_t to, int64_t first, int64_t count) {
  const struct hy_row_sums *s = p->s;
  const struct hy_kernels *k = s->k;
  if (from >= to || count == 0) return;
  int m = (int)(to - from), n = (int)count, ld = (int)p->a->ld;
  const char *a = hy_at(p->a, from, first);
  int64_t in = p->op == HYLA_NONE ? first : from, out = p->op == HYLA_NONE ? from : first;
  if (!p->again)
    k->gemv(p->op, m, n, 1, a, ld, s->x + in * (int64_t)k->size, s->y + out * (int64_t)k->size);
  if (p->vector->size == HY_SIZE_SQUARES)
    k->squared_sums(p->op, m, n, a, ld, p->scale, s->sizes + out);
  if (p->vector->size == HY_SIZE_WEIGHTED)
    k->weighted_sums(p->op, m, n, a, ld, s->weights + in, s->sizes + out);
  p->entries += (to - from) * count;
}

/* The local rows that a part has in a global column. */
struct rows {
  int64_t from, to;
};
static struct rows rows_in(const hyla_matrix *a, enum hy_part part, int64_t column) {
  int64_t before = hy_axis_before(&a->row, a->row_part, hy_min(column, a->row.n));
  int64_t behind = hy_axis_before(&a->row, a->row_part, hy_min(column + 1, a->row.n));
  switch (part) {
  case HY_WHOLE: break;
  case HY_LOWER_PART: return (struct rows){before, a->local_rows};
  case HY_BELOW_PART: return (struct rows){behind, a->local_rows};
  case HY_UPPER_PART: return (struct rows){0, behind};
  case HY_ABOVE_PART: return (struct rows){0, before};
  }
  return (struct rows){0, a->local_rows};
}

/* Adds local columns first ... first+count-1.  One tile has the rows that the part has in all of
 * them; the other rows of each column follow column by column. */
static void add_columns(struct pass *p, enum hy_part part, int64_t first, int64_t count) {
  const hyla_matrix *a = p->a;
  int64_t column = hy_axis_index(&a->col, a->col_part, first);
  int64_t last = hy_axis_index(&a->col, a->col_part, first + count - 1);
  struct rows one = rows_in(a, part, column), other = rows_in(a, part, last);
  struct rows all = {hy_max(one.from, other.from), hy_min(one.to, other.to)};
  all.to = hy_max(all.from, all.to);
  add_tile(p, all.from, all.to, first, count);
  for (int64_t j = first; part != HY_WHOLE && j < first + count; j++) {
    struct rows here = rows_in(a, part, hy_axis_index(&a->col, a->col_part, j));
    add_tile(p, here.from, hy_min(here.to, all.from), j, 1);
    add_tile(p, hy_max(here.from, all.to), here.to, j, 1);
  }
}

/* Adds the size of another piece of the same row. */
static void add_size(enum hy_row_size kind, double other, double *size) {
  *size = kind == HY_SIZE_SQUARES ? hypot(*size, other) : *size + other;
}

/* Corrects for the diagonal: adds the ones of a unit diagonal, subtracts imaginary parts of a real
 * one. */
static void add_diagonal(const struct pass *p, const struct hy_summand *summand,
                         struct hy_row_sum *sums) {
  const hyla_matrix *a = p->a;
  for (int64_t j = 0; j < a->local_cols; j++) {
    int64_t i = hy_axis_index(&a->col, a->col_part, j);
    if (i >= a->row.n || hy_axis_owner(&a->row, i) != a->row_part) continue;
    const char *entry = hy_at(a, hy_axis_before(&a->row, a->row_part, i), j);
    double weight = p->vector->size == HY_SIZE_WEIGHTED ? p->vector->weights[i] : 1;
    double imaginary = summand->real_diagonal ? cimag(a->k->get(entry, 0)) : 0;
    if (summand->unit) {
      sums[i].value += p->vector->x[i];
      add_size(p->vector->size, weight, &sums[i].size);
    } else if (imaginary != 0) {
      sums[i].value -=
          hy_complex(0, p->op == HYLA_CONJUGATE ? -imaginary : imaginary) * p->vector->x[i];
    }
  }
}

/* Adds all local columns of a part, in tiles of as many columns as the cache holds.  In a
 * triangular part they must also be adjacent in the matrix, so that first and last tell which rows
 * all have. */
static void add_part(struct pass *p, enum hy_part part) {
  enum { TILE_BYTES = 256 * 1024, MOST = 64 };
  const hyla_matrix *a = p->a;
  int64_t most = hy_max(1, TILE_BYTES / hy_max(1, a->local_rows * (int64_t)a->k->size));
  for (int64_t j = 0, width; j < a->local_cols; j += width) {
    width = hy_min(hy_min(most, MOST), a->local_cols - j);
    if (part != HY_WHOLE)
      width = hy_min(width, hy_axis_run(&a->col, hy_axis_index(&a->col, a->col_part, j)));
    add_columns(p, part, j, width);
  }
}

/* The factor that brings the squares of all entries into the range of a double; 1 if they are. */
static double scale_of(const struct hy_row_sums *s, int64_t rows) {
  for (int64_t l = 0; l < rows && !s->k->dry; l++) {
    if (isinf(s->sizes[l])) return 0x1p-600;
    if (s->sizes[l] < 0x1p-900 && s->k->get(s->y, l) != 0) return 0x1p600;
  }
  return 1;
}

/* Replaces sums of squares by their roots; a second pass sums scaled squares where needed. */
static void take_roots(struct pass *p, enum hy_part part, int64_t rows) {
  const struct hy_row_sums *s = p->s;
  p->scale = scale_of(s, rows);
  p->again = true;
  if (p->scale != 1) {
    memset(s->sizes, 0, (size_t)rows * sizeof *s->sizes);
    add_part(p, part);
  }
  for (int64_t l = 0; l < rows; l++) s->sizes[l] = sqrt(s->sizes[l]) / p->scale;
}

void hy_row_sums_add(const struct hy_row_sums *s, const struct hy_summand *summand,
                     const struct hy_row_vector *vector, const int64_t *place,
                     struct hy_row_sum *sums) {
  const hyla_matrix *a = summand->matrix;
  const struct hy_kernels *k = s->k;
  if (a->local_rows == 0 || a->local_cols == 0) return;
  struct pass pass = {.s = s, .a = a, .op = summand->op, .vector = vector, .scale = 1};
  bool plain = summand->op == HYLA_NONE;
  const struct hy_axis *in = plain ? &a->col : &a->row, *out = plain ? &a->row : &a->col;
  int in_part = plain ? a->col_part : a->row_part, out_part = plain ? a->row_part : a->col_part;
  int64_t ins = plain ? a->local_cols : a->local_rows, outs = plain ? a->local_rows : a->local_cols;
  for (int64_t l = 0; l < ins; l++) {
    int64_t i = hy_axis_index(in, in_part, l);
    k->set(s->x, l, vector->x[i]);
    if (vector->size == HY_SIZE_WEIGHTED) s->weights[l] = vector->weights[i];
  }
  memset(s->y, 0, (size_t)outs * k->size);
  memset(s->sizes, 0, (size_t)outs * sizeof *s->sizes);
  add_part(&pass, summand->part);
  int64_t entries = pass.entries;
  if (vector->size == HY_SIZE_SQUARES) take_roots(&pass, summand->part, outs);
  for (int64_t l = 0; l < outs && !k->dry; l++) {
    int64_t i = hy_axis_index(out, out_part, l);
    struct hy_row_sum *sum = &sums[place != NULL ? place[i] : i];
    sum->value += k->get(s->y, l);
    add_size(vector->size, s->sizes[l], &sum->size);
  }
  if ((summand->unit || (summand->real_diagonal && k->complex_type)) && !k->dry)
    add_diagonal(&pass, summand, sums);
  hy_compute(s->cube, (vector->size == HY_SIZE_NONE ? 2 : 4) * entries, k->size, k->complex_type);
  hy_count_touched(s->cube, entries);
}

/* hy_allreduce's operation.  arg: the kind of sizes. */
static void combine(void *into, const void *from, int64_t count, const void *arg) {
  const enum hy_row_size *kind = arg;
  struct hy_row_sum *a = into;
  const struct hy_row_sum *b = from;
  for (int64_t i = 0; i < count; i++) {
    a[i].value += b[i].value;
    add_size(*kind, b[i].size, &a[i].size);
  }
}

hyla_status hy_row_sums_merge(const struct hy_row_sums *s, uint32_t dims, enum hy_row_size size,
                              struct hy_row_sum *sums, int64_t rows) {
  return hy_allreduce(s->cube, dims, sums, rows, sizeof *sums, combine, &size, s->work);
}

hyla_status hy_row_sums_find(const struct hy_row_sums *s, const struct hy_summands *parts,
                             bool near, const struct hy_row_vector *vector, struct hy_row_sum *sums,
                             int64_t rows) {
  const hyla_matrix *x = parts->summand[0].matrix;
  uint32_t all = hy_all_dims(s->cube);
  bool mine =
      x->row_part >= 0 && (near || hy_matrix_node(x, x->row_part, x->col_part) == s->cube->address);
  memset(sums, 0, (size_t)rows * sizeof *sums);
  for (int i = 0; i < parts->count && mine; i++)
    hy_row_sums_add(s, &parts->summand[i], vector, NULL, sums);
  return hy_row_sums_merge(s, near ? all & ~x->unused_dims : all, vector->size, sums, rows);
}
