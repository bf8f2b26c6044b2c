/* The error contract of the solve layer: factorizations that cannot be made, and every allocation
 * failing on one rank.  Matrices that do not fit are test_misuse's. */
// ranks: 1 3 4 8
// sample: 1 3
// arrays: 3x1
// limit: 120
#include "lu_case.h"
#include "solve/solve.h"

/* Is the argument wrong on this rank?  It is on all ranks if `one' is negative. */
static bool wrong_here(int one) { return one < 0 || harness_rank() == one; }

static void assert_refused(hyla_cube *cube, hyla_status status, hyla_status expected) {
  lu_assert_status(cube, status, expected);
  assert_true(hyla_cube_message(cube)[0] != '\0');
}

static void create_refuses(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  hyla_layout good, bad;
  assert_int_equal(hyla_layout_default(cube, 9, 9, &good), HYLA_OK);
  bad = good;
  bad.row.dims = 25;
  for (int one = -1; one < harness_ranks(); one++)
    for (int i = 0; i < 5; i++) {
      bool mine = wrong_here(one);
      hyla_factor *factor = (void *)&good;
      hyla_status status =
          hyla_factor_create(cube, HYLA_LU, mine && i == 0 ? (hyla_type)7 : HYLA_DOUBLE,
                             mine && i == 1 ? -1 : 9, mine && i == 2 ? -1 : 2,
                             mine && i == 3 ? &bad : &good, NULL, mine && i == 4 ? NULL : &factor);
      harness_note("case %d on rank %d", i, one);
      assert_refused(cube, status, HYLA_ARGUMENT);
      if (!(mine && i == 4)) assert_null(factor);
    }
  hyla_factor *factor = NULL;
  assert_refused(cube, hyla_factor_create(cube, HYLA_LU, HYLA_DOUBLE, 9, 2, &good, "qr", &factor),
                 HYLA_ARGUMENT);
  assert_int_equal(hyla_factor_create(NULL, HYLA_LU, HYLA_DOUBLE, 9, 2, NULL, NULL, &factor),
                   HYLA_ARGUMENT);
  if (harness_ranks() > 1) {
    int64_t n = harness_rank() == 0 ? 9 : 8;
    assert_refused(cube, hyla_factor_create(cube, HYLA_LU, HYLA_DOUBLE, n, 2, NULL, NULL, &factor),
                   HYLA_MISMATCH);
    const char *variant = harness_rank() == 0 ? "partial" : NULL;
    assert_refused(cube,
                   hyla_factor_create(cube, HYLA_LU, HYLA_DOUBLE, 9, 2, NULL, variant, &factor),
                   HYLA_MISMATCH);
  }
  assert_null(factor);
  cube_close(&cube);
}

/* A method that does not exist, on all ranks or on one. */
static void methods_are_known(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  const int unknown[] = {-1, hy_method_count, 1000};
  for (int one = -1; one < harness_ranks(); one++)
    for (int i = 0; i < 3; i++) {
      hyla_factor *factor = NULL;
      int method = wrong_here(one) ? unknown[i] : HYLA_LU;
      harness_note("method %d on rank %d", unknown[i], one);
      assert_refused(
          cube,
          hyla_factor_create(cube, (hyla_method)method, HYLA_DOUBLE, 9, 2, NULL, NULL, &factor),
          HYLA_ARGUMENT);
      assert_non_null(strstr(hyla_cube_message(cube), "is no method"));
      assert_null(factor);
    }
  cube_close(&cube);
}

