/* L D L^H: factors, solutions and inertia of indefinite systems, on real ranks and on virtual
 * cubes; failures; counts. */
// ranks: 1 2 4 8
// sample: 1 4
// limit: 120
#include "hyla_lab.h"
#include "ldl_case.h"
#include "tests/harness/draw.h"

enum { SIZE_COUNT = 12, BLOCK_COUNT = 4 };
static const int64_t BLOCKS[] = {1, 3, 8, 64};

static const char *const KIND_NAMES[] = {"inertia", "hollow", "saddle", "pairs", "graded"};

/* ------------------------------------------------------------- one case -- */

struct program {
  const struct indefinite *system;
  hyla_type type;
  int64_t nrhs;
  hyla_layout layout, given; /* of the factors, and of the matrix */
};

static double largest_of(const double _Complex *a, int64_t count) {
  double most = 0;
  for (int64_t i = 0; i < count; i++) most = fmax(most, cabs(a[i]));
  return most;
}

/* |P A P^T - L D L^H| <= 8 n u growth max |A|, for every entry. */
static void check_product(const struct program *p, const double _Complex *l, const int64_t *rows,
                          const double *diagonal, const double _Complex *below, double growth) {
  int64_t n = p->system->n;
  const double _Complex *a = p->system->a;
  double _Complex *w = calloc((size_t)(n * n + 1), sizeof *w); /* L D */
  assert_non_null(w);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) {
      w[i + j * n] = l[i + j * n] * diagonal[j];
      if (below[j] != 0) w[i + j * n] += l[i + (j + 1) * n] * below[j];
      if (j > 0 && below[j - 1] != 0) w[i + j * n] += l[i + (j - 1) * n] * conj(below[j - 1]);
    }
  double unit = hy_kernels_of(p->type)->epsilon;
  double bound = 8 * (double)(n + 1) * unit * fmax(1, growth) * largest_of(a, n * n);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = j; i < n; i++) {
      double _Complex rest = a[rows[i] + rows[j] * n];
      for (int64_t k = 0; k <= i; k++) rest -= w[i + k * n] * conj(l[j + k * n]);
      if (!(cabs(rest) <= bound))
        fail_msg("P A P^T - L D L^H at (%lld, %lld) is %g, above %g", (long long)i, (long long)j,
                 cabs(rest), bound);
    }
  free(w);
}

/* L has ones on its diagonal and zeros above it, and U is L^H. */
static void check_triangles(int64_t n, const double _Complex *l, const double _Complex *u) {
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) {
      if (i <= j) assert_true(l[i + j * n] == (i == j));
      assert_true(u[i + j * n] == conj(l[j + i * n]));
    }
}

static void check_signs(const struct program *p, hyla_factor *factor) {
  hyla_cube *cube = factor->problem.cube;
  int64_t positive = -1, negative = -1;
  lu_assert_status(cube, hyla_factor_inertia(cube, factor, &positive, &negative), HYLA_OK);
  assert_int_equal(positive + negative, p->system->n);
  if (p->system->positive >= 0) assert_int_equal(positive, p->system->positive);
  double log_abs = NAN, sign[2] = {0};
  lu_assert_status(cube, hyla_factor_determinant(cube, factor, &log_abs, sign), HYLA_OK);
  assert_true(sign[0] == (negative % 2 == 0 ? 1 : -1) && sign[1] == 0);
  /* |det M|^2 is 1. */
  if (p->system->kind == INERTIA) assert_true(fabs(log_abs) <= 1e-3 * (double)(p->system->n + 1));
}

static void check_factors(const struct program *p, hyla_factor *factor) {
  hyla_cube *cube = factor->problem.cube;
  int64_t n = p->system->n, rows[256];
  double diagonal[256], growth = 0, largest = largest_of(p->system->a, n * n);
  double _Complex below[256];
  hyla_matrix *m = lu_matrix(cube, (int)p->type, n, n, NULL);
  lu_assert_status(cube, hyla_factor_lower(cube, factor, m), HYLA_OK);
  double _Complex *l = lu_get_all(m);
  lu_assert_status(cube, hyla_factor_upper(cube, factor, m), HYLA_OK);
  double _Complex *u = lu_get_all(m);
  lu_assert_status(cube, hyla_factor_permutation(cube, factor, rows), HYLA_OK);
  lu_assert_status(cube, hyla_factor_diagonal(cube, factor, diagonal, below), HYLA_OK);
  lu_assert_status(cube, hyla_factor_growth(cube, factor, largest, &growth), HYLA_OK);
  check_triangles(n, l, u);
  check_product(p, l, rows, diagonal, below, growth);
  /* Each step multiplies the remaining entries by at most 1 + 1 / alpha = 2.57. */
  if (n > 0) assert_true(growth > 0 && log(growth) <= 0.945 * (double)n + 1e-3);
  if (p->system->kind == PAIRS)
    for (int64_t i = 0; i < n; i++) assert_true((below[i] != 0) == (i + 1 < n && i % 2 == 0));
  check_signs(p, factor);
  free(u);
  free(l);
  hyla_matrix_destroy(&m);
}

