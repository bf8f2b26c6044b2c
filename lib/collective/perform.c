/* Planned collectives: the choice of a variant, its schedule on this rank, runs. */
#include "collective/variant.h"

#include <math.h>
#include <string.h>

struct hy_collective_plan {
  struct hy_release release;
  uint32_t dims;
  enum hy_task task;
  struct hy_blocks blocks;
  size_t size;
  struct hy_schedule schedule;
  bool asynchronous;
  struct hy_flow *flow; /* NULL: the schedule runs in steps */
  void *work;
  int64_t words;  /* words of the data */
  void *scratch;  /* NULL if the schedule has no scratch */
  hyla_cost cost; /* this rank's cost */
  struct hy_choice choice;
  hyla_machine machine; /* the machine that the choice was made for */
};

struct hy_collective hy_collective_priced(const hyla_cube *cube,
                                          const struct hy_collective *collective, size_t size) {
  const double whole = 1 << 30;
  struct hy_collective it = *collective;
  double start = cube->session.machine.alpha, word = cube->session.machine.beta * (double)size;
  double larger = fmax(start, word);
  if (it.tau > 0 || it.beta > 0 || !(larger > 0)) return it;
  it.beta = llround(start / larger * whole);
  it.tau = llround(word / larger * whole);
  return it;
}

/* The cost of one node, with the steps of the whole cube. */
static hyla_cost cost_of(const struct hy_schedule *schedule, const struct hy_blocks *blocks,
                         size_t size, bool asynchronous) {
  hyla_cost cost = hy_schedule_cost(schedule, blocks);
  int64_t work = asynchronous ? hy_flow_work(schedule, blocks) : hy_schedule_work(schedule, blocks);
  work += schedule->scratch * blocks->words;
  return (hyla_cost){.steps = schedule->steps,
                     .messages = cost.messages,
                     .words = cost.words,
                     .memory = work * (int64_t)size};
}

hyla_status hy_collective_schedule(hyla_cube *cube, const struct hy_collective_variant *variant,
                                   const struct hy_collective *collective, uint32_t node,
                                   struct hy_schedule *schedule) {
  struct hy_recipe own;
  const struct hy_recipe *recipe = NULL;
  hy_schedule_init(schedule, &cube->base);
  hyla_status status = hy_recipe_find(cube, variant, collective, &own, &recipe);
  if (status == HYLA_OK) status = hy_generate(hy_recipe_top(recipe), node, &cube->base, schedule);
  hy_recipe_free(&own);
  return status;
}

/* The exact cost of the forward task on its root (on any node, if it has no root), counted from its
 * schedule.  size: bytes of a word. */
static hyla_status variant_cost(hyla_cube *cube, const struct hy_collective_variant *variant,
                                const struct hy_collective *collective, size_t size,
                                hyla_cost *cost) {
  struct hy_schedule schedule;
  struct hy_collective forward = *collective;
  forward.task = variant->task;
  hyla_status status = hy_collective_schedule(cube, variant, &forward, forward.root, &schedule);
  if (status == HYLA_OK) *cost = cost_of(&schedule, &forward.blocks, size, variant->asynchronous);
  hy_schedule_free(&schedule);
  return status;
}

void hy_combine_counted(void *into, const void *from, int64_t count, const void *arg) {
  const struct hy_combining *it = arg;
  if (it->flops > 0) hy_compute(it->cube, count * it->flops, it->entry, it->complex_type);
  if (!hy_cube_dry(it->cube)) it->combine(into, from, count, it->arg);
}

/* The argument of price: the cube and the collective to plan. */
struct pricing {
  hyla_cube *cube;
  const struct hy_wish *wish;
};

static hyla_status price(void *arg, const struct hy_variant *row, void **state, hyla_cost *cost) {
  const struct pricing *p = arg;
  (void)state; /* rows have no state; the chosen row's schedule belongs to the plan */
  TRY(variant_cost(p->cube, hy_collective_variant_of(row), p->wish->collective, p->wish->size,
                   cost));
  cost->memory += p->wish->beside;
  return HYLA_OK;
}

