/* The plan of a matrix-vector operation: the price of every variant, the choice, the vectors'
 * workspaces, the run.  A is never moved. */
#include "gemm/gemv.h"

/* ----------------------------------------------------------------- problem -- */

static struct hy_gemv_end end_of(bool rows, bool sum, const hyla_matrix *vector) {
  return (struct hy_gemv_end){rows, sum, hy_operand_of(vector, HYLA_NONE)};
}

static void set_ends(struct hy_gemv_problem *p, const struct hy_gemv_request *r) {
  bool turned = r->op != HYLA_NONE; /* also in an update */
  p->end[HY_GEMV_X] = end_of(turned, false, r->x);
  p->end[HY_GEMV_Y] = end_of(!turned, !r->update, r->y);
  p->ends = 2;
  if (r->shape.form == HY_GENERAL) return;
  p->end[HY_GEMV_X_TURNED] = end_of(true, false, r->x);
  p->end[HY_GEMV_Y_TURNED] = end_of(false, true, r->y);
  p->ends = HY_GEMV_ENDS;
}

static void set_given(struct hy_gemv_plan *plan, const struct hy_gemv_request *r) {
  const hyla_matrix *a = r->a;
  plan->given = (struct hy_gemv_task){.alpha = r->alpha, .beta = r->beta};
  /* Only an update writes to a, which then is the result. */
  plan->given.a = r->update ? r->result : (hyla_matrix *)a;
  struct hy_gemv_problem *p = &plan->given.problem;
  p->cube = plan->cube;
  p->kernels = a->k;
  p->update = r->update;
  p->idle = r->alpha == 0 || a->row.n == 0 || a->col.n == 0;
  p->shape = r->shape;
  p->op = r->op;
  p->a = hy_operand_of(a, HYLA_NONE);
  set_ends(p, r);
  for (int i = 0; i < p->ends; i++) {
    bool y = i == HY_GEMV_Y || i == HY_GEMV_Y_TURNED;
    plan->bound[i] = (struct hy_binding){.given = y ? r->y : r->x};
  }
  plan->turned = (struct hy_binding){.given = r->y};
}

/* Does a workspace stand in for an end's vector?  y's second summand always has its own. */
static bool stands_in(const struct hy_gemv_plan *plan, const struct hy_gemv_problem *wanted,
                      int end) {
  const struct hy_gemv_problem *given = &plan->given.problem;
  if (given->idle) return false;
  return end == HY_GEMV_Y_TURNED ||
         !hy_operand_equal(&given->end[end].vector, &wanted->end[end].vector);
}

static bool carries(const struct hy_gemv_problem *p) { return p->ends > 2 && !p->idle; }

/* What is brought before: x, and y where its entries count. */
static bool comes(const struct hy_gemv_plan *plan, int end) {
  const struct hy_gemv_task *task = &plan->given;
  return end != HY_GEMV_Y_TURNED && (!task->problem.end[end].sum || task->beta != 0);
}
static bool goes_back(const struct hy_gemv_plan *plan, int end) {
  return end == HY_GEMV_Y && plan->given.problem.end[end].sum;
}

static void want(const struct hy_gemv_plan *plan, const struct hy_variant *variant,
                 struct hy_gemv_task *wanted) {
  struct hy_gemv_problem *p = &wanted->problem;
  *wanted = plan->given;
  for (int i = 0; i < p->ends && !p->idle; i++) {
    hy_gemv_traits_of(variant)->lie(&plan->given.problem, &plan->given.problem.end[i],
                                    &p->end[i].vector);
    if (stands_in(plan, p, i)) p->end[i].vector.in_place = hy_in_place_expected(plan->cube);
  }
}

/* ------------------------------------------------------------------ prices -- */

static int64_t entries_of(const hyla_cube *cube, const struct hy_operand *x) {
  if (!hy_operand_held(cube, x, cube->address)) return 0;
  return hy_held_at(&x->row, cube->address) * hy_held_at(&x->col, cube->address);
}

/* Adds what the addition of y's second summand costs, once it is there. */
static void add_carried(const hyla_cube *cube, const struct hy_gemv_problem *wanted,
                        hyla_cost *cost) {
  const struct hy_operand *y = &wanted->end[HY_GEMV_Y].vector;
  int64_t entries = entries_of(cube, y);
  cost->flops += entries;
  cost->copied += entries;
  cost->memory += hy_bind_memory(cube, y, wanted->kernels->size);
}

/* What is priced: the arg of price and rehearse. */
struct priced {
  const struct hy_gemv_plan *plan;
  const struct hy_gemv_request *request;
};