/* Checks op(A) x = b with all entries of op(A). */
static hyla_status check_solution(const struct program *p, hyla_factor *factor, hyla_operation op,
                                  int64_t nrhs) {
  hyla_cube *cube = factor->problem.cube;
  int64_t n = p->system->n;
  hyla_matrix *a = NULL, *x = NULL, *b = NULL;
  double residual = -1;
  TRY(hyla_matrix_create(cube, p->type, n, n, &p->layout, &a));
  TRY(hyla_matrix_create(cube, p->type, n, nrhs, NULL, &x));
  TRY(hyla_matrix_create(cube, p->type, n, nrhs, NULL, &b));
  lu_put(b, p->system->b);
  lu_put(a, p->system->a);
  if (op == HYLA_TRANSPOSE) /* the conjugate */
    for (int64_t j = 0; j < a->local_cols; j++)
      for (int64_t i = 0; i < a->local_rows; i++)
        a->k->set(hy_at(a, i, j), 0, conj(a->k->get(hy_at(a, i, j), 0)));
  hyla_status status = hyla_factor_solve(cube, factor, op, b, x);
  if (status == HYLA_OK) status = hyla_residual(cube, a, x, b, &residual);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&x);
  hyla_matrix_destroy(&a);
  TRY(status);
  return hy_agree(cube, residual <= 1 ? HYLA_OK
                                      : hy_fail(&cube->base, HYLA_FORMAT, "op %d: residual %g",
                                                (int)op, residual));
}

static hyla_status compute(hyla_cube *cube, const struct program *p, hyla_factor *factor) {
  hyla_matrix *a = NULL;
  TRY(hyla_matrix_create(cube, p->type, p->system->n, p->system->n, &p->given, &a));
  lu_put(a, p->system->lower);
  hyla_status status = hyla_factor_compute(cube, factor, a);
  hyla_matrix_destroy(&a);
  return status;
}

static hyla_status create(hyla_cube *cube, const struct program *p, int64_t nrhs,
                          hyla_factor **factor) {
  return hyla_factor_create(cube, HYLA_LDL, p->type, p->system->n, nrhs, &p->layout, NULL, factor);
}

static hyla_status solve_all(const struct program *p, hyla_factor *factor) {
  TRY(check_solution(p, factor, HYLA_NONE, p->nrhs));
  TRY(check_solution(p, factor, HYLA_TRANSPOSE, p->nrhs));
  return check_solution(p, factor, HYLA_CONJUGATE, p->nrhs / 2); /* fewer than it was planned for */
}

static void note(const struct program *x) {
  harness_note("%s, n = %lld, nrhs %lld, type %d, %s", KIND_NAMES[x->system->kind],
               (long long)x->system->n, (long long)x->nrhs, (int)x->type,
               lu_layout_name(&x->layout));
}

/* ------------------------------------------------------------ real ranks -- */

static void factors_and_solutions(void **state) {
  (void)state;
  for (int private_memory = 0; private_memory < 2; private_memory++) {
    hyla_cube *cube = cube_open(private_memory);
    int64_t p = cube->nodes;
    const int64_t sizes[SIZE_COUNT] = {0, 1, 2, p - 1, p, p + 1, 13, 37, 64, 65, 101, 131};
    struct harness_walk walk =
        harness_walk(SIZE_COUNT * BLOCK_COUNT, SIZE_COUNT * BLOCK_COUNT / (p > 4 ? 4 : 2));
    for (int64_t i = 0; harness_next(&walk, &i);) {
      struct program x = {.type = (hyla_type)harness_draw(0, TYPES - 1),
                          .nrhs = i % 2 == 0 ? harness_draw(0, 5) : SIDES_MOST,
                          .layout = lu_draw_layout(cube, BLOCKS[i % BLOCK_COUNT])};
      x.given = harness_draw(0, 2) > 0 ? x.layout : draw_layout(cube->dims);
      struct indefinite drawn = draw_indefinite(
          sizes[i / BLOCK_COUNT], (enum kind)harness_draw(0, KINDS - 1), x.type >= HYLA_COMPLEX);
      hyla_factor *factor = NULL;
      x.system = &drawn;
      note(&x);
      lu_assert_status(cube, create(cube, &x, x.nrhs, &factor), HYLA_OK);
      hyla_status status = compute(cube, &x, factor);
      /* A hollow matrix of order 1 is zero. */
      bool zero = drawn.kind == HOLLOW && drawn.n == 1;
      lu_assert_status(cube, status, zero ? HYLA_SINGULAR : HYLA_OK);
      if (!zero) check_factors(&x, factor);
      if (!zero) lu_assert_status(cube, solve_all(&x, factor), HYLA_OK);
      hyla_factor_destroy(&factor);
      free_indefinite(&drawn);
    }
    cube_close(&cube);
  }
}

