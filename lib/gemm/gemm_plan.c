/* The plan: estimates of every variant, the choice, the memory, the run. */
#include "gemm/gemm_check.h"

/* Where op() of a factor may have other entries than 0. */
static enum hy_part part_of(const struct hy_shape *shape, hyla_operation op) {
  if (shape->form != HY_TRIANGULAR && shape->form != HY_UNIT_TRIANGULAR) return HY_WHOLE;
  return (shape->triangle == HYLA_LOWER) == (op == HYLA_NONE) ? HY_LOWER_PART : HY_UPPER_PART;
}

static struct hy_binding factor_binding(const struct hy_gemm_request *r, const hyla_matrix *given,
                                        hyla_operation op, const struct hy_shape *shape) {
  bool copied = shape->form != HY_GENERAL || r->replaces;
  return (struct hy_binding){.given = given, .op = op, .shape = *shape, .copied = copied};
}

static struct hy_binding result_binding(const struct hy_gemm_request *r) {
  struct hy_binding c = {.given = r->c};
  if (r->part == HY_WHOLE) return c;
  hyla_triangle triangle = r->part == HY_LOWER_PART ? HYLA_LOWER : HYLA_UPPER;
  c.shape = (struct hy_shape){HY_TRIANGULAR, triangle};
  return c;
}

static void set_given(struct hy_gemm_plan *plan, const struct hy_gemm_request *r) {
  struct hy_gemm_problem *given = &plan->given;
  *given = (struct hy_gemm_problem){.cube = plan->cube,
                                    .kernels = r->c->k,
                                    .m = r->c->row.n,
                                    .n = r->c->col.n,
                                    .part = r->part,
                                    .part_a = part_of(&r->shape_a, r->op_a),
                                    .part_b = part_of(&r->shape_b, r->op_b),
                                    .a = hy_operand_of(r->a, r->op_a),
                                    .b = hy_operand_of(r->b, r->op_b),
                                    .c = hy_operand_of(r->c, HYLA_NONE)};
  given->k = r->alpha == 0 ? 0 : given->a.col.n;
  given->a.col = hy_axis_range(&given->a.col, 0, given->k);
  given->b.row = hy_axis_range(&given->b.row, 0, given->k);
  plan->a = factor_binding(r, r->a, r->op_a, &r->shape_a);
  plan->b = factor_binding(r, r->b, r->op_b, &r->shape_b);
  plan->c = result_binding(r);
  plan->task.alpha = r->alpha;
  plan->task.beta = r->beta;
  plan->hermitian = r->hermitian && given->kernels->complex_type;
}

/* For which of the user's matrices a workspace must stand in.  Factors that are
 * not used (k = 0) are replaced by empty ones: nothing of them is read or moved. */
struct stand_ins {
  bool a, b, c;
};

static struct stand_ins stand_ins(const struct hy_gemm_plan *plan, const struct hy_variant *variant,
                                  const struct hy_gemm_problem *wanted) {
  const struct hy_gemm_problem *given = &plan->given;
  bool plain = hy_gemm_traits_of(variant)->plain;
  bool a = plan->a.copied || given->k == 0 || (plain && plan->a.op != HYLA_NONE);
  bool b = plan->b.copied || given->k == 0 || (plain && plan->b.op != HYLA_NONE);
  a |= !hy_operand_equal(&given->a, &wanted->a);
  b |= !hy_operand_equal(&given->b, &wanted->b);
  return (struct stand_ins){a, b, !hy_operand_equal(&given->c, &wanted->c)};
}

/* The problem as the variants see it. */
static struct hy_gemm_problem shown(const struct hy_gemm_plan *plan) {
  struct hy_gemm_problem problem = plan->given;
  hy_operand_fill_cube(plan->cube, &problem.a);
  hy_operand_fill_cube(plan->cube, &problem.b);
  hy_operand_fill_cube(plan->cube, &problem.c);
  return problem;
}

/* The problem that a variant wants; whether blocks can be read in place is, for
 * workspaces not yet made, what is to be expected. */
static void want(const struct hy_gemm_plan *plan, const struct hy_variant *variant,
                 struct hy_gemm_problem *wanted) {
  const struct hy_gemm_problem seen = shown(plan);
  *wanted = seen;
  hy_gemm_traits_of(variant)->layouts(&seen, wanted);
  struct stand_ins by = stand_ins(plan, variant, wanted);
  bool expected = hy_in_place_expected(plan->cube);
  if (by.a) wanted->a.in_place = expected;
  if (by.b) wanted->b.in_place = expected;
  if (by.c) wanted->c.in_place = expected;
}

/* What is priced: the arg of price and rehearse. */
struct priced {
  const struct hy_gemm_plan *plan;
  const struct hy_gemm_request *request;
};

