/* The library's conversions between consecutive and cyclic storage on simulated cubes: one element
 * over each directed link in a step, all links of a node at once.  The machine has free starts and
 * takes one unit for an entry.  Also the paths of conversions between the codes. */
#include "conversions.h"
#include "formula.h"
#include "hyla_lab.h"
#include "matrix/matrix.h"

#include <stdlib.h>
#include <string.h>

enum { DIMS_MAX = 8, NODES = 1 << DIMS_MAX };

/* ---------------------------------------------- consecutive and cyclic -- */

/* 2^n elements on each of `axes' axes of 2^k parts, to cyclic storage or back; the time of the
 * slowest node, measured and predicted. */
struct conversion {
  hyla_code code;
  int k, axes, n;
  bool to_cyclic;
  double seconds, predicted;
  char formula[80]; /* the formula that the plan prints, and its value in the plan */
  int64_t value;
};

static hyla_layout layout_of(const struct conversion *x, hyla_storage storage) {
  hyla_layout layout = {.rest = HYLA_REPLICATED};
  hyla_axis *axis[] = {&layout.row, &layout.col};
  for (int a = 0; a < x->axes; a++) {
    *axis[a] = (hyla_axis){.dims = x->k, .code = x->code, .storage = storage, .block = 1};
    for (int i = 0; i < x->k; i++) axis[a]->dim[i] = (uint8_t)(a * x->k + i);
  }
  return layout;
}

/* "  published: 262 = N/2^(k+1) + k - 1 (johnsson-1987, ...": reads the figure and the formula. */
static void read_published(const hyla_plan *plan, struct conversion *x) {
  static const char mark[] = "published: ";
  char text[4000];
  assert_true(hyla_plan_explain(plan, text, sizeof text) < sizeof text);
  const char *figure = strstr(text, mark);
  assert_non_null(figure);
  char *end = NULL;
  x->value = strtoll(figure + strlen(mark), &end, 10);
  const char *paper = strstr(end, " (johnsson-1987");
  assert_non_null(paper);
  snprintf(x->formula, sizeof x->formula, "%.*s", (int)(paper - end - 3), end + 3);
}

static hyla_status run_conversion(hyla_cube *cube, struct conversion *x,
                                  const hyla_transfer *transfer) {
  hyla_plan *plan = NULL;
  TRY(hyla_redistribute_plan(cube, 1, transfer, "waves", &plan));
  double begin = hyla_cube_clock(cube);
  hyla_status status = hyla_plan_run(cube, plan);
  double seconds = hyla_cube_clock(cube) - begin;
  if (seconds > x->seconds) x->seconds = seconds;
  x->predicted = hyla_plan_seconds(plan);
  if (hyla_cube_address(cube) == 0) read_published(plan, x);
  hyla_plan_destroy(&plan);
  return status;
}

static hyla_status convert(hyla_cube *cube, void *arg) {
  struct conversion *x = arg;
  hyla_layout consecutive = layout_of(x, HYLA_CONSECUTIVE), cyclic = layout_of(x, HYLA_CYCLIC);
  int64_t rows = (int64_t)1 << x->n, cols = x->axes == 2 ? rows : 1;
  hyla_transfer transfer = {.alpha = 1};
  hyla_matrix *from = NULL;
  hyla_status status = hyla_matrix_create(cube, HYLA_FLOAT, rows, cols,
                                          x->to_cyclic ? &consecutive : &cyclic, &from);
  if (status == HYLA_OK)
    status = hyla_matrix_create(cube, HYLA_FLOAT, rows, cols, x->to_cyclic ? &cyclic : &consecutive,
                                &transfer.to);
  transfer.from = from;
  if (status == HYLA_OK) status = run_conversion(cube, x, &transfer);
  hyla_matrix_destroy(&from);
  hyla_matrix_destroy(&transfer.to);
  return status;
}

static void check_conversion(struct conversion *x) {
  const hyla_simulation links = {.dims = x->axes * x->k, .beta = 0.25, .dry = true};
  struct formula_names names = {0};
  hyla_report report;
  formula_set(&names, "N", (int64_t)1 << x->n);
  formula_set(&names, "n", x->n);
  formula_set(&names, "k", x->k);
  harness_note("code %d, %d axes, k = %d, n = %d, to cyclic %d", (int)x->code, x->axes, x->k, x->n,
               x->to_cyclic);
  if (hyla_simulate(&links, convert, x, &report) != HYLA_OK) fail_msg("%s", report.message);
  assert_int_equal(x->value, formula_whole(x->formula, &names));
  assert_true(x->seconds == (double)x->value);
  assert_true(x->seconds == x->predicted);
}

