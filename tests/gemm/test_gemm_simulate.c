/* Multiplication on virtual cubes of up to 64 nodes and on other arrays: every variant compared
 * with long double sums, and every node's messages with the plan's cost.  A sample of the cases is
 * run; all of them take minutes: HYLA_TEST_FULL=1 HYLA_TEST_ONLY=every_case ../tests/run
 * tests/gemm/test_gemm_simulate */
// limit: 120
#include "gemm_case.h"

#include <math.h>
#include <string.h>

static hyla_axis axis(hyla_code code, hyla_storage storage, int64_t block, int low, int dims) {
  hyla_axis made = {.dims = dims, .code = code, .storage = storage, .block = block};
  for (int i = 0; i < dims; i++) made.dim[i] = (uint8_t)(low + i);
  return made;
}

static hyla_layout on_array(int dims, int rows, hyla_code code, hyla_storage storage,
                            int64_t block) {
  return (hyla_layout){.row = axis(code, storage, block, dims - rows, rows),
                       .col = axis(code, storage, block, 0, dims - rows)};
}

/* Every variant with every type, operations and ragged shape, in any layouts, drawn anew in each
 * round; more of them on few nodes, where problems are quick.  array: on arrays about as large as
 * the cube. */
static void walk(int dims, bool array, int few) {
  int64_t rounds = dims < 4 ? 2 : 1;
  struct harness_walk cases = harness_walk(rounds * CASES, few);
  int64_t index;
  while (harness_next(&cases, &index)) {
    struct gemm_case x;
    const hyla_cube on = draw_nodes(dims, array);
    case_take(&x, &on, index % CASES);
    case_simulate(&on, &x);
  }
}

static void every_case_on_1_node(void **state) {
  (void)state;
  walk(0, false, 150);
}
static void every_case_on_2_nodes(void **state) {
  (void)state;
  walk(1, false, 60);
  walk(1, true, 40);
}
static void every_case_on_4_nodes(void **state) {
  (void)state;
  walk(2, false, 30);
  walk(2, true, 40);
}
static void every_case_on_8_nodes(void **state) {
  (void)state;
  walk(3, false, 25);
  walk(3, true, 25);
}
static void every_case_on_16_nodes(void **state) {
  (void)state;
  walk(4, false, 12);
  walk(4, true, 13);
}
static void every_case_on_32_nodes(void **state) {
  (void)state;
  walk(5, false, 4);
  walk(5, true, 4);
}
static void every_case_on_64_nodes(void **state) {
  (void)state;
  walk(6, false, 3);
  walk(6, true, 2);
}

/* On every array, in the layouts of the variants' papers, in which nothing is redistributed: k's
 * blocks on A's columns and on B's rows must fit for every k. */
static void every_inner_size_on_every_array(void **state) {
  (void)state;
  for (int v = 0; v < hy_family_count(&hy_gemm_family); v++)
    for (int dims = 0; dims <= 4; dims++)
      for (int rows = 0; rows <= dims; rows++) {
        struct gemm_case x = {.type = HYLA_DOUBLE,
                              .m = 9,
                              .n = 10,
                              .k = harness_draw(0, 1 << (dims + 1)),
                              .alpha = 1,
                              .beta = 1,
                              .variant = hy_gemm_family.rows[v]->name};
        for (int code = HYLA_BINARY; code <= HYLA_GRAY; code++) {
          x.layout_a = on_array(dims, rows, (hyla_code)code, HYLA_CONSECUTIVE, 0);
          x.layout_b = x.layout_c = x.layout_a;
          const hyla_cube on = case_paper(dims);
          case_simulate(&on, &x);
        }
      }
}

/* Inner sizes of several panels of 256, and of blocks that are joined in one. */
static void wide_inner_sizes(void **state) {
  (void)state;
  static const int64_t blocks[] = {1, 3, 64, 200, 0};
  for (int dims = 0; dims <= 3; dims++)
    for (int i = 0; i < 5; i++) {
      struct gemm_case x = {.type = HYLA_DOUBLE,
                            .m = 5,
                            .n = 6,
                            .k = 1303,
                            .alpha = 1,
                            .beta = 0,
                            .variant = "summa"};
      hyla_storage storage = blocks[i] > 0 ? HYLA_CYCLIC : HYLA_CONSECUTIVE;
      int rows = i * dims / 4;
      x.layout_a = on_array(dims, rows, HYLA_BINARY, storage, blocks[i]);
      x.layout_b = on_array(dims, rows, HYLA_GRAY, HYLA_CYCLIC, harness_draw(1, 300));
      x.layout_c = harness_draw(0, 1) ? x.layout_a : x.layout_b;
      const hyla_cube on = case_paper(dims);
      case_simulate(&on, &x);
    }
}

