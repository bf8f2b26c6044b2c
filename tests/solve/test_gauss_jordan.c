/* Gauss-Jordan: pivots as LU's; least and most counts; the variant in product form against the
 * blocked one, and the paper's count.  test_methods tests the properties of every method; the
 * schedules of the product form: tests/formulas/eliminations.c. */
// ranks: 1 3 4 8
// sample: 1 4
// arrays: 3x2
#include "hyla_lab.h"
#include "jordan_case.h"
#include "known_case.h"
#include "solve/jordan/jordan.h"

enum { BLOCK_COUNT = 4 };
static const int64_t BLOCKS[] = {1, 3, 8, 64};

struct program {
  const struct known *system;
  hyla_type type;
  int64_t nrhs;
  hyla_layout layout; /* of the factors, and of the matrix */
};

/* ------------------------------------------------------------ real ranks -- */

/* A method's swaps for a matrix. */
struct swaps {
  int64_t rows[256];
};

static struct swaps swaps_of(hyla_cube *cube, hyla_method method, const struct program *p) {
  struct swaps found;
  int64_t n = p->system->n;
  hyla_factor *factor = NULL;
  lu_assert_status(cube, hyla_factor_create(cube, method, p->type, n, 1, &p->layout, NULL, &factor),
                   HYLA_OK);
  hyla_matrix *a = lu_matrix(cube, (int)p->type, n, n, &p->layout);
  lu_put(a, p->system->a);
  lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
  if (cube->address >= 0) memcpy(found.rows, factor->factors.swaps, (size_t)n * sizeof *found.rows);
  hyla_matrix_destroy(&a);
  hyla_factor_destroy(&factor);
  return found;
}

static void pivots_are_those_of_lu(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 24; i++) {
    struct program x = {.type = (hyla_type)(i % TYPES)};
    struct known s = known_draw(DOMINANT, harness_draw(0, 70), 0, x.type >= HYLA_COMPLEX, -1);
    x.system = &s;
    x.layout = lu_draw_layout(cube, BLOCKS[harness_draw(0, BLOCK_COUNT - 1)]);
    harness_note("n = %lld, type %d, %s", (long long)s.n, (int)x.type, lu_layout_name(&x.layout));
    struct swaps lu = swaps_of(cube, HYLA_LU, &x), found = swaps_of(cube, HYLA_GAUSS_JORDAN, &x);
    if (cube->address >= 0) assert_memory_equal(found.rows, lu.rows, (size_t)s.n * sizeof *lu.rows);
    known_free(&s);
  }
  cube_close(&cube);
}

/* ------------------------------------------- product form and blocked form -- */

/* The distance of two matrices relative to the second one, in its 1-norm. */
static double difference(hyla_cube *cube, hyla_matrix *found, const hyla_matrix *expected) {
  double apart = 0, size = 0;
  lu_assert_status(cube, hyla_matrix_norm(cube, expected, HYLA_NORM_ONE, &size), HYLA_OK);
  lu_assert_status(cube, hyla_add(cube, HYLA_NONE, -1, expected, 1, found), HYLA_OK);
  lu_assert_status(cube, hyla_matrix_norm(cube, found, HYLA_NORM_ONE, &apart), HYLA_OK);
  return size == 0 ? apart : apart / size;
}

/* The inverse, by a plan of its own and by factors, and the condition. */
static void inverse_by(hyla_cube *cube, const char *variant, const hyla_matrix *a, hyla_matrix *x,
                       double *rcond) {
  hyla_plan *plan = NULL;
  hyla_factor *factor = NULL;
  int64_t n = a->row.n;
  double norm = 0;
  lu_assert_status(cube, hyla_invert_plan(cube, HYLA_GAUSS_JORDAN, a, x, variant, &plan), HYLA_OK);
  assert_string_equal(hyla_plan_variant(plan), variant);
  lu_assert_status(cube, hyla_plan_run(cube, plan), HYLA_OK);
  hyla_plan_destroy(&plan);
  lu_assert_status(
      cube,
      hyla_factor_create(cube, HYLA_GAUSS_JORDAN, a->k->type, n, 3, &a->layout, variant, &factor),
      HYLA_OK);
  lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
  lu_assert_status(cube, hyla_matrix_norm(cube, a, HYLA_NORM_ONE, &norm), HYLA_OK);
  lu_assert_status(cube, hyla_factor_condition(cube, factor, norm, rcond), HYLA_OK);
  hyla_matrix *again = lu_matrix(cube, (int)a->k->type, n, n, &a->layout);
  lu_assert_status(cube, hyla_factor_inverse(cube, factor, again), HYLA_OK);
  assert_true(difference(cube, again, x) <= 4 * (double)(n + 1) * a->k->epsilon);
  hyla_matrix_destroy(&again);
  hyla_factor_destroy(&factor);
}

