/* See elimination_variants.h. */
#include "elimination_variants.h"
#include "elimination_forms.h"

#include "paper.h"

#include "solve/papers/pipeline.h"

#include <stdlib.h>

enum { ARRAY_MOST = 7 };

/* The cube dimensions of the columns are the low ones. */
static hyla_layout elements(int rows, int cols, hyla_code code) {
  hyla_layout layout = {.row = {.dims = rows}, .col = {.dims = cols}};
  for (int i = 0; i < rows; i++) layout.row.dim[i] = (uint8_t)(cols + i);
  for (int i = 0; i < cols; i++) layout.col.dim[i] = (uint8_t)i;
  layout.row.code = layout.col.code = code;
  layout.row.storage = layout.col.storage = HYLA_CYCLIC;
  layout.row.block = layout.col.block = 1;
  return layout;
}

/* The steps of the schedules for a matrix of order n with right-hand sides.  Asserts that no two
 * elements meet on a link, and that each packet is one element. */
static int64_t steps_of(const hyla_layout *layout, enum hy_elimination_kind kind, int64_t n,
                        int64_t nrhs) {
  int dims = layout->row.dims + layout->col.dims;
  const struct hy_axis row = hy_axis_make(&layout->row, n), col = hy_axis_make(&layout->col, n),
                       x_col = hy_axis_make(&layout->col, nrhs);
  int64_t *start = calloc((size_t)n + 1, sizeof *start);
  assert_non_null(start);
  struct hy_pipeline pipeline = hy_pipeline_of(&row, &col, &x_col, kind, start);
  struct hy_generator generator = {
      .make = hy_pipeline_make, .dims = dims, .numbered = true, .table = &pipeline};
  const struct hy_collective task = {
      .task = HY_TASK_ALLGATHER, .dims = dims, .blocks = {.words = 1}};
  const struct hy_paper_machine all_ports = {.tau = 1, .dry = true};
  struct hy_verify_report report = paper_sound(&generator, &task, &all_ports);
  assert_int_equal(report.words, report.steps);
  assert_int_equal(report.planned, pipeline.steps);
  free(start);
  return report.planned;
}

/* With rows above there are always q factors.  The last pivot still goes down its column; if there
 * are right-hand sides, its factors then cross all of them. */
static int product_form(int k, int q, int r) {
  int side = 1 << k, steps = 0, apart = 0;
  for (int b = 0; b < q; b++) {
    apart = (int)hy_max(hy_max(q, q - b + r), 2 + (q > 1));
    steps += side * apart;
  }
  return steps - apart + (r == 0 ? k : (int)hy_max(q, r) + 2 * k - 1);
}

/* Row j eliminates column j; the published count is that of LU's elimination, for N = 2^k. */
static void check_rotations(const hyla_layout *layout, int k, int q, int r) {
  int64_t side = INT64_C(1) << k, steps = steps_of(layout, HY_ROTATE, q * side, r * side);
  if (q == 1 && r == 0) {
    assert_int_equal(steps, value(ROTATIONS, k, q, r));
    assert_true(steps < value(JORDAN, k, q, r));
  }
  if (q > 1 && r == 0) assert_int_equal(steps, value(ROTATION_BLOCKS, k, q, r));
}

void elimination_variants_check(int k, int q, int r) {
  const hyla_layout layout = elements(k, k, HYLA_GRAY);
  int64_t side = INT64_C(1) << k, steps = steps_of(&layout, HY_ELIMINATE_BELOW, q * side, r * side);
  assert_int_equal(steps, pipelined(k, q, r));
  assert_true(steps < theorem(k, q, r));
  steps = steps_of(&layout, HY_ELIMINATE_ALL, q * side, r * side);
  assert_int_equal(steps, product_form(k, q, r));
  check_rotations(&layout, k, q, r);
  if (r > 0) return;
  assert_int_equal(steps, value(q == 1 ? PRODUCT : PRODUCT_BLOCKS, k, q, r));
  if (q == 1) assert_true(steps < value(JORDAN, k, q, r));
}

/* Between multiples of 2^k right-hand sides the steps depend on R, and are at most the form's for r
 * 2^k. */
