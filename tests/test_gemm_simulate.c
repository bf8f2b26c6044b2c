/* Multiplication on virtual cubes of up to 64 nodes: every variant against long
 * double sums, and what every node sends against the plan's cost. */
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

/* Each variant with each type and operations, in turn, on ragged sizes and any
 * layouts; fewer times where the cube is large. */
static void every_variant_type_and_operation(void **state) {
  (void)state;
  static const int times[] = {36, 36, 36, 36, 18, 9, 4};
  for (int v = 0; v < hy_gemm_variant_count(); v++)
    for (int dims = 0, turn = v; dims <= 6; dims++)
      for (int i = 0; i < times[dims]; i++, turn += 7) {
        struct gemm_case x;
        case_draw(&x, dims);
        x.variant = hy_gemm_variants()[v]->name;
        x.type = (hyla_type)(turn % 4);
        x.op_a = (hyla_operation)(turn / 4 % 3);
        x.op_b = (hyla_operation)(turn / 12 % 3);
        case_simulate(dims, &x);
      }
}

/* On every array, in the layouts that the variants' papers are written for, where
 * nothing is redistributed: k's blocks on A's columns and B's rows must fit
 * whatever k is. */
static void every_inner_size_on_every_array(void **state) {
  (void)state;
  for (int v = 0; v < hy_gemm_variant_count(); v++)
    for (int dims = 0; dims <= 4; dims++)
      for (int rows = 0; rows <= dims; rows++) {
        struct gemm_case x = {.type = HYLA_DOUBLE,
                              .m = 9,
                              .n = 10,
                              .k = harness_draw(0, 1 << (dims + 1)),
                              .alpha = 1,
                              .beta = 1,
                              .variant = hy_gemm_variants()[v]->name};
        for (int code = HYLA_BINARY; code <= HYLA_GRAY; code++) {
          x.layout_a = on_array(dims, rows, (hyla_code)code, HYLA_CONSECUTIVE, 0);
          x.layout_b = x.layout_c = x.layout_a;
          case_simulate(dims, &x);
        }
      }
}

/* Inner sizes of several panels of 256, and of blocks that join in one. */
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_variant_type_and_operation),
      cmocka_unit_test(every_inner_size_on_every_array),
      cmocka_unit_test(wide_inner_sizes),
  };
  return harness_run_serial(tests, sizeof tests / sizeof *tests);
}
