/* Eigenvalues and vectors of Hermitian matrices: residual and orthogonality in n ulp, the same bits
 * on all ranks; values alone by each variant; one triangle is read. */
// ranks: 1 3 4 6 8
// sample: 1 3 4 6
#include "eigen_case.h"
#include "tests/gallery/generators.h"

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
}

/* Values are found reliable, and not if one of them is off by far more than rounding. */
static void check_values_alone(const struct problem *p) {
  hyla_eigen_errors errors;
  hyla_status status = hyla_eigen_check_values(p->cube, p->triangle, p->a.m, p->values, &errors);
  lu_assert_status(p->cube, status, HYLA_OK);
  if (p->n == 0) return;
  const int64_t wrong = harness_draw(0, p->n - 1);
  const double kept = p->values[wrong], most = fmax(fabs(p->values[0]), fabs(p->values[p->n - 1]));
  p->values[wrong] += 100 * (double)(p->n * p->n) * p->a.m->k->epsilon * most;
  status = hyla_eigen_check_values(p->cube, p->triangle, p->a.m, p->values, &errors);
  lu_assert_status(p->cube, status, most > 0 ? HYLA_UNRELIABLE : HYLA_OK);
  p->values[wrong] = kept;
}

/* The ends of a drawn part of the values are found right by counting, and not if one is moved by
 * more than is allowed; b: NULL, or the other matrix of a pencil. */
static void check_by_counting(const struct problem *p, hyla_eigen_pencil kind,
                              const hyla_matrix *b) {
  hyla_eigen_counts counts;
  if (p->n == 0) return;
  const int64_t first = harness_draw(0, p->n - 1), count = harness_draw(1, p->n - first);
  const int i = (int)harness_draw(0, 1);
  const int64_t end = i == 0 ? first : first + count - 1;
  const double *values = p->values + first, kept = p->values[end];
  hyla_status status =
      hyla_eigen_check_counts(p->cube, kind, p->triangle, p->a.m, b, first, count, values, &counts);
  lu_assert_status(p->cube, status, HYLA_OK);
  assert_true(counts.below[i][0] <= end && counts.below[i][1] > end);
  p->values[end] += (harness_draw(0, 1) == 0 ? -4 : 4) * counts.within[i];
  status =
      hyla_eigen_check_counts(p->cube, kind, p->triangle, p->a.m, b, first, count, values, &counts);
  lu_assert_status(p->cube, status, HYLA_UNRELIABLE);
  p->values[end] = kept;
}

/* Nothing is said of values by a B without a digit. */
static void ill_conditioned_pencils_are_doubted(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  struct problem p = open_problem(cube, HYLA_DOUBLE, 12, 0);
  struct lu_place b = lu_place_draw(cube, HYLA_DOUBLE, 12, 12);
  hyla_eigen_counts counts;
  assert_int_equal(hyla_matrix_gallery(cube, b.m, "hilbert", 0), HYLA_OK);
  lu_assert_status(
      cube,
      hyla_eigen_generalized(cube, HYLA_PENCIL_AX_BX, p.triangle, p.a.m, b.m, p.values, NULL, NULL),
      HYLA_OK);
  lu_assert_status(cube,
                   hyla_eigen_check_counts(cube, HYLA_PENCIL_AX_BX, p.triangle, p.a.m, b.m, 0, 12,
                                           p.values, &counts),
                   HYLA_UNRELIABLE);
  lu_place_free(&b);
  close_problem(&p);
  cube_close(&cube);
}