static void check_few_sides(void) {
  const hyla_layout layout = elements(4, 4, HYLA_GRAY);
  assert_int_equal(steps_of(&layout, HY_ELIMINATE_BELOW, 16, 1), 31);
  assert_int_equal(steps_of(&layout, HY_ELIMINATE_BELOW, 16, 5), 33);
  assert_int_equal(steps_of(&layout, HY_ELIMINATE_BELOW, 16, 16), pipelined(4, 1, 1));
  for (int sides = 1; sides < 16; sides++)
    assert_true(steps_of(&layout, HY_ELIMINATE_BELOW, 16, sides) <= pipelined(4, 1, 1));
}

/* Under the binary code, on 2^k x 2^k nodes, the next pivot may be far: with R bits between the two
 * addresses it leaves max(i, i + R - 2, R) steps later, or R + 1 where a node makes several factors
 * (doc/theory.md); i: the most elements of a node. */
static void check_binary_pace(int k, int q) {
  const hyla_layout layout = elements(k, k, HYLA_BINARY);
  const int64_t side = INT64_C(1) << k, n = q * side;
  const struct hy_axis row = hy_axis_make(&layout.row, n), col = hy_axis_make(&layout.col, n),
                       x_col = hy_axis_make(&layout.col, 0);
  int64_t *start = calloc((size_t)n, sizeof *start);
  assert_non_null(start);
  (void)hy_pipeline_of(&row, &col, &x_col, HY_ELIMINATE_BELOW, start);
  for (int64_t j = 0; j + 1 < n; j++) {
    int64_t most = hy_ceil_div(n - j, side), factors = hy_ceil_div(n - j - 1, side);
    int bits = 2 * hy_popcount((uint32_t)((j ^ (j + 1)) % side));
    int64_t pace = hy_max(most + hy_max(0, bits - 2), bits + (factors > 1));
    harness_note("2^%d x 2^%d, n = %lld, pivot %lld", k, k, (long long)n, (long long)j);
    assert_int_equal(start[j + 1] - start[j], pace);
  }
  free(start);
}

void elimination_variants_check_arrays(void) {
  check_few_sides();
  for (int k = 1; k <= ARRAY_MOST / 2; k++)
    for (int q = 1; q <= 6; q++) check_binary_pace(k, q);
  for (int rows = 0; rows <= ARRAY_MOST; rows++)
    for (int cols = 0; rows + cols <= ARRAY_MOST; cols++) {
      /* Both codes alternate, in a sample too. */
      struct harness_walk walk = harness_walk(8, 4);
      for (int64_t i; harness_next(&walk, &i);) {
        const hyla_layout layout = elements(rows, cols, i % 2 == 0 ? HYLA_GRAY : HYLA_BINARY);
        int64_t n = harness_draw(0, 40), nrhs = harness_draw(0, 20);
        harness_note("2^%d x 2^%d, n = %lld, nrhs %lld, code %d", rows, cols, (long long)n,
                     (long long)nrhs, (int)i % 2);
        for (int kind = 0; kind <= HY_ROTATE_BACK; kind++)
          if (kind < HY_ROTATE || i % 2 == 0 || rows < 2)
            (void)steps_of(&layout, (enum hy_elimination_kind)kind, n, nrhs);
      }
    }
}

void elimination_variants_print(FILE *page, int k_most, int q_most, int r_most) {
  fprintf(page, "| `lu:diagonal`, R = 0 | theorem 6.1 (J31) | %s | 1-%d | fewer, q = 1-%d | %s |\n",
          SQUARE, k_most, q_most, DIAGONAL_SQUARE);
  fprintf(page,
          "| `lu:diagonal`, R = r 2^k > 0 | theorem 6.1 (J31) | %s | 1-%d | fewer, q = 1-%d, r = "
          "1-%d | %s |\n",
          SIDES, k_most, q_most, r_most, DIAGONAL_SIDES);
  fprintf(page,
          "| `gauss-jordan:diagonal`, N = 2^k | corollary 6.1 (J30) | %s | 1-%d | fewer | %s |\n",
          JORDAN, k_most, PRODUCT);
  fprintf(page,
          "| `gauss-jordan:diagonal`, N = q 2^k, q > 1 | section 6.1 | none | 1-%d | q = 2-%d | %s "
          "|\n",
          k_most, q_most, PRODUCT_BLOCKS);
  fprintf(page,
          "| `qr:givens`, N = 2^k, R's rows brought home | section 6.3 (J32) | %s | 1-%d | fewer | "
          "%s |\n",
          JORDAN, k_most, ROTATIONS);
  fprintf(page, "| `qr:givens`, N = q 2^k, q > 1 | section 6.3 | none | 1-%d | q = 2-%d | %s |\n",
          k_most, q_most, ROTATION_BLOCKS);
}