/* For the choice: what this node spends on a variant, redistributions included. */
static hyla_status price(void *arg, const struct hy_variant *variant, void **state,
                         hyla_cost *cost) {
  const struct hy_gemm_plan *plan = ((const struct priced *)arg)->plan;
  const struct hy_gemm_problem *given = &plan->given;
  struct hy_gemm_problem problem, *wanted = &problem;
  hyla_cube *cube = plan->cube;
  size_t size = given->kernels->size;
  (void)state; /* it depends on workspaces that are made for the chosen one alone */
  if (cube->address < 0 || cube->unpriced) return HYLA_OK;
  want(plan, variant, wanted);
  TRY(hy_gemm_replay(variant, wanted, cube->address, cost));
  struct stand_ins by = stand_ins(plan, variant, wanted);
  bool used = given->k > 0, read = plan->task.beta != 0;
  struct hy_bind_need needs[3];
  int count = 0;
  if (by.a) needs[count++] = (struct hy_bind_need){&plan->a, &given->a, &wanted->a, used, false};
  if (by.b) needs[count++] = (struct hy_bind_need){&plan->b, &given->b, &wanted->b, used, false};
  if (by.c) needs[count++] = (struct hy_bind_need){&plan->c, &given->c, &wanted->c, read, true};
  return hy_bind_cost(cube, needs, count, size, cost);
}

/* For the choice on a simulated cube: the plan that a variant would make runs there. */
static hyla_status rehearse(void *arg, const struct hy_variant *variant, hyla_cube *stage) {
  struct hy_gemm_request request = *((const struct priced *)arg)->request;
  hyla_matrix a, b, c;
  hyla_plan *plan = NULL;
  bool same = request.a == request.b;
  request.a = hy_matrix_stage(stage, request.a, &a);
  request.b = same ? request.a : hy_matrix_stage(stage, request.b, &b);
  request.c = hy_matrix_stage(stage, request.c, &c);
  request.variant = variant->name;
  hyla_status status = hy_gemm_plan_make(stage, &request, &plan);
  if (status == HYLA_OK) status = hy_plan_run(plan);
  (void)hyla_plan_destroy(&plan);
  return status;
}

static hyla_status make_workspace(struct hy_binding *binding, struct hy_operand *wanted) {
  TRY(hy_agree(binding->given->cube, hy_bind_make(binding, wanted)));
  wanted->in_place = hy_in_place(binding->view);
  return HYLA_OK;
}

/* Collective; all ranks return the same. */
static hyla_status make_workspaces(struct hy_gemm_plan *plan) {
  struct hy_gemm_problem *wanted = &plan->task.problem;
  struct stand_ins by = stand_ins(plan, plan->variant, wanted);
  if (by.a) TRY(make_workspace(&plan->a, &wanted->a));
  if (by.b) TRY(make_workspace(&plan->b, &wanted->b));
  return by.c ? make_workspace(&plan->c, &wanted->c) : HYLA_OK;
}

static struct hy_gemm_factor factor_of(const struct hy_binding *binding) {
  return binding->view == NULL ? (struct hy_gemm_factor){binding->given, binding->op}
                               : (struct hy_gemm_factor){binding->view, HYLA_NONE};
}

/* Collective; all ranks return the same.  The redistributions before and after the run. */
static hyla_status stage(hyla_plan *made, hyla_matrix *result) {
  struct hy_gemm_plan *plan = made->state;
  bool used = plan->given.k > 0;
  struct hy_binding *const bindings[] = {&plan->a, &plan->b, &plan->c};
  plan->a.brought = plan->a.view != NULL && used;
  plan->b.brought = plan->b.view != NULL && used;
  plan->c.brought = plan->c.view != NULL && plan->task.beta != 0;
  TRY(hy_bind_in(plan->cube, bindings, 3, &plan->in));
  hy_plan_adopt(made, "operands brought", plan->in);
  if (plan->c.view == NULL) return HYLA_OK;
  TRY(hy_bind_out(plan->cube, &plan->c, result, &plan->out));
  hy_plan_adopt(made, "result brought back", plan->out);
  return HYLA_OK;
}

/* What this node spends on the plan as it is, redistributions included. */
static hyla_status spend(const hyla_plan *made, hyla_cost *cost) {
  const struct hy_gemm_plan *plan = made->state;
  const struct hy_gemm_problem *wanted = &plan->task.problem;
  hyla_cube *cube = plan->cube;
  *cost = (hyla_cost){0};
  if (cube->address < 0) return HYLA_OK;
  TRY(hy_gemm_replay(plan->variant, wanted, cube->address, cost));
  const struct {
    const struct hy_binding *binding;
    const struct hy_operand *wanted;
  } bound[] = {{&plan->a, &wanted->a}, {&plan->b, &wanted->b}, {&plan->c, &wanted->c}};
  for (int x = 0; x < 3; x++)
    if (bound[x].binding->view != NULL)
      cost->memory += hy_bind_memory(cube, bound[x].wanted, plan->given.kernels->size);
  for (int i = 0; i < made->children; i++) hy_cost_add(cost, hy_plan_mine(made->child[i].plan));
  if (plan->check == NULL) return HYLA_OK;
  hyla_cost check;
  TRY(hy_gemm_check_cost(plan->check, &check));
  hy_cost_add(cost, check);
  return HYLA_OK;
}

