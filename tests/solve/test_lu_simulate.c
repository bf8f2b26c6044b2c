/* LU on virtual cubes of up to 64 nodes without data. */
// limit: 120
#include "hyla_lab.h"
#include "lu_case.h"

static hyla_status check_counts(hyla_cube *cube, const hyla_factor *factor) {
  hyla_ledger ledger;
  hyla_cost least, most;
  TRY(hyla_cube_ledger(cube, &ledger));
  const struct hy_variant *variant = hy_choice_variant(&factor->plan->choice);
  TRY(hy_factor_cost(&factor->problem, variant, cube->address, true, &least));
  TRY(hy_factor_cost(&factor->problem, variant, cube->address, false, &most));
  int64_t messages = 0, bytes = 0, size = (int64_t)factor->problem.k->size;
  for (int dim = 0; dim < ledger.dims; dim++) {
    messages += ledger.messages[dim];
    bytes += ledger.bytes[dim];
  }
  bool within = ledger.steps >= least.steps && ledger.steps <= most.steps &&
                messages >= least.messages && messages <= most.messages &&
                bytes >= least.words * size && bytes <= most.words * size &&
                ledger.far_messages == 0;
  CHECK(&cube->base, within, FORMAT,
        "%lld steps, %lld messages, %lld bytes; predicted %lld %lld %lld to %lld %lld %lld",
        (long long)ledger.steps, (long long)messages, (long long)bytes, (long long)least.steps,
        (long long)least.messages, (long long)(least.words * size), (long long)most.steps,
        (long long)most.messages, (long long)(most.words * size));
  return HYLA_OK;
}

/* Without data: the pivots are drawn. */
struct dry_program {
  int64_t n, nrhs;
  hyla_layout layout;
  const char *variant;
};

static hyla_status run_dry(hyla_cube *cube, void *arg) {
  const struct dry_program *program = arg;
  const hyla_layout *layout = &program->layout;
  int64_t n = program->n, nrhs = program->nrhs;
  hyla_factor *factor = NULL;
  hyla_matrix *a = NULL, *x = NULL;
  hyla_status status =
      hyla_factor_create(cube, HYLA_LU, HYLA_DOUBLE, n, nrhs, layout, program->variant, &factor);
  if (status == HYLA_OK) status = hyla_matrix_create(cube, HYLA_DOUBLE, n, n, layout, &a);
  if (status == HYLA_OK)
    status = hyla_matrix_create(cube, HYLA_DOUBLE, n, nrhs, &factor->problem.x_layout, &x);
  if (status == HYLA_OK) status = hyla_cube_ledger_clear(cube);
  if (status == HYLA_OK) status = hyla_factor_compute(cube, factor, a);
  if (status == HYLA_OK) status = hyla_factor_solve(cube, factor, HYLA_NONE, x, x);
  if (status == HYLA_OK) status = hy_agree(cube, check_counts(cube, factor));
  hyla_matrix_destroy(&x);
  hyla_matrix_destroy(&a);
  hyla_factor_destroy(&factor);
  return status;
}

/* The counts lie between the plan's least and most on every node, and are the same every time. */
static void dry_runs_draw_pivots(void **state) {
  (void)state;
  static const char *const variants[] = {"partial", "tournament"};
  for (int dims = 0; dims <= 6; dims++)
    for (int trial = 0; trial < 6; trial++) {
      struct dry_program program = {.n = harness_draw(0, 150),
                                    .nrhs = trial < 3 ? harness_draw(0, 5) : 66,
                                    .layout = lu_array_layout(dims, dims / 2, harness_draw(1, 9)),
                                    .variant = variants[trial % 2]};
      const hyla_simulation model = {.dims = dims, .alpha = 1, .beta = 0.001, .dry = true};
      hyla_report report, again;
      harness_note("%s, d = %d, n = %lld, nrhs = %lld", program.variant, dims, (long long)program.n,
                   (long long)program.nrhs);
      (void)hyla_simulate(&model, run_dry, &program, &report);
      assert_string_equal(report.message, "");
      assert_int_equal(report.status, HYLA_OK);
      (void)hyla_simulate(&model, run_dry, &program, &again);
      assert_true(report.time == again.time);
      assert_memory_equal(report.bytes, again.bytes, sizeof report.bytes);
      assert_true(report.time > 0 || dims == 0 || program.n == 0);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(dry_runs_draw_pivots)};
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