/* A factorization's plan has a description, and hyla_plan_run refuses it. */
static void plans_of_factorizations_are_run_by_their_own_calls(void **state) {
  (void)state;
  hyla_options options;
  hyla_cube *cube = NULL;
  hyla_factor *factor = NULL;
  hyla_options_init(&options);
  options.variant = "lu:partial";
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_OK);
  lu_assert_status(cube, hyla_factor_create(cube, HYLA_LU, HYLA_DOUBLE, 9, 2, NULL, NULL, &factor),
                   HYLA_OK);
  hyla_plan *plan = factor->plan;
  char text[8000];
  assert_ptr_equal(hyla_factor_plan(factor), plan);
  assert_true(hyla_plan_explain(plan, text, sizeof text) < sizeof text);
  assert_non_null(strstr(text, "lu: variant partial, because it was asked for"));
  assert_refused(cube, hyla_plan_run(cube, plan), HYLA_ARGUMENT);
  assert_non_null(strstr(hyla_cube_message(cube), "hyla_factor_compute and hyla_factor_solve"));
  hyla_factor_destroy(&factor);
  options.variant = "lu:no-such-variant";
  cube_close(&cube);
  assert_int_equal(hyla_cube_create(MPI_COMM_WORLD, &options, &cube), HYLA_ARGUMENT);
  assert_non_null(strstr(hyla_cube_message(cube), "lu has no variant 'no-such-variant'"));
  cube_close(&cube);
  cube = cube_open(false);
  assert_refused(cube,
                 hyla_factor_create(cube, HYLA_LU, HYLA_DOUBLE, 9, 2, NULL, "no-such", &factor),
                 HYLA_ARGUMENT);
  assert_null(factor);
  cube_close(&cube);
}

/* Matrices 6 x 6 and 6 x 2, and faulty ones. */
struct matrices {
  hyla_matrix *a, *x, *wide, *flat, *single, *foreign;
};

static struct matrices make_matrices(hyla_cube *cube, hyla_cube *other) {
  struct matrices m;
  m.a = lu_matrix(cube, HYLA_DOUBLE, 6, 6, NULL);
  m.x = lu_matrix(cube, HYLA_DOUBLE, 6, 2, NULL);
  m.wide = lu_matrix(cube, HYLA_DOUBLE, 6, 7, NULL);
  m.flat = lu_matrix(cube, HYLA_DOUBLE, 5, 2, NULL);
  m.single = lu_matrix(cube, HYLA_FLOAT, 6, 2, NULL);
  m.foreign = lu_matrix(other, HYLA_DOUBLE, 6, 2, NULL);
  assert_int_equal(hyla_matrix_generate(cube, m.a, HYLA_DOMINANT, 1), HYLA_OK);
  return m;
}

static void free_matrices(struct matrices *m) {
  hyla_matrix **all[] = {&m->a, &m->x, &m->wide, &m->flat, &m->single, &m->foreign};
  for (int i = 0; i < 6; i++) hyla_matrix_destroy(all[i]);
}

/* More columns than the factorization was made for, and a solution that does not fit. */
static void solve_refuses(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false), *other = cube_open(false);
  struct matrices m = make_matrices(cube, other);
  hyla_factor *factor = NULL;
  lu_assert_status(cube, hyla_factor_create(cube, HYLA_LU, HYLA_DOUBLE, 6, 4, NULL, NULL, &factor),
                   HYLA_OK);
  lu_assert_status(cube, hyla_factor_compute(cube, factor, m.a), HYLA_OK);
  for (int one = -1; one < harness_ranks(); one++) {
    hyla_matrix *bad = wrong_here(one) ? m.wide : m.x;
    int64_t pivot = 5;
    harness_note("wrong on rank %d", one);
    assert_refused(cube, hyla_factor_solve(cube, factor, HYLA_NONE, bad, bad), HYLA_ARGUMENT);
    assert_refused(cube, hyla_solve(cube, m.a, m.x, bad, &pivot), HYLA_ARGUMENT);
    assert_int_equal(pivot, 0);
  }
  hyla_factor_destroy(&factor);
  free_matrices(&m);
  cube_close(&other);
  cube_close(&cube);
}

/* Is this true on any rank, including spare ranks? */
static bool on_any(hyla_cube *cube, bool here) {
  return hy_agree(cube, here ? HYLA_MEMORY : HYLA_OK) == HYLA_MEMORY;
}

/* Calls `call' with one allocation failing on one rank (in full on three), the first and then one
 * of the next `most' (in full each), until no allocation is left to fail: MEMORY everywhere, and no
 * leak.  With shared memory success is right too: all ranks use private memory instead. */