/* Cyclic storage in one code on square arrays.  There the blocks of several variants may be parts
 * of cyclic axes, nothing is moved and packets follow one another; m, n, k are ragged. */
static void cyclic_storage_on_square_arrays(void **state) {
  (void)state;
  static const char *const variants[] = {"cannon", "dekel", "reflect", "outer", "outer-pipelined"};
  for (int v = 0; v < 5; v++)
    for (int dims = 2; dims <= 6; dims += 2)
      for (int i = 0; i < (dims < 6 ? 6 : 2); i++) {
        struct gemm_case x;
        const hyla_cube on = case_paper(dims);
        case_draw(&x, &on);
        bool binary = v == 1 || (v == 2 && i % 2 == 0); /* reflect takes both codes */
        hyla_code code = binary ? HYLA_BINARY : HYLA_GRAY;
        int64_t k_block = harness_draw(1, 3);
        x.layout_c = on_array(dims, dims / 2, code, HYLA_CYCLIC, harness_draw(1, 3));
        x.layout_a = on_array(dims, dims / 2, code, HYLA_CYCLIC, k_block);
        x.layout_b = x.layout_a;
        x.layout_a.row = x.layout_c.row;
        x.layout_b.col = x.layout_c.col;
        x.op_a = x.op_b = HYLA_NONE;
        x.m = harness_draw(0, 5 << dims / 2);
        x.n = harness_draw(0, 5 << dims / 2);
        x.k = harness_draw(0, 5 << dims / 2);
        x.machine = i > 0 ? CASE_LINKS : CASE_OWN;
        x.variant = variants[v];
        if (i % 3 == 2) case_draw_symm_trmm(&x);
        case_simulate(&on, &x);
      }
}

/* ------------------------------------------------------------ prices -- */

/* C := A B of m x k and k x n in consecutive blocks on a square array: its plan on a node. */
struct priced {
  const char *variant;
  hyla_code code;
  int64_t m, n, k;
  bool dealt; /* k one by one on B's rows, or on A's columns if B's rows are not split */
  double alpha;
  hyla_cost cost;
  char text[2048];
};

static hyla_status make_plan(hyla_cube *cube, const struct priced *p, hyla_matrix **matrix,
                             hyla_plan **plan) {
  const hyla_layout whole = on_array(cube->dims, cube->dims / 2, p->code, HYLA_CONSECUTIVE, 0);
  hyla_layout of_a = whole, of_b = whole;
  hyla_axis *inner = whole.row.dims > 0 ? &of_b.row : &of_a.col;
  if (p->dealt) inner->storage = HYLA_CYCLIC, inner->block = 1;
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE, p->m, p->k, &of_a, &matrix[0]));
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE, p->k, p->n, &of_b, &matrix[1]));
  TRY(hyla_matrix_create(cube, HYLA_DOUBLE, p->m, p->n, &whole, &matrix[2]));
  return hyla_gemm_plan(cube, HYLA_NONE, HYLA_NONE, 1, matrix[0], matrix[1], 0, matrix[2],
                        p->variant, plan);
}

/* On links that can all be used at once; an element takes a second, a start alpha. */
static hyla_status price(hyla_cube *cube, void *arg) {
  struct priced *p = arg;
  hyla_matrix *matrix[3] = {NULL};
  hyla_plan *plan = NULL;
  cube->session.machine = (hyla_machine){
      .name = "links", .alpha = p->alpha, .beta = .125, .share = 1, .network = HYLA_NETWORK_CUBE};
  hyla_status status = make_plan(cube, p, matrix, &plan);
  if (cube->address == 0) p->cost = hyla_plan_cost(plan);
  if (cube->address == 0) hyla_plan_explain(plan, p->text, sizeof p->text);
  hyla_plan_destroy(&plan);
  for (int i = 0; i < 3; i++) hyla_matrix_destroy(&matrix[i]);
  return status;
}

static void price_on(int dims, struct priced *p) {
  const hyla_simulation model = {.dims = dims};
  hyla_report report;
  if (hyla_simulate(&model, price, p, &report) != HYLA_OK) fail_msg("%s", report.message);
}

/* The P that makes (each P + once) (alpha + ceil(entries / P)) least, by trying all. */
static int64_t best_packets(int64_t entries, int64_t each, int64_t once, double alpha) {
  int64_t best = 1;
  double least = INFINITY;
  for (int64_t p = 1; p <= entries; p++) {
    double time = (double)(each * p + once) * (alpha + (double)hy_ceil_div(entries, p));
    if (time < least) best = p;
    least = fmin(time, least);
  }
  return best;
}

