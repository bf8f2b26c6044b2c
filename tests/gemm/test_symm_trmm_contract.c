/* The contract of symm, hemm, trmm, syrk and herk: the side of A, the texts of plans, allocations
 * that fail anywhere.  Other bad arguments are test_misuse's. */
// ranks: 1 3 4 5 8
// sample: 1 3 4
#include "gemm_case.h"

#include <string.h>

enum { SIZE = 7, COLS = 5 };

/* The arguments of any of the calls. */
struct call {
  hyla_cube *cube;
  hyla_side side;
  hyla_triangle triangle;
  hyla_operation op;
  hyla_diagonal diagonal;
  double alpha, beta;
  hyla_matrix *a, *b, *c; /* SIZE x SIZE, SIZE x COLS, SIZE x COLS; c of updates: SIZE x SIZE */
  const char *variant;
  hyla_plan **plan;
};

static hyla_status symm_plan(const struct call *x) {
  return hyla_symm_plan(x->cube, x->side, x->triangle, x->alpha, x->a, x->b, x->beta, x->c,
                        x->variant, x->plan);
}
static hyla_status symm(const struct call *x) {
  return hyla_symm(x->cube, x->side, x->triangle, x->alpha, x->a, x->b, x->beta, x->c);
}
static hyla_status hemm_plan(const struct call *x) {
  return hyla_hemm_plan(x->cube, x->side, x->triangle, x->alpha, x->a, x->b, x->beta, x->c,
                        x->variant, x->plan);
}
static hyla_status hemm(const struct call *x) {
  return hyla_hemm(x->cube, x->side, x->triangle, x->alpha, x->a, x->b, x->beta, x->c);
}
static hyla_status trmm_plan(const struct call *x) {
  return hyla_trmm_plan(x->cube, x->side, x->triangle, x->op, x->diagonal, x->alpha, x->a, x->b,
                        x->variant, x->plan);
}
static hyla_status trmm(const struct call *x) {
  return hyla_trmm(x->cube, x->side, x->triangle, x->op, x->diagonal, x->alpha, x->a, x->b);
}
static hyla_status syrk_plan(const struct call *x) {
  return hyla_syrk_plan(x->cube, x->triangle, x->op, x->alpha, x->b, x->beta, x->a, x->variant,
                        x->plan);
}
static hyla_status syrk(const struct call *x) {
  return hyla_syrk(x->cube, x->triangle, x->op, x->alpha, x->b, x->beta, x->a);
}
static hyla_status herk_plan(const struct call *x) {
  return hyla_herk_plan(x->cube, x->triangle, x->op, x->alpha, x->b, x->beta, x->a, x->variant,
                        x->plan);
}
static hyla_status herk(const struct call *x) {
  return hyla_herk(x->cube, x->triangle, x->op, x->alpha, x->b, x->beta, x->a);
}

/* The traits of a call: it has a side; it makes a plan. */
enum { SIDE = 1, PLAN = 2 };
static const struct {
  const char *name;
  hyla_status (*make)(const struct call *x);
  int has;
} CALLS[] = {
    {"symm_plan", symm_plan, SIDE | PLAN}, {"symm", symm, SIDE},
    {"hemm_plan", hemm_plan, SIDE | PLAN}, {"hemm", hemm, SIDE},
    {"trmm_plan", trmm_plan, SIDE | PLAN}, {"trmm", trmm, SIDE},
    {"syrk_plan", syrk_plan, PLAN},        {"syrk", syrk, 0},
    {"herk_plan", herk_plan, PLAN},        {"herk", herk, 0},
};
enum { CALL_COUNT = sizeof CALLS / sizeof *CALLS };

static hyla_matrix *matrix(hyla_cube *cube, hyla_type type, int64_t rows, int64_t cols) {
  hyla_matrix *made = NULL;
  assert_int_equal(hyla_matrix_create(cube, type, rows, cols, NULL, &made), HYLA_OK);
  return made;
}

