/* Q Z and Q^H Z by blocks of reflections: the back-transformation of vectors.
 *
 * Reference: Schreiber and Van Loan 1989.  theory.md, eigen:tridiagonal.
 * Layout: Z's rows lie as A's, its columns over the dimensions of A's columns.
 * Method: in the loop over panels (panels/lookahead.c), from the last to the first for Q Z,
 *
 *   make:  V from A's columns, F from V^H V, added up over the rank column, and from tau
 *   use:   W := V^H Z, added up over the rank column; W := F W, or F^H W; Z := Z - V W
 *
 * F is S^-1, made column by column: so tau itself stands on its diagonal, not the inverse of an
 * inverse.
 *
 * Steps a panel: r for F, at most c for the panel, at least r for the products.  Flops: 2 n^2 m for
 * m columns of Z. */
#include "solve/tridiagonal/tridiagonal.h"

#include <complex.h>
#include <string.h>

static int64_t at_v(const struct hy_tridiagonal *t, const struct hy_diagonal_block *at) {
  return (int64_t)at->width * at->width * (int64_t)t->k->size;
}

static int64_t bytes_of(const void *state, int64_t index) {
  const struct hy_tridiagonal *t = state;
  const struct hy_diagonal_block at = hy_diagonal_block(&t->array, index);
  return at_v(t, &at) + (int64_t)hy_leading(at.rows) * at.width * (int64_t)t->k->size;
}

/* -------------------------------------------------------------------- make -- */

/* V: the vectors, with zeros above their first entries.  A reflection that is none has a vector of
 * zeros. */
static void load_vectors(const struct hy_tridiagonal *t, const struct hy_diagonal_block *at,
                         char *v) {
  const struct hy_kernels *k = t->k;
  const int ld = hy_leading(at->rows);
  k->copy(HYLA_NONE, at->rows, at->width, 1, hy_at(t->a, at->row, at->column), (int)t->a->ld, v,
          ld);
  for (int j = 0; j < at->width; j++) {
    const bool none = t->tau[0][at->first + j] == 0 && t->tau[1][at->first + j] == 0;
    const int zeros = none ? at->rows : at->top ? j + 1 : 0;
    memset(hy_entry(k, v, ld, 0, j), 0, (size_t)zeros * k->size);
  }
}

/* Of a small order the roundings of F are most of Q's distance from unitary, so that sums for it
 * are made in long double; t->exact has V. */
static bool is_small(const struct hy_tridiagonal *t) { return t->n <= HY_TRIDIAGONAL_SMALL; }

struct sum {
  long double re, im;
};
/* sum += conj(x) y, or x y. */
static inline void add_product(struct sum *sum, bool conjugated, double _Complex x,
                               double _Complex y) {
  const long double re = creal(x), im = conjugated ? -cimag(x) : cimag(x);
  sum->re += re * creal(y) - im * cimag(y);
  sum->im += re * cimag(y) + im * creal(y);
}

/* f := V^H V, its upper triangle. */
static void multiply_exactly(const struct hy_tridiagonal *t, const struct hy_diagonal_block *at,
                             const char *v, char *f) {
  const int rows = at->rows, width = at->width;
  for (int64_t i = 0; i < (int64_t)rows * width; i++) t->exact[i] = t->k->get(v, i);
  for (int j = 0; j < width; j++)
    for (int i = 0; i < j; i++) {
      const double _Complex *x = t->exact + (int64_t)i * rows, *y = t->exact + (int64_t)j * rows;
      struct sum sum = {0, 0};
      for (int l = 0; l < rows; l++) add_product(&sum, true, x[l], y[l]);
      t->k->set(f, i + (int64_t)j * width, hy_complex((double)sum.re, (double)sum.im));
    }
}