/* It fails at this column, counted from 1 (0: any), alike on all ranks. */
static void fail_at(hyla_cube *cube, struct program *x, hyla_status expected, int64_t column) {
  hyla_factor *factor = NULL;
  x->layout = x->given = lu_draw_layout(cube, BLOCKS[harness_draw(0, BLOCK_COUNT - 1)]);
  note(x);
  lu_assert_status(cube, create(cube, x, 1, &factor), HYLA_OK);
  lu_assert_status(cube, compute(cube, x, factor), expected);
  int found = (int)hyla_factor_pivot(factor), least = 0, most = 0;
  harness_allreduce(&found, &least, 1, MPI_INT, MPI_MIN);
  harness_allreduce(&found, &most, 1, MPI_INT, MPI_MAX);
  assert_int_equal(least, most);
  if (column > 0) assert_int_equal(found, column);
  assert_in_range(found, 1, x->system->n);
  hyla_factor_destroy(&factor);
}

/* Pairs of columns are pivots in their places; a pair of zeros stops the elimination there.  The
 * outer product of a vector with itself has rank 1: one pivot leaves only zeros. */
static void a_column_of_zeros_is_named(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < (harness_ranks() > 4 ? 8 : 24); i++) {
    struct program x = {.type = (hyla_type)(i % TYPES), .nrhs = 1};
    int64_t n = harness_draw(2, 140), at = harness_draw(0, n / 2 - 1) * 2;
    struct indefinite drawn = draw_indefinite(n, PAIRS, x.type >= HYLA_COMPLEX);
    x.system = &drawn;
    drawn.lower[at + 1 + at * n] = 0;
    fail_at(cube, &x, HYLA_SINGULAR, at + 1);
    for (int64_t j = 0; j < n; j++)
      for (int64_t k = j; k < n; k++)
        drawn.lower[k + j * n] = ldexp(1, (int)(k % 5 + j % 5)); /* exact */
    fail_at(cube, &x, HYLA_SINGULAR, 2);
    free_indefinite(&drawn);
  }
  cube_close(&cube);
}

static void a_nan_or_infinity_is_found(void **state) {
  (void)state;
  static const double bad[] = {NAN, INFINITY, -INFINITY};
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < (harness_ranks() > 4 ? 12 : 36); i++) {
    struct program x = {.type = (hyla_type)(i % TYPES), .nrhs = 1};
    int64_t n = harness_draw(1, 140), row = i < 4 ? n - 1 : harness_draw(0, n - 1);
    int64_t col = harness_draw(0, row);
    struct indefinite drawn = draw_indefinite(n, GRADED, x.type >= HYLA_COMPLEX);
    x.system = &drawn;
    drawn.lower[row + col * n] = hy_complex(bad[i % 3], 0);
    fail_at(cube, &x, HYLA_NOT_FINITE, 0);
    free_indefinite(&drawn);
  }
  cube_close(&cube);
}

/* One kind of the gallery: solved well, or reported as singular or not reliable. */
static bool solve_kind(hyla_cube *cube, const char *kind, int64_t n) {
  const hyla_solve_options options = {.method = HYLA_LDL};
  hyla_solve_report report;
  hyla_matrix *a = lu_matrix(cube, HYLA_DOUBLE, n, n, NULL);
  hyla_matrix *b = lu_matrix(cube, HYLA_DOUBLE, n, 2, NULL);
  hyla_matrix *x = lu_matrix(cube, HYLA_DOUBLE, n, 2, NULL);
  harness_note("%s, n = %lld", kind, (long long)n);
  lu_assert_status(cube, hyla_matrix_gallery(cube, a, kind, 7), HYLA_OK);
  lu_assert_status(cube, hyla_matrix_generate(cube, b, HYLA_RANDOM, 1), HYLA_OK);
  hyla_status status = hyla_solve_expert(cube, &options, a, b, x, &report);
  if (status != HYLA_SINGULAR && status != HYLA_UNRELIABLE) lu_assert_status(cube, status, HYLA_OK);
  if (status == HYLA_OK) assert_true(report.residual <= 1 && report.growth > 0);
  hyla_matrix_destroy(&x);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&a);
  return status == HYLA_OK;
}