static hyla_status price(void *arg, const struct hy_variant *variant, void **state,
                         hyla_cost *cost) {
  const struct hy_gemv_plan *plan = ((const struct priced *)arg)->plan;
  const struct hy_gemv_problem *given = &plan->given.problem;
  struct hy_gemv_task task;
  const struct hy_gemv_problem *wanted = &task.problem;
  struct hy_bind_need needs[HY_GEMV_ENDS];
  hyla_cube *cube = plan->cube;
  size_t size = given->kernels->size;
  int count = 0;
  (void)state; /* it depends on workspaces that are made for the chosen one alone */
  if (cube->address < 0) return HYLA_OK;
  want(plan, variant, &task);
  TRY(hy_gemv_replay(variant, &task, cube->address, cost));
  for (int i = 0; i < given->ends; i++)
    if (stands_in(plan, wanted, i))
      needs[count++] =
          (struct hy_bind_need){&plan->bound[i], &given->end[i].vector, &wanted->end[i].vector,
                                comes(plan, i), goes_back(plan, i)};
  TRY(hy_bind_cost(cube, needs, count, size, cost));
  if (!carries(wanted)) return HYLA_OK;
  const struct hy_direct_ends ends = {&wanted->end[HY_GEMV_Y_TURNED].vector,
                                      &wanted->end[HY_GEMV_Y].vector, size, HY_WHOLE};
  add_carried(cube, wanted, cost);
  return hy_direct_cost(&cube->base, cube->dims, &ends, 1, cube->address, cost);
}

/* On a simulated cube: the plan that a variant would make runs there. */
static hyla_status rehearse(void *arg, const struct hy_variant *variant, hyla_cube *stage) {
  struct hy_gemv_request request = *((const struct priced *)arg)->request;
  hyla_matrix a, x, y;
  hyla_plan *plan = NULL;
  hyla_matrix *staged_y = NULL;
  request.a = hy_matrix_stage(stage, request.a, &a);
  request.x = hy_matrix_stage(stage, request.x, &x);
  request.y = staged_y = hy_matrix_stage(stage, request.y, &y);
  request.result = request.update ? &a : staged_y;
  request.variant = variant->name;
  hyla_status status = hy_gemv_plan_make(stage, &request, &plan);
  if (status == HYLA_OK) status = hy_plan_run(plan);
  (void)hyla_plan_destroy(&plan);
  return status;
}

/* -------------------------------------------------------------------- plan -- */

static hyla_status make_workspace(hyla_cube *cube, struct hy_binding *binding,
                                  struct hy_operand *wanted) {
  TRY(hy_agree(cube, hy_bind_make(binding, wanted)));
  wanted->in_place = hy_in_place(binding->view);
  return HYLA_OK;
}

/* Collective; all ranks return the same. */
static hyla_status make_workspaces(struct hy_gemv_plan *plan) {
  struct hy_gemv_problem *wanted = &plan->task.problem;
  for (int i = 0; i < wanted->ends; i++)
    if (stands_in(plan, wanted, i))
      TRY(make_workspace(plan->cube, &plan->bound[i], &wanted->end[i].vector));
  if (!carries(wanted)) return HYLA_OK;
  struct hy_operand y = wanted->end[HY_GEMV_Y].vector;
  return make_workspace(plan->cube, &plan->turned, &y);
}

/* Collective; all ranks return the same.  The redistributions before, amid and after the run. */
static hyla_status stage(hyla_plan *made, const struct hy_gemv_request *r) {
  struct hy_gemv_plan *plan = made->state;
  struct hy_binding *bindings[HY_GEMV_ENDS];
  int count = 0;
  for (int i = 0; i < plan->task.problem.ends; i++) {
    plan->bound[i].brought = plan->bound[i].view != NULL && comes(plan, i);
    if (plan->bound[i].brought) bindings[count++] = &plan->bound[i];
  }
  TRY(hy_bind_in(plan->cube, bindings, count, &plan->in));
  hy_plan_adopt(made, "vectors brought", plan->in);
  if (carries(&plan->task.problem)) {
    TRY(hy_bind_out(plan->cube, &plan->bound[HY_GEMV_Y_TURNED], plan->turned.view, &plan->carried));
    hy_plan_adopt(made, "other sums brought to y", plan->carried);
  }
  if (plan->bound[HY_GEMV_Y].view == NULL || !goes_back(plan, HY_GEMV_Y)) return HYLA_OK;
  TRY(hy_bind_out(plan->cube, &plan->bound[HY_GEMV_Y], r->result, &plan->out));
  hy_plan_adopt(made, "result brought back", plan->out);
  return HYLA_OK;
}

