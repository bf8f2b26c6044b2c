/* Q Z and Q^H Z by blocks of reflections: the back-transformation of vectors.
 *
 * Reference: Schreiber and Van Loan 1989; Puglisi 1992.  theory.md, eigen:tridiagonal.
 * Layout: Z's rows lie as A's, its columns over the dimensions of A's columns.
 * Method: in the loop over panels (panels/lookahead.c), from the last to the first for Q Z,
 *
 *   make:  V from A's columns, S from V^H V, added up over the rank column, and from tau
 *   use:   W := V^H Z, added up over the rank column; W := S^-1 W, or S^-H W; Z := Z - V W
 *
 * Steps a panel: r for S, at most c for the panel, at least r for the products.  Flops: 2 n^2 m for
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

static hyla_status make(void *state, int64_t index, struct hy_panel_slot *slot) {
  struct hy_tridiagonal *t = state;
  const struct hy_kernels *k = t->k;
  const struct hy_diagonal_block at = hy_diagonal_block(&t->array, index);
  const int width = at.width, ld = hy_leading(at.rows);
  char *s = slot->data, *v = slot->data + at_v(t, &at);
  hy_count_copied(t->cube, (int64_t)at.rows * width);
  hy_compute(t->cube, 2 * (int64_t)at.rows * width * width, k->size, k->complex_type);
  if (!k->dry) {
    load_vectors(t, &at, v);
    memset(s, 0, (size_t)at_v(t, &at));
    if (at.rows > 0)
      k->gemm(HYLA_CONJUGATE, HYLA_NONE, width, width, at.rows, 1, v, ld, v, ld, 0, s, width);
  }
  TRY(hy_subcube_allreduce(&t->products_sum, s, (int64_t)width * width, hy_solve_sum, k));
  for (int j = 0; j < width && !k->dry; j++) {
    const double _Complex tau = hy_complex(t->tau[0][at.first + j], t->tau[1][at.first + j]);
    k->set(s, (int64_t)j * (width + 1), tau == 0 ? 1 : 1 / tau);
  }
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
  const char *s = t->slot->seen, *v = s + at_v(t, at);

  /* W := V^H Z */
  if (at->rows > 0)
    k->gemm(HYLA_CONJUGATE, HYLA_NONE, width, columns, at->rows, 1, v, ld_v, z, (int)ld, 0,
            t->products, width);
  else if (!k->dry)
    memset(t->products, 0, (size_t)width * (size_t)columns * k->size);
  TRY(hy_subcube_allreduce(&t->products_sum, t->products, (int64_t)width * columns, hy_solve_sum,
                           k));

  /* W := S^-1 W, or S^-H W */
  k->trsm(HYLA_LEFT, HYLA_UPPER, adjoint ? HYLA_CONJUGATE : HYLA_NONE, HYLA_ANY_DIAGONAL, width,
          columns, 1, s, width, t->products, width);

  /* Z := Z - V W */
  if (at->rows > 0)
    k->gemm(HYLA_NONE, HYLA_NONE, at->rows, columns, width, -1, v, ld_v, t->products, width, 1, z,
            (int)ld);
  hy_compute(t->cube, (4 * (int64_t)at->rows + width) * width * columns, k->size, k->complex_type);
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
  const struct hy_owned arrays[] = {{&t->products, products_of(t, columns) * (int64_t)t->k->size},
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
