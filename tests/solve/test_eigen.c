/* Eigenvalues and vectors of Hermitian matrices: residual and orthogonality in n ulp, the same bits
 * on all ranks, with vectors and without; one triangle is read. */
// ranks: 1 2 3 4 5 6 8
// sample: 1 3 4 6
#include "lu_case.h"

#include "solve/eigen.h"

#include <float.h>

static const int64_t SIZES[] = {0, 1, 2, 3, 5, 17, 33, 64, 100};
enum { COUNT = sizeof SIZES / sizeof *SIZES };

/* A problem: A in a drawn layout, with NaN in the triangle that is not read. */
struct problem {
  hyla_cube *cube;
  int64_t n;
  hyla_triangle triangle;
  struct lu_place a, v;
  double *values;
};

static void spoil_the_rest(const struct problem *p) {
  const hyla_matrix *a = p->a.m;
  const double _Complex nothing = hy_complex(NAN, NAN);
  for (int64_t m = 0; m < a->local_cols; m++)
    for (int64_t l = 0; l < a->local_rows; l++) {
      const int64_t i = hyla_matrix_row(a, l), j = hyla_matrix_col(a, m);
      const double _Complex entry = a->k->get(hy_at(a, l, m), 0);
      if (p->triangle == HYLA_LOWER ? i < j : i > j) a->k->set(hy_at(a, l, m), 0, nothing);
      if (i == j) a->k->set(hy_at(a, l, m), 0, hy_complex(creal(entry), NAN));
    }
}

static struct problem open_problem(hyla_cube *cube, int type, int64_t n, int power) {
  struct problem p = {.cube = cube, .n = n, .triangle = (hyla_triangle)harness_draw(0, 1)};
  p.a = lu_place_draw(cube, type, n, n);
  p.v = lu_place_draw(cube, type, n, n);
  p.values = calloc((size_t)n + 1, sizeof *p.values);
  assert_non_null(p.values);
  assert_int_equal(hyla_matrix_generate(cube, p.a.m, HYLA_RANDOM, (uint64_t)n), HYLA_OK);
  double _Complex *entries = lu_get_all(p.a.m);
  for (int64_t i = 0; i < n * n; i++) entries[i] *= ldexp(1, power);
  lu_put(p.a.m, entries);
  free(entries);
  spoil_the_rest(&p);
  harness_note("n = %lld, type %d, power %d, %s triangle, %s", (long long)n, type, power,
               p.triangle == HYLA_LOWER ? "lower" : "upper", lu_layout_name(&p.a.m->layout));
  return p;
}

static void close_problem(struct problem *p) {
  lu_place_free(&p->a);
  lu_place_free(&p->v);
  free(p->values);
}

/* All ranks have the same bits, in ascending order. */
static void check_values(const double *values, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    uint64_t mine, least, most;
    memcpy(&mine, &values[i], sizeof mine);
    harness_allreduce(&mine, &least, 1, MPI_UINT64_T, MPI_MIN);
    harness_allreduce(&mine, &most, 1, MPI_UINT64_T, MPI_MAX);
    assert_true(least == most && (i == 0 || values[i - 1] <= values[i]));
  }
}

static void check_vectors(const struct problem *p, const double *values, const hyla_matrix *v) {
  hyla_eigen_errors errors;
  const hyla_status status = hyla_eigen_check(p->cube, p->triangle, p->a.m, values, v, &errors);
  lu_assert_status(p->cube, status, HYLA_OK);
  assert_true(p->n < 50 || errors.orthogonality <= 1);
}

static void run_case(hyla_cube *cube, int type, int64_t n, int power) {
  struct problem p = open_problem(cube, type, n, power);
  double *alone = calloc((size_t)n + 1, sizeof *alone);
  assert_non_null(alone);
  lu_assert_status(cube, hyla_eigen(cube, p.triangle, p.a.m, p.values, p.v.m), HYLA_OK);
  check_values(p.values, n);
  check_vectors(&p, p.values, p.v.m);
  lu_assert_status(cube, hyla_eigen(cube, p.triangle, p.a.m, alone, NULL), HYLA_OK);
  assert_memory_equal(alone, p.values, (size_t)n * sizeof *alone);
  free(alone);
  close_problem(&p);
}

static void vectors_belong_to_values(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  struct harness_walk walk = harness_walk(COUNT * TYPES, 10);
  for (int64_t i; harness_next(&walk, &i);) run_case(cube, (int)(i % TYPES), SIZES[i / TYPES], 0);
  cube_close(&cube);
}

