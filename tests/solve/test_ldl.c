/* L D L^H: columns of zeros among pivots of order 2, the gallery, operations.  test_methods tests
 * the properties of every method. */
// ranks: 1 3 4 8
// sample: 1
// arrays: 2x3
// limit: 120
#include "hyla_lab.h"
#include "ldl_case.h"
#include "tests/harness/draw.h"

enum { BLOCK_COUNT = 4 };
static const int64_t BLOCKS[] = {1, 3, 8, 64};

static const char *const KIND_NAMES[] = {"inertia", "hollow", "saddle", "pairs", "graded"};

/* ------------------------------------------------------------- one case -- */

struct program {
  const struct indefinite *system;
  hyla_type type;
  hyla_layout layout; /* of the factors, and of the matrix */
};

static hyla_status compute(hyla_cube *cube, const struct program *p, hyla_factor *factor) {
  hyla_matrix *a = NULL;
  TRY(hyla_matrix_create(cube, p->type, p->system->n, p->system->n, &p->layout, &a));
  lu_put(a, p->system->lower);
  hyla_status status = hyla_factor_compute(cube, factor, a);
  hyla_matrix_destroy(&a);
  return status;
}

static hyla_status create(hyla_cube *cube, const struct program *p, hyla_factor **factor) {
  return hyla_factor_create(cube, HYLA_LDL, p->type, p->system->n, 0, &p->layout, NULL, factor);
}

static void note(const struct program *x) {
  harness_note("%s, n = %lld, type %d, %s", KIND_NAMES[x->system->kind], (long long)x->system->n,
               (int)x->type, lu_layout_name(&x->layout));
}

/* ------------------------------------------------------------ real ranks -- */

/* It is singular at this column, counted from 1, on every rank. */
static void fail_at(hyla_cube *cube, struct program *x, int64_t column) {
  hyla_factor *factor = NULL;
  x->layout = lu_draw_layout(cube, BLOCKS[harness_draw(0, BLOCK_COUNT - 1)]);
  note(x);
  lu_assert_status(cube, create(cube, x, &factor), HYLA_OK);
  lu_assert_status(cube, compute(cube, x, factor), HYLA_SINGULAR);
  assert_int_equal(hyla_factor_pivot(factor), column);
  hyla_factor_destroy(&factor);
}

/* Pairs of columns are pivots in their places; a pair of zeros stops the elimination there.  The
 * outer product of a vector with itself has rank 1: one pivot leaves only zeros. */
static void a_column_of_zeros_is_named(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < (harness_ranks() > 4 ? 8 : 24); i++) {
    struct program x = {.type = (hyla_type)(i % TYPES)};
    int64_t n = harness_draw(2, 140), at = harness_draw(0, n / 2 - 1) * 2;
    struct indefinite drawn = draw_indefinite(n, PAIRS, x.type >= HYLA_COMPLEX);
    x.system = &drawn;
    drawn.lower[at + 1 + at * n] = 0;
    fail_at(cube, &x, at + 1);
    for (int64_t j = 0; j < n; j++)
      for (int64_t k = j; k < n; k++)
        drawn.lower[k + j * n] = ldexp(1, (int)(k % 5 + j % 5)); /* exact */
    fail_at(cube, &x, 2);
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

/* ---------------------------------------------------------- virtual cubes -- */

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

static hyla_status count(hyla_cube *cube, void *arg) {
  const struct program *p = arg;
  hyla_factor *factor = NULL;
  TRY(create(cube, p, &factor));
  int64_t operations = hyla_cube_operations(cube);
  hyla_status status = compute(cube, p, factor);
  operations = hyla_cube_operations(cube) - operations;
  if (status == HYLA_OK)
    status =
        hy_agree(cube, check_operations(cube, p, operations, hy_plan_mine(factor->plan).flops));
  hyla_factor_destroy(&factor);
  return status;
}

static void operations_are_counted_on_every_array(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip();
  for (int dims = 0; dims <= 6; dims++)
    for (int rows = 0; rows <= dims; rows++) {
      struct program x = {.type = (hyla_type)harness_draw(0, TYPES - 1)};
      struct indefinite drawn = draw_indefinite(
          harness_draw(2, 75), (enum kind)harness_draw(0, KINDS - 1), x.type >= HYLA_COMPLEX);
      const hyla_cube nodes = draw_nodes(dims, rows % 2 == 1);
      const int64_t block = harness_draw(1, 9);
      char array[DRAW_ARRAY];
      hyla_simulation model = {.dims = dims, .array = array, .alpha = 1, .beta = 0.001};
      hyla_report report;
      draw_nodes_array(&nodes, array);
      x.system = &drawn;
      x.layout = rows % 2 == 1 ? lu_draw_layout(&nodes, block) : lu_array_layout(dims, rows, block);
      hyla_status status = hyla_simulate(&model, count, &x, &report);
      if (status != HYLA_OK)
        fail_msg("%s: %s [%s, dims %d, rows %d, n %lld, type %d, block %lld]",
                 hyla_status_name(status), report.message, KIND_NAMES[drawn.kind], dims, rows,
                 (long long)drawn.n, (int)x.type, (long long)x.layout.row.block);
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
      cmocka_unit_test(a_column_of_zeros_is_named),
      cmocka_unit_test(solves_the_gallery),
      cmocka_unit_test(a_third_of_the_cube),
      cmocka_unit_test(operations_are_counted_on_every_array),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
