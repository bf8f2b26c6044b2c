/* The job: a call's operation from the choice of a variant to its run. */
#include "job/job.h"

#include <string.h>

/* ------------------------------------------------------------------ choice -- */

/* Where a variant wants the operands, and which of them get a workspace. */
struct wish {
  struct hy_operand wanted[HY_OPERANDS];
  bool stands_in[HY_OPERANDS];
};

/* Fills in a wish.  Workspaces not made yet are expected to be readable in place. */
static void wish(struct hy_job *job, const struct hy_variant *variant, struct wish *w) {
  const struct hy_operation *operation = job->operation;
  if (operation->place != NULL) operation->place(job, variant);
  for (int i = 0; i < job->operands; i++) w->wanted[i] = job->operand[i].given;
  operation->want(job, variant, w->wanted);
  for (int i = 0; i < job->operands; i++) {
    const struct hy_binding *operand = &job->operand[i];
    const bool lies = operand->matrix == NULL || hy_operand_equal(&operand->given, &w->wanted[i]);
    w->stands_in[i] =
        operand->copied || !lies ||
        (variant != NULL && operation->copies != NULL && operation->copies(job, variant, i));
    if (w->stands_in[i])
      w->wanted[i].in_place = !operand->unshared && hy_in_place_expected(job->cube);
  }
}

static hyla_status play_through(const struct hy_variant *variant, const void *task, void **state) {
  TRY(variant->create(variant, task, state));
  TRY(variant->allocate(*state));
  return variant->run(*state);
}

/* The exact cost of the variant's run on this node, in bytes, played on a counting cube. */
static hyla_status play(struct hy_job *job, const struct hy_variant *variant,
                        const struct hy_operand *wanted, hyla_cost *cost) {
  hyla_cube counting;
  hyla_matrix counted[HY_OPERANDS], *matrix[HY_OPERANDS];
  void *state = NULL;
  if (job->trial == NULL) TRY(hy_alloc(&job->cube->base, 1, job->operation->task, &job->trial));
  hy_count_begin(job->cube, job->cube->address, &counting);
  for (int i = 0; i < job->operands; i++) {
    counted[i] = hy_matrix_counted(&counting, job->k->type, &wanted[i]);
    matrix[i] = &counted[i];
  }
  job->operation->set(job, &counting, wanted, matrix, job->trial);
  hyla_status status = play_through(variant, job->trial, &state);
  hy_variant_destroy(variant, &counting.base, &state);
  const hyla_cost sent = hy_count_end(job->cube, &counting, 1);
  *cost = hy_cost_in(sent, job->k->size, 1);
  cost->words = sent.words; /* also of messages of other types */
  cost->lent = sent.lent;
  return status;
}

/* In bytes, so that costs of several types can be added up. */
static hyla_status cost_of(struct hy_job *job, const struct hy_variant *variant,
                           const struct hy_operand *wanted, hyla_cost *cost) {
  if (job->operation->cost == NULL) return play(job, variant, wanted, cost);
  TRY(job->operation->cost(job, variant, cost));
  *cost = hy_cost_in(*cost, job->k->size, 1);
  return HYLA_OK;
}

/* This node's cost of a row's run, in bytes, if workspaces can be read in place as expected. */
struct hy_priced {
  bool known;
  hyla_cost run;
};

static struct hy_priced *priced_of(const struct hy_job *job, const struct hy_variant *variant) {
  int row = 0;
  while (job->family->rows[row] != variant) row++;
  return &job->priced[row];
}

/* Keeps the cost for when all is planned, so that the chosen variant is not played again. */
static hyla_status keep(struct hy_job *job, const struct hy_variant *variant, hyla_cost cost) {
  if (job->priced == NULL)
    TRY(hy_alloc(&job->cube->base, hy_family_count(job->family), sizeof *job->priced,
                 &job->priced));
  *priced_of(job, variant) = (struct hy_priced){true, cost};
  return HYLA_OK;
}