static void run_case(hyla_cube *cube, int type, int64_t n, int power) {
  struct problem p = open_problem(cube, type, n, power);
  lu_assert_status(cube, hyla_eigen(cube, p.triangle, p.a.m, p.values, p.v.m), HYLA_OK);
  check_values(p.values, n);
  check_vectors(&p, p.values, p.v.m);
  eigen_check_alone(cube, p.triangle, p.a.m, p.values);
  check_values_alone(&p);
  check_by_counting(&p, HYLA_PENCIL_AX_BX, NULL);
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

static void check_not_finite(hyla_cube *cube, int type, double entry) {
  struct problem p = open_problem(cube, type, harness_draw(1, 40), 0);
  const int64_t here = harness_draw(0, p.n - 1);
  assert_int_equal(hyla_matrix_set(cube, p.a.m, here, here, entry), HYLA_OK);
  lu_assert_status(cube, hyla_eigen(cube, p.triangle, p.a.m, p.values, p.v.m), HYLA_NOT_FINITE);
  const char *name;
  for (int i = 0; i == 0 || name != NULL; i++) {
    hyla_plan *plan = NULL;
    if (!eigen_plan_alone(cube, i, p.triangle, p.a.m, p.values, &name, &plan)) continue;
    lu_assert_status(cube, hyla_plan_run(cube, plan), HYLA_NOT_FINITE);
    hyla_plan_destroy(&plan);
  }
  close_problem(&p);
}

static void what_is_not_finite_is_told_everywhere(void **state) {
  (void)state;
  lu_each_not_finite(check_not_finite);
}

/* A symmetric or Hermitian positive definite matrix like p's, in a drawn layout. */
static struct lu_place definite_like(const struct problem *p) {
  const int64_t n = p->n;
  struct lu_place b = lu_place_draw(p->cube, (int)p->a.m->k->type, n, n);
  double _Complex *entries = calloc((size_t)(n * n + 1), sizeof *entries);
  assert_non_null(entries);
  for (int64_t i = 0; i < n * n; i++) entries[i] = i % (n + 1) == 0 ? 2 : 1 / (double)(n + 1);
  lu_put(b.m, entries);
  free(entries);
  return b;
}

/* Runs take no memory.  One whose merges deflate nothing sends what its plan says, and what the
 * vectors' step costs where that is not certain; returns whether that was compared. */
static bool run_planned(const struct problem *p, hyla_plan *plan) {
  hyla_cube *cube = p->cube;
  hyla_spectrum found;
  hyla_cost cost = hy_plan_mine(plan), step;
  const int64_t allocations = cube->base.allocations;
  assert_int_equal(hyla_cube_ledger_clear(cube), HYLA_OK);
  hyla_status status = hyla_plan_run(cube, plan);
  assert_int_equal(cube->base.allocations, allocations);
  assert_int_equal(hyla_eigen_found(plan, &found), HYLA_OK);
  assert_int_equal(hy_eigen_step_cost(plan, &step), HYLA_OK);
  if (found.orthogonalized) hy_cost_add(&cost, step);
  const bool compared = status == HYLA_OK && found.deflated == 0;
  if (compared) status = lu_check_counted(cube, p->a.m->k->size, &cost);
  lu_assert_status(cube, hy_agree(cube, status), HYLA_OK);
  check_values(p->values, found.count);
  return compared;
}

static void plans_say_what_is_sent(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  int compared[2] = {0, 0};
  for (int i = 0; i < 6 * TYPES; i++) {
    const bool pencil = i % 2 == 1;
    const int turn = i / 2;
    struct problem p = open_problem(cube, turn % TYPES, harness_draw(2, turn < TYPES ? 16 : 45), 0);
    struct lu_place b = definite_like(&p);
    const hyla_eigen_pencil kind = (hyla_eigen_pencil)(turn / TYPES);
    hyla_plan *plan = NULL;
    const hyla_status made =
        pencil ? hyla_eigen_generalized_plan(cube, NULL, kind, p.triangle, p.a.m, b.m, p.values,
                                             p.v.m, &plan)
               : hyla_eigen_plan(cube, NULL, p.triangle, p.a.m, p.values, p.v.m, &plan);
    lu_assert_status(cube, made, HYLA_OK);
    for (int run = 0; run < 2; run++) compared[pencil] += run_planned(&p, plan);
    if (pencil) check_by_counting(&p, kind, b.m);
    hyla_plan_destroy(&plan);
    lu_place_free(&b);
    close_problem(&p);
  }
  assert_true(compared[0] >= 2 && compared[1] >= 2);
  cube_close(&cube);
}

/* The same for values alone, by each variant; the band's blocks end everywhere. */
static void plans_of_values_say_what_is_sent(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  int compared = 0;
  for (int turn = 0; turn < 6; turn++) {
    struct problem p = open_problem(cube, (turn + 1) % TYPES, harness_draw(17, 130), 0);
    const char *name;
    for (int i = 0; i == 0 || name != NULL; i++) {
      hyla_plan *plan = NULL;
      if (!eigen_plan_alone(cube, i, p.triangle, p.a.m, p.values, &name, &plan)) continue;
      compared += run_planned(&p, plan) && strcmp(name, "band") == 0;
      hyla_plan_destroy(&plan);
    }
    close_problem(&p);
  }
  assert_true(compared >= 2);
  cube_close(&cube);
}

/* Values alone is all that a band gives: it says so where vectors are wanted. */
static void bands_have_no_vectors(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  struct problem p = open_problem(cube, HYLA_DOUBLE, 40, 0);
  const hyla_eigen_options options = {.variant = "band"};
  hyla_plan *plan = NULL;
  lu_assert_status(cube, hyla_eigen_plan(cube, &options, p.triangle, p.a.m, p.values, p.v.m, &plan),
                   HYLA_UNSUPPORTED);
  assert_non_null(strstr(hyla_cube_message(cube), "values alone"));
  lu_assert_status(cube, hyla_eigen_plan(cube, NULL, p.triangle, p.a.m, p.values, p.v.m, &plan),
                   HYLA_OK);
  assert_string_equal(hyla_plan_variant(plan), "tridiagonal");
  hyla_plan_destroy(&plan);
  close_problem(&p);
  cube_close(&cube);
}

/* More vectors than a strip, whose step is certain up to order 128, and beyond told afterwards:
 * complex random ones take it.  In double precision random matrices hardly ever deflate. */
static void plans_know_the_step(void **state) {
  (void)state;
  static const int64_t ORDERS[][2] = {{65, 90}, {91, 128}, {129, 140}};
  hyla_cube *cube = cube_open_array();
  int compared = 0;
  for (int i = 0; i < 3; i++) {
    const int64_t n = harness_draw(ORDERS[i][0], ORDERS[i][1]);
    const bool real = n <= 128 && harness_draw(0, 1) == 0;
    const hyla_type type = real ? HYLA_DOUBLE : HYLA_DOUBLE_COMPLEX;
    struct problem p = open_problem(cube, (int)type, n, 0);
    hyla_plan *plan = NULL;
    hyla_spectrum found;
    hyla_cost step;
    lu_assert_status(cube, hyla_eigen_plan(cube, NULL, p.triangle, p.a.m, p.values, p.v.m, &plan),
                     HYLA_OK);
    compared += run_planned(&p, plan);
    assert_int_equal(hyla_eigen_found(plan, &found), HYLA_OK);
    assert_int_equal(hy_eigen_step_cost(plan, &step), HYLA_OK);
    assert_true(n > 128 || (found.orthogonalized && step.messages == 0));
    assert_true(n <= 128 || cube->address < 0 || cube->nodes == 1 || step.messages > 0);
    hyla_plan_destroy(&plan);
    close_problem(&p);
  }
  assert_true(compared >= 2);
  cube_close(&cube);
}

/* A part of a generalised problem's values are those of the whole,
 * with the same vectors. */
static void pencils_have_ranges(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  for (int i = 0; i < TYPES; i++) {
    struct problem p = open_problem(cube, i, harness_draw(3, 40), 0);
    struct lu_place b = definite_like(&p);
    const int64_t n = p.n, first = harness_draw(0, n - 2), last = harness_draw(first, n - 1);
    hyla_eigen_options options = {.range = HYLA_EIGEN_INDEX, .first = first, .last = last};
    lu_assert_status(cube,
                     hyla_eigen_generalized(cube, HYLA_PENCIL_AX_BX, p.triangle, p.a.m, b.m,
                                            p.values, p.v.m, NULL),
                     HYLA_OK);
    double *some = calloc((size_t)n, sizeof *some);
    assert_non_null(some);
    for (int way = 0; way < 2; way++) {
      struct lu_place v = lu_place_draw(cube, i, n, way == 0 ? last - first + 1 : n);
      const double below = first == 0 ? p.values[0] - 1 : p.values[first - 1];
      hyla_plan *plan = NULL;
      hyla_spectrum found;
      if (way == 1)
        options = (hyla_eigen_options){
            .range = HYLA_EIGEN_INTERVAL, .low = below, .high = p.values[last]};
      lu_assert_status(cube,
                       hyla_eigen_generalized_plan(cube, &options, HYLA_PENCIL_AX_BX, p.triangle,
                                                   p.a.m, b.m, some, v.m, &plan),
                       HYLA_OK);
      lu_assert_status(cube, hyla_plan_run(cube, plan), HYLA_OK);
      assert_int_equal(hyla_eigen_found(plan, &found), HYLA_OK);
      assert_int_equal(hyla_eigen_generalized_pivot(plan), 0);
      assert_true(found.first == first && found.count == last - first + 1);
      assert_memory_equal(some, p.values + first, (size_t)found.count * sizeof *some);
      double _Complex *whole = lu_get_all(p.v.m), *part = lu_get_all(v.m);
      for (int64_t c = 0; c < v.m->col.n; c++)
        for (int64_t l = 0; l < n; l++) {
          const double _Complex due = c < found.count ? whole[l + (first + c) * n] : 0;
          assert_true(cabs(part[l + c * n] - due) <= 1e3 * p.a.m->k->epsilon);
        }
      free(part);
      free(whole);
      hyla_plan_destroy(&plan);
      lu_place_free(&v);
    }
    free(some);
    lu_place_free(&b);
    close_problem(&p);
  }
  cube_close(&cube);
}

/* The matrix of lapack#151, whose values are -1.5, 0.5 and 2.5 several times but for roundings of
 * 1e-15 all over it: dsyevr's vectors were not orthogonal.  Once, and four times along a diagonal.
 */
static void values_that_rounding_separates(void **state) {
  (void)state;
  static const struct {
    int row, col;
    double entry;
  } given[] = {{2, 0, 1}, {3, 1, 1}, {8, 6, -1.53636640396748}, {8, 7, -1.28046018007591}};
  enum { ORDER = 9 };
  hyla_cube *cube = cube_open_array();
  for (int copies = 1; copies <= 4; copies += 3) {
    const int64_t n = copies * ORDER;
    struct problem p = open_problem(cube, HYLA_DOUBLE, n, -50);
    double _Complex *entries = lu_get_all(p.a.m);
    for (int64_t i = 0; i < n; i++) {
      entries[i + i * n] = i % ORDER < 4 ? -.5 : .5;
      for (size_t g = 0; g < sizeof given / sizeof *given && i % ORDER == 0; g++) {
        const int64_t row = i + given[g].row, col = i + given[g].col;
        entries[row + col * n] = entries[col + row * n] = given[g].entry;
      }
    }
    lu_put(p.a.m, entries);
    free(entries);
    lu_assert_status(cube, hyla_eigen(cube, p.triangle, p.a.m, p.values, p.v.m), HYLA_OK);
    check_vectors(&p, p.values, p.v.m);
    for (int64_t i = 0; i < n; i++) {
      const double due = i < 3 * copies ? -1.5 : i < 8 * copies ? .5 : 2.5;
      assert_true(fabs(p.values[i] - due) < 1e-13);
    }
    close_problem(&p);
  }
  cube_close(&cube);
}

/* The matrix of lapack#466, on which dsyevr ended with INFO = 2. */
static void values_that_did_not_converge_elsewhere(void **state) {
  (void)state;
  enum { ORDER = 4 };
  static const double rows[ORDER][ORDER] = {
      {0.9349689745783974},
      {0.0225235320981566, 0.9230010962223161},
      {-0.05953165551175491, -0.1044639804366201, 0.43689356064293466},
      {0.014890259948252545, 0.06368964318517553, -0.04106527517776532, 0.7915128078107512}};
  hyla_cube *cube = cube_open_array();
  struct problem p = open_problem(cube, HYLA_DOUBLE, ORDER, 0);
  double _Complex entries[ORDER * ORDER];
  for (int i = 0; i < ORDER; i++)
    for (int j = 0; j <= i; j++) entries[i + j * ORDER] = entries[j + i * ORDER] = rows[i][j];
  lu_put(p.a.m, entries);
  lu_assert_status(cube, hyla_eigen(cube, p.triangle, p.a.m, p.values, p.v.m), HYLA_OK);
  check_values(p.values, ORDER);
  check_vectors(&p, p.values, p.v.m);
  close_problem(&p);
  cube_close(&cube);
}

/* The number of eigenvalues below x of a tridiagonal matrix, given whole: the negative pivots of
 * A - x I (Givens 1954). */
static int64_t sturm_count(int64_t n, const double _Complex *a, long double x) {
  int64_t below = 0;
  long double pivot = 1;
  for (int64_t i = 0; i < n; i++) {
    const double beside = i == 0 ? 0 : cabs(a[i + (i - 1) * n]);
    pivot = (long double)creal(a[i * (n + 1)]) - x - (long double)beside * beside / pivot;
    if (pivot == 0) pivot = -LDBL_MIN;
    below += pivot < 0;
  }
  return below;
}

/* Counts meet the values of tridiagonal kinds within 2 sqrt(n) ulp of the largest one; values of
 * 1e13 A are 1e13 times as large, and merges deflate as much (lapack#995: dsyevr took up to 20
 * times as long). */
static void check_counts(hyla_cube *cube, int type, const char *kind, int64_t n) {
  struct problem p = open_problem(cube, type, n, 0);
  const bool single = type == HYLA_FLOAT || type == HYLA_COMPLEX;
  hyla_plan *plan = NULL;
  hyla_spectrum found[2];
  harness_note("%s, n = %lld, type %d", kind, (long long)n, type);
  assert_int_equal(hyla_matrix_gallery(cube, p.a.m, kind, 0), HYLA_OK);
  double _Complex *a = lu_get_all(p.a.m);
  lu_assert_status(cube, hyla_eigen_plan(cube, NULL, p.triangle, p.a.m, p.values, p.v.m, &plan),
                   HYLA_OK);
  double one = 0;
  for (int turn = 0; turn < 2; turn++) {
    lu_assert_status(cube, hyla_plan_run(cube, plan), HYLA_OK);
    assert_int_equal(hyla_eigen_found(plan, &found[turn]), HYLA_OK);
    const double largest = fmax(fabs(p.values[0]), fabs(p.values[n - 1]));
    const double most = 2 * sqrt((double)n) * (single ? FLT_EPSILON : DBL_EPSILON) * largest;
    for (int64_t k = 0; k < n; k++)
      assert_true(largest == 0 || (sturm_count(n, a, p.values[k] - most) <= k &&
                                   sturm_count(n, a, p.values[k] + most) > k));
    if (turn == 0) one = largest;
    assert_true(turn == 0 || fabs(largest - 1e13 * one) <= 2 * most);
    for (int64_t i = 0; i < n * n; i++) a[i] *= 1e13;
    lu_put(p.a.m, a);
    free(a);
    a = lu_get_all(p.a.m); /* as the type holds it */
  }
  assert_true(fabs(found[0].deflated - found[1].deflated) < .1);
  free(a);
  hyla_plan_destroy(&plan);
  close_problem(&p);
}

static void counts_meet_values(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  struct harness_walk walk = harness_walk((int64_t)kind_count() * TYPES, 60);
  for (int64_t i; harness_next(&walk, &i);) {
    const char *kind = name_of((int)(i / TYPES));
    const int64_t n = harness_draw(2, 90);
    hyla_properties known;
    assert_int_equal(hyla_kind_properties(kind, (hyla_type)(i % TYPES), n, &known), HYLA_OK);
    if (known.hermitian && known.lower <= 1 && known.upper <= 1)
      check_counts(cube, (int)(i % TYPES), kind, n);
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
    hyla_eigen_errors errors;
    lu_assert_status(
        cube,
        hyla_eigen_generalized_check(cube, kind, p.triangle, p.a.m, b.m, p.values, p.v.m, &errors),
        HYLA_OK);
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
      cmocka_unit_test(values_that_rounding_separates),
      cmocka_unit_test(values_that_did_not_converge_elsewhere),
      cmocka_unit_test(counts_meet_values),
      cmocka_unit_test(plans_say_what_is_sent),
      cmocka_unit_test(plans_of_values_say_what_is_sent),
      cmocka_unit_test(bands_have_no_vectors),
      cmocka_unit_test(plans_know_the_step),
      cmocka_unit_test(ill_conditioned_pencils_are_doubted),
      cmocka_unit_test(what_is_not_finite_is_told_everywhere),
      cmocka_unit_test(generalised_problems_are_reduced),
      cmocka_unit_test(pencils_have_ranges),
      cmocka_unit_test(ranges_that_do_not_fit_are_refused),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
