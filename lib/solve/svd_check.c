/* How good singular values and vectors are: hyla_svd_check.
 *
 * R = A - U S V^H, U^H U and V^H V by products, whose results are only measured. */
#include "solve/small.h"
#include "solve/svd.h"

#include <complex.h>
#include <math.h>

struct check {
  const hyla_matrix *a, *left, *right;
  const double *values;
  hyla_matrix *r, *scaled, *g; /* A - U S V^H; U S; U^H U - I, then V^H V - I */
};

/* Columns of U times their values. */
static void scale(const struct check *c) {
  const hyla_matrix *x = c->scaled;
  for (int64_t m = 0; m < x->local_cols && x->local_rows > 0; m++)
    x->k->scale((int)x->local_rows, c->values[hyla_matrix_col(x, m)], hy_at(x, 0, m), 1);
}

/* g := g - I. */
static void subtract_identity(const hyla_matrix *g) {
  for (int64_t m = 0; m < g->local_cols; m++) {
    const int64_t index = hyla_matrix_col(g, m);
    if (hy_axis_owner(&g->row, index) != g->row_part || g->local_rows == 0) continue;
    char *entry = hy_at(g, hy_axis_before(&g->row, g->row_part, index), m);
    g->k->set(entry, 0, g->k->get(entry, 0) - 1);
  }
}

/* |op(X) X - I| of vectors that are `length' entries long, in units of length ulp. */
static hyla_status measure_vectors(const struct check *c, const hyla_matrix *x, bool rows,
                                   double *error) {
  hyla_cube *cube = x->cube;
  const double length = (double)hy_max(1, rows ? x->col.n : x->row.n);
  TRY(rows ? hyla_gemm(cube, HYLA_NONE, HYLA_CONJUGATE, 1, x, x, 0, c->g)
           : hyla_gemm(cube, HYLA_CONJUGATE, HYLA_NONE, 1, x, x, 0, c->g));
  subtract_identity(c->g);
  TRY(hyla_matrix_norm(cube, c->g, HYLA_NORM_FRO, error));
  *error /= length * 2 * x->k->epsilon;
  return HYLA_OK;
}

/* The squares of A - U S V^H, of U^H U - I and of V^H V - I, in long double: products in the
 * matrix' type have errors of half the bounds where sizes are small. */
static void square_small(const struct hy_small all[3], const double *values,
                         long double squares[3]) {
  const struct hy_small *a = &all[0], *u = &all[1], *v = &all[2];
  squares[0] = squares[1] = squares[2] = 0;
  for (int j = 0; j < a->n; j++)
    for (int i = 0; i < a->m; i++) {
      hy_small_entry r = hy_small_value(a, i, j);
      for (int k = 0; k < u->n; k++)
        r -= hy_small_value(u, i, k) * values[k] * hy_small_value(v, k, j);
      squares[0] += creall(r * conjl(r));
    }
  for (int j = 0; j < u->n; j++)
    for (int i = 0; i < u->n; i++) {
      const hy_small_entry left = hy_small_product(u, i, j) - (i == j);
      hy_small_entry right = -(hy_small_entry)(i == j);
      for (int k = 0; k < v->n; k++)
        right += hy_small_value(v, i, k) * conjl(hy_small_value(v, j, k));
      squares[1] += creall(left * conjl(left));
      squares[2] += creall(right * conjl(right));
    }
}

static hyla_status measure_small(const struct check *c, double size, hyla_svd_errors *errors) {
  hyla_cube *cube = c->a->cube;
  const struct hy_small_source from[] = {
      {c->a, HY_WHOLE}, {c->left, HY_WHOLE}, {c->right, HY_WHOLE}};
  const double m = (double)hy_max(1, c->a->row.n), n = (double)hy_max(1, c->a->col.n),
               ulp = 2 * c->a->k->epsilon;
  struct hy_small *all = NULL;
  hyla_status status = hy_small_bring_all(cube, from, 3, &all);
  if (status == HYLA_OK && cube->address >= 0) {
    long double squares[3];
    square_small(all, c->values, squares);
    errors->residual = squares[0] == 0 ? 0 : (double)(sqrtl(squares[0]) / size / fmax(m, n) / ulp);
    errors->left = (double)(sqrtl(squares[1]) / m / ulp);
    errors->right = (double)(sqrtl(squares[2]) / n / ulp);
  }
  hy_free(&cube->base, &all);
  TRY(status);
  return hy_agree(cube, hy_tell_guests(cube, errors, sizeof *errors));
}

