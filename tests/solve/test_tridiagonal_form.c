/* hyla_tridiagonal_form: the triangle holds T and the vectors as LAPACK leaves them, for both
 * triangles; the other one is neither read nor changed; a lower one's Q is hyla_packed_apply_q's.
 */
// ranks: 1 3 4 6 8
// sample: 1 4 6
#include "lu_case.h"

#include "solve/contract/contract.h"
#include "tests/solve/form_case.h"

static const int64_t SIZES[] = {0, 1, 2, 3, 5, 17, 33, 64, 100};
enum { COUNT = sizeof SIZES / sizeof *SIZES };

/* A matrix in a drawn layout, the imaginary parts of whose diagonal are NaN, as the other triangle
 * is; and the same whole, without NaN. */
struct form {
  hyla_cube *cube;
  int64_t n;
  bool upper;
  hyla_matrix *a;
  double _Complex *given, *tau;
  double *d, *e;
};

static struct form open_form(hyla_cube *cube, int type, int64_t n, bool upper) {
  struct form f = {.cube = cube, .n = n, .upper = upper};
  const hyla_layout layout = lu_draw_layout(cube, harness_draw(1, 40));
  f.a = lu_matrix(cube, type, n, n, &layout);
  lu_assert_status(cube, hyla_matrix_generate(cube, f.a, HYLA_RANDOM, (uint64_t)n), HYLA_OK);
  f.given = lu_get_all(f.a);
  double _Complex *entries = lu_get_all(f.a);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) {
      if (upper ? i > j : i < j) entries[i + j * n] = hy_complex(NAN, NAN);
      if (i == j) entries[i + j * n] = hy_complex(creal(entries[i + j * n]), NAN);
    }
  lu_put(f.a, entries);
  free(entries);
  f.d = calloc((size_t)(2 * n + 1), sizeof *f.d);
  f.tau = calloc((size_t)n + 1, sizeof *f.tau);
  assert_non_null(f.d);
  assert_non_null(f.tau);
  f.e = f.d + n;
  harness_note("n = %lld, type %d, %s, %s", (long long)n, type, upper ? "upper" : "lower",
               lu_layout_name(&layout));
  return f;
}

static void close_form(struct form *f) {
  hyla_matrix_destroy(&f->a);
  free(f->given);
  free(f->tau);
  free(f->d);
}

static hyla_status find(struct form *f) {
  return hyla_tridiagonal_form(f->cube, f->upper ? HYLA_UPPER : HYLA_LOWER, f->a, f->d, f->e,
                               f->tau);
}

static void triangles_hold_lapacks_form(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  struct harness_walk walk = harness_walk(2 * COUNT * TYPES, 16);
  for (int64_t at; harness_next(&walk, &at);) {
    const int64_t n = SIZES[at / (2 * TYPES)];
    struct form f = open_form(cube, (int)(at / 2 % TYPES), n, at % 2 == 1);
    const double ulp = 2 * f.a->k->epsilon;
    lu_assert_status(cube, find(&f), HYLA_OK);
    double _Complex *entries = lu_get_all(f.a);
    const double residual = form_residual(n, f.upper, entries, f.tau, f.given);
    if (!(residual <= .5 * (double)hy_max(n, 16) * ulp))
      fail_msg("a residual of %g n ulp", residual / ((double)n * ulp));
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = 0; i < n; i++) {
        const double _Complex entry = entries[i + j * n];
        if (f.upper ? i > j : i < j) assert_true(isnan(creal(entry)));
        if (i == j) assert_true(fabs(creal(entry) - f.d[j]) <= ulp * fabs(f.d[j]));
        if (i == j) assert_true(cimag(entry) == 0);
        if (f.upper ? i + 1 == j : i == j + 1)
          assert_true(fabs(creal(entry) - f.e[hy_min(i, j)]) <= ulp * fabs(f.e[hy_min(i, j)]));
      }
    free(entries);
    close_form(&f);
  }
  cube_close(&cube);
}

/* Q^H A Q = T by hyla_packed_apply_q, for a lower triangle. */
static void q_is_that_of_packed_vectors(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  for (int type = 0; type < TYPES; type++) {
    const int64_t n = harness_draw(2, 60);
    struct form f = open_form(cube, type, n, false);
    const double bound = 4 * (double)hy_max(n, 16) * f.a->k->epsilon;
    hyla_matrix *q = lu_matrix(cube, type, n, n, NULL), *vectors = NULL, *part = NULL;
    lu_assert_status(cube, find(&f), HYLA_OK);
    lu_assert_status(cube, hyla_matrix_generate(cube, q, HYLA_IDENTITY, 0), HYLA_OK);
    assert_int_equal(hyla_matrix_view(f.a, 1, 0, n - 1, n - 1, &vectors), HYLA_OK);
    assert_int_equal(hyla_matrix_view(q, 1, 0, n - 1, n, &part), HYLA_OK);
    lu_assert_status(cube, hyla_packed_apply_q(cube, vectors, f.tau, HYLA_LEFT, HYLA_NONE, part),
                     HYLA_OK);
    double _Complex *found = lu_get_all(q);
    double apart = 0, all = 0;
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = j; i < n; i++) {
        double _Complex sum = 0;
        for (int64_t l = 0; l < n; l++) {
          double _Complex t = f.d[l] * conj(found[j + l * n]);
          if (l > 0) t += f.e[l - 1] * conj(found[j + (l - 1) * n]);
          if (l + 1 < n) t += f.e[l] * conj(found[j + (l + 1) * n]);
          sum += found[i + l * n] * t;
        }
        const double _Complex due = i == j ? creal(f.given[i + j * n]) : f.given[i + j * n];
        apart += cabs(sum - due) * cabs(sum - due);
        all += cabs(due) * cabs(due);
      }
    if (!(sqrt(apart) <= bound * sqrt(all))) fail_msg("apart %g", sqrt(apart / all) / bound);
    free(found);
    hyla_matrix_destroy(&part);
    hyla_matrix_destroy(&vectors);
    hyla_matrix_destroy(&q);
    close_form(&f);
  }
  cube_close(&cube);
}

static void what_is_not_finite_leaves_a_alone(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  for (int i = 0; i < 2 * TYPES; i++) {
    const int64_t n = harness_draw(1, 40), high = harness_draw(0, n - 1),
                  low = harness_draw(0, high);
    struct form f = open_form(cube, i / 2, n, i % 2 == 1);
    f.given[f.upper ? low + high * n : high + low * n] = i % 2 == 0 ? INFINITY : NAN;
    lu_put(f.a, f.given);
    double _Complex *before = lu_get_all(f.a);
    lu_assert_status(cube, find(&f), HYLA_NOT_FINITE);
    double _Complex *after = lu_get_all(f.a);
    assert_memory_equal(before, after, (size_t)(n * n) * sizeof *before);
    free(after);
    free(before);
    close_form(&f);
  }
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(triangles_hold_lapacks_form),
      cmocka_unit_test(q_is_that_of_packed_vectors),
      cmocka_unit_test(what_is_not_finite_leaves_a_alone),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
