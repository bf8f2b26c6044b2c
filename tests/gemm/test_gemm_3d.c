/* The multiplications on three loops: long and flat shapes, k in rounds, and the planner's word for
 * each shape. */
// limit: 120
#include "gemm_case.h"

#include "gemm/dims_by_loop.h"
#include "gemm/gemm_3d.h"

#include <stdio.h>

static const struct hy_variant *const VARIANTS[] = {&hy_gemm_word,      &hy_gemm_berntsen,
                                                    &hy_gemm_cannon25d, &hy_gemm_all3d,
                                                    &hy_gemm_dns,       &hy_gemm_hje};
enum { COUNT = sizeof VARIANTS / sizeof *VARIANTS };

static hyla_status body(hyla_cube *cube, void *arg) {
  struct gemm_case x = *(const struct gemm_case *)arg;
  x.cube = cube;
  return case_run(&x);
}

static void simulate(int dims, struct gemm_case *x, const char *variant, int64_t m, int64_t n,
                     int64_t k) {
  /* Without times, because rehearsals have a test of their own. */
  hyla_simulation model = {.dims = dims};
  hyla_report report;
  char text[512];
  x->variant = variant;
  x->m = m;
  x->n = n;
  x->k = k;
  hyla_status status = hyla_simulate(&model, body, x, &report);
  case_describe(x, text, sizeof text);
  if (status != HYLA_OK) fail_msg("d = %d, %s: %s", dims, text, report.message);
}

/* One side much longer than the others, or much shorter. */
static void long_and_flat_shapes(void **state) {
  (void)state;
  static const int64_t shapes[][3] = {{1, 1, 211}, {211, 2, 1}, {2, 211, 3}, {67, 71, 1},
                                      {67, 1, 71}, {1, 67, 71}, {5, 3, 131}};
  for (int v = 0; v < COUNT; v++)
    for (int dims = 1; dims <= 5; dims++)
      for (int i = dims % 2; i < 7; i += 2) {
        struct gemm_case x;
        const hyla_cube on = case_paper(dims);
        case_draw(&x, &on);
        simulate(dims, &x, VARIANTS[v]->name, shapes[i][0], shapes[i][1], shapes[i][2]);
      }
}

/* Several rounds of panels, the last one ragged. */
static void inner_sizes_of_several_rounds(void **state) {
  (void)state;
  static const int64_t shapes[][3] = {{90, 3, 1103}, {3, 90, 1103}, {37, 41, 2053}};
  for (int dims = 0; dims <= 3; dims++)
    for (int i = 0; i < 3; i++) {
      struct gemm_case x;
      const hyla_cube on = case_paper(dims);
      case_draw(&x, &on);
      simulate(dims, &x, "word", shapes[i][0], shapes[i][1], shapes[i][2]);
    }
}

/* ------------------------------------------- arrays that variants choose -- */

/* A variant, a shape, the chosen array, and the cost of a node off the array's first row and
 * column. */
struct choice {
  const struct hy_variant *variant;
  int64_t m, n, k;
  double alpha;
  int64_t limit; /* of memory, in bytes; 0: no limit */
  int i, j, l;   /* dimensions of each loop; l: of k */
  hyla_cost cost;
  int64_t moved; /* bytes for moving the operands, which all lie otherwise */
};

static int64_t held(const struct hy_operand *x, int node) {
  return hy_held(&x->row, node) * hy_held(&x->col, node);
}