/* The two largest cubes take most of the time: without HYLA_TEST_FULL they have only the shortest
 * axis, and the smaller one also an axis beyond 2k. */
static bool is_tried(int axes, int k, int n) {
  int64_t part, parts;
  const bool beyond = n == 2 * k + 1 && axes * k < DIMS_MAX;
  return axes * k < DIMS_MAX - 1 || n == k + 1 || beyond || harness_part(&part, &parts);
}

/* formula: set to that of the last one, which is the same for all. */
static void check_storage(hyla_code code, int axes, char formula[80]) {
  for (int k = 1; axes * k <= DIMS_MAX; k++)
    for (int n = k + 1; n <= 2 * k + 2; n++)
      for (int back = 0; back < (axes * k == DIMS_MAX && n > 2 * k ? 1 : 2); back++) {
        if (!is_tried(axes, k, n)) continue;
        struct conversion x = {.code = code, .k = k, .axes = axes, .n = n, .to_cyclic = back == 0};
        check_conversion(&x);
        assert_true(k + n == 3 || back > 0 || strcmp(formula, x.formula) == 0);
        memcpy(formula, x.formula, sizeof x.formula);
      }
}

/* ------------------------------------------------ binary and Gray code -- */

/* The i-th dimension that a source's element crosses. */
typedef int order_of(uint32_t source, int dims, int i);

static int upwards(uint32_t source, int dims, int i) {
  (void)source, (void)dims;
  return i;
}

static int downwards(uint32_t source, int dims, int i) {
  (void)source;
  return dims - 1 - i;
}

/* The remark on corollary 3.3: some elements start with bit 0, others come to it later. */
static int mixed(uint32_t source, int dims, int i) {
  static const int later[] = {3, 2, 0, 1};
  return source == 14 || source == 15 ? later[i] : upwards(source, dims, i);
}

/* Does any directed link carry elements of two sources, from node i to G(i) or back? */
static bool paths_meet(int dims, bool to_gray, order_of *order) {
  static int64_t owner[NODES][DIMS_MAX];
  bool meet = false;
  memset(owner, -1, sizeof owner);
  for (uint32_t source = 0; source >> dims == 0; source++) {
    uint32_t at = source, target = to_gray ? hy_gray(source) : hy_gray_inverse(source);
    for (int i = 0; i < dims; i++) {
      int dim = order(source, dims, i);
      if (((at ^ target) >> dim & 1u) == 0) continue;
      meet = meet || owner[at][dim] >= 0;
      owner[at][dim] = source;
      at ^= 1u << dim;
    }
    assert_int_equal(at, target);
  }
  return meet;
}

static void check_paths(void) {
  for (int dims = 1; dims <= DIMS_MAX; dims++)
    for (int to_gray = 0; to_gray < 2; to_gray++) {
      harness_note("d = %d, to Gray %d", dims, to_gray);
      assert_false(paths_meet(dims, to_gray, upwards));
      assert_false(paths_meet(dims, to_gray, downwards));
    }
  assert_true(paths_meet(4, true, mixed));
}

void conversions_check_all(FILE *page) {
  fprintf(page,
          "\n## Conversion of storage, element by element\n\n"
          "johnsson-1987, 3.1.3 and 3.3: N = 2^n elements on an axis of 2^k parts, consecutive to\n"
          "cyclic and back, by the library's `waves`, run by the simulator: one element over a\n"
          "link in a step, all links of a node at once, as `hyla simulate convert --alpha 0\n"
          "--beta 1` has it.  Binary to Gray code and back: permute gray above, with g = m = M\n"
          "elements on a node n + M - 2 steps; that no directed link carries elements of two\n"
          "sources (corollary 3.3) holds upwards and downwards for d to %d, and not when sources\n"
          "differ in the order.\n\n"
          "| conversion | reference | steps | k | result |\n|---|---|---|---|---|\n",
          DIMS_MAX);
  static const struct {
    const char *text, *reference;
    hyla_code code;
    int axes;
  } rows[] = {
      {"one axis, binary", "theorem 3.1 (J13)", HYLA_BINARY, 1},
      {"both axes, binary", "theorem 3.2 (J15)", HYLA_BINARY, 2},
      {"one axis, Gray", "theorem 3.3 (J16)", HYLA_GRAY, 1},
      {"both axes, Gray", "theorems 3.2, 3.3", HYLA_GRAY, 2},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char formula[80];
    check_storage(rows[i].code, rows[i].axes, formula);
    fprintf(page, "| %s | %s | %s | 1-%d | equal, for n from k + 1 to 2k + 2 |\n", rows[i].text,
            rows[i].reference, formula, DIMS_MAX / rows[i].axes);
  }
  check_paths();
}
