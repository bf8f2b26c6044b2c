/* Every operation's plan predicts what the ledger counts, including the moves of the operands, of
 * the right-hand sides and of the solution: on ranks, on virtual cubes and on arrays of 1 to 96
 * nodes.  A factorization takes the memory that it predicts. */
// ranks: 1 2 4 7 8
// sample: 1 4
// limit: 120
#include "hyla_lab.h"
#include "plans_case.h"
#include "solve/jordan/jordan.h"
#include "tests/harness/draw.h"
#include "tests/solve/lu_case.h"
#include "tests/solve/methods.h"

/* The work, alike on all nodes. */
struct program {
  int operation; /* an index of `plans', or a method */
  bool inverse;  /* the inverse by the method */
  hyla_type type;
  int64_t m, n, nrhs;
  int64_t more; /* rows of A beyond its columns, for methods that allow them */
  hyla_generator generator;
  hyla_layout layout[3];
};

static struct program draw(const hyla_cube *on, int operation, int64_t nrhs) {
  struct program p = {.operation = operation,
                      .type = (hyla_type)harness_draw(0, TYPES - 1),
                      .m = harness_draw(0, 70),
                      .n = harness_draw(0, 90),
                      .nrhs = nrhs};
  for (int i = 0; i < 3; i++)
    p.layout[i] = on->sides.rows > 0 ? lu_draw_layout(on, harness_draw(1, 40))
                                     : lu_array_layout(on->dims, (int)harness_draw(0, on->dims),
                                                       harness_draw(1, 40));
  return p;
}

/* --------------------------------------------------------------- counting -- */

static hyla_status check_between(hyla_cube *cube, const hyla_cost *least, const hyla_cost *found,
                                 const hyla_cost *most) {
  CHECK(&cube->base,
        found->steps >= least->steps && found->steps <= most->steps &&
            found->messages >= least->messages && found->messages <= most->messages &&
            found->words >= least->words && found->words <= most->words,
        FORMAT, "%lld steps, %lld messages, %lld words; predicted %lld %lld %lld to %lld %lld %lld",
        (long long)found->steps, (long long)found->messages, (long long)found->words,
        (long long)least->steps, (long long)least->messages, (long long)least->words,
        (long long)most->steps, (long long)most->messages, (long long)most->words);
  return HYLA_OK;
}

/* The busiest node's counts lie within the plan's bounds, and equal them if all is known
 * beforehand. */
static hyla_status check_busiest(hyla_cube *cube, const hyla_cost *found, const hyla_plan *plan,
                                 bool known) {
  int64_t largest[] = {found->steps, found->messages, found->words};
  const hyla_cost most = hyla_plan_cost(plan), least = known ? most : (hyla_cost){0};
  TRY(hyla_cube_max(cube, largest, 3));
  const hyla_cost busiest = {.steps = largest[0], .messages = largest[1], .words = largest[2]};
  return hy_agree(cube, check_between(cube, &least, &busiest, &most));
}

/* ------------------------------------------------------------ the methods -- */

/* The least that this node sends if the pivots decide, and whether a matrix without swaps sends
 * exactly that. */
static hyla_status least_of(const hyla_factor *factor, hyla_cost *least, bool *settled) {
  const struct hy_factorization *problem = &factor->problem;
  *least = hy_plan_mine(factor->plan);
  *settled = true;
  const struct hy_method *method = problem->method;
  if (!method->is.needs_data) return HYLA_OK;
  *least = (hyla_cost){0};
  *settled = method == &hy_methods[HYLA_LU] || method == &hy_methods[HYLA_GAUSS_JORDAN];
  if (!*settled) return HYLA_OK;
  TRY(hy_factor_cost(problem, hy_choice_variant(&factor->plan->choice), problem->cube->address,
                     true, least));
  for (int i = 0; i < factor->plan->children; i++)
    hy_cost_add(least, hy_plan_mine(factor->plan->child[i].plan));
  return HYLA_OK;
}

static hyla_status fill(const struct program *p, hyla_matrix *a, hyla_matrix *b) {
  hyla_cube *cube = a->cube;
  TRY(hyla_matrix_generate(cube, b, HYLA_RANDOM, 2));
  if (method_row((hyla_method)p->operation)->triangle)
    return hyla_matrix_gallery(cube, a, hy_methods[p->operation].is.sample, 1);
  return hyla_matrix_generate(cube, a, p->generator, 1);
}