static hyla_status choose(hyla_cube *cube, void *arg) {
  struct choice *x = arg;
  hyla_layout a, b;
  if (cube->address != 0) return HYLA_OK;
  TRY(hyla_layout_default(cube, x->m, x->k, &a));
  TRY(hyla_layout_default(cube, x->k, x->n, &b));
  struct hy_axis m_rows = hy_axis_make(&a.row, x->m), k_rows = hy_axis_make(&b.row, x->k);
  struct hy_axis n_cols = hy_axis_make(&b.col, x->n), k_cols = hy_axis_make(&a.col, x->k);
  struct hy_gemm_problem given = {.cube = cube,
                                  .kernels = hy_kernels_of(HYLA_DOUBLE),
                                  .m = x->m,
                                  .n = x->n,
                                  .k = x->k,
                                  .a = {.row = m_rows, .col = k_cols},
                                  .b = {.row = k_rows, .col = n_cols},
                                  .c = {.row = m_rows, .col = n_cols}};
  struct hy_gemm_problem wanted = given;
  cube->base.memory_limit = x->limit;
  cube->session.machine = (hyla_machine){.name = "links", .alpha = x->alpha, .beta = 1, .share = 1};
  hy_gemm_traits_of(x->variant)->layouts(&given, &wanted);
  uint32_t i = hy_axis_mask(&wanted.c.row.code), jl = hy_axis_mask(&wanted.c.col.code);
  uint32_t j = jl & hy_axis_mask(&wanted.b.col.code);
  x->i = hy_popcount(i);
  x->j = hy_popcount(j);
  x->l = hy_popcount(jl & ~j);
  struct hy_gemm_replay replay;
  void *state = NULL;
  int node = (int)(i | j);
  hy_gemm_replay_begin(&wanted, node, &replay);
  TRY(x->variant->create(x->variant, &replay.task, &state));
  TRY(x->variant->allocate(state));
  TRY(x->variant->run(state));
  hy_variant_destroy(x->variant, &replay.cube.base, &state);
  x->cost = hy_gemm_replay_end(&wanted, &replay);
  /* Each operand has a message out and one in of at most its own size. */
  x->moved = 3 * (held(&wanted.a, node) + held(&wanted.b, node) + held(&wanted.c, node)) *
             (int64_t)sizeof(double);
  return HYLA_OK;
}

static void take(int dims, struct choice *x) {
  hyla_simulation model = {.dims = dims, .dry = true};
  hyla_report report;
  harness_note("%s, d = %d, %lld x %lld x %lld, alpha %g", x->variant->name, dims, (long long)x->m,
               (long long)x->n, (long long)x->k, x->alpha);
  assert_int_equal(hyla_simulate(&model, choose, x, &report), HYLA_OK);
}

static void each_shape_has_its_word(void **state) {
  (void)state;
  static const struct {
    int dims;
    int64_t m, n, k;
    int i, j, l;
  } known[] = {{6, 1 << 14, 64, 64, 6, 0, 0},      {6, 64, 1 << 14, 64, 0, 6, 0},
               {6, 64, 64, 1 << 14, 0, 0, 6},      {3, 4096, 4096, 4096, 1, 1, 1},
               {6, 4096, 4096, 4096, 2, 2, 2},     {9, 4096, 4096, 4096, 3, 3, 3},
               {4, 1 << 14, 1 << 14, 64, 2, 2, 0}, {4, 1 << 14, 64, 1 << 14, 2, 0, 2},
               {4, 64, 1 << 14, 1 << 14, 0, 2, 2}, {0, 5, 6, 7, 0, 0, 0}};
  for (size_t t = 0; t < sizeof known / sizeof *known; t++) {
    struct choice x = {
        .variant = &hy_gemm_word, .m = known[t].m, .n = known[t].n, .k = known[t].k, .alpha = 1};
    take(known[t].dims, &x);
    assert_int_equal(x.i, known[t].i);
    assert_int_equal(x.j, known[t].j);
    assert_int_equal(x.l, known[t].l);
  }
}

/* The closed forms of doc/theory.md, for equal parts; the operands' entries on a node are a, b and
 * c. */
static hyla_cost word(const struct choice *x, int64_t a, int64_t b, int64_t c) {
  int64_t rounds = x->i + x->j == 0 ? 1 : (x->k >> x->l) / 512;
  int64_t panels = (x->j > 0 ? x->m >> x->i : 0) + (x->i > 0 ? x->n >> x->j : 0);
  /* Two panels for any length of k; one if there is one round. */
  int64_t entries = (rounds > 1 ? 2 : 1) * 512 * panels + (x->l > 0 ? (c << x->l) * 3 / 2 : 0);
  return (hyla_cost){.steps = rounds * hy_max(x->i, x->j) + x->l,
                     .messages = rounds * (x->i + x->j) + x->l,
                     .words = ((1 << x->j) - 1) * a + ((1 << x->i) - 1) * b + ((1 << x->l) - 1) * c,
                     .memory = entries * (int64_t)sizeof(double)};
}

