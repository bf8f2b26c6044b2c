/* How good eigenvalues and vectors are: hyla_eigen_check, hyla_eigen_check_values,
 * hyla_eigen_generalized_check.
 *
 * The residual R and V^H V - I, or what stands for them in a generalised problem, by products,
 * whose results are only measured.  Norms are Frobenius norms, which no unitary change of the basis
 * changes.  Values without vectors have A's norm, and its trace. */
#include "solve/eigen.h"

#include <complex.h>
#include <math.h>
#include <string.h>

struct check {
  hyla_cube *cube;
  hyla_triangle triangle;
  hyla_eigen_pencil kind;
  const hyla_matrix *a, *b, *v; /* b: NULL in a standard problem */
  const double *values;
  hyla_matrix *x, *y, *r, *g; /* V and matrices that lie alike; V^H V or V V^H */
  double *sums;               /* 2 n: of squares, by columns of V, and a workspace; with b */
};

/* to := m from, for a Hermitian m, whose triangle alone is read.  Products do not take a part of a
 * matrix whose other part may hold anything but in this form. */
static hyla_status multiply(const struct check *c, const hyla_matrix *m, const hyla_matrix *from,
                            hyla_matrix *to) {
  return m->k->complex_type ? hyla_hemm(c->cube, HYLA_LEFT, c->triangle, 1, m, from, 0, to)
                            : hyla_symm(c->cube, HYLA_LEFT, c->triangle, 1, m, from, 0, to);
}

