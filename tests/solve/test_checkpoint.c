/* Factorizations are stopped after every panel and resumed on other numbers of ranks, in other
 * layouts, by panels of other widths, on ranks and on virtual cubes.  They have the same pivots
 * and, up to rounding, the same factors as one that never stops. */
// ranks: 1 3 4
// sample: 1
// arrays: 2x3
// limit: 240
#include "checkpoint_case.h"

#include "solve/guard/guard.h"
#include "tests/harness/cube.h"

#include <stdio.h>
#include <string.h>

const char checkpoint_shared[] = "test_checkpoint.states";

static const char *const layouts[] = {"binary/cyclic:3", "gray/cyclic:7", "binary/cyclic:5", NULL,
                                      "gray/cyclic:4"};
enum { LAYOUTS = 5 };

static struct checkpoint_case draw_case(int trial) {
  static const struct {
    hyla_method method;
    const char *variant;
  } kinds[] = {{HYLA_LU, "partial"},
               {HYLA_CHOLESKY, "right-looking"},
               {HYLA_LU, "fixed"},
               {HYLA_CHOLESKY, "fixed"}};
  struct checkpoint_case p = {.method = kinds[trial % 4].method,
                              .variant = kinds[trial % 4].variant,
                              .type = (hyla_type)harness_draw(0, 3),
                              .seed = (uint64_t)harness_draw(1, 1000)};
  p.m = p.n = harness_draw(0, 3) == 0 ? harness_draw(1, 5) : harness_draw(17, 45);
  if (p.method == HYLA_LU && harness_draw(0, 2) == 0) p.m = harness_draw(1, 45);
  return p;
}

/* ---------------------------------------------------------------- stopped -- */

/* One run after another, each stopped after one checkpoint, until one completes. */
static int go_on(struct checkpoint_run *run, const hyla_options *options) {
  int stops = 0;
  int64_t column = 0;
  char path[512];
  for (;; stops++) {
    int ranks = stops % 3 == 2 ? harness_ranks() : (int)harness_draw(1, harness_ranks());
    run->layout = layouts[harness_draw(0, LAYOUTS - 1)];
    run->stop = 1;
    harness_note("%s %s, %lld x %lld, type %d, seed %llu: stopped %d times, now %d ranks, %s",
                 hyla_method_at((int)run->problem->method)->name, run->problem->variant,
                 (long long)run->problem->m, (long long)run->problem->n, (int)run->problem->type,
                 (unsigned long long)run->problem->seed, stops, ranks,
                 run->layout == NULL ? "default" : run->layout);
    checkpoint_run_on(ranks, options, run);
    assert_int_equal(run->checkpoints.resumed, stops > 0);
    assert_true(run->checkpoints.column >= column);
    column = run->checkpoints.column;
    if (run->status != HYLA_BROKEN) break;
    assert_int_equal(run->checkpoints.written, 1);
    assert_non_null(checkpoint_state(checkpoint_shared, path));
    harness_barrier();
  }
  if (run->status != HYLA_OK) fail_msg("%s", run->message);
  assert_null(checkpoint_state(checkpoint_shared, path));
  return stops;
}

static struct checkpoint_run run_room, with_room;

static void stopped_runs_go_on(void **state) {
  (void)state;
  const hyla_options options = checkpoint_options(checkpoint_shared);
  hyla_options none;
  hyla_options_init(&none);
  checkpoint_make_shared();
  int stops = 0;
  for (int trial = 0; trial < 16; trial++) {
    const struct checkpoint_case p = draw_case(trial);
    struct checkpoint_run *run = &run_room, *with = &with_room;
    *run = *with = (struct checkpoint_run){.problem = &p};
    checkpoint_run_on(1, &none, with);
    assert_int_equal(with->status, HYLA_OK);
    stops += go_on(run, &options);
    checkpoint_compare(run, with, strcmp(p.variant, "fixed") == 0);
    checkpoint_residuals(run);
  }
  assert_true(stops >= 16);
  checkpoint_forget_shared();
}