static hyla_status factor_and_solve(const struct program *p, hyla_factor *factor, hyla_matrix *a,
                                    hyla_matrix *b, hyla_matrix *x) {
  hyla_cube *cube = a->cube;
  if (p->inverse) return hyla_plan_run(cube, factor->plan);
  TRY(hyla_factor_compute(cube, factor, a));
  return p->nrhs > 0 ? hyla_factor_solve(cube, factor, HYLA_NONE, b, x) : HYLA_OK;
}

/* The matrices' needs are planned with the factorization: a run allocates nothing. */
static hyla_status check_counts(const struct program *p, hyla_factor *factor, hyla_matrix *a,
                                hyla_matrix *b, hyla_matrix *x) {
  hyla_cube *cube = a->cube;
  hyla_cost least, found;
  bool settled;
  TRY(fill(p, a, b));
  TRY(hy_agree(cube, least_of(factor, &least, &settled)));
  int64_t allocations = cube->base.allocations;
  TRY(hyla_cube_ledger_clear(cube));
  TRY(factor_and_solve(p, factor, a, b, x));
  hyla_status mine = lu_counted(cube, hy_kernels_of(p->type)->size, &found);
  if (mine == HYLA_OK && cube->base.allocations != allocations)
    mine = hy_fail(&cube->base, HYLA_FORMAT, "running allocated memory");
  TRY(hy_agree(cube, mine));
  bool known = settled && p->generator == HYLA_DOMINANT;
  const hyla_cost most = known ? least : hy_plan_mine(factor->plan);
  TRY(hy_agree(cube, check_between(cube, &least, &found, &most)));
  return check_busiest(cube, &found, factor->plan, !factor->problem.method->is.needs_data);
}

/* A factorization of order n. */
static hyla_status create(hyla_cube *cube, const struct program *p, int64_t n,
                          hyla_factor **factor) {
  return hyla_factor_create_rectangular(cube, (hyla_method)p->operation, p->type,
                                        hy_max(0, n + p->more), n, p->nrhs, &p->layout[0], NULL,
                                        factor);
}

static hyla_status method(hyla_cube *cube, void *arg) {
  const struct program *p = arg;
  const hyla_layout *layout = &p->layout[0];
  int64_t m = hy_max(0, p->n + p->more);
  hyla_factor *factor = NULL;
  hyla_matrix *a = NULL, *b = NULL, *x = NULL;
  TRY(create(cube, p, p->n, &factor));
  hyla_status status = hyla_matrix_create(cube, p->type, m, p->n, layout, &a);
  if (status == HYLA_OK) status = hyla_matrix_create(cube, p->type, m, p->nrhs, layout, &b);
  if (status == HYLA_OK) status = hyla_matrix_create(cube, p->type, m, p->nrhs, layout, &x);
  if (status == HYLA_OK) status = check_counts(p, factor, a, b, x);
  hyla_matrix_destroy(&x);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&a);
  hyla_factor_destroy(&factor);
  return status;
}

/* A's inverse into b, which may be a. */
static hyla_status plan_inverse(hyla_cube *cube, const struct program *p, hyla_matrix *a,
                                hyla_matrix *b, hyla_factor **factor) {
  hyla_plan *plan = NULL;
  TRY(hyla_invert_plan(cube, (hyla_method)p->operation, a, b, NULL, &plan));
  *factor = hy_job_of(plan)->task;
  return HYLA_OK;
}

static hyla_status inverse(hyla_cube *cube, void *arg) {
  const struct program *p = arg;
  bool in_place = p->nrhs == 1;
  hyla_factor *factor = NULL;
  hyla_matrix *a = NULL, *b = NULL;
  hyla_status status = hyla_matrix_create(cube, p->type, p->n, p->n, &p->layout[0], &a);
  if (status == HYLA_OK)
    status = hyla_matrix_create(cube, p->type, p->n, p->n, &p->layout[p->nrhs > 4], &b);
  if (status == HYLA_OK) status = plan_inverse(cube, p, a, in_place ? a : b, &factor);
  if (status == HYLA_OK) status = check_counts(p, factor, a, b, NULL);
  hyla_factor_destroy(&factor);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&a);
  return status;
}

/* Bytes that a factorization of order n takes on this rank beyond the predicted ones. */
static hyla_status excess(hyla_cube *cube, const struct program *p, int64_t n, int64_t *bytes) {
  hyla_factor *factor = NULL;
  hyla_matrix *a = NULL;
  TRY(hyla_matrix_create(cube, p->type, n, n, &p->layout[0], &a));
  int64_t before = cube->base.bytes_now;
  hyla_status status =
      p->inverse ? plan_inverse(cube, p, a, a, &factor) : create(cube, p, n, &factor);
  if (status == HYLA_OK) *bytes = cube->base.bytes_now - before - hy_plan_mine(factor->plan).memory;
  hyla_factor_destroy(&factor);
  hyla_matrix_destroy(&a);
  return status;
}

