/* Products and solutions with collectives that are asked for: they are right and counted as
 * predicted, on ranks where everything travels, and on simulated cubes. */
// ranks: 1 4
#include "hyla_lab.h"
#include "tests/harness/harness.h"

#include "solve/lu/lu.h"

static const char *const ASKED[] = {
    "broadcast=sw90-3a,reduce-scatter=v92",
    "broadcast=sw90-2,reduce=sw90-3b,allgather=sw90,reduce-scatter=sw90",
    "broadcast=sw90-4,reduce=sw90-4,allgather=b91,allreduce=halving,reduce-scatter=b91",
    "broadcast=doubling,reduce=sw90-2,allgather=v92,allreduce=doubling",
};
enum { CASES = sizeof ASKED / sizeof *ASKED };

/* The counts of the busiest node since the ledger was cleared. */
static hyla_status counted(hyla_cube *cube, size_t size, int64_t most[3]) {
  const hyla_ledger *ledger = &cube->network.ledger;
  int64_t messages = ledger->far_messages, bytes = ledger->far_bytes;
  for (int dim = 0; dim < ledger->dims; dim++) {
    messages += ledger->messages[dim];
    bytes += ledger->bytes[dim];
  }
  most[0] = ledger->steps;
  most[1] = messages;
  most[2] = bytes / (int64_t)size;
  return hyla_cube_max(cube, most, 3);
}

static hyla_status check_equal(hyla_cube *cube, const hyla_cost *cost, const char *what) {
  int64_t most[3];
  TRY(counted(cube, sizeof(double), most));
  CHECK(&cube->base, most[0] == cost->steps && most[1] == cost->messages && most[2] == cost->words,
        COMMUNICATION, "%s: counted %lld %lld %lld, predicted %lld %lld %lld", what,
        (long long)most[0], (long long)most[1], (long long)most[2], (long long)cost->steps,
        (long long)cost->messages, (long long)cost->words);
  return HYLA_OK;
}

/* A product of ones: every entry of C is the length of k. */
static hyla_status check_product(hyla_cube *cube, const char *variant) {
  hyla_matrix *a = NULL, *b = NULL, *c = NULL;
  hyla_plan *plan = NULL;
  enum { M = 37, N = 29, K = 53 };
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE, M, K, NULL, &a));
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE, K, N, NULL, &b));
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE, M, N, NULL, &c));
  TRY(hyla_matrix_generate(cube, a, HYLA_ONES, 1));
  TRY(hyla_matrix_generate(cube, b, HYLA_ONES, 1));
  TRY(hyla_gemm_plan(cube, HYLA_NONE, HYLA_NONE, 1, a, b, 0, c, variant, &plan));
  hyla_cube_ledger_clear(cube);
  TRY(hyla_plan_run(cube, plan));
  hyla_cost cost = hyla_plan_cost(plan);
  TRY(check_equal(cube, &cost, variant));
  for (int64_t j = 0; j < c->local_cols; j++)
    for (int64_t i = 0; i < c->local_rows; i++)
      CHECK(&cube->base, *(const double *)hy_at(c, i, j) == K, COMMUNICATION, "C is wrong");
  hyla_plan_destroy(&plan);
  hyla_matrix_destroy(&c);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&a);
  return HYLA_OK;
}

/* This node's steps, messages and words lie between the least and the most.  one_row: nothing
 * depends on the pivots, so the three are equal. */
static hyla_status check_between(hyla_cube *cube, const hyla_factor *factor, bool one_row) {
  const struct hy_variant *variant = hy_choice_variant(&factor->plan->choice);
  hyla_cost least, most;
  int64_t messages = 0, words = 0;
  for (int dim = 0; dim < cube->dims; dim++) {
    messages += cube->network.ledger.messages[dim];
    words += cube->network.ledger.bytes[dim] / (int64_t)sizeof(double);
  }
  if (cube->address < 0) return HYLA_OK;
  TRY(hy_factor_cost(&factor->problem, variant, cube->address, true, &least));
  TRY(hy_factor_cost(&factor->problem, variant, cube->address, false, &most));
  CHECK(&cube->base,
        !one_row || (least.steps == most.steps && least.messages == most.messages &&
                     least.words == most.words),
        COMMUNICATION, "lu: on one row of nodes something depends on the pivots");
  CHECK(&cube->base,
        least.steps <= cube->network.ledger.steps && cube->network.ledger.steps <= most.steps &&
            least.messages <= messages && messages <= most.messages && least.words <= words &&
            words <= most.words,
        COMMUNICATION, "lu: %lld %lld %lld is not from %lld %lld %lld to %lld %lld %lld",
        (long long)cube->network.ledger.steps, (long long)messages, (long long)words,
        (long long)least.steps, (long long)least.messages, (long long)least.words,
        (long long)most.steps, (long long)most.messages, (long long)most.words);
  return HYLA_OK;
}