/* A of small integers with a large diagonal; its condition is below 4. */
static void the_inverse_is_that_of_the_blocked_variant(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int i = 0; i < 2 * TYPES && cube->sides.count == 0; i++) { /* diagonal needs a cube */
    int64_t n = harness_draw(0, i < TYPES ? 9 : 70);
    const hyla_layout layout = lu_draw_layout(cube, 1);
    double _Complex *entries = calloc((size_t)(n * n) + 1, sizeof *entries);
    double rcond[2] = {0};
    assert_non_null(entries);
    for (int64_t j = 0; j < n * n; j++)
      entries[j] = jordan_case_unit(i % TYPES >= 2) * (double)(j % (n + 1) == 0 ? 4 * n : 1);
    harness_note("n = %lld, type %d, %s", (long long)n, i % TYPES, lu_layout_name(&layout));
    hyla_matrix *a = lu_matrix(cube, i % TYPES, n, n, &layout),
                *product = lu_matrix(cube, i % TYPES, n, n, &layout),
                *blocked = lu_matrix(cube, i % TYPES, n, n, &layout);
    lu_put(a, entries);
    inverse_by(cube, "diagonal", a, product, &rcond[0]);
    inverse_by(cube, "blocked", a, blocked, &rcond[1]);
    assert_true(difference(cube, product, blocked) <= 16 * (double)(n + 1) * a->k->epsilon);
    /* One of them is an estimate: the inverse may seem smaller than it is. */
    assert_true(rcond[0] >= 0.999 * rcond[1] && rcond[0] <= 10 * rcond[1]);
    hyla_matrix_destroy(&blocked);
    hyla_matrix_destroy(&product);
    hyla_matrix_destroy(&a);
    free(entries);
  }
  cube_close(&cube);
}

/* ---------------------------------------------------------- virtual cubes -- */

/* Moved in and run; the right-hand sides lie as the product wants them. */
static hyla_status run_once(const struct program *p, hyla_factor *factor, hyla_ledger *ledger) {
  hyla_cube *cube = factor->problem.cube;
  lu_put(factor->factors.a, p->system->a);
  TRY(hyla_cube_ledger_clear(cube));
  const struct hy_variant *variant = hy_choice_variant(&factor->plan->choice);
  const struct hy_factor_traits *steps = variant->traits;
  void *state = hy_choice_state(&factor->plan->choice);
  TRY(hy_agree(cube, variant->run(state)));
  if (p->nrhs > 0) {
    TRY(hy_agree(cube, steps->solve[0].product(state, HYLA_NONE, factor->factors.x_along_columns,
                                               factor->factors.x)));
  }
  return hyla_cube_ledger(cube, ledger);
}

/* The ledger's counts on this node are at most as predicted and at least those of a matrix without
 * swaps; for such a matrix exactly those. */
static hyla_status check_counts(const struct program *p, const hyla_factor *factor,
                                const hyla_ledger *ledger, bool swapped) {
  const struct hy_variant *variant = hy_choice_variant(&factor->plan->choice);
  const int node = factor->problem.cube->address;
  hyla_cost least, most, found = {.steps = ledger->steps};
  int64_t bytes = 0;
  TRY(hy_factor_cost(&factor->problem, variant, node, true, &least));
  TRY(hy_factor_cost(&factor->problem, variant, node, false, &most));
  for (int dim = 0; dim < ledger->dims; dim++) {
    found.messages += ledger->messages[dim];
    bytes += ledger->bytes[dim];
  }
  found.words = bytes / (int64_t)hy_kernels_of(p->type)->size;
  bool within = found.steps <= most.steps && found.messages <= most.messages &&
                found.words <= most.words && found.steps >= least.steps &&
                found.messages >= least.messages && found.words >= least.words;
  bool exact =
      found.steps == least.steps && found.messages == least.messages && found.words == least.words;
  CHECK(&factor->problem.cube->base, swapped ? within : exact, FORMAT,
        "%lld steps, %lld messages, %lld words; predicted %lld to %lld, %lld to %lld, %lld to %lld",
        (long long)found.steps, (long long)found.messages, (long long)found.words,
        (long long)least.steps, (long long)most.steps, (long long)least.messages,
        (long long)most.messages, (long long)least.words, (long long)most.words);
  return HYLA_OK;
}

