/* Block tridiagonal systems in the simulator; see tridiagonal.h. */
#include "tridiagonal.h"

#include "hyla_lab.h"
#include "tests/harness/harness.h"

#include <inttypes.h>
#include <string.h>

enum { K_MOST = 4, Q_MOST = 4 };

/* q blocks of order 2^k, element-cyclic in Gray code on 2^k x 2^k nodes; R right-hand sides. */
struct run {
  int k;
  int64_t q, sides;
  char told[400]; /* the line of the explanation that begins so */
};
static const char TOLD[] = "published: ";

static hyla_axis axis_of(int first, int dims) {
  hyla_axis axis = {.dims = dims, .code = HYLA_GRAY, .storage = HYLA_CYCLIC, .block = 1};
  for (int i = 0; i < dims; i++) axis.dim[i] = (uint8_t)(first + i);
  return axis;
}

static hyla_status solve(hyla_cube *cube, struct run *r, hyla_matrix *const m[4]) {
  hyla_plan *plan = NULL;
  hyla_status status = hyla_tridiagonal_plan(cube, m[0], m[1], m[2], m[3], "product", &plan);
  if (status == HYLA_OK) status = hyla_plan_run(cube, plan);
  if (status == HYLA_OK && hyla_cube_address(cube) == 0) {
    char text[4000];
    assert_true(hyla_plan_explain(plan, text, sizeof text) < sizeof text);
    const char *line = strstr(text, TOLD);
    assert_non_null(line);
    snprintf(r->told, sizeof r->told, "%.*s", (int)strcspn(line, "\n"), line);
  }
  hyla_plan_destroy(&plan);
  return status;
}

static hyla_status body(hyla_cube *cube, void *arg) {
  struct run *r = arg;
  const hyla_layout layout = {.row = axis_of(r->k, r->k), .col = axis_of(0, r->k)};
  int64_t order = INT64_C(1) << r->k;
  hyla_matrix *m[4] = {NULL};
  hyla_status status = HYLA_OK;
  for (int i = 0; i < 4 && status == HYLA_OK; i++)
    status = hyla_matrix_create(cube, HYLA_DOUBLE, r->q * order, i < 3 ? order : r->sides, &layout,
                                &m[i]);
  if (status == HYLA_OK) status = solve(cube, r, m);
  for (int i = 3; i >= 0; i--) hyla_matrix_destroy(&m[i]);
  return status;
}

static int64_t side_of(const struct run *r) { return INT64_C(1) << r->k; }
static int64_t share_of(const struct run *r) { return (r->sides + side_of(r) - 1) / side_of(r); }

/* Theorem 6.5 with one block a step, downwards for r + 1 block columns and upwards for r: products
 * of 2^k communications, elements that set out, and k - 1 each way. */
static int64_t published(const struct run *r) {
  int64_t columns = 2 * share_of(r) + 1, steps = r->q - 1;
  return columns * steps * side_of(r) + columns * steps + 2 * (r->k - 1);
}

/* The products' communications: the run's, without those that make the identities. */
static int64_t counted(struct run *r) {
  const hyla_simulation model = {
      .dims = 2 * r->k, .ports = HYLA_ALL_PORTS, .beta = 0.125, .dry = true};
  int64_t ring = side_of(r) - 1, begun, given, found;
  hyla_report report;
  if (hyla_simulate(&model, body, r, &report) != HYLA_OK) fail_msg("%s", report.message);
  int64_t identities = r->q * (ring + side_of(r) * ring) + share_of(r) * ring;
  found = (int64_t)report.time - identities;
  assert_true((double)(found + identities) == report.time);
  assert_int_equal(sscanf(r->told, "published: %" SCNd64, &given), 1);
  assert_int_equal(given, published(r));
  assert_int_equal(sscanf(strstr(r->told, "here "), "here %" SCNd64, &begun), 1);
  assert_int_equal(begun, found);
  return found;
}

static void print_row(FILE *page, int64_t sides) {
  fprintf(page, "| tridiagonal | 6.5 (J40) | (2r + 1)(q - 1)(2^k + 1) + 2(k - 1) | 1-%d |", K_MOST);
  for (int simulated = 0; simulated < 2; simulated++) {
    fprintf(page, " R = %d:", (int)sides);
    for (int k = 1; k <= K_MOST; k++)
      for (int q = 2; q <= 3; q++) {
        struct run run = {.k = k, .q = q, .sides = sides};
        fprintf(page, " %d", (int)(simulated ? counted(&run) : published(&run)));
      }
    fprintf(page, " |");
  }
  fprintf(page, "\n");
}

void tridiagonal_check_all(FILE *page) {
  static const int sides[] = {1, 2, 5, 16, 33};
  for (int k = 1; k <= K_MOST; k++)
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
      for (int q = 1; q <= Q_MOST; q++) {
        struct run run = {.k = k, .q = q, .sides = sides[i]};
        harness_note("k = %d, q = %d, R = %d", k, q, sides[i]);
        int64_t found = counted(&run);
        assert_int_equal(found, (2 * share_of(&run) + 1) * (q - 1) * (side_of(&run) - 1));
        assert_true(found <= published(&run));
      }
  fprintf(
      page,
      "\n## Block tridiagonal systems, element by element\n\n"
      "johnsson-1987, section 6.4, says of its third algorithm that it also applies to block\n"
      "tridiagonal matrices, and prints no count.  That of theorem 6.5 with one block a step is\n"
      "ours: downwards a product of one block and r + 1 block columns, [U Y], upwards of one\n"
      "block and r block columns, q - 1 times each, r = ceil(R / 2^k); each product takes 2^k\n"
      "communications and one for its elements that set out, and the first ones k - 1 each\n"
      "way.  The library's `hyla_tridiagonal`, on blocks of order 2^k on 2^k x 2^k nodes under\n"
      "Gray code, takes (2r + 1)(q - 1)(2^k - 1): lower, since blocks travel once for all of a\n"
      "rank's columns.  As in theorem 6.5 the identities on the diagonal are not counted here;\n"
      "they take q (2^k + 1)(2^k - 1) + r (2^k - 1) more.\n"
      "\n"
      "| system | theorem | communications | k | q = 2, 3, k = 1 ... 4: paper | simulated "
      "|\n|---|---|---|---|---|---|\n");
  print_row(page, 1);
  print_row(page, 16);
  print_row(page, 33);
}