/* Blocks travel in as many packets as doc/theory.md's counts of steps make best. */
static void packets_are_the_best_ones(void **state) {
  (void)state;
  static const double alphas[] = {0, .5, 2, 3, 8, 100};
  for (int k = 2; k <= 3; k++)
    for (int i = 0; i < 6; i++) {
      const int64_t panels = 1 << k;
      const struct {
        const char *variant;
        hyla_code code;
        int64_t each, once;
      } counts[] = {{"cannon", HYLA_GRAY, 1, k - 1},
                    {"dekel", HYLA_BINARY, 1, k - 1},
                    {"reflect", HYLA_GRAY, panels, 2 * k - 1},
                    {"outer", HYLA_GRAY, panels, 2 * panels + 2 * k - 3},
                    {"outer-pipelined", HYLA_GRAY, panels, 2 * k - 1}};
      for (int v = 0; v < 5; v++) {
        struct priced p = {.variant = counts[v].variant,
                           .code = counts[v].code,
                           .m = 5 << k,
                           .n = 3 << k,
                           .k = 4 << k,
                           .alpha = alphas[i]};
        int64_t best = best_packets(20, counts[v].each, counts[v].once, alphas[i]);
        int64_t steps = counts[v].each * best + counts[v].once;
        char says[128];
        harness_note("%s, %lld x %lld, alpha %g", p.variant, (long long)panels, (long long)panels,
                     p.alpha);
        if (v < 2)
          snprintf(says, sizeof says, "blocks in %lld packets", (long long)best);
        else
          snprintf(says, sizeof says,
                   "panels: %lld, in %lld packets each; at all nodes in %lld steps",
                   (long long)panels, (long long)best, (long long)steps);
        price_on(2 * k, &p);
        if ((strstr(p.text, says) != NULL) != (v > 1 || best > 1))
          fail_msg("best is `%s': %s", says, p.text);
        if (v < 2) assert_int_equal(p.cost.steps, panels - 1 + (best > 1 ? steps : 1));
      }
    }
}

/* A panel of SUMMA is copied together where its owner has it with gaps; in place, where it is no
 * stretch of a block.  The workspace is a panel of each factor that is sent or copied. */
static void panels_with_gaps_are_copied(void **state) {
  (void)state;
  static const struct {
    int dims;
    int64_t n, k;
    bool dealt;
    int64_t copied, room; /* entries, on a node, of 6 x k and k x n on 2 x 2, 1 x 2 or one node */
  } cases[] = {
      {2, 10, 1200, false, 600 * 5, 256 * (3 + 5)},     /* B's panels: some rows of 600 */
      {2, 2, 1200, false, 0, 256 * (3 + 1)},            /* of one column */
      {2, 10, 400, false, 0, 200 * (3 + 5)},            /* all rows of the block */
      {2, 10, 400, true, 200 * (3 + 5), 100 * (3 + 5)}, /* each second column of A's block */
      {0, 10, 1200, false, 0, 0},                       /* in place */
      {1, 10, 1200, true, 1200 * 5, 256 * (6 + 5)}};    /* each second row of B, in place */
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct priced p = {.variant = "summa",
                       .m = 6,
                       .n = cases[i].n,
                       .k = cases[i].k,
                       .dealt = cases[i].dealt,
                       .alpha = 1};
    harness_note("%d dimensions, n = %lld, k = %lld", cases[i].dims, (long long)p.n,
                 (long long)p.k);
    price_on(cases[i].dims, &p);
    assert_int_equal(p.cost.copied, cases[i].copied);
    assert_int_equal(p.cost.memory, cases[i].room * (int64_t)sizeof(double));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_case_on_1_node),
      cmocka_unit_test(every_case_on_2_nodes),
      cmocka_unit_test(every_case_on_4_nodes),
      cmocka_unit_test(every_case_on_8_nodes),
      cmocka_unit_test(every_case_on_16_nodes),
      cmocka_unit_test(every_case_on_32_nodes),
      cmocka_unit_test(every_case_on_64_nodes),
      cmocka_unit_test(every_inner_size_on_every_array),
      cmocka_unit_test(wide_inner_sizes),
      cmocka_unit_test(cyclic_storage_on_square_arrays),
      cmocka_unit_test(packets_are_the_best_ones),
      cmocka_unit_test(panels_with_gaps_are_copied),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