static hyla_status count(hyla_cube *cube, const struct program *p, bool swapped) {
  hyla_factor *factor = NULL;
  hyla_ledger ledger;
  TRY(hyla_factor_create(cube, HYLA_GAUSS_JORDAN, p->type, p->system->n, p->nrhs, &p->layout, NULL,
                         &factor));
  hyla_status status = run_once(p, factor, &ledger);
  if (status == HYLA_OK) status = hy_agree(cube, check_counts(p, factor, &ledger, swapped));
  hyla_factor_destroy(&factor);
  return status;
}

static hyla_status count_swapped(hyla_cube *cube, void *arg) { return count(cube, arg, true); }
static hyla_status count_settled(hyla_cube *cube, void *arg) { return count(cube, arg, false); }

static void simulate(const struct program *x, hyla_body *body) {
  hyla_simulation model = {
      .dims = x->layout.row.dims + x->layout.col.dims, .alpha = 1, .beta = 0.001};
  hyla_report report;
  hyla_status status = hyla_simulate(&model, body, (void *)(uintptr_t)x, &report);
  if (status != HYLA_OK)
    fail_msg("%s: %s [n %lld, nrhs %lld, type %d, %s]", hyla_status_name(status), report.message,
             (long long)x->system->n, (long long)x->nrhs, (int)x->type, lu_layout_name(&x->layout));
}

/* Large entries on the diagonal are good pivots where they are. */
static void counted_on_every_array(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip();
  for (int dims = 0; dims <= 6; dims++)
    for (int rows = 0; rows <= dims; rows++) {
      struct program x = {.type = (hyla_type)harness_draw(0, TYPES - 1),
                          .nrhs = rows % 2 == 0 ? harness_draw(0, 5) : 66,
                          .layout = lu_array_layout(dims, rows, harness_draw(1, 9))};
      for (int swapped = 0; swapped < 2; swapped++) {
        struct known s = known_draw(swapped ? DOMINANT : BALANCED, harness_draw(0, 75), 0,
                                    x.type >= HYLA_COMPLEX, -1);
        x.system = &s;
        simulate(&x, swapped ? count_swapped : count_settled);
        known_free(&s);
      }
    }
}

/* The paper's case: 2^k x 2^k elements on as many nodes.  A step takes a time of 1; then all nodes
 * learn whether a pivot failed, in k steps.  Corollary 6.1 has 3 (2^k - 1) + k, and at least the
 * asserted number of operations. */
static hyla_status eliminate(hyla_cube *cube, void *arg) {
  const struct program *p = arg;
  hyla_factor *factor = NULL;
  hyla_matrix *a = NULL;
  int k = cube->dims / 2, side = 1 << k;
  TRY(hyla_factor_create(cube, HYLA_GAUSS_JORDAN, p->type, side, 0, &p->layout, "diagonal",
                         &factor));
  hyla_status status = hyla_matrix_create(cube, p->type, side, side, &p->layout, &a);
  if (status == HYLA_OK) {
    lu_put(a, p->system->a);
    status = hyla_cube_ledger_clear(cube);
  }
  if (status == HYLA_OK) status = hyla_factor_compute(cube, factor, a);
  if (status == HYLA_OK) status = lu_check_counts(cube, factor);
  if (status == HYLA_OK && hy_plan_mine(factor->plan).flops > 2 * (side + k - 1))
    status = hy_fail(&cube->base, HYLA_FORMAT, "more operations than in corollary 6.1");
  status = hy_agree(cube, status);
  hyla_matrix_destroy(&a);
  hyla_factor_destroy(&factor);
  return status;
}

static void the_papers_case_takes_fewer_steps(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip();
  for (int k = 1; k <= 4; k++) {
    int side = 1 << k;
    struct known s = known_draw(PRODUCT, side, 0, false, -1);
    struct program x = {&s, HYLA_DOUBLE, 0, lu_array_layout(2 * k, k, 1)};
    hyla_simulation model = {.dims = 2 * k, .alpha = 1};
    hyla_report report;
    x.layout.row.code = x.layout.col.code = HYLA_GRAY;
    hyla_status status = hyla_simulate(&model, eliminate, &x, &report);
    if (status != HYLA_OK) fail_msg("%s: %s", hyla_status_name(status), report.message);
    harness_note("k = %d: time %g", k, report.time);
    assert_true(report.time <= 2 * (side - 1) + k + k);
    assert_true(report.time <= 3 * (side - 1) + k);
    known_free(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pivots_are_those_of_lu),
      cmocka_unit_test(the_inverse_is_that_of_the_blocked_variant),
      cmocka_unit_test(counted_on_every_array),
      cmocka_unit_test(the_papers_case_takes_fewer_steps),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