/* r := r - from diag(values). */
static void subtract(const struct check *c, const hyla_matrix *from) {
  const int rows = (int)from->local_rows;
  for (int64_t m = 0; m < from->local_cols && rows > 0; m++)
    from->k->combine(HYLA_NONE, rows, 1, -c->values[hyla_matrix_col(from, m)], hy_at(from, 0, m),
                     rows, 1, hy_at(c->r, 0, m), rows);
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

/* ------------------------------------------------------------------- norms -- */

/* Does this node hold a copy that another node counts? */
static bool is_copy(const hyla_matrix *m) {
  return hy_matrix_has_copies(m) && ((uint32_t)m->cube->address & m->unused_dims) != 0;
}

/* scale^2 times a sum of squares; the scale is a power of 2, so that nothing leaves the range. */
struct squares {
  double scale, sum;
};
static void add_squares(void *into, const void *from, int64_t count, const void *arg) {
  struct squares *a = into;
  const struct squares *b = from;
  const double scale = fmax(a->scale, b->scale);
  (void)count; /* count is 1 */
  (void)arg;
  if (scale == 0) return;
  const double mine = a->scale / scale, others = b->scale / scale;
  *a = (struct squares){scale, a->sum * mine * mine + b->sum * others * others};
}

/* The squares of this rank's part of a triangle and its mirror image; of the diagonal of the real
 * parts. */
static struct squares squares_here(hyla_triangle triangle, const hyla_matrix *m) {
  struct squares all = {0, 0};
  const bool lower = triangle == HYLA_LOWER;
  const int64_t cols = m->cube->address < 0 || is_copy(m) ? 0 : m->local_cols;
  for (int64_t col = 0; col < cols; col++)
    for (int64_t row = 0; row < m->local_rows; row++) {
      const int64_t i = hyla_matrix_row(m, row), j = hyla_matrix_col(m, col);
      if (lower ? i < j : i > j) continue;
      const double _Complex entry = m->k->get(hy_at(m, row, col), 0);
      const double size = i == j ? fabs(creal(entry)) : cabs(entry);
      int exponent = 0;
      (void)frexp(size, &exponent);
      const int power = (int)hy_max(-1000, exponent);
      const double fraction = ldexp(size, -power);
      const struct squares one = {ldexp(1, power), (i == j ? 1 : 2) * fraction * fraction};
      if (size != 0) add_squares(&all, &one, 1, NULL);
    }
  return all;
}

hyla_status hy_eigen_norm(hyla_cube *cube, hyla_triangle triangle, const hyla_matrix *m,
                          double *norm) {
  struct squares all = squares_here(triangle, m), work;
  TRY(hy_agree(
      cube, hy_allreduce(cube, hy_all_dims(cube), &all, 1, sizeof all, add_squares, NULL, &work)));
  *norm = all.scale * sqrt(all.sum);
  return hy_agree(cube, hy_tell_guests(cube, norm, sizeof *norm));
}

static hyla_status norm_of(const struct check *c, const hyla_matrix *m, double *norm) {
  return hy_eigen_norm(c->cube, c->triangle, m, norm);
}

/* The square of the longest column's length. */
static hyla_status longest(const struct check *c, double *square) {
  hyla_cube *cube = c->cube;
  const hyla_matrix *x = c->x;
  const int64_t cols = cube->address < 0 || is_copy(x) ? 0 : x->local_cols, n = x->col.n;
  memset(c->sums, 0, (size_t)n * sizeof *c->sums);
  for (int64_t col = 0; col < cols; col++)
    c->sums[hyla_matrix_col(x, col)] +=
        x->k->squares((int)x->local_rows, 1, hy_at(x, 0, col), (int)x->ld, 1);
  TRY(hy_agree(cube, hy_allreduce(cube, hy_all_dims(cube), c->sums, n, sizeof *c->sums,
                                  hy_residual_add, NULL, c->sums + n)));
  *square = 0;
  for (int64_t i = 0; i < n; i++)
    if (!(c->sums[i] <= *square)) *square = c->sums[i]; /* a NaN, too */
  return hy_agree(cube, hy_tell_guests(cube, square, sizeof *square));
}

/* ----------------------------------------------------------------- measure -- */

static hyla_status make(struct check *c) {
  const int64_t n = c->v->row.n, m = c->v->col.n;
  const hyla_type type = c->v->k->type;
  if (c->b != NULL)
    TRY(hy_agree(c->cube, hy_alloc(&c->cube->base, 2 * n, sizeof *c->sums, &c->sums)));
  TRY(hyla_matrix_create(c->cube, type, n, m, NULL, &c->x));
  TRY(hyla_matrix_create(c->cube, type, n, m, NULL, &c->r));
  if (c->b != NULL) TRY(hyla_matrix_create(c->cube, type, n, m, NULL, &c->y));
  TRY(hyla_matrix_create(c->cube, type, m, m, NULL, &c->g));
  return hyla_matrix_copy(c->cube, c->v, c->x);
}

/* r := A X - X L, or A X - B X L, A B X - X L, B A X - X L. */
static hyla_status find_residual(const struct check *c) {
  if (c->b == NULL) {
    TRY(multiply(c, c->a, c->x, c->r));
    subtract(c, c->x);
    return HYLA_OK;
  }
  const bool ba = c->kind == HYLA_PENCIL_BA_X, ax = c->kind == HYLA_PENCIL_AX_BX;
  TRY(multiply(c, ba ? c->a : c->b, c->x, c->y));
  TRY(multiply(c, ba ? c->b : c->a, ax ? c->x : c->y, c->r));
  subtract(c, ax ? c->y : c->x);
  return HYLA_OK;
}

/* |X^H X - I|, |X^H B X - I|, or |X X^H - B|, which stands for X^H B^-1 X = I. */
static hyla_status find_gram(const struct check *c, double *norm) {
  if (c->kind == HYLA_PENCIL_BA_X) {
    TRY(hyla_matrix_copy(c->cube, c->b, c->g));
    TRY(hyla_gemm(c->cube, HYLA_NONE, HYLA_CONJUGATE, 1, c->x, c->x, -1, c->g));
    return norm_of(c, c->g, norm);
  }
  TRY(hyla_gemm(c->cube, HYLA_CONJUGATE, HYLA_NONE, 1, c->x, c->b != NULL ? c->y : c->x, 0, c->g));
  subtract_identity(c->g);
  return hyla_matrix_norm(c->cube, c->g, HYLA_NORM_FRO, norm);
}

/* ------------------------------------------------------------------- small -- */

/* The squares of A V - V diag(values), and of V^H V - I, in long double: products in the matrix'
 * type have errors of half the bounds where n is small. */
static void square_small(const struct hy_small all[2], const double *values, bool lower,
                         long double squares[2]) {
  const struct hy_small *a = &all[0], *v = &all[1];
  squares[0] = squares[1] = 0;
  for (int j = 0; j < v->n; j++) {
    for (int i = 0; i < v->m; i++) {
      hy_small_entry r = -values[j] * hy_small_value(v, i, j);
      for (int k = 0; k < v->m; k++) {
        const bool here = lower ? i >= k : i <= k;
        const hy_small_entry of = here ? hy_small_value(a, i, k) : conjl(hy_small_value(a, k, i));
        r += of * hy_small_value(v, k, j);
      }
      squares[0] += creall(r * conjl(r));
    }
    for (int i = 0; i < v->n; i++) {
      const hy_small_entry g = hy_small_product(v, i, j) - (i == j);
      squares[1] += creall(g * conjl(g));
    }
  }
}

static hyla_status measure_small(const struct check *c, double of_a, hyla_eigen_errors *errors) {
  const bool lower = c->triangle == HYLA_LOWER;
  const struct hy_small_source from[] = {{c->a, lower ? HY_LOWER_PART : HY_UPPER_PART},
                                         {c->v, HY_WHOLE}};
  const double units = (double)hy_max(1, c->v->row.n) * 2 * c->v->k->epsilon;
  struct hy_small *all = NULL;
  hyla_status status = hy_small_bring_all(c->cube, from, 2, &all);
  if (status == HYLA_OK && c->cube->address >= 0) {
    long double squares[2];
    square_small(all, c->values, lower, squares);
    errors->residual = squares[0] == 0 ? 0 : (double)(sqrtl(squares[0]) / of_a / units);
    errors->orthogonality = (double)sqrtl(squares[1]) / units;
  }
  hy_free(&c->cube->base, &all);
  TRY(status);
  return hy_agree(c->cube, hy_tell_guests(c->cube, errors, sizeof *errors));
}

static hyla_status measure(struct check *c, hyla_eigen_errors *errors) {
  const double units = (double)hy_max(1, c->v->row.n) * 2 * c->v->k->epsilon;
  double of_a = 0, of_b = 1, square = 1, residual = 0, gram = 0;
  TRY(make(c));
  TRY(norm_of(c, c->a, &of_a));
  if (c->b != NULL) TRY(norm_of(c, c->b, &of_b));
  if (c->b != NULL) TRY(longest(c, &square));
  TRY(find_residual(c));
  TRY(hyla_matrix_norm(c->cube, c->r, HYLA_NORM_FRO, &residual));
  TRY(find_gram(c, &gram));
  if (residual != 0) residual /= of_a * sqrt(square) * (c->kind == HYLA_PENCIL_AX_BX ? 1 : of_b);
  if (gram != 0) gram /= of_b * (c->kind == HYLA_PENCIL_BA_X ? 1 : square);
  *errors = (hyla_eigen_errors){residual / units, gram / units};
  const bool small = c->b == NULL && c->v->row.n <= HY_SMALL;
  return small && isfinite(residual + gram) ? measure_small(c, of_a, errors) : HYLA_OK;
}

/* ------------------------------------------------------------------ values -- */

/* The trace of A's real parts times a scale. */
static hyla_status trace_of(const struct check *c, double scale, double *trace) {
  const hyla_matrix *a = c->a;
  const int64_t cols = c->cube->address < 0 || is_copy(a) ? 0 : a->local_cols;
  double work;
  *trace = 0;
  for (int64_t col = 0; col < cols; col++) {
    const int64_t j = hyla_matrix_col(a, col);
    if (hy_axis_owner(&a->row, j) != a->row_part || a->local_rows == 0) continue;
    const char *entry = hy_at(a, hy_axis_before(&a->row, a->row_part, j), col);
    *trace += creal(a->k->get(entry, 0)) * scale;
  }
  TRY(hy_agree(c->cube, hy_allreduce(c->cube, hy_all_dims(c->cube), trace, 1, sizeof *trace,
                                     hy_residual_add, NULL, &work)));
  return hy_agree(c->cube, hy_tell_guests(c->cube, trace, sizeof *trace));
}

/* With A + E the matrix that has these values, both differences are at most |E|. */
static hyla_status measure_values(struct check *c, hyla_eigen_errors *errors) {
  const int64_t n = c->a->row.n;
  double of_a = 0, trace = 0;
  int exponent = 0;
  TRY(norm_of(c, c->a, &of_a));
  if (isfinite(of_a)) (void)frexp(of_a, &exponent);
  const double unit = ldexp(1, (int)-hy_max(-1000, hy_min(1000, exponent)));
  TRY(trace_of(c, unit, &trace));
  long double squares = 0, sum = 0;
  for (int64_t i = 0; i < n; i++) {
    const long double value = (long double)c->values[i] * unit;
    squares += value * value;
    sum += value;
  }
  const double norm = of_a * unit, length = fabs((double)sqrtl(squares) - norm),
               shift = fabs((double)sum - trace) / sqrt((double)hy_max(1, n));
  const double off = length > shift || isnan(length) ? length : shift;
  const double units = (double)hy_max(1, n) * 2 * c->a->k->epsilon;
  *errors = (hyla_eigen_errors){off == 0 ? 0 : off / norm / units, 0};
  return HYLA_OK;
}

/* Measures, and judges. */
static hyla_status judge(struct check *c, hyla_eigen_errors *errors, const double most[2]) {
  *errors = (hyla_eigen_errors){NAN, NAN};
  hyla_status status = c->v == NULL ? measure_values(c, errors) : measure(c, errors);
  hyla_matrix **const made[] = {&c->g, &c->y, &c->r, &c->x};
  for (int i = 0; i < 4; i++) (void)hyla_matrix_destroy(made[i]);
  hy_free(&c->cube->base, &c->sums);
  TRY(status);
  const bool good = errors->residual <= most[0] && errors->orthogonality <= most[1];
  return hy_agree(c->cube,
                  good ? HYLA_OK
                       : hy_fail(&c->cube->base, HYLA_UNRELIABLE,
                                 "the residual is %.3g of at most %.3g, the orthogonality "
                                 "%.3g of at most %.3g n ulp",
                                 errors->residual, most[0], errors->orthogonality, most[1]));
}

hyla_status hyla_eigen_check(hyla_cube *cube, hyla_triangle triangle, const hyla_matrix *a,
                             const double *values, const hyla_matrix *vectors,
                             hyla_eigen_errors *errors) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  struct check c = {.cube = cube, .triangle = triangle, .a = a, .v = vectors, .values = values};
  const struct hy_call call = {
      .name = "hyla_eigen_check",
      .option = {{"triangle", (int)triangle, hy_triangle_names}},
      .place = {{"errors", errors, 1}, {"values", values, vectors == NULL ? 0 : vectors->col.n}},
      .argument = {{"a", a, .sizes = "nn"}, {"vectors", vectors, .sizes = "nv"}},
      .needs_data = true};
  TRY(hy_call_enter(cube, &call, HYLA_OK));
  return judge(&c, errors, (const double[]){.5, a->row.n <= HY_SMALL ? 2 : 1});
}