/* column: j entries of V^H v_j, becomes -tau F column; F's columns before it in f. */
static void turn_exactly(const struct hy_tridiagonal *t, int width, int j, double _Complex tau,
                         const char *f, char *column) {
  const struct hy_kernels *k = t->k;
  for (int i = 0; i < j; i++) { /* entry i is not read again */
    struct sum sum = {0, 0};
    for (int l = i; l < j; l++)
      add_product(&sum, false, k->get(f, i + (int64_t)l * width), k->get(column, l));
    k->set(column, i, -tau * hy_complex((double)sum.re, (double)sum.im));
  }
}

/* f: V^H V, becomes F: column j is -tau_j F V^H v_j, with the columns of F before it, and tau_j. */
static void set_factor(const struct hy_tridiagonal *t, const struct hy_diagonal_block *at,
                       char *f) {
  const struct hy_kernels *k = t->k;
  const int width = at->width;
  for (int j = 0; j < width; j++) {
    const double _Complex tau = hy_complex(t->tau[0][at->first + j], t->tau[1][at->first + j]);
    char *column = hy_entry(k, f, width, 0, j);
    if (is_small(t)) {
      turn_exactly(t, width, j, tau, f, column);
    } else {
      k->gemm(HYLA_NONE, HYLA_NONE, j, 1, j, -tau, f, width, column, width, 0, t->products, width);
      memcpy(column, t->products, (size_t)j * k->size);
    }
    memset(column + (size_t)j * k->size, 0, (size_t)(width - j) * k->size);
    k->set(column, j, tau);
  }
}

static hyla_status make(void *state, int64_t index, struct hy_panel_slot *slot) {
  struct hy_tridiagonal *t = state;
  const struct hy_kernels *k = t->k;
  const struct hy_diagonal_block at = hy_diagonal_block(&t->array, index);
  const int width = at.width, ld = hy_leading(at.rows);
  char *f = slot->data, *v = slot->data + at_v(t, &at);
  hy_count_copied(t->cube, (int64_t)at.rows * width);
  hy_compute(t->cube, 2 * (int64_t)at.rows * width * width, k->size, k->complex_type);
  if (!k->dry) {
    load_vectors(t, &at, v);
    memset(f, 0, (size_t)at_v(t, &at));
    if (at.rows > 0 && is_small(t))
      multiply_exactly(t, &at, v, f);
    else if (at.rows > 0)
      k->gemm(HYLA_CONJUGATE, HYLA_NONE, width, width, at.rows, 1, v, ld, v, ld, 0, f, width);
  }
  TRY(hy_subcube_allreduce(&t->products_sum, f, (int64_t)width * width, hy_solve_sum, k));
  hy_compute(t->cube, (int64_t)width * width * width / 3, k->size, k->complex_type);
  if (!k->dry) set_factor(t, &at, f);
  return HYLA_OK;
}

/* --------------------------------------------------------------------- use -- */

static hyla_status arrive(void *state, int64_t index, struct hy_panel_slot *slot) {
  struct hy_tridiagonal *t = state;
  t->panel = hy_diagonal_block(&t->array, index);
  t->slot = slot;
  return HYLA_OK;
}

/* Reflects some columns of Z, from the panel's first row on. */
static hyla_status reflect(struct hy_tridiagonal *t, bool adjoint, int columns, char *z,
                           int64_t ld) {
  const struct hy_kernels *k = t->k;
  const struct hy_diagonal_block *at = &t->panel;
  const int width = at->width, ld_v = hy_leading(at->rows);
  const char *f = t->slot->seen, *v = f + at_v(t, at);
  char *w = t->products, *turned = hy_entry(k, w, width, 0, columns);

  /* W := V^H Z */
  if (at->rows > 0)
    k->gemm(HYLA_CONJUGATE, HYLA_NONE, width, columns, at->rows, 1, v, ld_v, z, (int)ld, 0, w,
            width);
  else if (!k->dry)
    memset(w, 0, (size_t)width * (size_t)columns * k->size);
  TRY(hy_subcube_allreduce(&t->products_sum, w, (int64_t)width * columns, hy_solve_sum, k));

  /* F W, or F^H W */
  k->gemm(adjoint ? HYLA_CONJUGATE : HYLA_NONE, HYLA_NONE, width, columns, width, 1, f, width, w,
          width, 0, turned, width);

  /* Z := Z - V W */
  if (at->rows > 0)
    k->gemm(HYLA_NONE, HYLA_NONE, at->rows, columns, width, -1, v, ld_v, turned, width, 1, z,
            (int)ld);
  hy_compute(t->cube, (4 * (int64_t)at->rows + 2 * width) * width * columns, k->size,
             k->complex_type);
  return HYLA_OK;
}

