/* QR with pivoted columns: A P = Q R and Q^H Q = I in units of rounding, by all variants, in any
 * layout; classic's pivots are LAPACK's; what is counted was predicted. */
// ranks: 1 2 3 4 8
// sample: 1 3 4
// arrays: 3x1
#include "lu_case.h"
#include "tests/harness/peer_lapack.h"

#include "solve/pivoted/pivoted.h"
#include "solve/solve.h"

static const int64_t SIZES[] = {0, 1, 2, 3, 5, 17, 64};
enum { COUNT = sizeof SIZES / sizeof *SIZES, ROWS = 2 };

/* A, and its factors as every rank has them. */
struct problem {
  hyla_cube *cube;
  int64_t m, n, order;
  struct lu_place a;
  double _Complex *entries, *packed;
  double _Complex tau[64];
  int64_t columns[64];
};

static double norm(const double _Complex *x, int64_t count) {
  double squares = 0;
  for (int64_t i = 0; i < count; i++) squares += pow(cabs(x[i]), 2);
  return sqrt(squares);
}

static struct problem open_problem(hyla_cube *cube, int type, int64_t m, int64_t n) {
  struct problem p = {.cube = cube, .m = m, .n = n, .order = hy_min(m, n)};
  p.a = lu_place_draw(cube, type, m, n);
  assert_int_equal(hyla_matrix_generate(cube, p.a.m, HYLA_RANDOM, (uint64_t)(m + n)), HYLA_OK);
  p.entries = lu_get_all(p.a.m);
  return p;
}

/* The last `count' columns become sums of others: the rank falls. */
static void lower_rank(struct problem *p, int64_t count) {
  for (int64_t j = p->n - count; j < p->n; j++)
    for (int64_t i = 0; i < p->m; i++)
      p->entries[i + j * p->m] = p->entries[i] - p->entries[i + (j - count) * p->m] / 2;
  lu_put(p->a.m, p->entries);
  free(p->entries);
  p->entries = lu_get_all(p->a.m);
}

static void close_problem(struct problem *p) {
  free(p->entries);
  free(p->packed);
  lu_place_free(&p->a);
}

static void factor(struct problem *p, const struct hy_variant *row) {
  hyla_plan *plan = NULL;
  lu_assert_status(p->cube,
                   hyla_qr_pivoted_plan(p->cube, p->a.m, p->tau, p->columns, row->name, &plan),
                   HYLA_OK);
  const hyla_cost cost = hy_plan_mine(plan);
  assert_int_equal(hyla_cube_ledger_clear(p->cube), HYLA_OK);
  lu_assert_status(p->cube, hyla_plan_run(p->cube, plan), HYLA_OK);
  lu_assert_status(p->cube, lu_check_counted(p->cube, p->a.m->k->size, &cost), HYLA_OK);
  hyla_plan_destroy(&plan);
  p->packed = lu_get_all(p->a.m);
}

/* P is a permutation, and the same everywhere. */
static void check_columns(const struct problem *p) {
  bool seen[64] = {false};
  for (int64_t j = 0; j < p->n; j++) {
    int64_t least = 0;
    harness_allreduce(&p->columns[j], &least, 1, MPI_INT64_T, MPI_MIN);
    assert_true(least == p->columns[j] && least >= 0 && least < p->n && !seen[least]);
    seen[least] = true;
  }
}

/* How far the reflections are from unitary, as tau and v are rounded: near tau = 2 by 8 u each. */
static double askew_reflections(const struct problem *p, double epsilon) {
  double sum = 0;
  for (int64_t l = 0; l < p->order; l++) {
    double squares = 1;
    for (int64_t i = l + 1; i < p->m; i++) squares += pow(cabs(p->packed[i + l * p->m]), 2);
    const double off = 2 * creal(p->tau[l]) - pow(cabs(p->tau[l]), 2) * squares;
    assert_true(fabs(off) * squares <= 2 * (double)hy_max(8, p->m) * epsilon);
    sum += fabs(off) * squares;
  }
  return sum;
}

/* |A P - Q R| <= 2 max(m, n) |A| u, and |Q^H Q - I| <= 2 max(m, n) u beside the reflections' own.
 */
static void check_product(const struct problem *p, hyla_type type, double epsilon) {
  struct lu_place place = lu_place_draw(p->cube, (int)type, p->m, p->order);
  struct lu_place given = lu_place_draw(p->cube, (int)type, p->m, p->n);
  lu_put(given.m, p->packed);
  lu_assert_status(p->cube, hyla_packed_q(p->cube, given.m, p->tau, place.m), HYLA_OK);
  double _Complex *q = lu_get_all(place.m);
  const double units = (double)hy_max(8, hy_max(p->m, p->n)) * epsilon;
  double off = 0, askew = 0;
  for (int64_t j = 0; j < p->n; j++)
    for (int64_t i = 0; i < p->m; i++) {
      double _Complex sum = p->entries[i + p->columns[j] * p->m];
      for (int64_t l = 0; l <= j && l < p->order; l++)
        sum -= q[i + l * p->m] * p->packed[l + j * p->m];
      off += pow(cabs(sum), 2);
    }
  for (int64_t j = 0; j < p->order; j++)
    for (int64_t i = 0; i < p->order; i++) {
      double _Complex sum = i == j ? -1 : 0;
      for (int64_t l = 0; l < p->m; l++) sum += conj(q[l + i * p->m]) * q[l + j * p->m];
      askew += pow(cabs(sum), 2);
    }
  const double size = norm(p->entries, p->m * p->n);
  if (!(sqrt(off) <= 2 * units * size && sqrt(askew) <= 2 * units + askew_reflections(p, epsilon)))
    fail_msg("A P - Q R is %g, Q^H Q - I %g units", sqrt(off) / units / size, sqrt(askew) / units);
  free(q);
  lu_place_free(&given);
  lu_place_free(&place);
}