static void scales_do_not_matter(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  for (int i = 0; i < 3 * TYPES; i++) {
    const bool single = i % TYPES == HYLA_FLOAT || i % TYPES == HYLA_COMPLEX;
    const int powers[] = {43, single ? 110 : 1000, single ? -110 : -1000};
    run_case(cube, i % TYPES, harness_draw(2, 40), powers[i / TYPES]);
  }
  cube_close(&cube);
}

/* Values and vectors of a part of the spectrum are those of the whole. */
static void check_range(const struct problem *p, const hyla_eigen_options *options, int64_t first,
                        int64_t count) {
  const bool interval = options->range == HYLA_EIGEN_INTERVAL;
  const int64_t columns = interval ? p->n : count;
  struct lu_place v = lu_place_draw(p->cube, (int)p->a.m->k->type, p->n, columns);
  double *values = calloc((size_t)columns + 1, sizeof *values);
  hyla_matrix *some = NULL;
  hyla_plan *plan = NULL;
  hyla_spectrum found;
  assert_non_null(values);
  lu_assert_status(
      p->cube, hyla_eigen_plan(p->cube, options, p->triangle, p->a.m, values, v.m, &plan), HYLA_OK);
  for (int turn = 0; turn < 2; turn++) {
    lu_assert_status(p->cube, hyla_plan_run(p->cube, plan), HYLA_OK);
    assert_int_equal(hyla_eigen_found(plan, &found), HYLA_OK);
    assert_true(found.first == first && found.count == count);
    assert_memory_equal(values, p->values + first, (size_t)count * sizeof *values);
    assert_int_equal(hyla_matrix_view(v.m, 0, 0, p->n, count, &some), HYLA_OK);
    check_vectors(p, values, some);
    hyla_matrix_destroy(&some);
  }
  double _Complex *entries = lu_get_all(v.m);
  for (int64_t i = p->n * count; i < p->n * columns; i++) assert_true(entries[i] == 0);
  free(entries);
  hyla_plan_destroy(&plan);
  lu_place_free(&v);
  free(values);
}

static void ranges_are_parts_of_the_whole(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  for (int i = 0; i < 2 * TYPES; i++) {
    struct problem p = open_problem(cube, i % TYPES, harness_draw(1, 60), 0);
    lu_assert_status(cube, hyla_eigen(cube, p.triangle, p.a.m, p.values, NULL), HYLA_OK);
    const int64_t first = harness_draw(0, p.n), count = harness_draw(0, p.n - first);
    const hyla_eigen_options by_index = {
        .range = HYLA_EIGEN_INDEX, .first = first, .last = first + count - 1};
    check_range(&p, &by_index, first, count);
    /* Values from the next number above the one before on. */
    const hyla_eigen_options interval = {
        .range = HYLA_EIGEN_INTERVAL,
        .low = first == 0 ? -DBL_MAX : p.values[first - 1],
        .high = first + count == p.n ? DBL_MAX : nextafter(p.values[first + count], -INFINITY)};
    if (count > 0) check_range(&p, &interval, first, count);
    close_problem(&p);
  }
  cube_close(&cube);
}

static void what_is_not_finite_is_told_everywhere(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  for (int i = 0; i < 2 * TYPES; i++) {
    struct problem p = open_problem(cube, i % TYPES, harness_draw(1, 40), 0);
    const int64_t here = harness_draw(0, p.n - 1);
    const double bad = i / TYPES == 0 ? NAN : INFINITY;
    assert_int_equal(hyla_matrix_set(cube, p.a.m, here, here, bad), HYLA_OK);
    lu_assert_status(cube, hyla_eigen(cube, p.triangle, p.a.m, p.values, p.v.m), HYLA_NOT_FINITE);
    close_problem(&p);
  }
  cube_close(&cube);
}

/* x^H M y; M: n x n, by columns. */
static double _Complex form(int64_t n, const double _Complex *x, const double _Complex *m,
                            const double _Complex *y) {
  double _Complex sum = 0;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) sum += conj(x[i]) * m[i + j * n] * y[j];
  return sum;
}

/* Each vector with its value solves the problem, and X^H B X = I; where B is not positive definite,
 * the failing order is told. */