static hyla_status measure(struct check *c, hyla_svd_errors *errors) {
  hyla_cube *cube = c->a->cube;
  const hyla_type type = c->a->k->type;
  const int64_t m = c->a->row.n, n = c->a->col.n, k = hy_min(m, n);
  const double units = (double)hy_max(1, hy_max(m, n)) * 2 * c->a->k->epsilon;
  double norm = 0, size = 0;
  TRY(hyla_matrix_create(cube, type, m, n, NULL, &c->r));
  TRY(hyla_matrix_create(cube, type, m, k, NULL, &c->scaled));
  TRY(hyla_matrix_create(cube, type, k, k, NULL, &c->g));
  TRY(hyla_matrix_copy(cube, c->a, c->r));
  TRY(hyla_matrix_norm(cube, c->r, HYLA_NORM_FRO, &size));
  TRY(hyla_matrix_copy(cube, c->left, c->scaled));
  scale(c);
  TRY(hyla_gemm(cube, HYLA_NONE, HYLA_NONE, -1, c->scaled, c->right, 1, c->r));
  TRY(hyla_matrix_norm(cube, c->r, HYLA_NORM_FRO, &norm));
  errors->residual = norm == 0 ? 0 : norm / size / units;
  TRY(measure_vectors(c, c->left, false, &errors->left));
  TRY(measure_vectors(c, c->right, true, &errors->right));
  const bool small = hy_max(m, n) <= HY_SMALL;
  return small && isfinite(errors->residual + errors->left + errors->right)
             ? measure_small(c, size, errors)
             : HYLA_OK;
}

hyla_status hyla_svd_check(hyla_cube *cube, const hyla_matrix *a, const double *values,
                           const hyla_matrix *left, const hyla_matrix *right,
                           hyla_svd_errors *errors) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  struct check c = {.a = a, .left = left, .right = right, .values = values};
  const int64_t count = a == NULL ? 0 : hy_min(a->row.n, a->col.n);
  const struct hy_call call = {.name = "hyla_svd_check",
                               .place = {{"errors", errors, 1}, {"values", values, count}},
                               .argument = {{"a", a, .sizes = "mn"},
                                            {"left", left, .sizes = "mk"},
                                            {"right", right, .sizes = "kn"}},
                               .needs_data = true};
  hyla_status mine = hy_call_check(cube, &call);
  if (mine == HYLA_OK && left->col.n != count)
    mine = hy_fail(&cube->base, HYLA_ARGUMENT, "%s: left has %lld columns for %lld values",
                   call.name, (long long)left->col.n, (long long)count);
  TRY(hy_call_agree(cube, &call, mine));
  *errors = (hyla_svd_errors){NAN, NAN, NAN};
  hyla_status status = measure(&c, errors);
  (void)hyla_matrix_destroy(&c.g);
  (void)hyla_matrix_destroy(&c.scaled);
  (void)hyla_matrix_destroy(&c.r);
  TRY(status);
  const bool good = errors->residual <= 1 && errors->left <= 1 && errors->right <= 1;
  return hy_agree(cube, good ? HYLA_OK
                             : hy_fail(&cube->base, HYLA_UNRELIABLE,
                                       "the residual is %.3g max(m, n) ulp, the orthogonality of "
                                       "left %.3g m ulp, of right %.3g n ulp; the most is 1",
                                       errors->residual, errors->left, errors->right));
}