static void solves_the_gallery(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  static const int64_t sizes[] = {1, 5, 33, 70};
  int64_t kinds = 0, index = 0;
  int solved = 0, tried = 0;
  while (hyla_kind_at((int)kinds) != NULL) kinds++;
  struct harness_walk walk = harness_walk(4 * kinds, 160 / harness_ranks());
  while (harness_next(&walk, &index)) {
    const char *kind = hyla_kind_at((int)(index / 4))->name;
    hyla_properties known;
    assert_int_equal(hyla_kind_properties(kind, HYLA_DOUBLE, sizes[index % 4], &known), HYLA_OK);
    if (!known.hermitian) continue;
    tried++;
    solved += solve_kind(cube, kind, sizes[index % 4]);
  }
  assert_true(2 * solved > tried);
  cube_close(&cube);
}

static void other_methods_have_no_diagonal(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  hyla_matrix *a = lu_matrix(cube, HYLA_DOUBLE, 5, 5, NULL);
  hyla_factor *factor = NULL;
  int64_t positive, negative;
  assert_int_equal(hyla_matrix_generate(cube, a, HYLA_IDENTITY, 0), HYLA_OK);
  lu_assert_status(cube,
                   hyla_factor_create(cube, HYLA_CHOLESKY, HYLA_DOUBLE, 5, 1, NULL, NULL, &factor),
                   HYLA_OK);
  lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
  lu_assert_status(cube, hyla_factor_inertia(cube, factor, &positive, &negative), HYLA_UNSUPPORTED);
  hyla_factor_destroy(&factor);
  hyla_matrix_destroy(&a);
  cube_close(&cube);
}

/* ---------------------------------------------------------- virtual cubes -- */

static hyla_layout array_layout(int dims, int rows, int64_t block) {
  hyla_layout layout = {.row = {.dims = rows}, .col = {.dims = dims - rows}};
  for (int i = 0; i < rows; i++) layout.row.dim[i] = (uint8_t)(dims - rows + i);
  for (int i = 0; i < dims - rows; i++) layout.col.dim[i] = (uint8_t)i;
  layout.row.code = layout.col.code = harness_draw(0, 1) ? HYLA_GRAY : HYLA_BINARY;
  layout.row.storage = layout.col.storage = HYLA_CYCLIC;
  layout.row.block = layout.col.block = block;
  return layout;
}

static hyla_status solve(hyla_cube *cube, void *arg) {
  const struct program *p = arg;
  hyla_factor *factor = NULL;
  TRY(create(cube, p, p->nrhs, &factor));
  hyla_status status = compute(cube, p, factor);
  if (status == HYLA_OK) status = check_solution(p, factor, HYLA_NONE, p->nrhs);
  hyla_factor_destroy(&factor);
  return status;
}

/* All nodes together do n^3 / 3 operations and some n^2.  Second columns that are examined add as
 * much again in the first panel; each rank of a rank row divides rows of L.  Each node does at most
 * the predicted number. */
static hyla_status check_operations(hyla_cube *cube, const struct program *p, int64_t done,
                                    int64_t predicted) {
  int64_t most = done, n = p->system->n, third = n * n * n / 3;
  int64_t apart = third + (6 + 2 * (1 << p->layout.col.dims)) * n * n;
  double all = 0;
  TRY(hy_cube_max_sum(cube, &most, &all, 1));
  bool within = all >= (double)(third - n) && all <= (double)(third + apart) && done <= predicted;
  CHECK(&cube->base, within, FORMAT,
        "%lld operations, %lld predicted, %g on all nodes; n^3 / 3 are %lld", (long long)done,
        (long long)predicted, all, (long long)third);
  return HYLA_OK;
}