static void generalised_problems_are_reduced(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  for (int i = 0; i < 3 * TYPES; i++) {
    struct problem p = open_problem(cube, i % TYPES, harness_draw(1, 24), 0);
    const hyla_eigen_pencil kind = (hyla_eigen_pencil)(i / TYPES);
    const int64_t n = p.n;
    const double bound = 200 * (double)n * p.a.m->k->epsilon;
    struct lu_place b = lu_place_draw(cube, i % TYPES, n, n);
    int64_t pivot = 0;
    double _Complex *a = lu_get_all(p.a.m), *whole = calloc((size_t)(2 * n * n + 1), sizeof *a);
    assert_non_null(whole);
    for (int64_t j = 0; j < n; j++)
      for (int64_t l = 0; l < n; l++) {
        const bool mine = p.triangle == HYLA_LOWER ? l >= j : l <= j;
        const double _Complex entry = mine ? a[l + j * n] : conj(a[j + l * n]);
        a[l + j * n] = l == j ? creal(entry) : entry;
        whole[l + j * n] = l == j ? 2 : 1 / (double)(n + 1);
      }
    lu_put(b.m, whole);
    lu_assert_status(
        cube, hyla_eigen_generalized(cube, kind, p.triangle, p.a.m, b.m, p.values, p.v.m, &pivot),
        HYLA_OK);
    check_values(p.values, n);
    double _Complex *x = lu_get_all(p.v.m), *bx = whole + n * n;
    for (int64_t c = 0; c < n; c++)
      for (int64_t l = 0; l < n; l++) {
        double _Complex left = 0, right = 0; /* B^-1 x for the last kind: A x / value */
        for (int64_t j = 0; j < n; j++) {
          left += a[l + j * n] * x[j + c * n];
          right += whole[l + j * n] * x[j + c * n];
        }
        bx[l + c * n] = kind == HYLA_PENCIL_BA_X ? left : right;
        if (kind == HYLA_PENCIL_AX_BX) assert_true(cabs(left - p.values[c] * right) <= bound);
      }
    for (int64_t c = 0; c < n && kind != HYLA_PENCIL_AX_BX; c++)
      for (int64_t l = 0; l < n; l++) {
        double _Complex sum = 0;
        for (int64_t j = 0; j < n; j++)
          sum += (kind == HYLA_PENCIL_AB_X ? a : whole)[l + j * n] * bx[j + c * n];
        assert_true(cabs(sum - p.values[c] * x[l + c * n]) <= 4 * bound);
      }
    for (int64_t c = 0; c < n * n && kind != HYLA_PENCIL_BA_X; c++)
      assert_true(cabs(form(n, x + c / n * n, whole, x + c % n * n) - (c % (n + 1) == 0)) <= bound);
    whole[(n - 1) * (n + 1)] = -1;
    lu_put(b.m, whole);
    lu_assert_status(
        cube, hyla_eigen_generalized(cube, kind, p.triangle, p.a.m, b.m, p.values, NULL, &pivot),
        HYLA_INDEFINITE);
    assert_int_equal(pivot, n);
    free(x);
    free(a);
    free(whole);
    lu_place_free(&b);
    close_problem(&p);
  }
  cube_close(&cube);
}

static void ranges_that_do_not_fit_are_refused(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  struct problem p = open_problem(cube, HYLA_DOUBLE, 7, 0);
  const hyla_eigen_options wrong[] = {
      {.range = HYLA_EIGEN_INDEX, .first = -1, .last = 3},
      {.range = HYLA_EIGEN_INDEX, .first = 2, .last = 7},
      {.range = HYLA_EIGEN_INDEX, .first = 2, .last = 3}, /* the vectors have 7 columns */
      {.range = HYLA_EIGEN_INTERVAL, .low = 1, .high = 1},
      {.range = HYLA_EIGEN_INTERVAL, .low = 0, .high = NAN},
      {.range = (hyla_eigen_range)3},
      {.variant = "none"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    hyla_plan *plan = NULL;
    harness_note("options %zu", i);
    lu_assert_status(cube,
                     hyla_eigen_plan(cube, &wrong[i], p.triangle, p.a.m, p.values, p.v.m, &plan),
                     HYLA_ARGUMENT);
    assert_null(plan);
  }
  close_problem(&p);
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vectors_belong_to_values),
      cmocka_unit_test(scales_do_not_matter),
      cmocka_unit_test(ranges_are_parts_of_the_whole),
      cmocka_unit_test(what_is_not_finite_is_told_everywhere),
      cmocka_unit_test(generalised_problems_are_reduced),
      cmocka_unit_test(ranges_that_do_not_fit_are_refused),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