/* R's diagonal falls; the pivots are LAPACK's, where these are no matter of rounding. */
static void check_pivots(const struct problem *p, hyla_type type) {
  const bool single = type == HYLA_FLOAT || type == HYLA_COMPLEX;
  for (int64_t j = 1; j < p->order; j++)
    assert_true(cabs(p->packed[j * (p->m + 1)]) <=
                cabs(p->packed[(j - 1) * (p->m + 1)]) * (1 + (single ? 1e-4 : 1e-9)));
  double _Complex *a = calloc((size_t)(p->m * p->n + 1), sizeof *a);
  int64_t columns[64];
  assert_non_null(a);
  memcpy(a, p->entries, (size_t)(p->m * p->n) * sizeof *a);
  if (p->m > 0 && p->n > 0) {
    lapack_pivoted(HYLA_DOUBLE_COMPLEX, (int)p->m, (int)p->n, a, columns);
    assert_memory_equal(columns, p->columns, (size_t)p->order * sizeof *columns);
  }
  free(a);
}

static void run_case(hyla_cube *cube, int type, int64_t m, int64_t n, int row) {
  const struct hy_variant *variant = hy_qr_pivoted_family.rows[row];
  struct problem p = open_problem(cube, type, m, n);
  const bool lower = harness_draw(0, 1) == 1 && n > 4;
  harness_note("%lld x %lld, type %d, %s, %s%s", (long long)m, (long long)n, type, variant->name,
               lu_layout_name(&p.a.m->layout), lower ? ", of lower rank" : "");
  if (lower) lower_rank(&p, n / 2);
  factor(&p, variant);
  check_columns(&p);
  check_product(&p, (hyla_type)type, p.a.m->k->epsilon);
  if (variant == &hy_pivoted_classic && !lower) check_pivots(&p, (hyla_type)type);
  close_problem(&p);
}

static void factors_make_the_matrix(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  struct harness_walk walk = harness_walk(COUNT * COUNT * TYPES * ROWS, 24);
  for (int64_t i; harness_next(&walk, &i);)
    run_case(cube, (int)(i % TYPES), SIZES[i / TYPES / ROWS % COUNT],
             SIZES[i / TYPES / ROWS / COUNT], (int)(i / TYPES % ROWS));
  cube_close(&cube);
}

/* Both variants find the rank: R's diagonal falls to rounding where it ends. */
static void rank_shows_in_the_diagonal(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  for (int i = 0; i < 2 * TYPES; i++) {
    struct problem p = open_problem(cube, i % TYPES, 40, 34);
    lower_rank(&p, 15);
    factor(&p, hy_qr_pivoted_family.rows[i / TYPES]);
    const double first = cabs(p.packed[0]), bound = 200 * p.a.m->k->epsilon;
    assert_true(cabs(p.packed[18 * 41]) > 1e-3 * first);
    for (int64_t j = 19; j < 34; j++) assert_true(cabs(p.packed[j * 41]) <= bound * first);
    close_problem(&p);
  }
  cube_close(&cube);
}

static void check_not_finite(hyla_cube *cube, int type, double entry) {
  for (int row = 0; hy_qr_pivoted_family.rows[row] != NULL; row++) {
    struct problem p = open_problem(cube, type, harness_draw(1, 40), harness_draw(1, 40));
    hyla_plan *plan = NULL;
    assert_int_equal(hyla_matrix_set(cube, p.a.m, p.m - 1, p.n / 2, entry), HYLA_OK);
    lu_assert_status(cube,
                     hyla_qr_pivoted_plan(cube, p.a.m, p.tau, p.columns,
                                          hy_qr_pivoted_family.rows[row]->name, &plan),
                     HYLA_OK);
    lu_assert_status(cube, hyla_plan_run(cube, plan), HYLA_NOT_FINITE);
    hyla_plan_destroy(&plan);
    close_problem(&p);
  }
}

static void what_is_not_finite_is_told_everywhere(void **state) {
  (void)state;
  lu_each_not_finite(check_not_finite);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(factors_make_the_matrix),
      cmocka_unit_test(rank_shows_in_the_diagonal),
      cmocka_unit_test(what_is_not_finite_is_told_everywhere),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
