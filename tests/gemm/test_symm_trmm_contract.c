/* The contract of symm, hemm, trmm, syrk and herk: every bad argument of every call, on all ranks
 * and on one only; arguments that differ; allocations that fail anywhere. */
// ranks: 1 2 3 4 5 8
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

/* The arguments of a call, besides a cube, a triangle, a and b. */
enum { SIDE = 1, C = 2, OP = 4, DIAGONAL = 8, PLAN = 16 };
static const struct {
  const char *name;
  hyla_status (*make)(const struct call *x);
  int has;
} CALLS[] = {
    {"symm_plan", symm_plan, SIDE | C | PLAN},
    {"symm", symm, SIDE | C},
    {"hemm_plan", hemm_plan, SIDE | C | PLAN},
    {"hemm", hemm, SIDE | C},
    {"trmm_plan", trmm_plan, SIDE | OP | DIAGONAL | PLAN},
    {"trmm", trmm, SIDE | OP | DIAGONAL},
    {"syrk_plan", syrk_plan, OP | PLAN},
    {"syrk", syrk, OP},
    {"herk_plan", herk_plan, OP | PLAN},
    {"herk", herk, OP},
};
enum { CALL_COUNT = sizeof CALLS / sizeof *CALLS };

/* Matrices that do not fit. */
static hyla_matrix *other_type, *other_size, *other_cube, *part_of_b;

static void bad_side(struct call *x) { x->side = (hyla_side)2; }
static void bad_triangle(struct call *x) { x->triangle = (hyla_triangle)-1; }
static void bad_op(struct call *x) { x->op = (hyla_operation)3; }
static void bad_diagonal(struct call *x) { x->diagonal = (hyla_diagonal)2; }
static void no_a(struct call *x) { x->a = NULL; }
static void no_b(struct call *x) { x->b = NULL; }
static void no_c(struct call *x) { x->c = NULL; }
static void type_a(struct call *x) { x->a = other_type; }
static void size_a(struct call *x) { x->a = other_size; }
static void oblong_a(struct call *x) { x->a = x->c; }
static void cube_a(struct call *x) { x->a = other_cube; }
static void wrong_side(struct call *x) { x->side = HYLA_RIGHT; }
static void size_c(struct call *x) { x->c = x->a; }
static void c_is_b(struct call *x) { x->c = x->b; }
static void inside(struct call *x) { x->c = part_of_b; }
static void no_plan(struct call *x) { x->plan = NULL; }
static void unknown_variant(struct call *x) { x->variant = "strassen"; }

static const struct {
  const char *what;
  void (*plant)(struct call *x);
  int needs;
  bool shared; /* only a rank with entries can see it */
} FAULTS[] = {
    {"side", bad_side, SIDE, false},   {"triangle", bad_triangle, 0, false},
    {"op", bad_op, OP, false},         {"diagonal", bad_diagonal, DIAGONAL, false},
    {"a NULL", no_a, 0, false},        {"b NULL", no_b, 0, false},
    {"c NULL", no_c, C, false},        {"type of a", type_a, 0, false},
    {"size of a", size_a, 0, false},   {"a not square", oblong_a, 0, false},
    {"cube of a", cube_a, 0, false},   {"a on the other side", wrong_side, SIDE, false},
    {"size of c", size_c, C, false},   {"c is b", c_is_b, C, true},
    {"c overlaps b", inside, C, true}, {"plan NULL", no_plan, PLAN, false},
};
enum { FAULT_COUNT = sizeof FAULTS / sizeof *FAULTS };

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

static void try_faults(const struct call *good, int call, int fault) {
  for (int rank = -1; rank < harness_ranks(); rank++) {
    struct call bad = *good;
    /* Rank 0 has all entries of such a small matrix. */
    if (FAULTS[fault].shared && rank > 0) continue;
    if (rank < 0 || rank == harness_rank()) FAULTS[fault].plant(&bad);
    harness_note("%s, %s, rank %d of %d", CALLS[call].name, FAULTS[fault].what, rank,
                 harness_ranks());
    assert_int_equal(CALLS[call].make(&bad), HYLA_ARGUMENT);
    assert_true(strlen(hyla_cube_message(good->cube)) > 0);
    assert_null(*good->plan);
  }
}

static void bad_arguments(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false), *second = cube_open(true);
  hyla_plan *plan = NULL;
  struct call good = good_call(cube, &plan);
  other_type = matrix(cube, HYLA_FLOAT, SIZE, SIZE);
  other_size = matrix(cube, HYLA_DOUBLE, SIZE + 1, SIZE + 1);
  other_cube = matrix(second, HYLA_DOUBLE, SIZE, SIZE);
  assert_int_equal(hyla_matrix_view(good.b, 0, 0, SIZE, COLS, &part_of_b), HYLA_OK);
  for (int call = 0; call < CALL_COUNT; call++) {
    assert_int_equal(CALLS[call].make(&good), HYLA_OK);
    hyla_plan_destroy(&plan);
    for (int fault = 0; fault < FAULT_COUNT; fault++)
      if ((FAULTS[fault].needs & ~CALLS[call].has) == 0) try_faults(&good, call, fault);
    struct call nowhere = good;
    nowhere.cube = NULL;
    assert_int_equal(CALLS[call].make(&nowhere), HYLA_ARGUMENT);
  }
  hyla_matrix **all[] = {&part_of_b, &other_type, &other_size, &other_cube};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) hyla_matrix_destroy(all[i]);
  drop_call(&good);
  cube_close(&second);
  cube_close(&cube);
}

/* A plan names its use of a triangle. */
static void plans_tell_of_the_triangle(void **state) {
  (void)state;
  static const char *const told[] = {"op(A) 7 x 7: lies as",
                                     "of which the upper triangle is read, the other made by",
                                     "of which the upper triangle is read without its diagonal",
                                     "of which the upper triangle is computed, in half of the"};
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

static void upper(struct call *x) { x->triangle = HYLA_UPPER; }
static void other_diagonal(struct call *x) { x->diagonal = HYLA_UNIT_DIAGONAL; }
static void turned(struct call *x) { x->op = HYLA_TRANSPOSE; }
static void doubled(struct call *x) { x->alpha = 2; }

/* Good arguments that differ between the ranks. */
static void differing_arguments(void **state) {
  (void)state;
  static const struct {
    void (*change)(struct call *x);
    int needs;
  } changes[] = {{upper, 0},
                 {doubled, 0},
                 {other_diagonal, DIAGONAL},
                 {turned, DIAGONAL},
                 {unknown_variant, PLAN}};
  hyla_cube *cube = cube_open(false);
  hyla_plan *plan = NULL;
  struct call good = good_call(cube, &plan);
  bool last = harness_rank() == harness_ranks() - 1;
  for (int call = 0; call < CALL_COUNT; call++)
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
      struct call x = good;
      if ((changes[i].needs & ~CALLS[call].has) != 0 || harness_ranks() == 1) continue;
      if (last) changes[i].change(&x);
      harness_note("%s, change %zu", CALLS[call].name, i);
      assert_int_equal(CALLS[call].make(&x), HYLA_MISMATCH);
    }
  drop_call(&good);
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
      cmocka_unit_test(bad_arguments),
      cmocka_unit_test(plans_tell_of_the_triangle),
      cmocka_unit_test(differing_arguments),
      cmocka_unit_test(memory_runs_out),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