/* For the choice: this node's cost of a variant, moves included. */
static hyla_status price(void *arg, const struct hy_variant *variant, void **state,
                         hyla_cost *cost) {
  struct hy_job *job = arg;
  hyla_cube *cube = job->cube;
  struct wish w;
  (void)state; /* it is made for the chosen variant alone */
  if (cube->address < 0 || cube->session.unpriced) return HYLA_OK;
  wish(job, variant, &w);
  TRY(cost_of(job, variant, w.wanted, cost));
  TRY(keep(job, variant, *cost));
  *cost = hy_cost_in(*cost, 1, job->k->size);
  TRY(hy_bindings_cost(cube, job->operand, w.wanted, w.stands_in, job->operands, job->k, cost));
  return job->operation->spend == NULL ? HYLA_OK : job->operation->spend(job, w.wanted, cost);
}

static bool plays(const void *arg, const struct hy_variant *variant) {
  const struct hy_job *job = arg;
  return job->operation->plays(job, variant);
}

/* For the choice on a simulated cube: the plan that a variant would make runs there, on matrices
 * without data. */
static hyla_status rehearse(void *arg, const struct hy_variant *variant, hyla_cube *rehearsal) {
  const struct hy_job *job = arg;
  struct hy_call call = job->call;
  hyla_matrix staged[HY_ARGUMENTS];
  hyla_plan *plan = NULL;
  for (int i = 0; i < HY_ARGUMENTS && call.argument[i].name != NULL; i++) {
    const hyla_matrix *given = job->call.argument[i].matrix;
    int same = 0; /* the first argument that is this matrix */
    while (job->call.argument[same].matrix != given) same++;
    hyla_matrix *matrix =
        same == i ? hy_matrix_rehearsed(rehearsal, given, &staged[i]) : &staged[same];
    call.argument[i].matrix = matrix;
    if (call.argument[i].result != NULL) call.argument[i].result = matrix;
  }
  call.variant = variant->name;
  hyla_status status = hy_job_make(rehearsal, job->operation, &call, &plan);
  if (status == HYLA_OK) status = hy_plan_run(plan);
  (void)hyla_plan_destroy(&plan);
  return status;
}

/* -------------------------------------------------------------------- plan -- */

/* The wanted operands, as they are with their workspaces. */
static void get_operands(const struct hy_job *job, struct hy_operand *wanted) {
  for (int i = 0; i < job->operands; i++) wanted[i] = job->operand[i].wanted;
}

static void set_task(struct hy_job *job) {
  struct hy_operand wanted[HY_OPERANDS];
  hyla_matrix *matrix[HY_OPERANDS];
  get_operands(job, wanted);
  for (int i = 0; i < job->operands; i++) matrix[i] = hy_binding_matrix(&job->operand[i]);
  job->operation->set(job, job->cube, wanted, matrix, job->task);
}

/* Makes workspaces and plans the moves into them and back.  Collective, one outcome on all
 * ranks. */
static hyla_status bind(hyla_plan *plan, const struct wish *w) {
  struct hy_job *job = plan->state;
  for (int i = 0; i < job->operands; i++) {
    job->operand[i].wanted = w->wanted[i];
    if (w->stands_in[i]) TRY(hy_binding_make(job->cube, job->k, &job->operand[i]));
  }
  set_task(job);
  TRY(hy_bindings_moved(job->cube, job->operand, job->operands, false, &job->in));
  if (job->in != NULL) hy_plan_adopt(plan, job->operation->brought, job->in);
  if (job->operation->more != NULL) TRY(job->operation->more(plan));
  TRY(hy_bindings_moved(job->cube, job->operand, job->operands, true, &job->out));
  if (job->out != NULL) hy_plan_adopt(plan, job->operation->returned, job->out);
  return HYLA_OK;
}

/* The children may move entries of another type. */
static void add_children(const hyla_plan *plan, hyla_cost *bytes) {
  for (int i = 0; i < plan->children; i++) {
    const hyla_plan *child = plan->child[i].plan;
    hy_cost_add(bytes, hy_cost_in(hy_plan_mine(child), child->choice.entry, 1));
  }
}

