/* Singular values and vectors: residual and orthogonality in ulp, the same bits on all ranks, with
 * vectors and without; every method. */
// ranks: 1 2 3 4 5 6 8
// sample: 1 3 4 6
#include "svd_case.h"

static const int64_t SIZES[] = {0, 1, 2, 3, 5, 17, 33, 64, 100};
enum { COUNT = sizeof SIZES / sizeof *SIZES };

/* A drawn method that takes A here. */
static const char *draw_method(const struct svd_case *p) {
  const hyla_cube *cube = p->cube;
  const bool large = hy_max(p->a.m->row.n, p->a.m->col.n) > HY_SMALL;
  const int count = hy_family_count(&hy_svd_family);
  for (;;) {
    const struct hy_variant *row = hy_svd_family.rows[harness_draw(0, count - 1)];
    if (row == &hy_svd_small && large) continue;
    if (row->arrays || (cube->nodes & (cube->nodes - 1)) == 0) return row->name;
  }
}

static void run_case(hyla_cube *cube, int type, int64_t m, int64_t n) {
  struct svd_case p = svd_open(cube, type, m, n);
  const char *method = draw_method(&p);
  harness_note("%lld x %lld, type %d, %s by %s", (long long)m, (long long)n, type,
               lu_layout_name(&p.a.m->layout), method);
  svd_check(&p, method);
  svd_close(&p);
}

static void vectors_belong_to_values(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  struct harness_walk walk = harness_walk(COUNT * COUNT * TYPES, 20);
  for (int64_t i; harness_next(&walk, &i);)
    run_case(cube, (int)(i % TYPES), SIZES[i / TYPES % COUNT], SIZES[i / TYPES / COUNT]);
  cube_close(&cube);
}

static void scales_do_not_matter(void **state) {
  (void)state;
  svd_scales(draw_method);
}

static void what_is_not_finite_is_told_everywhere(void **state) {
  (void)state;
  svd_not_finite(draw_method);
}

/* Matrices that lose rank, or nearly; all zeros; companions. */
static void ranks_do_not_matter(void **state) {
  (void)state;
  static const char *const kinds[] = {"ones", "hilbert", "kahan", "lauchli", "companion"};
  enum { KINDS = sizeof kinds / sizeof *kinds };
  hyla_cube *cube = cube_open_array();
  for (int i = 0; i <= KINDS; i++) {
    const int64_t n = harness_draw(0, 1) == 0 ? 98 : 30;
    struct svd_case p = svd_open(cube, HYLA_DOUBLE, n, n);
    const char *method = draw_method(&p);
    lu_assert_status(cube,
                     i == KINDS ? hyla_matrix_generate(cube, p.a.m, HYLA_ZERO, 1)
                                : hyla_matrix_gallery(cube, p.a.m, kinds[i], 1),
                     HYLA_OK);
    harness_note("%s by %s", i == KINDS ? "zeros" : kinds[i], method);
    lu_assert_status(cube, svd_decompose(&p, method, p.values, p.left.m, p.right.m), HYLA_OK);
    svd_check_values(&p);
    svd_check_vectors(&p);
    svd_close(&p);
  }
  cube_close(&cube);
}

/* ------------------------------------------------------------------- graded -- */

/* The singular values of B diag(1, 2^-29, 2^-58, ...), found with 120 digits by graded.py.  The
 * condition is 4e201, that of B is below 100.  The worst relative errors of others, falling, rising
 * and mixed: pdgesvd 9e-15, 6e132, 7e97; dgesvd and dgesdd 4e-14, 1e97, 1e75. */
enum { GRADED = 24, STEP = 29 };
static const double TRUE_VALUES[GRADED] = {
    2.96897164571449564152e+0,   6.07636342703667663062e-9,   9.40925113399187554895e-18,
    2.05896926379648996378e-26,  3.87937614769131687004e-35,  6.94134803531258617405e-44,
    1.10935080950451183185e-52,  2.09719754638472195793e-61,  3.09778820346241377985e-70,
    7.10036508513062536135e-79,  1.62329549252817975371e-87,  2.54111386358072038580e-96,
    4.88709464212850230415e-105, 7.02621909935762134160e-114, 1.68813020952623742549e-122,
    1.54654494856895256390e-131, 4.95864283544150972209e-140, 3.88133229158043368051e-149,
    1.09036378698684633174e-157, 3.43892067348523640413e-166, 3.15831767532185312972e-175,
    6.06469162951580964141e-184, 1.14893594744389501791e-192, 7.65150219944714434864e-202};

