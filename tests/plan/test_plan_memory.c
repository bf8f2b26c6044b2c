/* Plans of products, triangular systems and moves, and factorizations, take the memory that they
 * predict, including their workspaces and the moves of their operands: on ranks, and on virtual
 * arrays of up to 96 nodes. */
// ranks: 1 3 4 5 6 8
// sample: 1 6
// limit: 120
#include "hyla_lab.h"
#include "plan/plan.h"
#include "plans_case.h"
#include "tests/harness/cube.h"
#include "tests/harness/draw.h"

#include <stdio.h>
#include <string.h>

enum { TYPES = 4 };

static const hyla_method methods[] = {HYLA_LU, HYLA_CHOLESKY, HYLA_LDL, HYLA_QR, HYLA_GAUSS_JORDAN};
enum { METHODS = sizeof methods / sizeof *methods, OPERATIONS = PLANS + METHODS };

struct program {
  int operation; /* an index of `plans', and of `methods' behind them */
  hyla_type type;
  int64_t m, n;
  hyla_layout layout[3];
};

/* Any layout on all nodes: along their two sides, or along one of them. */
static hyla_layout draw_blocks(hyla_cube *cube) {
  char text[HYLA_LAYOUT_TEXT];
  hyla_layout layout;
  const int way = (int)harness_draw(0, 2), all = cube->nodes;
  const int rows = way == 0 ? hy_array_rows(cube) : way == 1 ? all : 1;
  snprintf(text, sizeof text, "binary/cyclic:%d@%dx%d", (int)harness_draw(1, 40), rows, all / rows);
  assert_int_equal(hyla_layout_parse(cube, text, &layout), HYLA_OK);
  return layout;
}

static struct program draw(hyla_cube *cube, int operation, int64_t n) {
  struct program p = {.operation = operation,
                      .type = (hyla_type)harness_draw(0, TYPES - 1),
                      .m = harness_draw(300, 500),
                      .n = n};
  for (int i = 0; i < 3; i++) p.layout[i] = draw_blocks(cube);
  return p;
}

/* The memory that a plan of one order takes on this rank beyond the prediction. */
struct taken {
  char variants[200]; /* the plan's and those of its moves */
  int64_t excess;     /* bytes */
};

static void name_variants(const hyla_plan *plan, char *names, size_t room) {
  size_t length = strlen(names);
  snprintf(names + length, room - length, "%s ", hyla_plan_variant(plan));
  const hyla_plan *child;
  const char *what;
  for (int i = 0; (child = hyla_plan_child(plan, i, &what)) != NULL; i++)
    name_variants(child, names, room);
}

static void take(const hyla_cube *cube, const hyla_plan *plan, int64_t before,
                 struct taken *taken) {
  taken->excess = cube->base.bytes_now - before - hy_plan_mine(plan).memory;
  name_variants(plan, taken->variants, sizeof taken->variants);
}

static hyla_status factor_taken(hyla_cube *cube, const struct program *p, int64_t m,
                                struct taken *taken) {
  hyla_factor *factor = NULL;
  const int64_t before = cube->base.bytes_now;
  *taken = (struct taken){.excess = 0};
  TRY(hyla_factor_create(cube, methods[p->operation - PLANS], p->type, m, p->n, &p->layout[0], NULL,
                         &factor));
  take(cube, hyla_factor_plan(factor), before, taken);
  return hyla_factor_destroy(&factor);
}

static hyla_status plan_taken(hyla_cube *cube, const struct program *p, int64_t m,
                              struct taken *taken) {
  hyla_matrix *a = NULL, *b = NULL, *c = NULL;
  hyla_plan *plan = NULL;
  if (p->operation >= PLANS) return factor_taken(cube, p, m, taken);
  *taken = (struct taken){.excess = 0};
  TRY(hyla_matrix_create(cube, p->type, m, m, &p->layout[0], &a));
  hyla_status status = hyla_matrix_create(cube, p->type, m, p->n, &p->layout[1], &b);
  if (status == HYLA_OK) status = hyla_matrix_create(cube, p->type, m, p->n, &p->layout[2], &c);
  int64_t before = cube->base.bytes_now;
  if (status == HYLA_OK) status = plans[p->operation](cube, a, b, c, &plan);
  if (status == HYLA_OK) take(cube, plan, before, taken);
  hyla_plan_destroy(&plan);
  hyla_matrix_destroy(&c);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&a);
  return status;
}

/* The memory of a plan's description depends on its variants, not on the order; tiles for
 * transposing entries are equally large for any order that has some.  So the plan is compared with
 * that of the smallest order with the same variants, if there is one; *compared counts these
 * cases. */
static hyla_status plan_memory(hyla_cube *cube, const struct program *p, int *compared) {
  static const int64_t orders[] = {100, 125, 150, 200, 250};
  struct taken small, large;
  TRY(plan_taken(cube, p, p->m, &large));
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
    TRY(plan_taken(cube, p, orders[i], &small));
    if (strcmp(small.variants, large.variants) != 0) continue;
    ++*compared;
    return hy_agree(cube, plans_check_excess(cube, small.excess, large.excess, p->m));
  }
  return hy_agree(cube, plans_check_excess(cube, large.excess, large.excess, p->m));
}

static void what_plans_take_was_predicted(void **state) {
  static const int64_t widths[] = {0, 1, 4, 64};
  (void)state;
  int compared = 0;
  for (int private_memory = 0; private_memory < 2; private_memory++) {
    hyla_cube *cube = cube_open(private_memory);
    for (int o = 0; o < OPERATIONS; o++)
      for (int i = o < PLANS ? 0 : 2; i < 4; i++) {
        const struct program p = draw(cube, o, widths[i]);
        harness_note("operation %d, m %lld, n %lld, type %d", o, (long long)p.m, (long long)p.n,
                     (int)p.type);
        if (plan_memory(cube, &p, &compared) != HYLA_OK) fail_msg("%s", hyla_cube_message(cube));
      }
    cube_close(&cube);
  }
  const int cases = 2 * (4 * PLANS + 2 * METHODS);
  harness_note("%d of %d compared", compared, cases);
  assert_true(compared >= 3 * cases / 4);
}

static hyla_status plan_on_array(hyla_cube *cube, void *program) {
  int compared = 0;
  return plan_memory(cube, program, &compared);
}

/* All nodes have the same program, which is drawn on a cube that only tells where they lie. */
static void what_plans_take_on_arrays(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip();
  struct harness_walk walk = harness_walk(DRAW_COUNTS * OPERATIONS, 30);
  for (int64_t index; harness_next(&walk, &index);) {
    hyla_cube on = draw_nodes_of_count((int)(index % DRAW_COUNTS));
    char array[DRAW_ARRAY];
    draw_nodes_array(&on, array);
    struct program p = draw(&on, (int)(index / DRAW_COUNTS), harness_draw(1, 64));
    harness_note("array %s, operation %d, m %lld, n %lld, type %d", array, p.operation,
                 (long long)p.m, (long long)p.n, (int)p.type);
    const hyla_simulation model = {
        .array = array, .alpha = 1e-6, .beta = 1e-10, .gamma = 1e-10, .rehearsed = 1};
    hyla_report report;
    (void)hyla_simulate(&model, plan_on_array, &p, &report);
    assert_string_equal(report.message, "");
    assert_int_equal(report.nodes, on.nodes);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_plans_take_was_predicted),
                                     cmocka_unit_test(what_plans_take_on_arrays)};
  return harness_run(tests, sizeof tests / sizeof *tests);
}
