/* Multiplication on virtual cubes of up to 64 nodes: every variant compared with long double sums,
 * and every node's messages with the plan's cost.  A sample of the cases is run; all of them take
 * minutes:
 *   HYLA_TEST_FULL=1 HYLA_TEST_ONLY=every_case ../tests/run tests/gemm/test_gemm_simulate */
// limit: 120
#include "gemm_case.h"

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
 * round; more of them on few nodes, where problems are quick. */
static void walk(int dims, int few) {
  int64_t rounds = dims < 4 ? 6 : dims < 5 ? 3 : 1;
  struct harness_walk cases = harness_walk(rounds * CASES, few);
  int64_t index;
  while (harness_next(&cases, &index)) {
    struct gemm_case x;
    case_take(&x, dims, index % CASES);
    case_simulate(dims, &x);
  }
}

static void every_case_on_1_node(void **state) {
  (void)state;
  walk(0, 150);
}
static void every_case_on_2_nodes(void **state) {
  (void)state;
  walk(1, 100);
}
static void every_case_on_4_nodes(void **state) {
  (void)state;
  walk(2, 60);
}
static void every_case_on_8_nodes(void **state) {
  (void)state;
  walk(3, 50);
}
static void every_case_on_16_nodes(void **state) {
  (void)state;
  walk(4, 25);
}
static void every_case_on_32_nodes(void **state) {
  (void)state;
  walk(5, 8);
}
static void every_case_on_64_nodes(void **state) {
  (void)state;
  walk(6, 5);
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
          case_simulate(dims, &x);
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
      case_simulate(dims, &x);
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
        case_draw(&x, dims);
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
        case_simulate(dims, &x);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_case_on_1_node),   cmocka_unit_test(every_case_on_2_nodes),
      cmocka_unit_test(every_case_on_4_nodes),  cmocka_unit_test(every_case_on_8_nodes),
      cmocka_unit_test(every_case_on_16_nodes), cmocka_unit_test(every_case_on_32_nodes),
      cmocka_unit_test(every_case_on_64_nodes), cmocka_unit_test(every_inner_size_on_every_array),
      cmocka_unit_test(wide_inner_sizes),       cmocka_unit_test(cyclic_storage_on_square_arrays),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
