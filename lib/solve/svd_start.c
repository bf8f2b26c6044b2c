/* Vectors that Jacobi's rotations begin with: those of L = U S V^H by bidiagonal form and divide
 * and conquer, and the product L V.
 *
 * Reference: Drmac and Veselic 2008, for preconditioned rotations; Golub and Kahan 1965, Gu and
 * Eisenstat 1995, for V.  theory.md, svd:jacobi-*.
 * Method: the columns of L V have cosines of about n u s_1 / s_n instead of any, so that few
 * rotations are left.  A product from the right changes each row of L by rounding relative to its
 * own size: so the relative accuracy of the values, for an L with graded rows, is not touched.
 * Layout: L, V and L V in whole columns, consecutive ones on each node.  For the product L's
 * columns go round (svd_round.c).  Memory: four matrices of L's order.
 * Flops: 8 n^3 / 3 for the bidiagonal form, 2 n^3 for its vectors, at most 8 n^3 / 3 for those of
 * the bidiagonal matrix, 2 n^3 for the product. */
#include "solve/bidiagonal/bidiagonal.h"
#include "solve/divide/divide.h"
#include "solve/jacobi/jacobi.h"
#include "solve/svd.h"

#include <stddef.h>
#include <string.h>

struct hy_svd_start {
  hyla_cube *cube;
  const struct hy_kernels *k;
  int64_t n;
  hyla_matrix *l, *v;
  /* L, which becomes reflections; vectors of the bidiagonal matrix, real, by rows; the same as L
   * lies; V there. */
  struct hy_svd_square reduced, inner, real, outer;
  struct hy_bidiagonal *reduction;
  struct hy_singular *singular;
  struct hy_direct *bring, *turn, *back;
  double *values;
  struct hy_release release;
};

/* ----------------------------------------------------------------- squares -- */

hyla_status hy_svd_square_make(hyla_cube *cube, hyla_type type, int64_t n,
                               const hyla_layout *layout, struct hy_svd_square *square) {
  if (!hy_cube_counts(cube)) return hy_matrix_make(cube, type, n, n, layout, &square->m);
  const struct hy_operand lies = {.row = hy_axis_make(&layout->row, n),
                                  .col = hy_axis_make(&layout->col, n),
                                  .in_place = hy_in_place_expected(cube)};
  square->counted = hy_matrix_counted(cube, type, &lies);
  square->m = &square->counted;
  return HYLA_OK;
}

void hy_svd_square_destroy(struct hy_svd_square *square) {
  if (square->m != &square->counted) (void)hyla_matrix_destroy(&square->m);
  square->m = NULL;
}

/* ------------------------------------------------------------------ memory -- */

static void release(struct hy_release *self) {
  struct hy_svd_start *s =
      (struct hy_svd_start *)(void *)((char *)self - offsetof(struct hy_svd_start, release));
  struct hy_svd_square *const squares[] = {&s->outer, &s->real, &s->inner, &s->reduced};
  hy_direct_destroy(&s->back);
  hy_direct_destroy(&s->turn);
  hy_direct_destroy(&s->bring);
  for (int i = 0; i < 4; i++) hy_svd_square_destroy(squares[i]);
}

static hyla_status make_parts(struct hy_svd_start *s) {
  const struct hy_bidiagonal_problem reduction = {
      .cube = s->cube, .a = s->reduced.m, .sides = s->outer.m->col, .applies = true};
  const struct hy_singular_problem singular = {
      .cube = s->cube,
      .k = hy_cube_kernels(s->cube, hy_real_type(s->k->type)),
      .n = s->n,
      .right = true};
  hyla_matrix *real = s->k->complex_type ? s->real.m : s->outer.m;
  const hyla_transfer bring = {HYLA_NONE, 1, s->l, s->reduced.m},
                      turn = {HYLA_NONE, 1, s->inner.m, real},
                      back = {HYLA_NONE, 1, s->outer.m, s->v};
  TRY(hy_bidiagonal_create(&reduction, s, &s->reduction));
  TRY(hy_singular_create(&singular, s, &s->singular));
  TRY(hy_direct_create(s->cube, &bring, 1, &s->bring));
  TRY(hy_direct_create(s->cube, &turn, 1, &s->turn));
  return hy_direct_create(s->cube, &back, 1, &s->back);
}