/* This node's cost of the plan, moves included. */
static hyla_status spend(const hyla_plan *plan, const struct wish *w, hyla_cost *cost) {
  struct hy_job *job = plan->state;
  struct hy_operand wanted[HY_OPERANDS];
  struct hy_priced priced = {false, {0}};
  *cost = (hyla_cost){0};
  if (job->cube->address < 0) return HYLA_OK;
  get_operands(job, wanted);
  if (job->priced != NULL) priced = *priced_of(job, job->variant);
  for (int i = 0; i < job->operands; i++)
    priced.known &= wanted[i].in_place == w->wanted[i].in_place;
  if (priced.known)
    *cost = priced.run;
  else
    TRY(cost_of(job, job->variant, wanted, cost));
  add_children(plan, cost);
  *cost = hy_cost_in(*cost, 1, job->k->size);
  for (int i = 0; i < job->operands; i++)
    if (job->operand[i].view != NULL)
      cost->memory += hy_binding_memory(job->cube, &wanted[i], job->k->type);
  return job->operation->spend == NULL ? HYLA_OK : job->operation->spend(job, wanted, cost);
}

/* This rank's own part, once the workspaces exist: the variant's state and memory, and the
 * operation's. */
static hyla_status allocate(hyla_plan *plan, const struct wish *w) {
  struct hy_job *job = plan->state;
  struct hy_choice *choice = job->choice;
  void **state = &choice->states[choice->chosen];
  hyla_status made = job->variant->create(job->variant, job->task, state);
  TRY(job->operation->together ? hy_agree(job->cube, made) : made);
  TRY(job->variant->allocate(*state));
  job->state = *state;
  if (job->operation->open != NULL) TRY(job->operation->open(job));
  return job->operation->charge != NULL ? HYLA_OK
                                        : spend(plan, w, &choice->candidates[choice->chosen].cost);
}

/* The counts of the busiest node once all is planned: of all candidates if they are charged. */
static hyla_status settle(hyla_plan *plan) {
  const struct hy_job *job = plan->state;
  const struct hy_choice *choice = job->choice;
  if (job->operation->charge == NULL)
    return hy_plan_busiest(job->cube, job->k, &choice->candidates[choice->chosen], 1);
  for (int x = 0; x < choice->count; x++) {
    struct hy_candidate *candidate = &choice->candidates[x];
    if (candidate->reason != NULL || candidate->unpriced) continue;
    candidate->cost = candidate->mine;
    job->operation->charge(job, candidate, &candidate->cost);
    for (int i = 0; i < plan->children; i++)
      hy_cost_add(&candidate->cost, hy_plan_mine(plan->child[i].plan));
  }
  return hy_plan_busiest(job->cube, job->k, choice->candidates, choice->count);
}

static hyla_status run_plan(hyla_plan *plan) {
  struct hy_job *job = plan->state;
  return job->operation->run != NULL ? job->operation->run(job) : hy_job_once(job);
}

static void explain_plan(const hyla_plan *plan, struct hy_text *text) {
  hy_job_of(plan)->operation->explain(plan, text);
}

static void destroy_plan(hyla_plan *plan) {
  struct hy_job *job = plan->state;
  bool made = job->task != NULL && (job->own != NULL || job->operation->own == 0);
  if (made && job->operation->close != NULL) job->operation->close(job);
  for (int i = 0; i < job->operands; i++) hy_binding_release(&job->operand[i]);
  hy_free(&plan->cube->base, &job->own);
  hy_free(&plan->cube->base, &job->priced);
  hy_free(&plan->cube->base, &job->trial);
  hy_free(&plan->cube->base, &job->task);
}

static const struct hy_plan_kind KIND = {.size = sizeof(struct hy_job),
                                         .run = run_plan,
                                         .explain = explain_plan,
                                         .destroy = destroy_plan};

struct hy_job *hy_job_if(const hyla_plan *plan, const struct hy_operation *operation) {
  if (plan == NULL || plan->kind != &KIND) return NULL;
  struct hy_job *job = hy_job_of(plan);
  return job->operation == operation ? job : NULL;
}