/* The memory of its description is not predicted, and does not grow with n, though the moves of
 * another order may have other variants; all other memory is predicted. */
static hyla_status memory(hyla_cube *cube, void *arg) {
  const struct program *p = arg;
  int64_t small, large;
  TRY(excess(cube, p, 2, &small));
  TRY(excess(cube, p, p->n, &large));
  return hy_agree(cube, plans_check_excess(cube, small, large, p->n));
}

/* --------------------------------------------------- products and the rest -- */

static hyla_status run_plan(const struct program *p, hyla_plan *plan) {
  hyla_cube *cube = plan->cube;
  hyla_cost found;
  TRY(hyla_cube_ledger_clear(cube));
  TRY(hyla_plan_run(cube, plan));
  TRY(hy_agree(cube, lu_counted(cube, hy_kernels_of(p->type)->size, &found)));
  const hyla_cost cost = hy_plan_mine(plan);
  TRY(hy_agree(cube, check_between(cube, &cost, &found, &cost)));
  return check_busiest(cube, &found, plan, true);
}

static hyla_status other(hyla_cube *cube, void *arg) {
  const struct program *p = arg;
  hyla_matrix *a = NULL, *b = NULL, *c = NULL;
  hyla_plan *plan = NULL;
  hyla_status status = hyla_matrix_create(cube, p->type, p->m, p->m, &p->layout[0], &a);
  if (status == HYLA_OK)
    status = hyla_matrix_create(cube, p->type, p->m, p->nrhs, &p->layout[1], &b);
  if (status == HYLA_OK)
    status = hyla_matrix_create(cube, p->type, p->m, p->nrhs, &p->layout[2], &c);
  if (status == HYLA_OK) status = hyla_matrix_generate(cube, a, HYLA_DOMINANT, 1);
  if (status == HYLA_OK) status = plans[p->operation](cube, a, b, c, &plan);
  if (status == HYLA_OK) status = run_plan(p, plan);
  hyla_plan_destroy(&plan);
  hyla_matrix_destroy(&c);
  hyla_matrix_destroy(&b);
  hyla_matrix_destroy(&a);
  return status;
}

/* ------------------------------------------------------------------ tests -- */

static void note(const hyla_cube *on, const struct program *p, char array[DRAW_ARRAY]) {
  draw_nodes_array(on, array);
  harness_note("%d nodes %s: operation %d%s, m %lld, n %lld, %lld rows more, nrhs %lld, type %d, "
               "generator %d, %s",
               on->nodes, array, p->operation, p->inverse ? ", inverse" : "", (long long)p->m,
               (long long)p->n, (long long)p->more, (long long)p->nrhs, (int)p->type,
               (int)p->generator, lu_layout_name(&p->layout[0]));
}

static void run_on_ranks(hyla_cube *cube, hyla_body *body, struct program *p) {
  char array[DRAW_ARRAY];
  note(cube, p, array);
  lu_assert_status(cube, body(cube, p), HYLA_OK);
}

/* cube: nodes on paper, or those of ranks. */
static void run(hyla_cube *cube, hyla_body *body, struct program *p) {
  if (cube->network.link != NULL) {
    run_on_ranks(cube, body, p);
    return;
  }
  char array[DRAW_ARRAY];
  hyla_report report = {.message = ""};
  const hyla_simulation model = {.dims = cube->dims, .array = array, .alpha = 1, .beta = 0.001};
  note(cube, p, array);
  if (hyla_simulate(&model, body, p, &report) != HYLA_OK) fail_msg("%s", report.message);
}

static const int64_t nrhs[] = {0, 1, 4, 64};

static void run_all(hyla_cube *cube) {
  for (int i = 0; i < 4; i++) {
    for (int m = 0; m < hy_method_count; m++)
      for (int swapped = 0; swapped < 2; swapped++) {
        struct program p = draw(cube, m, nrhs[i]);
        p.generator = swapped == 1 ? HYLA_RANDOM : HYLA_DOMINANT;
        run(cube, method, &p);
        p.inverse = true;
        run(cube, inverse, &p);
        p.inverse = false;
        for (int wide = 0; wide < 2 && nrhs[i] == 0 && hy_methods[m].is.rectangular; wide++) {
          p.more = wide == 1 ? harness_draw(-p.n, 0) : harness_draw(0, 60);
          run(cube, method, &p);
        }
      }
    for (int o = 0; o < PLANS; o++) {
      struct program p = draw(cube, o, nrhs[i]);
      run(cube, other, &p);
    }
  }
}

