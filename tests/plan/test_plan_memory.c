/* Plans of products, triangular systems and moves take the memory that they predict, including
 * their workspaces and the moves of their operands. */
// ranks: 1 2 4 8
// sample: 1 4
// limit: 120
#include "plans_case.h"
#include "tests/solve/lu_case.h"

struct program {
  int operation; /* an index of `plans' */
  hyla_type type;
  int64_t m, n;
  hyla_layout layout[3];
};

static struct program draw(int dims, int operation, int64_t n) {
  struct program p = {.operation = operation,
                      .type = (hyla_type)harness_draw(0, TYPES - 1),
                      .m = harness_draw(300, 500),
                      .n = n};
  for (int i = 0; i < 3; i++)
    p.layout[i] = lu_array_layout(dims, (int)harness_draw(0, dims), harness_draw(1, 40));
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

static hyla_status plan_taken(hyla_cube *cube, const struct program *p, int64_t m,
                              struct taken *taken) {
  hyla_matrix *a = NULL, *b = NULL, *c = NULL;
  hyla_plan *plan = NULL;
  *taken = (struct taken){.excess = 0};
  TRY(hyla_matrix_create(cube, p->type, m, m, &p->layout[0], &a));
  hyla_status status = hyla_matrix_create(cube, p->type, m, p->n, &p->layout[1], &b);
  if (status == HYLA_OK) status = hyla_matrix_create(cube, p->type, m, p->n, &p->layout[2], &c);
  int64_t before = cube->base.bytes_now;
  if (status == HYLA_OK) status = plans[p->operation](cube, a, b, c, &plan);
  if (status == HYLA_OK) {
    taken->excess = cube->base.bytes_now - before - hy_plan_mine(plan).memory;
    name_variants(plan, taken->variants, sizeof taken->variants);
  }
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
    for (int o = 0; o < PLANS; o++)
      for (int i = 0; i < 4; i++) {
        const struct program p = draw(cube->dims, o, widths[i]);
        harness_note("operation %d, m %lld, n %lld, type %d, %s", o, (long long)p.m, (long long)p.n,
                     (int)p.type, lu_layout_name(&p.layout[0]));
        if (plan_memory(cube, &p, &compared) != HYLA_OK) fail_msg("%s", hyla_cube_message(cube));
      }
    cube_close(&cube);
  }
  harness_note("%d of %d compared", compared, 2 * PLANS * 4);
  assert_true(compared >= 6 * PLANS);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_plans_take_was_predicted)};
  return harness_run(tests, sizeof tests / sizeof *tests);
}