/* Pivots that depend on where rows lie; and with checks of results. */
static void pivots_of_tournaments(void **state) {
  (void)state;
  hyla_options options = checkpoint_options(checkpoint_shared);
  options.check_results = true;
  checkpoint_make_shared();
  for (int trial = 0; trial < 4; trial++) {
    const struct checkpoint_case p = {.method = HYLA_LU,
                                      .variant = trial % 2 == 0 ? "tournament" : "partial",
                                      .type = (hyla_type)trial,
                                      .m = 41,
                                      .n = 41,
                                      .seed = (uint64_t)trial + 1};
    struct checkpoint_run *run = &run_room;
    *run = (struct checkpoint_run){.problem = &p};
    assert_true(go_on(run, &options) >= 1);
    checkpoint_residuals(run);
  }
  checkpoint_forget_shared();
}

/* On virtual cubes, with more nodes than there are ranks. */
static void virtual_runs_go_on(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip();
  char path[512];
  checkpoint_folder(checkpoint_shared);
  const hyla_options options = checkpoint_options(checkpoint_shared);
  hyla_options none;
  hyla_options_init(&none);
  static struct checkpoint_run with, run;
  for (int trial = 0; trial < 8; trial++) {
    const struct checkpoint_case p = draw_case(trial);
    hyla_simulation model = {.dims = 0, .options = &none};
    hyla_report report;
    run = with = (struct checkpoint_run){.problem = &p};
    assert_int_equal(hyla_simulate(&model, checkpoint_compute, &with, &report), HYLA_OK);
    model.options = &options;
    run.stop = 1;
    do {
      model.dims = (int)harness_draw(0, 4);
      run.layout = layouts[harness_draw(0, LAYOUTS - 1)];
      harness_note("%d dimensions, layout %s", model.dims,
                   run.layout == NULL ? "default" : run.layout);
      (void)hyla_simulate(&model, checkpoint_compute, &run, &report);
    } while (run.status == HYLA_BROKEN);
    if (run.status != HYLA_OK) fail_msg("%s", run.message);
    assert_null(checkpoint_state(checkpoint_shared, path));
    checkpoint_compare(&run, &with, strcmp(p.variant, "fixed") == 0);
    checkpoint_residuals(&run);
  }
  checkpoint_forget(checkpoint_shared);
}

/* ------------------------------------------------------------------ calls -- */

/* In the memory of a copy of A. */
static hyla_status adopt_and_solve(hyla_cube *cube, const hyla_matrix *a, const hyla_matrix *b,
                                   hyla_matrix *x) {
  hyla_matrix *copy = NULL;
  hyla_factor *factor = NULL;
  int64_t n = hyla_matrix_rows(a);
  TRY(hyla_matrix_create(cube, hyla_matrix_type(a), n, n, hyla_matrix_layout(a), &copy));
  TRY(hyla_matrix_copy(cube, a, copy));
  hyla_status status = hyla_factor_adopt(cube, HYLA_CHOLESKY, 1, NULL, &copy, &factor);
  if (status == HYLA_OK) status = hyla_factor_solve(cube, factor, HYLA_NONE, b, x);
  hyla_factor_destroy(&factor);
  return status;
}