/* The ledger counts at most the predicted costs. */
static hyla_status count(hyla_cube *cube, void *arg) {
  const struct program *p = arg;
  hyla_factor *factor = NULL;
  hyla_ledger ledger;
  int64_t messages = 0, bytes = 0;
  TRY(create(cube, p, 0, &factor));
  hyla_status status = hyla_cube_ledger_clear(cube);
  int64_t operations = hyla_cube_operations(cube);
  if (status == HYLA_OK) status = compute(cube, p, factor);
  operations = hyla_cube_operations(cube) - operations;
  if (status == HYLA_OK) status = hyla_cube_ledger(cube, &ledger);
  const hyla_cost cost = hy_plan_mine(factor->plan);
  hyla_factor_destroy(&factor);
  TRY(status);
  TRY(hy_agree(cube, check_operations(cube, p, operations, cost.flops)));
  for (int dim = 0; dim < ledger.dims; dim++) {
    messages += ledger.messages[dim];
    bytes += ledger.bytes[dim];
  }
  bool within = ledger.steps <= cost.steps && messages <= cost.messages &&
                ledger.far_messages == 0 &&
                bytes <= cost.words * (int64_t)hy_kernels_of(p->type)->size;
  return hy_agree(cube, within ? HYLA_OK
                               : hy_fail(&cube->base, HYLA_FORMAT,
                                         "%lld steps, %lld messages, %lld bytes; "
                                         "at most %lld, %lld, %lld words were predicted",
                                         (long long)ledger.steps, (long long)messages,
                                         (long long)bytes, (long long)cost.steps,
                                         (long long)cost.messages, (long long)cost.words));
}

static void solved_and_counted_on_every_array(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip();
  for (int dims = 0; dims <= 6; dims++)
    for (int rows = 0; rows <= dims; rows++) {
      struct program x = {.type = (hyla_type)harness_draw(0, TYPES - 1),
                          .nrhs = rows % 2 == 0 ? harness_draw(1, 5) : 66};
      struct indefinite drawn = draw_indefinite(
          harness_draw(2, 75), (enum kind)harness_draw(0, KINDS - 1), x.type >= HYLA_COMPLEX);
      hyla_simulation model = {.dims = dims, .alpha = 1, .beta = 0.001};
      hyla_report report;
      x.system = &drawn;
      x.layout = x.given = array_layout(dims, rows, harness_draw(1, 9));
      hyla_status status = hyla_simulate(&model, solve, &x, &report);
      if (status == HYLA_OK) status = hyla_simulate(&model, count, &x, &report);
      if (status != HYLA_OK)
        fail_msg("%s: %s [%s, dims %d, rows %d, n %lld, nrhs %lld, type %d, block %lld]",
                 hyla_status_name(status), report.message, KIND_NAMES[drawn.kind], dims, rows,
                 (long long)drawn.n, (long long)x.nrhs, (int)x.type, (long long)x.layout.row.block);
      free_indefinite(&drawn);
    }
}

/* For one node the prediction is n^3 / 3 operations and some n^2: for second columns, corners of
 * strips, and D^-1.  If each pivot is in its place, column j takes 2 j (n - j) operations, and one
 * for each of its entries of L. */
static void a_third_of_the_cube(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip();
  hyla_cube *cube = cube_open(false);
  for (int64_t n = 50; n <= 400; n *= 2) {
    hyla_factor *factor = NULL;
    hyla_matrix *a = lu_matrix(cube, HYLA_DOUBLE, n, n, NULL);
    lu_assert_status(cube, hyla_matrix_generate(cube, a, HYLA_IDENTITY, 0), HYLA_OK);
    lu_assert_status(
        cube, hyla_factor_create(cube, HYLA_LDL, HYLA_DOUBLE, n, 0, NULL, NULL, &factor), HYLA_OK);
    int64_t flops = hyla_plan_cost(hyla_factor_plan(factor)).flops, third = n * n * n / 3;
    int64_t exactly = n * (n * n - 1) / 3 + n * (n - 1) / 2, before = hyla_cube_operations(cube);
    lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
    int64_t done = hyla_cube_operations(cube) - before;
    int64_t strip = hy_max(32, hy_min(128, hy_factor_block(&factor->problem)));
    harness_note("n = %lld: %lld operations, %lld predicted", (long long)n, (long long)done,
                 (long long)flops);
    assert_in_range(done, exactly, exactly + (n <= 64 ? 0 : strip * n * n / 2));
    assert_in_range(flops, done, third + n * n * (64 + strip) / 2 + n * n * (strip / 64 + 2));
    hyla_factor_destroy(&factor);
    hyla_matrix_destroy(&a);
  }
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(factors_and_solutions),
      cmocka_unit_test(a_column_of_zeros_is_named),
      cmocka_unit_test(a_nan_or_infinity_is_found),
      cmocka_unit_test(solves_the_gallery),
      cmocka_unit_test(other_methods_have_no_diagonal),
      cmocka_unit_test(a_third_of_the_cube),
      cmocka_unit_test(solved_and_counted_on_every_array),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