/* one_row: the array has one row, so nothing depends on the pivots. */
static hyla_status check_solution(hyla_cube *cube, bool one_row, int64_t nrhs) {
  enum { ORDER = 37 };
  hyla_layout layout;
  hyla_factor *factor = NULL;
  hyla_matrix *a = NULL, *x = NULL, *b = NULL;
  double residual = 0;
  TRY(hyla_layout_parse(cube, "binary/cyclic:3", &layout));
  if (one_row) {
    layout.row.dims = 0;
    layout.col.dims = cube->dims;
    for (int i = 0; i < cube->dims; i++) layout.col.dim[i] = (uint8_t)i;
  }
  TRY(hyla_factor_create(cube, HYLA_LU, HYLA_DOUBLE, ORDER, nrhs, &layout, NULL, &factor));
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE, ORDER, ORDER, &layout, &a));
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE, ORDER, nrhs, &factor->problem.x_layout, &b));
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE, ORDER, nrhs, &factor->problem.x_layout, &x));
  TRY(hyla_matrix_generate(cube, a, HYLA_RANDOM, 7));
  TRY(hyla_matrix_generate(cube, b, HYLA_RANDOM, 8));
  hyla_cube_ledger_clear(cube);
  TRY(hyla_factor_compute(cube, factor, a));
  TRY(hyla_factor_solve(cube, factor, HYLA_NONE, b, x));
  TRY(hy_agree(cube, check_between(cube, factor, one_row)));
  TRY(hyla_residual(cube, a, x, b, &residual));
  CHECK(&cube->base, residual < 16, COMMUNICATION, "lu: the residual is %g", residual);
  hyla_matrix_destroy(&x);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&a);
  hyla_factor_destroy(&factor);
  return HYLA_OK;
}

static hyla_status body(hyla_cube *cube, void *arg) {
  static const char *const variants[] = {"summa",    "summa-a",   "summa-b", "dns", "all3d",
                                         "berntsen", "cannon25d", "word",    NULL};
  (void)arg;
  for (int i = 0; variants[i] != NULL; i++) TRY(check_product(cube, variants[i]));
  for (int i = 0; i < 4; i++)
    TRY(check_solution(cube, i % 2 == 1, i < 2 ? 2 : HY_STATIONARY_NRHS + 1));
  return HYLA_OK;
}

static void on_ranks(void **state) {
  (void)state;
  for (int i = 0; i < CASES; i++)
    for (int private_memory = 0; private_memory < 2; private_memory++) {
      hyla_options options;
      hyla_cube *cube = NULL;
      hyla_options_init(&options);
      options.collective = ASKED[i];
      options.private_memory = private_memory;
      assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_OK);
      hyla_status status = body(cube, NULL);
      harness_note("%s: %s", ASKED[i], hyla_cube_message(cube));
      assert_int_equal(status, HYLA_OK);
      assert_int_equal(hyla_cube_destroy(&cube), HYLA_OK);
    }
}

static void on_simulated_cubes(void **state) {
  (void)state;
  for (int i = 0; i < CASES && harness_ranks() == 1; i++)
    for (int dims = 1; dims <= (i == 0 ? 6 : 4); dims++) {
      hyla_options options;
      hyla_options_init(&options);
      options.collective = ASKED[i];
      hyla_simulation model = {.dims = dims, .alpha = 1, .beta = 1, .options = &options};
      hyla_report report;
      harness_note("%s, %d dimensions", ASKED[i], dims);
      hyla_simulate(&model, body, NULL, &report);
      assert_string_equal(report.message, "");
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(on_ranks),
      cmocka_unit_test(on_simulated_cubes),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