static hyla_status take_check(struct hy_gemm_plan *plan, const struct hy_gemm_request *r) {
  if (!plan->cube->check_results) return HYLA_OK;
  TRY(hy_alloc(&plan->cube->base, 1, sizeof *plan->check, &plan->check));
  return hy_gemm_check_make(plan->cube, r, plan->check);
}

/* Everything of the plan that this rank does by itself once the workspaces stand. */
static hyla_status take_memory(hyla_plan *made, const struct hy_gemm_request *r) {
  hyla_matrix *result = r->c;
  struct hy_gemm_plan *plan = made->state;
  struct hy_gemm_task *task = &plan->task;
  task->a = factor_of(&plan->a);
  task->b = factor_of(&plan->b);
  task->c = plan->c.view == NULL ? result : plan->c.view;
  TRY(plan->variant->create(plan->variant, task, &plan->state));
  TRY(plan->variant->take(plan->state));
  TRY(take_check(plan, r));
  return spend(made, &plan->choice->candidates[plan->choice->chosen].cost);
}

static hyla_status run_once(const struct hy_gemm_plan *plan) {
  if (plan->in != NULL) TRY(hy_plan_run(plan->in));
  hy_bind_brought(&plan->a);
  hy_bind_brought(&plan->b);
  TRY(plan->variant->run(plan->state));
  if (plan->hermitian) hy_real_diagonal(plan->task.c);
  return plan->out == NULL ? HYLA_OK : hy_plan_run(plan->out);
}

/* A result that is damaged and cannot be corrected is made once more where its factors are there.
 */
static hyla_status run_plan(hyla_plan *made) {
  const struct hy_gemm_plan *plan = made->state;
  struct hy_gemm_check *check = plan->check;
  if (check == NULL) return run_once(plan);
  enum hy_finding worst = HY_UNDAMAGED;
  TRY(hy_gemm_check_begin(check));
  TRY(run_once(plan));
  TRY(hy_gemm_check_end(check, &worst));
  bool damaged = worst != HY_UNDAMAGED;
  if (worst == HY_DAMAGED && check->again) {
    TRY(run_once(plan));
    TRY(hy_gemm_check_end(check, &worst));
  }
  return hy_finding_end(plan->cube, damaged, worst);
}

static void destroy_plan(hyla_plan *made) {
  struct hy_gemm_plan *plan = made->state;
  if (plan->variant != NULL) plan->variant->destroy(&plan->state);
  hy_bind_release(&plan->a);
  hy_bind_release(&plan->b);
  hy_bind_release(&plan->c);
  if (plan->check != NULL) hy_gemm_check_free(plan->check);
  hy_free(&made->cube->base, &plan->check);
}

static const struct hy_plan_kind KIND = {.size = sizeof(struct hy_gemm_plan),
                                         .run = run_plan,
                                         .explain = hy_gemm_plan_explain,
                                         .destroy = destroy_plan};

hyla_status hy_gemm_plan_make(hyla_cube *cube, const struct hy_gemm_request *r, hyla_plan **plan) {
  TRY(hy_agree(cube, hy_plan_create(cube, &KIND, plan)));
  struct hy_gemm_plan *p = (*plan)->state;
  struct hy_choice *choice = &(*plan)->choice;
  p->cube = cube;
  p->choice = choice;
  set_given(p, r);
  const struct hy_gemm_task seen = {.problem = shown(p)};
  struct priced priced = {p, r};
  const struct hy_pricing pricing = {.price = price, .rehearse = rehearse, .arg = &priced};
  TRY(hy_choice_make(cube, &hy_gemm_family, &seen, p->given.kernels, r->variant, &pricing, choice));
  if (cube->wise && !cube->reproducible && choice->why == HY_PREDICTED)
    TRY(hy_gemm_learn(p, r, hy_gemm_plan_make));
  p->variant = hy_choice_variant(choice);
  const int64_t words[] = {choice->chosen, p->given.m, p->given.n, p->given.k};
  (*plan)->fingerprint = hy_fingerprint(0, words, sizeof words);
  want(p, p->variant, &p->task.problem);
  TRY(make_workspaces(p));
  TRY(stage(*plan, r->c));
  TRY(hy_agree(cube, take_memory(*plan, r)));
  return hy_plan_busiest(cube, p->given.kernels, &choice->candidates[choice->chosen], 1);
}