static void what_ranks_send_is_what_was_predicted(void **state) {
  (void)state;
  for (int private_memory = 0; private_memory < 2; private_memory++) {
    hyla_cube *cube = cube_open(private_memory);
    run_all(cube);
    cube_close(&cube);
  }
}

static void what_virtual_nodes_send_is_what_was_predicted(void **state) {
  (void)state;
  if (harness_ranks() > 1) skip();
  for (int dims = 1; dims <= 6; dims += dims == 1 ? 2 : 3) {
    hyla_cube on = draw_nodes(dims, false);
    run_all(&on);
  }
}

/* Each operation and method, and inverses by it, on each number of nodes. */
static void what_arrays_send_is_what_was_predicted(void **state) {
  (void)state;
  const int kinds = 2 * hy_method_count + PLANS;
  if (harness_ranks() > 1) skip();
  struct harness_walk walk = harness_walk(DRAW_COUNTS * kinds, 60);
  for (int64_t i; harness_next(&walk, &i);) {
    const int kind = (int)(i / DRAW_COUNTS);
    const bool factors = kind < 2 * hy_method_count;
    hyla_cube on = draw_nodes_of_count((int)(i % DRAW_COUNTS));
    struct program p =
        draw(&on, factors ? kind / 2 : kind - 2 * hy_method_count, harness_draw(0, 64));
    p.generator = harness_draw(0, 1) ? HYLA_RANDOM : HYLA_DOMINANT;
    p.inverse = factors && kind % 2 == 1;
    run(&on, !factors ? other : p.inverse ? inverse : method, &p);
  }
}

/* Any number of right-hand sides, all operations and methods, on cubes of up to 256 nodes. */
static void any_number_of_right_hand_sides(void **state) {
  (void)state;
  enum { NRHS = 65, LARGEST = 8 };
  const int kinds = hy_method_count + PLANS;
  if (harness_ranks() > 1) skip();
  struct harness_walk walk = harness_walk(NRHS * kinds, 25);
  for (int64_t i; harness_next(&walk, &i);) {
    int kind = (int)(i % kinds);
    hyla_cube on = draw_nodes((int)harness_draw(0, i % 20 == 0 ? LARGEST : 4), false);
    bool factors = kind < hy_method_count;
    struct program p = draw(&on, factors ? kind : kind - hy_method_count, i / kinds);
    p.generator = HYLA_DOMINANT;
    run(&on, factors ? method : other, &p);
  }
}

/* If pivots decide the traffic, it is no less than the least and no more than the most. */
static void pivots_decide_within_bounds(void **state) {
  (void)state;
  static const hyla_method methods[] = {HYLA_LU, HYLA_LDL, HYLA_GAUSS_JORDAN};
  if (harness_ranks() > 1) skip();
  struct harness_walk walk = harness_walk(1000, 25);
  for (int64_t i; harness_next(&walk, &i);) {
    hyla_cube on = draw_nodes((int)harness_draw(0, 4), false);
    struct program p = draw(&on, (int)methods[i % 3], harness_draw(0, 64));
    p.generator = HYLA_RANDOM;
    p.inverse = i % 7 == 0;
    run(&on, p.inverse ? inverse : method, &p);
  }
}

static void what_factorizations_take_was_predicted(void **state) {
  (void)state;
  hyla_cube *cube = cube_open(false);
  for (int m = 0; m < hy_method_count; m++)
    for (int i = 0; i < 4; i++) {
      struct program p = draw(cube, m, nrhs[i]);
      p.n = harness_draw(1000, 1500);
      p.inverse = i == 0;
      if (p.inverse) p.layout[0] = hy_factor_layout(cube, p.n, p.n);
      run(cube, memory, &p);
      p.inverse = false;
      for (p.more = -400; p.more < 500 && i == 0 && hy_methods[m].is.rectangular; p.more += 800)
        run(cube, memory, &p);
    }
  cube_close(&cube);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_ranks_send_is_what_was_predicted),
      cmocka_unit_test(what_virtual_nodes_send_is_what_was_predicted),
      cmocka_unit_test(what_arrays_send_is_what_was_predicted),
      cmocka_unit_test(any_number_of_right_hand_sides),
      cmocka_unit_test(pivots_decide_within_bounds),
      cmocka_unit_test(what_factorizations_take_was_predicted),
  };
  return harness_run(tests, sizeof tests / sizeof *tests);
}