static void other_calls_go_on_too(void **state) {
  (void)state;
  const hyla_options options = checkpoint_options(checkpoint_shared);
  hyla_cube *cube = NULL;
  hyla_checkpoints checkpoints;
  char path[512];
  checkpoint_make_shared();
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_OK);
  for (int trial = 0; trial < 4; trial++) {
    hyla_matrix *a = NULL, *b = NULL;
    hyla_factor *factor = NULL;
    hyla_layout layout;
    bool definite = trial % 2 == 1;
    hyla_method method = definite ? HYLA_CHOLESKY : HYLA_LU;
    hyla_type type = (hyla_type)trial;
    double residual = 0;
    assert_int_equal(hyla_layout_parse(cube, "binary/cyclic:6", &layout), HYLA_OK);
    assert_int_equal(hyla_factor_create(cube, method, type, 40, 1, &layout, NULL, &factor),
                     HYLA_OK);
    assert_int_equal(hyla_matrix_create(cube, type, 40, 40, &layout, &a), HYLA_OK);
    assert_int_equal(hyla_matrix_create(cube, type, 40, 1, &layout, &b), HYLA_OK);
    assert_int_equal(hyla_matrix_gallery(
                         cube, a, definite ? hyla_method_at(HYLA_CHOLESKY)->sample : "random", 1),
                     HYLA_OK);
    assert_int_equal(hyla_matrix_generate(cube, b, HYLA_RANDOM, 2), HYLA_OK);
    /* A run allocates nothing. */
    assert_int_equal(hyla_factor_compute(cube, factor, a), HYLA_OK);
    int64_t before = cube->base.allocations;
    assert_int_equal(hyla_factor_compute(cube, factor, a), HYLA_OK);
    assert_int_equal(cube->base.allocations, before);
    /* A run that is stopped, then another call in another layout with right-hand sides. */
    factor->checkpoint->stop = 2;
    assert_int_equal(hyla_factor_compute(cube, factor, a), HYLA_BROKEN);
    assert_int_equal(hyla_factor_compute(cube, factor, a), HYLA_BROKEN);
    hyla_factor_destroy(&factor);
    hyla_matrix *x = NULL;
    assert_int_equal(hyla_matrix_create(cube, type, 40, 1, NULL, &x), HYLA_OK);
    hyla_solve_options how = {.method = method, .refinement = HYLA_REFINE_NONE};
    hyla_solve_report report;
    if (trial < 2)
      assert_int_equal(hyla_solve_expert(cube, &how, a, b, x, &report), HYLA_OK);
    else if (definite)
      assert_int_equal(adopt_and_solve(cube, a, b, x), HYLA_OK);
    else
      assert_int_equal(hyla_solve(cube, a, b, x, NULL), HYLA_OK);
    assert_int_equal(hyla_residual(cube, a, x, b, &residual), HYLA_OK);
    assert_true(residual < 16);
    assert_int_equal(hyla_cube_checkpoints(cube, &checkpoints), HYLA_OK);
    assert_int_equal(checkpoints.resumed, 2 * (trial + 1));
    assert_int_equal(checkpoints.failed, 0);
    hyla_matrix_destroy(&x);
    hyla_matrix_destroy(&b);
    hyla_matrix_destroy(&a);
  }
  assert_null(checkpoint_state(checkpoint_shared, path));
  cube_close(&cube);
  checkpoint_forget_shared();
}

/* A matrix that cannot be factored cannot be factored by another run either: no checkpoint
 * stays. */
static void singular_matrices_leave_no_state(void **state) {
  (void)state;
  const hyla_options options = checkpoint_options(checkpoint_shared);
  hyla_cube *cube = NULL;
  hyla_matrix *a = NULL;
  hyla_factor *factor = NULL;
  hyla_layout layout;
  char path[512];
  checkpoint_make_shared();
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_OK);
  assert_int_equal(hyla_layout_parse(cube, "binary/cyclic:6", &layout), HYLA_OK);
  assert_int_equal(hyla_factor_create(cube, HYLA_LU, HYLA_DOUBLE, 40, 1, &layout, NULL, &factor),
                   HYLA_OK);
  assert_int_equal(hyla_matrix_create(cube, HYLA_DOUBLE, 40, 40, &layout, &a), HYLA_OK);
  assert_int_equal(hyla_matrix_generate(cube, a, HYLA_RANDOM, 1), HYLA_OK);
  const double zero = 0;
  for (int64_t i = 0; i < 40; i++) assert_int_equal(hyla_matrix_set(cube, a, i, 20, zero), HYLA_OK);
  assert_int_equal(hyla_factor_compute(cube, factor, a), HYLA_SINGULAR);
  assert_int_equal(hyla_factor_pivot(factor), 21);
  assert_null(checkpoint_state(checkpoint_shared, path));
  hyla_factor_destroy(&factor);
  hyla_matrix_destroy(&a);
  cube_close(&cube);
  checkpoint_forget_shared();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stopped_runs_go_on),
      cmocka_unit_test(pivots_of_tournaments),
      cmocka_unit_test(virtual_runs_go_on),
      cmocka_unit_test(other_calls_go_on_too),
      cmocka_unit_test(singular_matrices_leave_no_state),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
