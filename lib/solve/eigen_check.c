/* How good eigenvalues and vectors are: hyla_eigen_check.
 *
 * R = A V - V diag(values) and V^H V by products, whose results are only measured. */
#include "solve/eigen.h"

#include <complex.h>
#include <math.h>

struct check {
  hyla_triangle triangle;
  const hyla_matrix *a, *v;
  const double *values;
  hyla_matrix *x, *r, *g; /* V and R, which lie alike; V^H V */
};

/* Products do not take a part of a matrix whose other part may hold anything but in this form. */
static hyla_status multiply(const struct check *c) {
  hyla_cube *cube = c->a->cube;
  return c->a->k->complex_type ? hyla_hemm(cube, HYLA_LEFT, c->triangle, 1, c->a, c->x, 0, c->r)
                               : hyla_symm(cube, HYLA_LEFT, c->triangle, 1, c->a, c->x, 0, c->r);
}

/* R := R - V diag(values). */
static void subtract(const struct check *c) {
  const struct hy_kernels *k = c->x->k;
  const int rows = (int)c->x->local_rows;
  for (int64_t m = 0; m < c->x->local_cols && rows > 0; m++)
    k->combine(HYLA_NONE, rows, 1, -c->values[hyla_matrix_col(c->x, m)], hy_at(c->x, 0, m), rows, 1,
               hy_at(c->r, 0, m), rows);
}

/* g := g - I. */
static void subtract_identity(const hyla_matrix *g) {
  for (int64_t m = 0; m < g->local_cols; m++) {
    const int64_t index = hyla_matrix_col(g, m);
    if (hy_axis_owner(&g->row, index) != g->row_part || g->local_rows == 0) continue;
    const int64_t l = hy_axis_before(&g->row, g->row_part, index);
    g->k->set(hy_at(g, l, m), 0, g->k->get(hy_at(g, l, m), 0) - 1);
  }
}

/* Squares of the entries of a triangle and its mirror image, times 2^(-2 exponent). */
struct squares {
  const struct check *check;
  double unit;
  double sum;
};

static void add_squares(struct squares *s) {
  const hyla_matrix *a = s->check->a;
  const bool lower = s->check->triangle == HYLA_LOWER;
  if (hy_matrix_has_copies(a) && ((uint32_t)a->cube->address & a->unused_dims) != 0) return;
  for (int64_t m = 0; m < a->local_cols; m++)
    for (int64_t l = 0; l < a->local_rows; l++) {
      const int64_t i = hyla_matrix_row(a, l), j = hyla_matrix_col(a, m);
      if (lower ? i < j : i > j) continue;
      const double _Complex entry = a->k->get(hy_at(a, l, m), 0);
      const double re = creal(entry) / s->unit, im = i == j ? 0 : cimag(entry) / s->unit;
      s->sum += (i == j ? 1 : 2) * (re * re + im * im);
    }
}

/* The largest value; A's Frobenius norm is between it and sqrt(n) times it where all values are
 * known, so that squares relative to it do not leave the range. */
static double unit_of(const struct check *c) {
  double unit = 0;
  for (int64_t i = 0; i < c->v->col.n; i++) unit = fmax(unit, fabs(c->values[i]));
  return unit > 0 && isfinite(unit) ? unit : 1;
}

static hyla_status norm_of_a(const struct check *c, double *norm) {
  hyla_cube *cube = c->a->cube;
  struct squares squares = {.check = c, .unit = unit_of(c)};
  double work = 0;
  if (cube->address >= 0) add_squares(&squares);
  TRY(hy_agree(cube, hy_allreduce(cube, hy_all_dims(cube), &squares.sum, 1, sizeof squares.sum,
                                  hy_residual_add, NULL, &work)));
  TRY(hy_agree(cube, hy_tell_guests(cube, &squares.sum, sizeof squares.sum)));
  *norm = squares.unit * sqrt(squares.sum);
  return HYLA_OK;
}

static hyla_status measure(struct check *c, hyla_eigen_errors *errors) {
  hyla_cube *cube = c->a->cube;
  const int64_t n = c->v->row.n, m = c->v->col.n;
  const double ulp = 2 * c->a->k->epsilon, units = (double)hy_max(1, n) * ulp;
  double norm = 0, size = 0;
  TRY(hyla_matrix_create(cube, c->v->k->type, n, m, NULL, &c->x));
  TRY(hyla_matrix_create(cube, c->v->k->type, n, m, NULL, &c->r));
  TRY(hyla_matrix_copy(cube, c->v, c->x));
  TRY(multiply(c));
  subtract(c);
  TRY(hyla_matrix_norm(cube, c->r, HYLA_NORM_FRO, &norm));
  TRY(norm_of_a(c, &size));
  errors->residual = norm == 0 ? 0 : norm / size / units;
  TRY(hyla_matrix_create(cube, c->v->k->type, m, m, NULL, &c->g));
  TRY(hyla_gemm(cube, HYLA_CONJUGATE, HYLA_NONE, 1, c->x, c->x, 0, c->g));
  subtract_identity(c->g);
  TRY(hyla_matrix_norm(cube, c->g, HYLA_NORM_FRO, &norm));
  errors->orthogonality = norm / units;
  return HYLA_OK;
}

hyla_status hyla_eigen_check(hyla_cube *cube, hyla_triangle triangle, const hyla_matrix *a,
                             const double *values, const hyla_matrix *vectors,
                             hyla_eigen_errors *errors) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  struct check c = {.triangle = triangle, .a = a, .v = vectors, .values = values};
  const struct hy_call call = {
      .name = "hyla_eigen_check",
      .option = {{"triangle", (int)triangle, hy_triangle_names}},
      .place = {{"errors", errors, 1}, {"values", values, vectors == NULL ? 0 : vectors->col.n}},
      .argument = {{"a", a, .sizes = "nn"}, {"vectors", vectors, .sizes = "nv"}},
      .needs_data = true};
  TRY(hy_call_enter(cube, &call, HYLA_OK));
  *errors = (hyla_eigen_errors){NAN, NAN};
  hyla_status status = measure(&c, errors);
  (void)hyla_matrix_destroy(&c.g);
  (void)hyla_matrix_destroy(&c.r);
  (void)hyla_matrix_destroy(&c.x);
  TRY(status);
  /* At small orders the rounding of single entries counts for more than their number. */
  const double n = (double)hy_max(1, a->row.n), most[2] = {fmax(.5, 8 / n), fmax(2, 16 / n)};
  const bool good = errors->residual <= most[0] && errors->orthogonality <= most[1];
  return hy_agree(cube, good ? HYLA_OK
                             : hy_fail(&cube->base, HYLA_UNRELIABLE,
                                       "the residual is %.3g of at most %.3g, the orthogonality "
                                       "%.3g of at most %.3g n ulp",
                                       errors->residual, most[0], errors->orthogonality, most[1]));
}