static struct call good_call(hyla_cube *cube, hyla_plan **plan) {
  return (struct call){.cube = cube,
                       .alpha = 1,
                       .beta = 1,
                       .a = matrix(cube, HYLA_DOUBLE, SIZE, SIZE),
                       .b = matrix(cube, HYLA_DOUBLE, SIZE, COLS),
                       .c = matrix(cube, HYLA_DOUBLE, SIZE, COLS),
                       .plan = plan};
}

static void drop_call(struct call *x) {
  hyla_matrix_destroy(&x->a);
  hyla_matrix_destroy(&x->b);
  hyla_matrix_destroy(&x->c);
}

/* A is of the order of C's rows: it does not fit on the other side. */
static void a_on_the_other_side(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  hyla_plan *plan = NULL;
  struct call good = good_call(cube, &plan);
  for (int call = 0; call < CALL_COUNT; call++)
    for (int rank = -1; rank < harness_ranks() && (CALLS[call].has & SIDE); rank++) {
      struct call bad = good;
      if (rank < 0 || rank == harness_rank()) bad.side = HYLA_RIGHT;
      harness_note("%s, rank %d of %d", CALLS[call].name, rank, harness_ranks());
      assert_int_equal(CALLS[call].make(&bad), HYLA_ARGUMENT);
      assert_true(strlen(hyla_cube_message(cube)) > 0);
      assert_null(plan);
    }
  drop_call(&good);
  cube_close(&cube);
}

/* A plan names its use of a triangle. */
static void plans_tell_of_the_triangle(void **state) {
  (void)state;
  static const char *const told[] = {"op(A) 7 x 7: lies as",
                                     "; its upper triangle is read, the other made by",
                                     "; its upper triangle is read without its diagonal",
                                     "; its upper triangle is computed, in half of the"};
  static const int calls[] = {0, 0, 4, 6};
  hyla_cube *cube = cube_open(false);
  hyla_plan *plan = NULL;
  char text[8192];
  struct call x = good_call(cube, &plan);
  x.triangle = HYLA_UPPER;
  x.diagonal = HYLA_UNIT_DIAGONAL;
  for (int i = 0; i < 4; i++) {
    assert_int_equal(CALLS[calls[i]].make(&x), HYLA_OK);
    assert_in_range(hyla_plan_explain(plan, text, sizeof text), 1, sizeof text - 1);
    harness_note("%s: %s", told[i], text);
    assert_non_null(strstr(text, told[i]));
    hyla_plan_destroy(&plan);
  }
  drop_call(&x);
  cube_close(&cube);
}

/* The n-th allocation fails on one rank: all return MEMORY, nothing leaks. */
static void memory_runs_out(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(harness_draw(0, 1) == 0);
  hyla_plan *plan = NULL;
  struct call good = good_call(cube, &plan);
  struct hy_base *base = &cube->base;
  int victim = (int)harness_draw(0, harness_ranks() - 1);
  for (int call = 0; call < CALL_COUNT; call++) {
    int64_t before = base->bytes_now, n = 0;
    if ((CALLS[call].has & PLAN) == 0) continue; /* the others take the same path */
    hyla_status status = HYLA_MEMORY;
    while (status == HYLA_MEMORY) {
      n += harness_draw(1, 64);
      harness_note("%s, allocation %lld on rank %d", CALLS[call].name, (long long)n, victim);
      if (harness_rank() == victim) base->fail_at = base->allocations + n;
      status = CALLS[call].make(&good);
      base->fail_at = 0;
      hyla_plan_destroy(&plan);
      assert_int_equal(base->bytes_now, before);
    }
    assert_int_equal(status, HYLA_OK);
  }
  drop_call(&good);
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_on_the_other_side),
      cmocka_unit_test(plans_tell_of_the_triangle),
      cmocka_unit_test(memory_runs_out),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