hyla_status hyla_eigen_check_values(hyla_cube *cube, hyla_triangle triangle, const hyla_matrix *a,
                                    const double *values, hyla_eigen_errors *errors) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  struct check c = {.cube = cube, .triangle = triangle, .a = a, .values = values};
  const struct hy_call call = {
      .name = "hyla_eigen_check_values",
      .option = {{"triangle", (int)triangle, hy_triangle_names}},
      .place = {{"errors", errors, 1}, {"values", values, a == NULL ? 0 : a->row.n}},
      .argument = {{"a", a, .sizes = "nn"}},
      .needs_data = true};
  TRY(hy_call_enter(cube, &call, HYLA_OK));
  return judge(&c, errors, (const double[]){a->row.n <= HY_SMALL ? 2 : .5, 0});
}

hyla_status hyla_eigen_generalized_check(hyla_cube *cube, hyla_eigen_pencil kind,
                                         hyla_triangle triangle, const hyla_matrix *a,
                                         const hyla_matrix *b, const double *values,
                                         const hyla_matrix *vectors, hyla_eigen_errors *errors) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  struct check c = {.cube = cube,
                    .kind = kind,
                    .triangle = triangle,
                    .a = a,
                    .b = b,
                    .v = vectors,
                    .values = values};
  const struct hy_call call = {
      .name = "hyla_eigen_generalized_check",
      .option = {{"triangle", (int)triangle, hy_triangle_names},
                 {"kind", (int)kind, hy_pencil_names}},
      .place = {{"errors", errors, 1}, {"values", values, vectors == NULL ? 0 : vectors->col.n}},
      .argument = {{"a", a, .sizes = "nn"},
                   {"b", b, .sizes = "nn"},
                   {"vectors", vectors, .sizes = kind == HYLA_PENCIL_BA_X ? "nn" : "nv"}},
      .needs_data = true};
  TRY(hy_call_enter(cube, &call, HYLA_OK));
  const double most = a->row.n <= HY_SMALL ? 4 : 1;
  return judge(&c, errors, (const double[]){most, most});
}