/* Lists the task's rows with the reasons against them, and prices them. */
static hyla_status list(hyla_cube *cube, const struct hy_wish *wish, struct hy_choice *choice) {
  struct pricing pricing = {cube, wish};
  const struct hy_family *family = hy_collective_family(wish->collective->task);
  TRY(hy_choice_list(&cube->base, family, wish->collective, cube->session.collective, wish->variant,
                     choice));
  for (int i = 0; i < choice->count; i++)
    choice->candidates[i].reason =
        hy_variant_refuses(hy_collective_variant_of(family->rows[i]), wish->collective);
  TRY(hy_choice_price(choice, wish->collective, price, &pricing));
  for (int i = 0; i < choice->count; i++)
    choice->candidates[i].seconds =
        hy_machine_seconds(&cube->session.machine, &choice->candidates[i].cost, wish->size, false);
  return HYLA_OK;
}

/* Rehearses a row.  Rehearsals have no data, so the contents of `data' do not matter. */
static hyla_status rehearse(void *arg, const struct hy_variant *row, hyla_cube *rehearsal) {
  const struct hy_wish *wish = arg;
  struct hy_combining staged = wish->combining;
  struct hy_collective_plan *plan = NULL;
  void *data = NULL;
  staged.cube = rehearsal;
  TRY(hy_collective_create(rehearsal, wish->dims, wish->collective, wish->size, row->name, &plan));
  hyla_status status =
      hy_alloc_data(&rehearsal->base, hy_contract_words(wish->collective), wish->size, &data);
  if (status == HYLA_OK)
    status = hy_collective_run(rehearsal, plan, data, hy_combine_counted, &staged);
  hy_free(&rehearsal->base, &data);
  hy_collective_destroy(rehearsal, &plan);
  return status;
}

hyla_status hy_collective_choose(hyla_cube *cube, const struct hy_wish *wish,
                                 struct hy_choice *choice) {
  const struct hy_collective it = hy_collective_priced(cube, wish->collective, wish->size);
  struct hy_wish priced = *wish;
  priced.collective = &it;
  const struct hy_pricing pricing = {.rehearse = rehearse, .arg = &priced};
  TRY(hy_agree(cube, list(cube, &priced, choice)));
  if (wish->rehearsed)
    TRY(hy_choice_rehearse(cube, hy_cube_kernels(cube, HYLA_DOUBLE), &pricing, choice));
  return hy_choice_pick(choice);
}

static hyla_status fill_plan(hyla_cube *cube, const struct hy_collective *collective,
                             const char *wanted, struct hy_collective_plan *plan) {
  const struct hy_wish wish = {
      .dims = plan->dims, .collective = collective, .size = plan->size, .variant = wanted};
  TRY(list(cube, &wish, &plan->choice));
  TRY(hy_choice_pick(&plan->choice));
  const struct hy_collective_variant *variant =
      hy_collective_variant_of(hy_choice_variant(&plan->choice));
  uint32_t node = hy_extract((uint32_t)cube->address, plan->dims);
  TRY(hy_collective_schedule(cube, variant, collective, node, &plan->schedule));
  plan->asynchronous = variant->asynchronous;
  plan->cost = cost_of(&plan->schedule, &plan->blocks, plan->size, plan->asynchronous);
  const hyla_cost own = hy_schedule_cost(&plan->schedule, &plan->blocks);
  plan->cost.steps = own.steps;
  plan->cost.flops = own.flops;
  plan->words = hy_contract_words(collective);
  return HYLA_OK;
}

static void release(struct hy_release *self) {
  struct hy_collective_plan *plan = (struct hy_collective_plan *)self;
  hy_choice_free(&plan->choice);
  hy_flow_destroy(&plan->flow);
  hy_schedule_free(&plan->schedule);
}