static hyla_status make(struct hy_svd_start *s) {
  hyla_cube *cube = s->cube;
  const hyla_type type = s->k->type, real = hy_real_type(type);
  const hyla_layout columns = hy_bidiagonal_layout(cube, s->n, s->n),
                    rows = hy_divide_layout(cube, s->n);
  TRY(hy_svd_square_make(cube, type, s->n, &columns, &s->reduced));
  TRY(hy_svd_square_make(cube, real, s->n, &rows, &s->inner));
  TRY(hy_svd_square_make(cube, type, s->n, &columns, &s->outer));
  if (s->k->complex_type) TRY(hy_svd_square_make(cube, real, s->n, &columns, &s->real));
  TRY(hy_agree(cube, make_parts(s)));
  TRY(hy_bidiagonal_allocate(s->reduction));
  TRY(hy_agree(cube, hy_singular_allocate(s->singular)));
  return hy_agree(cube, hy_alloc_for(&cube->base, s, s->n, sizeof *s->values, &s->values));
}

hyla_status hy_svd_start_make(hyla_matrix *l, hyla_matrix *v, struct hy_svd_start **start) {
  hyla_cube *cube = l->cube;
  struct hy_svd_start *s = NULL;
  TRY(hy_agree(cube, hy_alloc(&cube->base, 1, sizeof *s, &s)));
  *start = s;
  *s = (struct hy_svd_start){.cube = cube, .k = l->k, .n = l->row.n, .l = l, .v = v};
  s->release.release = release;
  hy_on_free(s, &s->release);
  return make(s);
}

/* --------------------------------------------------------------------- run -- */

static hyla_status reduce(struct hy_svd_start *s) {
  if (s->cube->address < 0) return HYLA_OK;
  TRY(hy_direct_run(s->bring));
  TRY(hy_bidiagonal_scale(s->reduction, s->reduced.m));
  return hy_bidiagonal_run(s->reduction);
}

static hyla_status expand(struct hy_svd_start *s) {
  const hyla_matrix *to = s->outer.m, *real = s->real.m;
  if (s->cube->address < 0) return HYLA_OK;
  TRY(hy_direct_run(s->turn));
  if (s->k->complex_type && !s->k->dry && to->local_cols > 0)
    hy_convert(HY_BOTH_PARTS, (int)to->local_rows, (int)to->local_cols, real->k, real->local,
               (int)real->ld, to->k, to->local, (int)to->ld);
  TRY(hy_bidiagonal_apply(s->reduction, true, to));
  return hy_direct_run(s->back);
}

hyla_status hy_svd_start_run(struct hy_svd_start *s) {
  const struct hy_bidiagonal *t = s->reduction;
  TRY(hy_agree(s->cube, reduce(s)));
  TRY(hy_singular_run(s->singular, t->d, t->e, s->values, NULL, s->inner.m));
  return hy_agree(s->cube, expand(s));
}

/* A product L V. */
struct product {
  struct hy_svd_start *s;
  hyla_matrix *to;
};

/* to := to + the columns of `node' times the rows of V that belong to them. */
static void multiply(void *arg, int64_t node, const char *columns) {
  const struct product *p = arg;
  const struct hy_svd_start *s = p->s;
  const struct hy_kernels *k = s->k;
  const hyla_matrix *to = p->to;
  const int64_t first = node * s->l->col.block,
                count = hy_max(0, hy_min(s->l->col.block, s->n - first));
  if (count == 0 || to->local_cols == 0) return;
  hy_compute(s->cube, 2 * s->n * count * to->local_cols, k->size, k->complex_type);
  k->gemm(HYLA_NONE, HYLA_NONE, (int)s->n, (int)to->local_cols, (int)count, 1, columns, (int)s->n,
          hy_at(s->v, first, 0), (int)s->v->ld, 1, to->local, (int)to->ld);
}

hyla_status hy_svd_start_multiply(struct hy_svd_start *s, struct hy_svd_round *round,
                                  hyla_matrix *to) {
  struct product p = {s, to};
  for (int64_t c = 0; c < to->local_cols && !s->k->dry; c++)
    memset(hy_at(to, 0, c), 0, (size_t)s->n * s->k->size);
  return hy_svd_round_run(round, s->l, multiply, &p);
}
