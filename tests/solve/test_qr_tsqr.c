/* Panels of QR by a tree: what is sent and computed is the formula, for any number of ranks in the
 * column; and factors of columns that nearly depend on each other. */
// ranks: 1 2 3 4 5 6 7 8
// sample: 2 3 4
// arrays: 3x1 5x1
#include "lu_case.h"

#include "solve/qr/qr.h"

static int64_t sum_of(int64_t mine) {
  int64_t all = 0;
  harness_allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM);
  return all;
}

/* One panel on a column of r ranks, 2^d of them and e more: 2^d d + e messages of a triangle, e of
 * a triangle and a square, and r - 1 of the broadcast; 2^d d + e times an R is met. */
static void check_panel(hyla_cube *cube, int type, int64_t m, int w) {
  const int64_t r = cube->nodes;
  int64_t d = 0;
  while (2 << d <= r) d++;
  const int64_t extra = r - (INT64_C(1) << d), triangle = w * (w + 1) / 2;
  hyla_layout layout;
  assert_int_equal(hyla_layout_default(cube, m, w, &layout), HYLA_OK);
  layout.row = hy_axis_dealt(cube, 1, m).code;
  layout.col = hy_axis_dealt(NULL, 1, w).code;
  layout.row.block = layout.col.block = w;
  hyla_matrix *a = lu_matrix(cube, type, m, w, &layout);
  hyla_factor *factor = NULL;
  hyla_cost found;
  harness_note("%lld x %d, type %d", (long long)m, w, type);
  assert_int_equal(hyla_matrix_generate(cube, a, HYLA_RANDOM, 3), HYLA_OK);
  lu_assert_status(cube,
                   hyla_factor_create_rectangular(cube, HYLA_QR, (hyla_type)type, m, w, 0, &layout,
                                                  "tsqr", &factor),
                   HYLA_OK);
  assert_int_equal(hyla_cube_ledger_clear(cube), HYLA_OK);
  const int64_t before = hyla_cube_operations(cube);
  lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
  const int64_t flops = hyla_cube_operations(cube) - before, cubed = (int64_t)w * w * w;
  assert_int_equal(lu_counted(cube, a->k->size, &found), HYLA_OK);
  assert_int_equal(lu_check_counts(cube, factor), HYLA_OK);
  const bool node = cube->address >= 0;
  if (node) assert_int_equal(flops, hy_plan_mine(factor->plan).flops);
  assert_int_equal(sum_of(node ? flops : 0),
                   6 * m * w * w + 9 * r * cubed + 7 * ((d << d) + extra) * cubed);
  assert_int_equal(sum_of(node ? found.messages : 0), (d << d) + 2 * extra + r - 1);
  assert_int_equal(sum_of(node ? found.words : 0),
                   ((d << d) + 2 * extra) * triangle + extra * w * w + (r - 1) * w * (w + 1));
  hyla_factor_destroy(&factor);
  hyla_matrix_destroy(&a);
}

static void counted_is_the_formula(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int type = 0; type < TYPES; type++) {
    check_panel(cube, type, 60 * cube->nodes, 7);
    check_panel(cube, type, 1100 * cube->nodes, 16); /* some chunks on each rank */
  }
  cube_close(&cube);
}

/* |A - Q R| and |Q^H Q - I| in units of rounding. */
static void check_factors(hyla_cube *cube, const hyla_factor *factor, const hyla_matrix *a) {
  const int64_t m = a->row.n, n = a->col.n;
  hyla_matrix *q = lu_matrix(cube, (int)a->k->type, m, n, NULL),
              *r = lu_matrix(cube, (int)a->k->type, n, n, NULL);
  lu_assert_status(cube, hyla_factor_q(cube, factor, q), HYLA_OK);
  lu_assert_status(cube, hyla_factor_upper(cube, factor, r), HYLA_OK);
  double _Complex *x = lu_get_all(a), *y = lu_get_all(q), *z = lu_get_all(r);
  double off = 0, askew = 0, size = 0;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < m; i++) {
      double _Complex sum = x[i + j * m];
      size += pow(cabs(sum), 2);
      for (int64_t l = 0; l <= j; l++) sum -= y[i + l * m] * z[l + j * n];
      off += pow(cabs(sum), 2);
    }
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) {
      double _Complex sum = i == j ? -1 : 0;
      for (int64_t l = 0; l < m; l++) sum += conj(y[l + i * m]) * y[l + j * m];
      askew += pow(cabs(sum), 2);
    }
  const double units = (double)m * a->k->epsilon;
  if (!(sqrt(off / size) <= units && sqrt(askew) <= units))
    fail_msg("A - Q R is %g, Q^H Q - I %g units", sqrt(off / size) / units, sqrt(askew) / units);
  free(z);
  free(y);
  free(x);
  hyla_matrix_destroy(&r);
  hyla_matrix_destroy(&q);
}

/* Columns that differ by a part of `apart' of themselves. */
static void check_dependent(hyla_cube *cube, int type, double apart) {
  enum { ROWS = 150, COLUMNS = 12 };
  hyla_matrix *a = lu_matrix(cube, type, ROWS, COLUMNS, NULL);
  hyla_factor *factor = NULL;
  assert_int_equal(hyla_matrix_generate(cube, a, HYLA_RANDOM, 5), HYLA_OK);
  double _Complex *entries = lu_get_all(a);
  for (int64_t j = 1; j < COLUMNS; j++)
    for (int64_t i = 0; i < ROWS; i++)
      entries[i + j * ROWS] = entries[i] + apart * entries[i + j * ROWS];
  lu_put(a, entries);
  free(entries);
  harness_note("type %d, columns apart %g", type, apart);
  lu_assert_status(cube,
                   hyla_factor_create_rectangular(cube, HYLA_QR, (hyla_type)type, ROWS, COLUMNS, 0,
                                                  NULL, "tsqr", &factor),
                   HYLA_OK);
  lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
  check_factors(cube, factor, a);
  hyla_factor_destroy(&factor);
  hyla_matrix_destroy(&a);
}

static void dependent_columns_have_orthonormal_q(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int type = 0; type < TYPES; type++) {
    const bool single = type == HYLA_FLOAT || type == HYLA_COMPLEX;
    check_dependent(cube, type, single ? 1e-4 : 1e-12);
    check_dependent(cube, type, single ? 1e-7 : 2e-16);
  }
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counted_is_the_formula),
      cmocka_unit_test(dependent_columns_have_orthonormal_q),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