static void exhaust_some(hyla_cube *cube, hyla_status (*call)(hyla_cube *cube, void *arg),
                         void *arg, int64_t most) {
  int64_t before = cube->base.bytes_now;
  const int last = harness_ranks() - 1, drawn = (int)harness_draw(0, last);
  int64_t part, parts;
  const bool whole = harness_part(&part, &parts);
  for (int where = 0; where <= last; where++) {
    if (where != drawn && !(whole && (where == 0 || where == last))) continue;
    int failures = 0;
    bool more = true;
    for (int64_t nth = 1; more; nth += whole ? 1 : harness_draw(1, most)) {
      harness_note("allocation %lld on rank %d", (long long)nth, where);
      if (where == harness_rank()) cube->base.fail_at = cube->base.allocations + nth;
      hyla_status status = call(cube, arg);
      /* One that fails where a plan is played is not in the cube's count. */
      bool reached = where == harness_rank() && cube->base.allocations >= cube->base.fail_at;
      cube->base.fail_at = 0;
      more = on_any(cube, reached || status == HYLA_MEMORY);
      bool replaced = !cube->session.private_memory && more && status == HYLA_OK;
      assert_int_equal(replaced, on_any(cube, replaced));
      lu_assert_status(cube, status, more && !replaced ? HYLA_MEMORY : HYLA_OK);
      failures += status == HYLA_MEMORY;
      assert_int_equal(cube->base.bytes_now, before);
      assert_in_range(nth, 1, 1000);
    }
    assert_true(failures > 0);
  }
}

static void exhaust(hyla_cube *cube, hyla_status (*call)(hyla_cube *cube, void *arg), void *arg) {
  exhaust_some(cube, call, arg, 1);
}

static hyla_status create_and_destroy(hyla_cube *cube, void *arg) {
  const hyla_method *method = arg;
  hyla_factor *factor = NULL;
  hyla_status status = hyla_factor_create(cube, *method, HYLA_DOUBLE, 20, 3, NULL, NULL, &factor);
  assert_true((factor == NULL) == (status != HYLA_OK));
  (void)hyla_factor_destroy(&factor);
  return status;
}

static hyla_status solve_once(hyla_cube *cube, void *arg) {
  struct matrices *m = arg;
  return hyla_solve(cube, m->a, m->x, m->x, NULL);
}

static hyla_status residual_once(hyla_cube *cube, void *arg) {
  struct matrices *m = arg;
  double residual = 0;
  return hyla_residual(cube, m->a, m->x, m->x, &residual);
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  for (int private_memory = 0; private_memory < 2; private_memory++) {
    hyla_cube *cube = cube_open(private_memory), *other = cube_open(private_memory);
    struct matrices m = make_matrices(cube, other);
    for (int i = 0; i < hy_method_count; i++) {
      hyla_method method = (hyla_method)i;
      if (private_memory || method == HYLA_LU)
        exhaust_some(cube, create_and_destroy, &method, method == HYLA_LU ? 1 : 3);
    }
    exhaust(cube, solve_once, &m);
    exhaust(cube, residual_once, &m);
    free_matrices(&m);
    cube_close(&other);
    cube_close(&cube);
  }
}

/* The plan for a foreign layout is made when the matrix is first seen. */
static hyla_status compute_once(hyla_cube *cube, void *arg) {
  hyla_matrix *a = arg;
  hyla_factor *factor = NULL;
  int64_t fail_at = cube->base.fail_at, allocations = cube->base.allocations;
  cube->base.fail_at = 0;
  lu_assert_status(cube, hyla_factor_create(cube, HYLA_LU, HYLA_DOUBLE, 20, 1, NULL, NULL, &factor),
                   HYLA_OK);
  if (fail_at > 0) cube->base.fail_at = cube->base.allocations + fail_at - allocations;
  hyla_status status = hyla_factor_compute(cube, factor, a);
  (void)hyla_factor_destroy(&factor);
  return status;
}

static void planning_for_a_foreign_layout_may_fail(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  const hyla_layout layout = cube_layout(cube, "gray/consecutive");
  hyla_matrix *a = lu_matrix(cube, HYLA_DOUBLE, 20, 20, &layout);
  assert_int_equal(hyla_matrix_generate(cube, a, HYLA_RANDOM, 1), HYLA_OK);
  if (cube->nodes > 1) exhaust(cube, compute_once, a);
  hyla_matrix_destroy(&a);
  cube_close(&cube);
}

/* ------------------------------------------------------ transposed systems -- */