hyla_status hy_collective_make(hyla_cube *cube, uint32_t dims,
                               const struct hy_collective *collective, size_t size,
                               const char *variant, struct hy_collective_plan **plan) {
  *plan = NULL;
  if (cube->address < 0) return HYLA_OK;
  CHECK(&cube->base, collective->dims == hy_popcount(dims), ARGUMENT,
        "a collective of %d dimensions cannot run on a subcube of %d", collective->dims,
        hy_popcount(dims));
  TRY(hy_alloc(&cube->base, 1, sizeof **plan, plan));
  (*plan)->dims = dims;
  (*plan)->task = collective->task;
  (*plan)->blocks = collective->blocks;
  (*plan)->size = size;
  (*plan)->machine = cube->session.machine;
  hy_schedule_init(&(*plan)->schedule, &cube->base);
  (*plan)->release.release = release;
  hy_on_free(*plan, &(*plan)->release);
  const struct hy_collective it = hy_collective_priced(cube, collective, size);
  hyla_status status = fill_plan(cube, &it, variant, *plan);
  if (status != HYLA_OK) hy_collective_destroy(cube, plan);
  return status;
}

hyla_status hy_collective_allocate(hyla_cube *cube, struct hy_collective_plan *plan) {
  if (plan == NULL) return HYLA_OK;
  if (plan->schedule.scratch > 0)
    TRY(hy_alloc_data_for(&cube->base, plan, plan->schedule.scratch * plan->blocks.words,
                          plan->size, &plan->scratch));
  int64_t work = plan->asynchronous ? hy_flow_work(&plan->schedule, &plan->blocks)
                                    : hy_schedule_work(&plan->schedule, &plan->blocks);
  if (plan->asynchronous) TRY(hy_flow_create(&plan->schedule, &plan->blocks, &plan->flow));
  return hy_alloc_data_for(&cube->base, plan, work, plan->size, &plan->work);
}

hyla_status hy_collective_create(hyla_cube *cube, uint32_t dims,
                                 const struct hy_collective *collective, size_t size,
                                 const char *variant, struct hy_collective_plan **plan) {
  TRY(hy_collective_make(cube, dims, collective, size, variant, plan));
  hyla_status status = hy_collective_allocate(cube, *plan);
  if (status != HYLA_OK) hy_collective_destroy(cube, plan);
  return status;
}

hyla_status hy_collective_run(hyla_cube *cube, const struct hy_collective_plan *plan, void *data,
                              hy_combine *combine, const void *arg) {
  if (cube->address < 0) return HYLA_OK;
  struct hy_run run = {.dims = plan->dims,
                       .blocks = plan->blocks,
                       .size = plan->size,
                       .data = data,
                       .work = plan->work,
                       .words = plan->words,
                       .scratch = plan->scratch,
                       .combine = combine,
                       .arg = arg};
  if (plan->flow != NULL) return hy_flow_run(cube, plan->flow, &run);
  return hy_schedule_run(cube, &plan->schedule, &run);
}

void hy_collective_destroy(hyla_cube *cube, struct hy_collective_plan **plan) {
  hy_free(&cube->base, plan);
}

const char *hy_collective_variant(const struct hy_collective_plan *plan) {
  return plan == NULL ? "" : hy_choice_variant(&plan->choice)->name;
}

hyla_cost hy_collective_cost(const struct hy_collective_plan *plan) {
  return plan == NULL ? (hyla_cost){0} : plan->cost;
}

hyla_status hy_collective_busiest(hyla_cube *cube, const struct hy_collective_plan *plan,
                                  hyla_cost *cost) {
  const hyla_cost mine = hy_collective_cost(plan);
  int64_t most[] = {mine.steps, mine.messages, mine.words, mine.flops, mine.memory};
  TRY(hyla_cube_max(cube, most, sizeof most / sizeof *most));
  *cost = (hyla_cost){
      .steps = most[0], .messages = most[1], .words = most[2], .flops = most[3], .memory = most[4]};
  return HYLA_OK;
}

double hy_collective_seconds(const struct hy_collective_plan *plan) {
  return plan == NULL ? 0 : plan->choice.candidates[plan->choice.chosen].seconds;
}

void hy_collective_explain(const struct hy_collective_plan *plan, struct hy_text *text) {
  if (plan == NULL) return;
  const struct hy_choice *choice = &plan->choice;
  hy_choice_explain(text, choice->family->name, &plan->machine, choice->candidates, choice->count,
                    choice->chosen, choice->why);
}
