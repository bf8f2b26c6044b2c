/* Generalised eigenvalue problems with a positive definite B: hyla_eigen_generalized.
 *
 * Method: B = L L^H; with y = L^H x or y = L^-1 x the problem is C y = lambda y,
 *
 *     A x = lambda B x    C = L^-1 A L^-H   x = L^-H y
 *     A B x = lambda x    C = L^H A L       x = L^-H y
 *     B A x = lambda x    C = L^H A L       x = L y
 *
 * theory.md, eigen:generalized. */
#include "solve/eigen.h"

#include <complex.h>
#include <limits.h>
#include <string.h>

struct pencil {
  hyla_cube *cube;
  hyla_eigen_pencil kind;
  hyla_triangle triangle;
  const hyla_matrix *a, *b;
  hyla_matrix *c, *mirror, *l;
};

/* to := the whole Hermitian matrix whose triangle is given. */
static hyla_status complete(const struct pencil *p, const hyla_matrix *given, hyla_matrix *to) {
  const struct hy_kernels *k = to->k;
  const hyla_transfer image = {HYLA_CONJUGATE, 1, given, p->mirror};
  TRY(hyla_matrix_copy(p->cube, given, to));
  TRY(hyla_redistribute(p->cube, 1, &image));
  for (int64_t m = 0; m < to->local_cols; m++)
    for (int64_t l = 0; l < to->local_rows; l++) {
      const int64_t i = hyla_matrix_row(to, l), j = hyla_matrix_col(to, m);
      char *entry = hy_at(to, l, m);
      if (p->triangle == HYLA_LOWER ? i < j : i > j) memcpy(entry, hy_at(p->mirror, l, m), k->size);
      if (i == j) k->set(entry, 0, creal(k->get(entry, 0)));
    }
  return HYLA_OK;
}

/* B = L L^H, in the memory of c. */
static hyla_status factor(const struct pencil *p, int64_t *pivot) {
  hyla_factor *made = NULL;
  TRY(complete(p, p->b, p->c));
  TRY(hyla_factor_create(p->cube, HYLA_CHOLESKY, p->c->k->type, p->c->row.n, 0, NULL, NULL, &made));
  hyla_status status = hyla_factor_compute(p->cube, made, p->c);
  if (pivot != NULL) *pivot = hyla_factor_pivot(made);
  if (status == HYLA_OK) status = hyla_factor_lower(p->cube, made, p->l);
  (void)hyla_factor_destroy(&made);
  return status;
}

/* c := C, from A. */
static hyla_status reduce(const struct pencil *p) {
  TRY(complete(p, p->a, p->c));
  if (p->kind == HYLA_PENCIL_AX_BX) {
    TRY(hyla_trsm(p->cube, HYLA_LEFT, HYLA_LOWER, HYLA_NONE, HYLA_ANY_DIAGONAL, 1, p->l, p->c));
    return hyla_trsm(p->cube, HYLA_RIGHT, HYLA_LOWER, HYLA_CONJUGATE, HYLA_ANY_DIAGONAL, 1, p->l,
                     p->c);
  }
  TRY(hyla_trmm(p->cube, HYLA_LEFT, HYLA_LOWER, HYLA_CONJUGATE, HYLA_ANY_DIAGONAL, 1, p->l, p->c));
  return hyla_trmm(p->cube, HYLA_RIGHT, HYLA_LOWER, HYLA_NONE, HYLA_ANY_DIAGONAL, 1, p->l, p->c);
}

/* Vectors of C to those of the problem. */
static hyla_status bring_back(const struct pencil *p, hyla_matrix *vectors) {
  if (p->kind == HYLA_PENCIL_BA_X)
    return hyla_trmm(p->cube, HYLA_LEFT, HYLA_LOWER, HYLA_NONE, HYLA_ANY_DIAGONAL, 1, p->l,
                     vectors);
  return hyla_trsm(p->cube, HYLA_LEFT, HYLA_LOWER, HYLA_CONJUGATE, HYLA_ANY_DIAGONAL, 1, p->l,
                   vectors);
}

static hyla_status solve(struct pencil *p, double *values, hyla_matrix *vectors, int64_t *pivot) {
  hyla_matrix **const work[] = {&p->c, &p->mirror, &p->l};
  const int64_t n = p->a->row.n;
  for (int i = 0; i < 3; i++) TRY(hyla_matrix_create(p->cube, p->a->k->type, n, n, NULL, work[i]));
  TRY(factor(p, pivot));
  TRY(reduce(p));
  TRY(hyla_eigen(p->cube, HYLA_LOWER, p->c, values, vectors));
  return vectors == NULL ? HYLA_OK : bring_back(p, vectors);
}

hyla_status hyla_eigen_generalized(hyla_cube *cube, hyla_eigen_pencil kind, hyla_triangle triangle,
                                   const hyla_matrix *a, const hyla_matrix *b, double *values,
                                   hyla_matrix *vectors, int64_t *pivot) {
  static const char *const kinds[] = {"a x = v b x", "a b x = v x", "b a x = v x", NULL};
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  struct pencil p = {.cube = cube, .kind = kind, .triangle = triangle, .a = a, .b = b};
  struct hy_call call = {
      .name = "hyla_eigen_generalized",
      .option = {{"triangle", (int)triangle, hy_triangle_names}, {"kind", (int)kind, kinds}},
      .place = {{"values", values, a == NULL ? 0 : a->row.n}},
      .number = {vectors != NULL},
      .argument = {{"a", a, .sizes = "nn"}, {"b", b, .sizes = "nn"}},
      .most = INT_MAX / 2,
      .needs_data = true};
  if (vectors != NULL)
    call.argument[2] = (struct hy_argument){
        .name = "vectors", .matrix = vectors, .sizes = "nn", .result = vectors};
  if (pivot != NULL) *pivot = 0;
  TRY(hy_call_enter(cube, &call, HYLA_OK));
  hyla_status status = solve(&p, values, vectors, pivot);
  (void)hyla_matrix_destroy(&p.l);
  (void)hyla_matrix_destroy(&p.mirror);
  (void)hyla_matrix_destroy(&p.c);
  return status;
}