/* What this node spends on the plan as it is, redistributions included. */
static hyla_status spend(const hyla_plan *made, hyla_cost *cost) {
  const struct hy_gemv_plan *plan = made->state;
  const struct hy_gemv_problem *wanted = &plan->task.problem;
  hyla_cube *cube = plan->cube;
  *cost = (hyla_cost){0};
  if (cube->address < 0) return HYLA_OK;
  TRY(hy_gemv_replay(plan->variant, &plan->task, cube->address, cost));
  for (int i = 0; i < wanted->ends; i++)
    if (plan->bound[i].view != NULL)
      cost->memory += hy_bind_memory(cube, &wanted->end[i].vector, wanted->kernels->size);
  if (carries(wanted)) add_carried(cube, wanted, cost);
  for (int i = 0; i < made->children; i++) hy_cost_add(cost, hy_plan_mine(made->child[i].plan));
  return HYLA_OK;
}

/* Everything of the plan that this rank does by itself once the workspaces stand. */
static hyla_status take_memory(hyla_plan *made, const struct hy_gemv_request *r) {
  struct hy_gemv_plan *plan = made->state;
  struct hy_gemv_task *task = &plan->task;
  for (int i = 0; i < task->problem.ends; i++) {
    const struct hy_binding *bound = &plan->bound[i];
    bool result = task->problem.end[i].sum;
    /* What is spread is only read. */
    hyla_matrix *given = result ? r->result : (hyla_matrix *)bound->given;
    task->vector[i] = bound->view != NULL ? bound->view : given;
  }
  TRY(plan->variant->create(plan->variant, task, &plan->state));
  TRY(plan->variant->take(plan->state));
  return spend(made, &plan->choice->candidates[plan->choice->chosen].cost);
}

/* y += its second summand */
static void add_turned(const struct hy_gemv_plan *plan) {
  const hyla_matrix *y = plan->task.vector[HY_GEMV_Y], *more = plan->turned.view;
  const struct hy_kernels *k = y->k;
  int64_t count = y->local_rows * y->local_cols;
  if (count == 0) return;
  hy_count_copied(plan->cube, count);
  k->add((int)count, 1, more->local, (int)count, y->local, (int)count);
  hy_compute(plan->cube, count, k->size, k->complex_type);
}

static hyla_status run_plan(hyla_plan *made) {
  const struct hy_gemv_plan *plan = made->state;
  if (plan->in != NULL) TRY(hy_plan_run(plan->in));
  TRY(plan->variant->run(plan->state));
  if (plan->carried != NULL) {
    TRY(hy_plan_run(plan->carried));
    add_turned(plan);
  }
  return plan->out == NULL ? HYLA_OK : hy_plan_run(plan->out);
}

static void destroy_plan(hyla_plan *made) {
  struct hy_gemv_plan *plan = made->state;
  if (plan->variant != NULL) plan->variant->destroy(&plan->state);
  for (int i = 0; i < HY_GEMV_ENDS; i++) hy_bind_release(&plan->bound[i]);
  hy_bind_release(&plan->turned);
}

static const struct hy_plan_kind KIND = {.size = sizeof(struct hy_gemv_plan),
                                         .run = run_plan,
                                         .explain = hy_gemv_plan_explain,
                                         .destroy = destroy_plan};

hyla_status hy_gemv_plan_make(hyla_cube *cube, const struct hy_gemv_request *r, hyla_plan **plan) {
  TRY(hy_agree(cube, hy_plan_create(cube, &KIND, plan)));
  struct hy_gemv_plan *p = (*plan)->state;
  struct hy_choice *choice = &(*plan)->choice;
  p->cube = cube;
  p->choice = choice;
  set_given(p, r);
  struct priced priced = {p, r};
  const struct hy_pricing pricing = {.price = price, .rehearse = rehearse, .arg = &priced};
  TRY(hy_choice_make(cube, &hy_gemv_family, &p->given, r->a->k, r->variant, &pricing, choice));
  p->variant = hy_choice_variant(choice);
  const int64_t words[] = {choice->chosen, r->a->row.n, r->a->col.n, r->update};
  (*plan)->fingerprint = hy_fingerprint(0, words, sizeof words);
  want(p, p->variant, &p->task);
  TRY(make_workspaces(p));
  TRY(stage(*plan, r));
  TRY(hy_agree(cube, take_memory(*plan, r)));
  return hy_plan_busiest(cube, r->a->k, &choice->candidates[choice->chosen], 1);
}
