/* Divide and conquer on tridiagonal matrices: residual and orthogonality, known spectra, the place
 * of each value; the same bits with and without vectors, on any number of ranks, scaled by powers
 * of 2; some vectors; NaNs; a value that does not converge; counted costs. */
// ranks: 1 2 3 4 5 8
// sample: 1 3 4
// arrays: 2x3
#include "tests/harness/cube.h"
#include "tests/harness/draw.h"

#include "solve/divide/divide_state.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

/* --------------------------------------------------------------- matrices -- */

struct tridiagonal {
  int64_t n;
  double *d, *e, *values; /* values: known ones, ascending, or NULL */
};

enum kind {
  ONE_TWO_ONE,
  CLEMENT,
  WILKINSON,
  GLUED,
  RANDOM,
  HERMITE,
  IDENTITY,
  ZERO,
  GRADED,
  CLUSTERS,
  PARTS,
  KINDS
};

static double uniform(void) { return (double)harness_draw(-1000000, 1000000) / 1e6; }
static double normal(void) {
  double sum = 0;
  for (int i = 0; i < 12; i++) sum += uniform();
  return sum / 2;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Copies of W21+, joined by `glue'. */
static void wilkinson(struct tridiagonal *t, int64_t order, double glue) {
  for (int64_t i = 0; i < t->n; i++) {
    t->d[i] = fabs((double)(order / 2 - i % order));
    t->e[i] = i % order == order - 1 ? glue : 1;
  }
}

static void set_entry(struct tridiagonal *t, enum kind kind, int64_t i) {
  const double n = (double)t->n, x = (double)i;
  switch (kind) {
  case ONE_TWO_ONE: t->d[i] = 2, t->e[i] = 1; break;
  case CLEMENT: t->d[i] = 0, t->e[i] = sqrt((x + 1) * (n - 1 - x)); break;
  case RANDOM: t->d[i] = uniform(), t->e[i] = uniform(); break;
  /* As the reduction of a random matrix has them: about sqrt(n - i) off the diagonal. */
  case HERMITE: t->d[i] = normal() * sqrt(2), t->e[i] = sqrt(n - x) + normal() / 2; break;
  case IDENTITY: t->d[i] = 1, t->e[i] = 0; break;
  case GRADED: t->d[i] = exp2(-x), t->e[i] = exp2(-x - 1) * uniform(); break;
  case CLUSTERS: t->d[i] = 1 + uniform() * 1e-14, t->e[i] = uniform() * 1e-12; break;
  case PARTS:
    t->d[i] = uniform() * (i % 40 < 20 ? 1e-30 : 1);
    t->e[i] = i % 20 == 19 ? 0 : i % 40 < 20 ? 1e-30 : -1;
    break;
  default: t->d[i] = t->e[i] = 0;
  }
}

static struct tridiagonal make(enum kind kind, int64_t n) {
  const double pi = acos(-1);
  struct tridiagonal t = {.n = n};
  t.d = calloc((size_t)n + 1, sizeof *t.d);
  t.e = calloc((size_t)n + 1, sizeof *t.e);
  for (int64_t i = 0; i < n; i++) set_entry(&t, kind, i);
  if (kind == WILKINSON) wilkinson(&t, n, 0);
  if (kind == GLUED) wilkinson(&t, 21, pow(10, -(double)harness_draw(2, 14)));
  if (kind != ONE_TWO_ONE && kind != CLEMENT && kind != IDENTITY && kind != ZERO) return t;
  t.values = calloc((size_t)n + 1, sizeof *t.values);
  for (int64_t i = 0; i < n; i++)
    t.values[i] = kind == ONE_TWO_ONE ? 2 - 2 * cos((double)(i + 1) * pi / (double)(n + 1))
                  : kind == CLEMENT   ? (double)(2 * i + 1 - n)
                                      : t.d[i];
  qsort(t.values, (size_t)n, sizeof *t.values, ascending);
  return t;
}

static void drop(struct tridiagonal *t) {
  free(t->d);
  free(t->e);
  free(t->values);
}

static double size_of(const struct tridiagonal *t) {
  double size = 0;
  for (int64_t i = 0; i < t->n; i++)
    size = fmax(size, fabs(t->d[i]) + (i > 0 ? fabs(t->e[i - 1]) : 0) +
                          (i + 1 < t->n ? fabs(t->e[i]) : 0));
  return size;
}

/* ---------------------------------------------------------------- solving -- */

struct solved {
  double *values, *z; /* z: whole, on every rank; NULL without vectors */
  struct hy_divide_report report;
};

/* Z's rows of all nodes. */
static double *gathered(const hyla_cube *cube, const hyla_matrix *z, bool alone) {
  const int64_t n = z->row.n;
  double *all = calloc((size_t)(n * n) + 1, sizeof *all), *sum = calloc((size_t)(n * n) + 1, 8);
  for (int64_t j = 0; j < n && cube->address >= 0; j++)
    for (int64_t l = 0; l < z->local_rows; l++)
      all[hyla_matrix_row(z, l) + j * n] = creal(z->k->get(hy_at(z, l, j), 0));
  if (alone) {
    free(sum);
    return all;
  }
  harness_allreduce(all, sum, (int)(n * n), MPI_DOUBLE, MPI_SUM);
  free(all);
  return sum;
}

/* How a problem is solved, besides its arguments. */
struct way {
  bool alone; /* the cube has one rank */
  bool blas;  /* products by BLAS */
};

static struct solved solve_by(hyla_cube *cube, const struct hy_divide_problem *problem,
                              const struct tridiagonal *t, struct way way) {
  struct solved x = {.values = calloc((size_t)t->n + 1, sizeof *x.values)};
  const hyla_layout layout = hy_divide_layout(cube, t->n);
  struct hy_divide *divide = NULL;
  hyla_matrix *z = NULL;
  assert_int_equal(hy_divide_create(problem, NULL, &divide), HYLA_OK);
  if (way.blas) divide->packed = NULL;
  assert_int_equal(hy_divide_allocate(divide), HYLA_OK);
  if (problem->vectors)
    assert_int_equal(hyla_matrix_create(cube, problem->k->type, t->n, t->n, &layout, &z), HYLA_OK);
  /* Entries before are not read. */
  for (int64_t j = 0; z != NULL && j < z->local_cols; j++)
    for (int64_t l = 0; l < z->local_rows; l++) z->k->set(hy_at(z, l, j), 0, NAN);
  assert_int_equal(hy_divide_run(divide, t->d, t->e, x.values, z), HYLA_OK);
  x.report = hy_divide_report(divide);
  if (problem->vectors) x.z = gathered(cube, z, way.alone);
  hyla_matrix_destroy(&z);
  hy_free(&cube->base, &divide);
  return x;
}

static struct hy_divide_problem problem_of(hyla_cube *cube, hyla_type type,
                                           const struct tridiagonal *t, bool vectors) {
  return (struct hy_divide_problem){
      .cube = cube, .k = hy_cube_kernels(cube, type), .n = t->n, .vectors = vectors, .end = t->n};
}

static struct solved solve(hyla_cube *cube, hyla_type type, const struct tridiagonal *t,
                           bool vectors) {
  const struct hy_divide_problem problem = problem_of(cube, type, t, vectors);
  return solve_by(cube, &problem, t, (struct way){0});
}

static void release(struct solved *x) {
  free(x->values);
  free(x->z);
}

/* ----------------------------------------------------------------- checks -- */

static double product(int64_t n, const double *x, const double *y) {
  double sum[4] = {0};
  for (int64_t i = 0; i < n; i++) sum[i % 4] += x[i] * y[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* The largest column sums of |T Z - Z L| and of |Z^T Z - I|, in n ulp; columns first ... end-1,
 * shared among the ranks. */
static void check_vectors(const struct tridiagonal *t, const struct solved *x, hyla_type type,
                          int64_t first, int64_t end) {
  const int64_t n = t->n;
  const double ulp = type == HYLA_DOUBLE ? 0x1p-52 : 0x1p-23, size = size_of(t);
  double worst[2] = {0, 0}, all[2];
  for (int64_t j = first + harness_rank(); j < end; j += harness_ranks()) {
    const double *v = x->z + j * n;
    double residual = 0, angle = 0;
    for (int64_t i = 0; i < n; i++) {
      double r = (t->d[i] - x->values[j]) * v[i];
      if (i > 0) r += t->e[i - 1] * v[i - 1];
      if (i + 1 < n) r += t->e[i] * v[i + 1];
      residual += fabs(r);
    }
    for (int64_t i = first; i < end; i++) angle += fabs(product(n, x->z + i * n, v) - (i == j));
    if (size > 0) residual /= size;
    worst[0] = isnan(residual) ? INFINITY : fmax(worst[0], residual / ((double)n * ulp));
    worst[1] = isnan(angle) ? INFINITY : fmax(worst[1], angle / ((double)n * ulp));
  }
  harness_allreduce(worst, all, 2, MPI_DOUBLE, MPI_MAX);
  /* Roundings of a few products weigh most in small matrices. */
  const double most = n < 17 ? 2 : n < 33 ? 1.25 : 1;
  if (!(all[0] <= most && all[1] <= most))
    fail_msg("residual %g, orthogonality %g (n ulp)", all[0], all[1]);
}

/* The number of values below x, by the signs of pivots. */
static int64_t below(const struct tridiagonal *t, double x) {
  int64_t count = 0;
  double pivot = 1;
  for (int64_t i = 0; i < t->n; i++) {
    const double off = i > 0 ? t->e[i - 1] : 0;
    pivot = t->d[i] - x - (off == 0 ? 0 : off * (off / pivot));
    if (pivot == 0) pivot = -DBL_MIN;
    if (pivot < 0) count++;
  }
  return count;
}

static void check_values(const struct tridiagonal *t, const struct solved *x) {
  const double size = size_of(t), reach = 2 * sqrt((double)t->n) * DBL_EPSILON * size;
  for (int64_t i = 0; i < t->n; i++) {
    const double value = x->values[i];
    if (i > 0) assert_true(x->values[i - 1] <= value);
    if (t->values != NULL && !(fabs(value - t->values[i]) <= reach))
      fail_msg("value %lld is %.17g, not %.17g", (long long)i, value, t->values[i]);
    if (size > 0 && (below(t, value - reach) > i || below(t, value + reach) <= i))
      fail_msg("value %lld, %.17g, is not there by %g", (long long)i, value, reach);
  }
}

/* Gathering makes 0 of -0. */
static void assert_same_numbers(const double *x, const double *y, int64_t count) {
  for (int64_t i = 0; i < count; i++)
    if (!(x[i] == y[i])) fail_msg("entry %lld: %.17g and %.17g", (long long)i, x[i], y[i]);
}

/* The same bits as those of a solver on this rank alone: values always, vectors as far as products
 * are hyla's own. */
static void check_bits(const struct tridiagonal *t, const struct solved *x, hyla_type type,
                       bool vectors) {
  hyla_options options;
  hyla_cube *alone = NULL;
  hyla_options_init(&options);
  options.array = "1x1";
  assert_int_equal(hyla_cube_create(MPI_COMM_SELF, &options, &alone), HYLA_OK);
  const struct hy_divide_problem problem = problem_of(alone, type, t, vectors);
  struct solved y = solve_by(alone, &problem, t, (struct way){.alone = true});
  assert_memory_equal(x->values, y.values, (size_t)t->n * sizeof *y.values);
  if (vectors && x->z != NULL && hy_packed_best(problem.k, alone->session.team) != NULL)
    assert_same_numbers(x->z, y.z, t->n * t->n);
  release(&y);
  assert_int_equal(hyla_cube_destroy(&alone), HYLA_OK);
}

static void check(hyla_cube *cube, enum kind kind, int64_t n) {
  struct tridiagonal t = make(kind, n);
  for (int type = HYLA_FLOAT; type <= HYLA_DOUBLE; type++) {
    harness_note("kind %d, n = %lld, type %d", kind, (long long)n, type);
    struct solved x = solve(cube, (hyla_type)type, &t, true);
    check_values(&t, &x);
    check_vectors(&t, &x, (hyla_type)type, 0, n);
    check_bits(&t, &x, (hyla_type)type, false);
    check_bits(&t, &x, (hyla_type)type, true);
    release(&x);
  }
  struct solved x = solve(cube, HYLA_DOUBLE, &t, false);
  check_bits(&t, &x, HYLA_DOUBLE, false);
  release(&x);
  drop(&t);
}

static void vectors_and_values_are_right(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  const int64_t sizes[] = {1, 2, 3, 5, 17, 33, 64, 100, 257};
  enum { SIZES = sizeof sizes / sizeof *sizes };
  struct harness_walk walk = harness_walk(KINDS * SIZES, 22);
  for (int64_t i; harness_next(&walk, &i);) check(cube, (enum kind)(i % KINDS), sizes[i / KINDS]);
  check(cube, GLUED, 20 * 21);
  check(cube, RANDOM, 0);
  cube_close(&cube);
}

/* ------------------------------------------------------------------- ways -- */

static void products_by_blas_are_right(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  const enum kind kinds[] = {HERMITE, CLUSTERS, GLUED};
  for (int i = 0; i < 3; i++) {
    struct tridiagonal t = make(kinds[i], 105);
    const struct hy_divide_problem problem = problem_of(cube, HYLA_DOUBLE, &t, true);
    struct solved x = solve_by(cube, &problem, &t, (struct way){.blas = true});
    check_values(&t, &x);
    check_vectors(&t, &x, HYLA_DOUBLE, 0, t.n);
    check_bits(&t, &x, HYLA_DOUBLE, false);
    release(&x);
    drop(&t);
  }
  cube_close(&cube);
}

static void threads_find_the_same_bits(void **state) {
  (void)state;
  hyla_options options;
  hyla_cube *cube = NULL;
  hyla_options_init(&options);
  options.threads = 2;
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_OK);
  struct tridiagonal t = make(HERMITE, 200);
  struct solved x = solve(cube, HYLA_DOUBLE, &t, true);
  hyla_cube *single = NULL;
  options.threads = 1;
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &single), HYLA_OK);
  struct solved y = solve(single, HYLA_DOUBLE, &t, true);
  assert_memory_equal(x.values, y.values, (size_t)t.n * sizeof *y.values);
  if (hy_packed_best(hy_cube_kernels(single, HYLA_DOUBLE), NULL) != NULL)
    assert_memory_equal(x.z, y.z, (size_t)(t.n * t.n) * sizeof *y.z);
  release(&x);
  release(&y);
  drop(&t);
  cube_close(&single);
  cube_close(&cube);
}

/* --------------------------------------------------------------- contract -- */

static void powers_of_2_change_nothing(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  struct tridiagonal t = make(HERMITE, 100);
  struct solved x = solve(cube, HYLA_DOUBLE, &t, true);
  const int powers[] = {900, -900};
  for (int p = 0; p < 2; p++) {
    struct tridiagonal scaled = make(ZERO, t.n);
    for (int64_t i = 0; i < t.n; i++) {
      scaled.d[i] = ldexp(t.d[i], powers[p]);
      scaled.e[i] = ldexp(t.e[i], powers[p]);
    }
    struct solved y = solve(cube, HYLA_DOUBLE, &scaled, true);
    for (int64_t i = 0; i < t.n; i++) assert_true(y.values[i] == ldexp(x.values[i], powers[p]));
    assert_memory_equal(x.z, y.z, (size_t)(t.n * t.n) * sizeof *x.z);
    release(&y);
    drop(&scaled);
  }
  release(&x);
  drop(&t);
  cube_close(&cube);
}

/* The wanted columns are those of all vectors; the values are all there. */
static void some_vectors_are_those_of_all(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  const int64_t ranges[][2] = {{0, 1}, {99, 100}, {30, 71}, {50, 50}, {0, 100}};
  for (enum kind kind = RANDOM; kind <= IDENTITY; kind++) {
    struct tridiagonal t = make(kind, 100);
    struct solved all = solve(cube, HYLA_DOUBLE, &t, true);
    for (int r = 0; r < 5; r++) {
      const int64_t first = ranges[r][0], end = ranges[r][1];
      harness_note("kind %d, vectors %lld to %lld", kind, (long long)first, (long long)end);
      struct hy_divide_problem problem = problem_of(cube, HYLA_DOUBLE, &t, true);
      problem.first = first;
      problem.end = end;
      struct solved some = solve_by(cube, &problem, &t, (struct way){0});
      assert_memory_equal(some.values, all.values, (size_t)t.n * sizeof *all.values);
      assert_memory_equal(some.z + first * t.n, all.z + first * t.n,
                          (size_t)((end - first) * t.n) * sizeof *all.z);
      release(&some);
    }
    release(&all);
    drop(&t);
  }
  cube_close(&cube);
}

static hyla_status status_of(hyla_cube *cube, const struct tridiagonal *t, int sweeps) {
  const struct hy_divide_problem problem = {
      .cube = cube, .k = hy_cube_kernels(cube, HYLA_DOUBLE), .n = t->n};
  double *values = calloc((size_t)t->n, sizeof *values);
  struct hy_divide *divide = NULL;
  assert_int_equal(hy_divide_create(&problem, NULL, &divide), HYLA_OK);
  assert_int_equal(hy_divide_allocate(divide), HYLA_OK);
  if (sweeps >= 0) divide->sweeps = sweeps;
  /* Guests learn it from the call that runs the solver. */
  hyla_status status = hy_agree(cube, hy_divide_run(divide, t->d, t->e, values, NULL));
  hy_free(&cube->base, &divide);
  free(values);
  return status;
}

static void what_is_not_finite_is_told(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 9; i++) {
    struct tridiagonal t = make(RANDOM, 70);
    double *entries = i % 2 == 0 ? t.d : t.e;
    entries[harness_draw(0, 68)] = bad[i % 3];
    assert_int_equal(status_of(cube, &t, -1), HYLA_NOT_FINITE);
    drop(&t);
  }
  cube_close(&cube);
}

/* Without QL steps the leaves of one part of T do not converge. */
static void a_value_that_does_not_converge_is_told(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  struct tridiagonal t = make(IDENTITY, 150);
  t.e[harness_draw(0, 148)] = .5;
  assert_int_equal(status_of(cube, &t, -1), HYLA_OK);
  t.e[100] = t.e[101] = t.e[102] = .5;
  assert_int_equal(status_of(cube, &t, 0), HYLA_UNRELIABLE);
  assert_non_null(strstr(hyla_cube_message(cube), "did not converge"));
  drop(&t);
  cube_close(&cube);
}

/* ------------------------------------------------------------------ counts -- */

/* The cost of a run on this node, played without data. */
static hyla_cost played(hyla_cube *cube, const struct hy_divide_problem *problem) {
  hyla_cube counting;
  hy_count_begin(cube, cube->address, &counting);
  struct hy_divide_problem on = *problem;
  on.cube = &counting;
  on.k = hy_cube_kernels(&counting, problem->k->type);
  struct hy_divide *divide = NULL;
  assert_int_equal(hy_divide_create(&on, NULL, &divide), HYLA_OK);
  assert_int_equal(hy_divide_allocate(divide), HYLA_OK);
  assert_int_equal(hy_divide_run(divide, NULL, NULL, NULL, NULL), HYLA_OK);
  hy_free(&counting.base, &divide);
  return hy_count_end(cube, &counting, sizeof(double));
}

/* A solver takes the memory that is counted, and little besides for its own objects. */
static void check_memory(hyla_cube *cube, const struct hy_divide_problem *problem,
                         int64_t expected) {
  enum { OBJECTS = 1 << 16 };
  const int64_t before = cube->base.bytes_now;
  struct hy_divide *divide = NULL;
  assert_int_equal(hy_divide_create(problem, NULL, &divide), HYLA_OK);
  assert_int_equal(hy_divide_allocate(divide), HYLA_OK);
  assert_in_range(cube->base.bytes_now - before, expected, expected + OBJECTS);
  hy_free(&cube->base, &divide);
}

static hyla_cost counted(hyla_cube *cube) {
  hyla_cost cost = {.steps = cube->network.ledger.steps,
                    .words = cube->network.ledger.far_bytes,
                    .messages = cube->network.ledger.far_messages,
                    .flops = cube->network.operations};
  for (int dim = 0; dim < cube->network.ledger.dims; dim++) {
    cost.messages += cube->network.ledger.messages[dim];
    cost.words += cube->network.ledger.bytes[dim];
  }
  cost.words /= (int64_t)sizeof(double);
  return cost;
}

/* A run without deflation counts as one that is played; one with deflation sends less. */
static void costs_are_counted(void **state) {
  (void)state;
  hyla_cube *cube = cube_open_array();
  struct tridiagonal most = make(ONE_TWO_ONE, 150), less = make(CLUSTERS, 150);
  for (int64_t i = 0; i < most.n; i++) most.d[i] += 1e-3 * uniform();
  for (int vectors = 0; vectors < 2; vectors++) {
    const struct hy_divide_problem problem = {.cube = cube,
                                              .k = hy_cube_kernels(cube, HYLA_DOUBLE),
                                              .n = most.n,
                                              .vectors = vectors == 1,
                                              .end = most.n};
    hyla_cost cost = {0};
    if (cube->address >= 0) cost = played(cube, &problem);
    check_memory(cube, &problem, cost.memory);
    for (int i = 0; i < 2; i++) {
      const hyla_cost before = counted(cube);
      struct solved x = solve(cube, HYLA_DOUBLE, i == 0 ? &most : &less, vectors == 1);
      const hyla_cost after = counted(cube);
      assert_int_equal(after.steps - before.steps, cost.steps);
      if (i == 0) {
        assert_int_equal(x.report.deflated, 0);
        assert_int_equal(after.messages - before.messages, cost.messages);
        assert_int_equal(after.words - before.words, cost.words);
        assert_int_equal(after.flops - before.flops, cost.flops);
      } else {
        assert_true(after.words - before.words <= cost.words);
        assert_true(after.flops - before.flops <= cost.flops);
      }
      release(&x);
    }
  }
  drop(&most);
  drop(&less);
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(vectors_and_values_are_right),
                                     cmocka_unit_test(products_by_blas_are_right),
                                     cmocka_unit_test(threads_find_the_same_bits),
                                     cmocka_unit_test(powers_of_2_change_nothing),
                                     cmocka_unit_test(some_vectors_are_those_of_all),
                                     cmocka_unit_test(what_is_not_finite_is_told),
                                     cmocka_unit_test(a_value_that_does_not_converge_is_told),
                                     cmocka_unit_test(costs_are_counted)};
  return harness_run(tests, sizeof tests / sizeof *tests);
}