/* The part of the making that may fail on one rank only. */
static hyla_status create(hyla_cube *cube, const struct hy_operation *operation,
                          const struct hy_call *call, hyla_plan **plan) {
  struct hy_base *base = &cube->base;
  TRY(hy_plan_create(cube, &KIND, plan));
  struct hy_job *job = (*plan)->state;
  job->operation = operation;
  job->family = operation->family;
  job->plan = *plan;
  job->cube = cube;
  if (call->argument[0].matrix != NULL) job->k = call->argument[0].matrix->k;
  job->call = *call;
  job->choice = &(*plan)->choice;
  TRY(hy_alloc(base, 1, operation->task, &job->task));
  return operation->own == 0 ? HYLA_OK : hy_alloc(base, 1, operation->own, &job->own);
}

static hyla_status choose(struct hy_job *job) {
  const struct hy_operation *operation = job->operation;
  const struct hy_pricing pricing = {.price = price,
                                     .rehearse = rehearse,
                                     .arg = job,
                                     .plays = operation->plays != NULL ? plays : NULL};
  hyla_matrix *none[HY_OPERANDS] = {NULL};
  struct wish seen;
  wish(job, NULL, &seen);
  operation->set(job, job->cube, seen.wanted, none, job->task);
  TRY(hy_choice_make(job->cube, job->family, job->task, job->k, job->call.variant, &pricing,
                     job->choice));
  return operation->learn == NULL ? HYLA_OK : operation->learn(job);
}

hyla_status hy_job_make(hyla_cube *cube, const struct hy_operation *operation,
                        const struct hy_call *call, hyla_plan **plan) {
  TRY(hy_agree(cube, create(cube, operation, call, plan)));
  struct hy_job *job = (*plan)->state;
  struct wish w;
  operation->begin(job);
  TRY(choose(job));
  job->variant = hy_choice_variant(job->choice);
  if ((*plan)->runs_by == NULL) {
    struct hy_call planned = job->call;
    planned.variant = job->variant->name;
    (*plan)->fingerprint = hy_call_fingerprint(&planned);
  }
  wish(job, job->variant, &w);
  TRY(bind(*plan, &w));
  TRY(hy_agree(cube, allocate(*plan, &w)));
  hy_free(&cube->base, &job->trial);
  hy_free(&cube->base, &job->priced);
  job->call.subject = NULL;
  return settle(*plan);
}

/* --------------------------------------------------------------------- run -- */

hyla_status hy_job_once(struct hy_job *job) {
  if (job->in != NULL) TRY(hy_plan_run(job->in));
  hy_bindings_arrived(job->operand, job->operands);
  TRY(job->operation->compute != NULL ? job->operation->compute(job) : hy_job_compute(job));
  return job->out == NULL ? HYLA_OK : hy_plan_run(job->out);
}

/* ------------------------------------------------------------------- calls -- */

hyla_status hy_job_plan(hyla_cube *cube, const struct hy_operation *operation,
                        const struct hy_call *call, hyla_status mine, hyla_plan **plan) {
  struct hy_call asked = *call;
  if (plan != NULL) *plan = NULL;
  if (cube == NULL) return HYLA_ARGUMENT;
  asked.place[0] = (struct hy_named_place){"plan", plan, 1};
  TRY(hy_call_enter(cube, &asked, mine));
  hyla_status status = hy_job_make(cube, operation, &asked, plan);
  if (status != HYLA_OK) (void)hyla_plan_destroy(plan);
  return status;
}

hyla_status hy_job_call(hyla_cube *cube, const struct hy_operation *operation,
                        const struct hy_call *call, hyla_status mine) {
  hyla_plan *plan = NULL;
  TRY(hy_job_plan(cube, operation, call, mine, &plan));
  hyla_status status = hy_agree(cube, hy_plan_run(plan));
  (void)hyla_plan_destroy(&plan);
  return status;
}