static hyla_status use(void *state, const struct hy_columns *x) {
  struct hy_tridiagonal *t = state;
  const int64_t end = x->first + x->count;
  for (int64_t begin = x->first; begin < end; begin += HY_TRIDIAGONAL_STRIP) {
    const int columns = (int)hy_min(HY_TRIDIAGONAL_STRIP, end - begin);
    TRY(reflect(t, t->adjoint, columns, hy_at(x->m, t->panel.row, begin), x->m->ld));
    TRY(hy_link_poll(t->cube));
  }
  return HYLA_OK;
}

hyla_status hy_tridiagonal_apply(struct hy_tridiagonal *t, bool adjoint, const hyla_matrix *z) {
  if (t->cube->address < 0 || t->n == 0) return HYLA_OK;
  t->adjoint = adjoint;
  struct hy_lookahead loop = {.panels = &t->panels,
                              .array = &t->array,
                              .end = t->array.count,
                              .backwards = !adjoint,
                              .x = z,
                              .state = t,
                              .bytes = bytes_of,
                              .make = make,
                              .arrive = arrive,
                              .use = use};
  return hy_lookahead_run(&loop);
}

/* ------------------------------------------------------------------ memory -- */

static int64_t products_of(const struct hy_tridiagonal *t, int64_t columns) {
  const int64_t block = hy_min(t->array.block, t->n);
  return block * hy_max(block, hy_min(HY_TRIDIAGONAL_STRIP, columns));
}

hyla_status hy_tridiagonal_apply_create(struct hy_tridiagonal *t) {
  const struct hy_block_cyclic *array = &t->array;
  const size_t size = t->k->size;
  const int64_t rows = hy_axis_most(&t->a->row), block = hy_min(array->block, t->n);
  const int64_t products = products_of(t, hy_axis_most(&t->problem.sides));
  const struct hy_group groups[] = {
      {&t->shares, array->col_dims, HY_TASK_BROADCAST, (rows + block) * block, size},
      {&t->products_sum, array->row_dims, HY_TASK_ALLREDUCE, products, size},
      {0}};
  return hy_make_groups(t, t->cube, groups);
}

static hyla_status allocate_here(struct hy_tridiagonal *t) {
  const int64_t columns =
      hy_held(&t->problem.sides, hy_part_of(&t->problem.sides, t->cube->address));
  const struct hy_owned arrays[] = {
      {&t->products, 2 * products_of(t, columns) * (int64_t)t->k->size},
      {&t->exact,
       is_small(t) ? t->array.rows * hy_min(t->array.block, t->n) * (int64_t)sizeof *t->exact : 0},
      {0}};
  struct hy_subcube_op *const groups[] = {&t->shares, &t->products_sum, NULL};
  TRY(hy_take_arrays(&t->cube->base, t, arrays));
  return hy_allocate_groups(groups);
}

hyla_status hy_tridiagonal_apply_allocate(struct hy_tridiagonal *t) {
  const bool guest = t->cube->address < 0;
  const int64_t width = hy_min(t->array.block, t->n);
  const int64_t slot = (hy_max(1, t->array.rows) + width) * width * (int64_t)t->k->size;
  TRY(hy_agree(t->cube, guest ? HYLA_OK : allocate_here(t)));
  return hy_panels_create(t, &t->shares, guest ? 0 : hy_ceil_div(slot, 64) * 64, &t->panels);
}