/* A column of A for each column of the graded matrix: falling, rising, mixed. */
static int64_t graded_column(int order, int64_t col) {
  if (order == 0) return col;
  return order == 1 ? GRADED - 1 - col : 7 * col % GRADED;
}

static double _Complex graded(void *arg, int64_t i, int64_t col) {
  const int64_t j = graded_column(*(const int *)arg, col);
  const int64_t number = (i * 7919 + j * 104729 + i * i * j * 31 + i * j * j * 17) % 2048 - 1024;
  return ldexp((double)number / 1024 + (i == j ? 2 : 0), (int)(-STEP * j));
}

/* Every value is right to n u times the condition of B. */
static void small_values_have_all_their_digits(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  for (int order = 0; order < 3; order++) {
    struct svd_case p = svd_open(cube, HYLA_DOUBLE, GRADED, GRADED);
    assert_int_equal(hyla_matrix_fill(cube, p.a.m, graded, &order), HYLA_OK);
    harness_note("order %d", order);
    lu_assert_status(cube, svd_decompose(&p, "jacobi", p.values, p.left.m, p.right.m), HYLA_OK);
    for (int i = 0; i < GRADED; i++)
      assert_true(fabs(p.values[i] / TRUE_VALUES[i] - 1) <= GRADED * p.a.m->k->epsilon * 100);
    svd_close(&p);
  }
  cube_close(&cube);
}

/* ------------------------------------------------------------------- sweeps -- */

/* At most 7, and values with the same bits without vectors. */
static void sweeps_are_few(void **state) {
  (void)state;
  static const char *const kinds[] = {"random", "hilbert", "kahan", "ones", "lauchli"};
  hyla_cube *cube = cube_open_array();
  for (int i = 0; i < 6; i++) {
    const int64_t n = i < 5 ? harness_draw(64, 130) : 250;
    struct svd_case p = svd_open(cube, HYLA_DOUBLE, n, n);
    assert_int_equal(hyla_matrix_gallery(cube, p.a.m, kinds[i % 5], 1), HYLA_OK);
    harness_note("%s of order %lld", kinds[i % 5], (long long)n);
    lu_assert_status(cube, svd_decompose(&p, "jacobi", p.values, p.left.m, p.right.m), HYLA_OK);
    assert_true(p.report.sweeps >= 1 && p.report.sweeps <= 7);
    svd_check_vectors(&p);
    svd_close(&p);
  }
  cube_close(&cube);
}

/* Columns of one length must not pass by others because their blocks exchange them. */
static void columns_of_one_length_meet_all_others(void **state) {
  (void)state;
  static const char *const methods[] = {"jacobi-ring", "jacobi-br", "jacobi-balanced"};
  static const int orders[] = {97, 105, 113, 129};
  hyla_cube *cube = cube_open_array();
  for (int i = 0; i < 12; i++) {
    const char *method = methods[i % 3];
    struct svd_case p = svd_open(cube, HYLA_DOUBLE, orders[i / 3], orders[i / 3]);
    assert_int_equal(hyla_matrix_gallery(cube, p.a.m, "lauchli", 1), HYLA_OK);
    harness_note("%s, order %d", method, orders[i / 3]);
    const hyla_status status = svd_decompose(&p, method, p.values, p.left.m, p.right.m);
    if (status != HYLA_UNSUPPORTED) { /* paths want a cube */
      lu_assert_status(cube, status, HYLA_OK);
      svd_check_vectors(&p);
    }
    svd_close(&p);
  }
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vectors_belong_to_values),
      cmocka_unit_test(scales_do_not_matter),
      cmocka_unit_test(what_is_not_finite_is_told_everywhere),
      cmocka_unit_test(ranks_do_not_matter),
      cmocka_unit_test(small_values_have_all_their_digits),
      cmocka_unit_test(sweeps_are_few),
      cmocka_unit_test(columns_of_one_length_meet_all_others),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