/* i = j, so that both factors' blocks travel in every step. */
static hyla_cost cannon25d(const struct choice *x, int64_t a, int64_t b, int64_t c) {
  int64_t steps = x->i > 0 ? (1 << x->i) >> x->l : 0;
  int64_t entries = x->i > 0 ? 2 * ((a + b) << x->l) : 0;
  entries += x->l > 0 ? (c << x->l) * 3 / 2 : 0;
  return (hyla_cost){.steps = steps + x->l,
                     .messages = 2 * steps + x->l,
                     .words = steps * ((a + b) << x->l) + ((1 << x->l) - 1) * c,
                     .memory = entries * (int64_t)sizeof(double)};
}

/* The variants that choose their array, with the number of arrays that they try before none fits
 * the memory. */
static const struct chooser {
  const struct hy_variant *variant;
  hyla_cost (*counts)(const struct choice *x, int64_t a, int64_t b, int64_t c);
  bool square; /* the closed form is of arrays with i = j */
  int tried;
} CHOOSERS[] = {{&hy_gemm_word, word, false, 4}, {&hy_gemm_cannon25d, cannon25d, true, 3}};
enum { CHOOSER_COUNT = sizeof CHOOSERS / sizeof *CHOOSERS };

/* On machines where words count, and where messages do. */
static void counts_are_those_of_the_theory(void **state) {
  (void)state;
  for (int v = 0; v < CHOOSER_COUNT; v++)
    for (int dims = 0; dims <= 8; dims++)
      /* A node's rounds are played one by one, so there are fewer long ones. */
      for (int t = 0; t < (dims <= 6 ? 4 : 1); t++) {
        int64_t unit = (int64_t)512 << dims; /* divides evenly, in full rounds */
        const int most = dims <= 5 ? 9 : 3;
        struct choice x = {.variant = CHOOSERS[v].variant,
                           .m = unit * harness_draw(1, most),
                           .n = unit * harness_draw(1, most),
                           .k = unit * harness_draw(1, most),
                           .alpha = (dims + t) % 2 == 0 ? 1 : 0x1p40};
        take(dims, &x);
        assert_int_equal(x.i + x.j + x.l, dims);
        if (CHOOSERS[v].square && x.i != x.j) continue;
        const hyla_cost want =
            CHOOSERS[v].counts(&x, (x.m * x.k) >> dims, (x.k * x.n) >> dims, (x.m * x.n) >> dims);
        assert_int_equal(x.cost.steps, want.steps);
        assert_int_equal(x.cost.messages, want.messages);
        assert_int_equal(x.cost.words, want.words);
        assert_int_equal(x.cost.memory, want.memory);
      }
}

/* With a byte less than an array takes: another one, or shorter rounds, until none fits. */
static void arrays_keep_to_the_memory_limit(void **state) {
  (void)state;
  for (int v = 0; v < CHOOSER_COUNT; v++) {
    struct choice x = {
        .variant = CHOOSERS[v].variant, .m = 4096, .n = 4096, .k = 1 << 15, .alpha = 0x1p40};
    int tried = 0;
    for (;; tried++) {
      take(5, &x);
      int64_t total = x.cost.memory + x.moved;
      if (x.limit > 0 && total > x.limit) break;
      x.limit = total - 1;
    }
    harness_note("%s: %d arrays", x.variant->name, tried);
    assert_true(tried >= CHOOSERS[v].tried);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(long_and_flat_shapes),
      cmocka_unit_test(inner_sizes_of_several_rounds),
      cmocka_unit_test(each_shape_has_its_word),
      cmocka_unit_test(counts_are_those_of_the_theory),
      cmocka_unit_test(arrays_keep_to_the_memory_limit),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
