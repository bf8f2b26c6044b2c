/* What plans of products, triangular systems and moves take is what they predict, their workspaces
 * and the moves of their operands included. */
// ranks: 1 2 4 8
// sample: 1 4
// limit: 120
#include "lu_case.h"
#include "plans_case.h"

struct program {
  int operation; /* of `plans' */
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

/* Bytes that a plan of the same operation takes on this rank beyond those predicted. */
static hyla_status plan_excess(hyla_cube *cube, const struct program *p, int64_t m, int64_t n,
                               int64_t *bytes) {
  hyla_matrix *a = NULL, *b = NULL, *c = NULL;
  hyla_plan *plan = NULL;
  TRY(hyla_matrix_create(cube, p->type, m, m, &p->layout[0], &a));
  hyla_status status = hyla_matrix_create(cube, p->type, m, n, &p->layout[1], &b);
  if (status == HYLA_OK) status = hyla_matrix_create(cube, p->type, m, n, &p->layout[2], &c);
  int64_t before = cube->base.bytes_now;
  if (status == HYLA_OK) status = plans[p->operation](cube, a, b, c, &plan);
  if (status == HYLA_OK) *bytes = cube->base.bytes_now - before - hy_plan_mine(plan).memory;
  hyla_plan_destroy(&plan);
  hyla_matrix_destroy(&c);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&a);
  return status;
}

/* Tiles that entries are turned through are as large for any order that has some. */
static hyla_status plan_memory(hyla_cube *cube, const struct program *p) {
  enum { SMALL = 100 };
  int64_t small, large;
  TRY(plan_excess(cube, p, SMALL, p->n, &small));
  TRY(plan_excess(cube, p, p->m, p->n, &large));
  return hy_agree(cube, plans_check_excess(cube, small, large, p->m));
}

static void what_plans_take_was_predicted(void **state) {
  static const int64_t widths[] = {0, 1, 4, 64};
  (void)state;
  for (int private_memory = 0; private_memory < 2; private_memory++) {
    hyla_cube *cube = cube_open(private_memory);
    for (int o = 0; o < PLANS; o++)
      for (int i = 0; i < 4; i++) {
        const struct program p = draw(cube->dims, o, widths[i]);
        harness_note("operation %d, m %lld, n %lld, type %d, %s", o, (long long)p.m, (long long)p.n,
                     (int)p.type, lu_layout_name(&p.layout[0]));
        if (plan_memory(cube, &p) != HYLA_OK) fail_msg("%s", hyla_cube_message(cube));
      }
    cube_close(&cube);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_plans_take_was_predicted)};
  return harness_run(tests, sizeof tests / sizeof *tests);
}