static hyla_factor *identity(hyla_cube *cube, int64_t n, int64_t nrhs) {
  hyla_layout layout = lu_draw_layout(cube, 3);
  hyla_matrix *a = lu_matrix(cube, HYLA_DOUBLE, n, n, NULL);
  hyla_factor *factor = NULL;
  assert_int_equal(hyla_matrix_generate(cube, a, HYLA_IDENTITY, 0), HYLA_OK);
  lu_assert_status(cube,
                   hyla_factor_create(cube, HYLA_LU, HYLA_DOUBLE, n, nrhs, &layout, NULL, &factor),
                   HYLA_OK);
  lu_assert_status(cube, hyla_factor_compute(cube, factor, a), HYLA_OK);
  hyla_matrix_destroy(&a);
  return factor;
}

/* The n-th allocation fails on one rank, for every n: all ranks learn of it, and the next solution
 * is right. */
static void memory_runs_out_for_transposes(void **state) {
  (void)state;
  const int64_t n = 23;
  hyla_cube *cube = lu_cube_open(false);
  struct hy_base *base = &cube->base;
  int victim = (int)harness_draw(0, harness_ranks() - 1), failed = 0;
  hyla_matrix *x = lu_matrix(cube, HYLA_DOUBLE, n, 5, NULL);
  for (int nth = 1; nth <= 45; nth += 2) {
    hyla_factor *factor = identity(cube, n, nth % 4 == 1 ? 5 : 70);
    harness_note("allocation %d on rank %d", nth, victim);
    assert_int_equal(hyla_matrix_generate(cube, x, HYLA_ONES, 0), HYLA_OK);
    if (harness_rank() == victim) base->fail_at = base->allocations + nth;
    hyla_status status = hyla_factor_solve(cube, factor, HYLA_TRANSPOSE, x, x);
    base->fail_at = 0;
    lu_assert_status(cube, status, status == HYLA_OK ? HYLA_OK : HYLA_MEMORY);
    failed += status == HYLA_MEMORY;
    assert_int_equal(hyla_matrix_generate(cube, x, HYLA_ONES, 0), HYLA_OK);
    lu_assert_status(cube, hyla_factor_solve(cube, factor, HYLA_TRANSPOSE, x, x), HYLA_OK);
    for (int64_t c = 0; c < x->local_cols; c++)
      for (int64_t r = 0; r < x->local_rows; r++) assert_true(x->k->get(hy_at(x, r, c), 0) == 1);
    hyla_factor_destroy(&factor);
  }
  assert_true(failed > 3);
  hyla_matrix_destroy(&x);
  cube_close(&cube);
}

static void a_bad_op_is_refused_everywhere(void **state) {
  (void)state;
  hyla_cube *cube = lu_cube_open(false);
  hyla_factor *factor = identity(cube, 5, 1);
  hyla_matrix *x = lu_matrix(cube, HYLA_DOUBLE, 5, 1, NULL);
  int ranks = harness_ranks();
  for (int where = -1; where < ranks; where++) {
    bool here = where < 0 || where == harness_rank();
    hyla_operation op = here ? (hyla_operation)3 : HYLA_TRANSPOSE;
    assert_int_equal(hyla_factor_solve(cube, factor, op, x, x), HYLA_ARGUMENT);
    assert_non_null(strstr(hyla_cube_message(cube), "hyla_factor_solve: op is 3"));
  }
  hyla_operation op = harness_rank() == ranks - 1 ? HYLA_NONE : HYLA_TRANSPOSE;
  if (ranks > 1) assert_int_equal(hyla_factor_solve(cube, factor, op, x, x), HYLA_MISMATCH);
  hyla_matrix_destroy(&x);
  hyla_factor_destroy(&factor);
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(create_refuses),
      cmocka_unit_test(methods_are_known),
      cmocka_unit_test(plans_of_factorizations_are_run_by_their_own_calls),
      cmocka_unit_test(solve_refuses),
      cmocka_unit_test(every_allocation_may_fail),
      cmocka_unit_test(planning_for_a_foreign_layout_may_fail),
      cmocka_unit_test(memory_runs_out_for_transposes),
      cmocka_unit_test(a_bad_op_is_refused_everywhere),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
