/* Operations: a collective over a subcube, its variant, its schedules and its memory.
 *
 * The choice.  A planned operation is priced by the schedule of its root.  The roots of a group
 * take turns, so a group's variant is chosen by a member's packets, averaged over all roots.  Each
 * word reaches each member once under every variant, so the words are the same.  The packets and
 * the steps differ; the closed forms give them.
 *
 * Schedules.  Another root means an XOR of all numbers, so one schedule for each number relative to
 * the root serves all roots of a group.  A group's recursive doubling keeps no schedules: each call
 * makes one on the stack, which costs less than one message's start. */
#include "collective/variant.h"

#include <math.h>
#include <string.h>

static uint32_t members_of(const struct hy_subcube_op *op) { return hy_members(&op->what); }

/* Does any member serve as the root? */
static bool is_rooted(const struct hy_subcube_op *op) {
  return op->varies && hy_task_forward(op->what.task) == HY_TASK_BROADCAST;
}

static bool is_numbered(enum hy_task task) { return hy_task_forward(task) == HY_TASK_ALLGATHER; }

/* --------------------------------------------------------------- choice -- */

struct hy_collective hy_collective_priced(const hyla_cube *cube, const struct hy_collective *c) {
  const double whole = 1 << 30;
  struct hy_collective it = *c;
  double start = cube->session.machine.alpha, word = cube->session.machine.beta * (double)it.size;
  double larger = fmax(start, word);
  if (it.tau > 0 || it.beta > 0 || !(larger > 0)) return it;
  it.beta = llround(start / larger * whole);
  it.tau = llround(word / larger * whole);
  return it;
}

hyla_status hy_collective_schedule(hyla_cube *cube, const struct hy_collective_variant *variant,
                                   const struct hy_collective *c, uint32_t node,
                                   struct hy_schedule *schedule) {
  const struct hy_collective priced = hy_collective_priced(cube, c);
  struct hy_recipe own;
  const struct hy_recipe *recipe = NULL;
  hy_schedule_init(schedule, &cube->base);
  hyla_status status = hy_recipe_find(cube, variant, &priced, &own, &recipe);
  if (status == HYLA_OK) status = hy_generate(hy_recipe_top(recipe), node, &cube->base, schedule);
  hy_recipe_free(&own);
  return status;
}

/* Words of workspace for a planned operation. */
static int64_t planned_work(const struct hy_collective_variant *variant,
                            const struct hy_schedule *schedule, const struct hy_blocks *blocks) {
  return variant->asynchronous ? hy_flow_work(schedule, blocks)
                               : hy_schedule_work(schedule, blocks);
}

/* The cost of one node under a schedule, with the memory of a planned operation. */
static hyla_cost cost_of(const struct hy_collective *what,
                         const struct hy_collective_variant *variant,
                         const struct hy_schedule *schedule) {
  hyla_cost cost = hy_schedule_cost(schedule, &what->blocks);
  cost.memory =
      (planned_work(variant, schedule, &what->blocks) + schedule->scratch * what->blocks.words) *
      (int64_t)what->size;
  return cost;
}

/* The cost of the forward task on its root (on any node, if it has no root), with the steps of the
 * whole cube. */
static hyla_status price_planned(const struct hy_subcube_op *op,
                                 const struct hy_collective_variant *variant, hyla_cost *cost) {
  struct hy_schedule schedule;
  struct hy_collective forward = op->what;
  forward.task = variant->task;
  hyla_status status = hy_collective_schedule(op->cube, variant, &forward, forward.root, &schedule);
  if (status == HYLA_OK) {
    *cost = cost_of(&forward, variant, &schedule);
    cost->steps = schedule.steps;
    cost->flops = 0;
  }
  hy_schedule_free(&schedule);
  return status;
}

/* A member's cost in a group, on average over all roots. */
static hyla_cost price_group(const struct hy_subcube_op *op,
                             const struct hy_collective_variant *variant) {
  const struct hy_collective longest = hy_collective_priced(op->cube, &op->what);
  const struct hy_form form = hy_variant_form(variant, &longest);
  int64_t members = members_of(op), words = (members - 1) * op->words;
  if (op->what.task == HY_TASK_ALLREDUCE)
    words = hy_ceil_div(form.words.num * op->words * members, form.words.den);
  return (hyla_cost){.steps = form.steps,
                     .messages = hy_ceil_div(form.packets, members),
                     .words = hy_ceil_div(words, members)};
}

/* Nodes that are simulated price rows one after the other.  Where they are many, some of them do it
 * for all, along a diagonal of the network. */
static bool prices(const hyla_cube *cube, const struct hy_collective *what) {
  enum { SAMPLE = 64 };
  const uint32_t members = hy_members(what), each = members / SAMPLE + 1;
  return !hy_shares_tables(cube) || (uint32_t)hy_own_number(cube, what) % each == 0;
}

/* The cost of this rank on a network of all ranks. */
static hyla_status price_mine(const struct hy_subcube_op *op,
                              const struct hy_collective_variant *variant,
                              const struct hy_collective *what, hyla_cost *cost) {
  struct hy_schedule schedule;
  if (!prices(op->cube, what)) return HYLA_OK;
  hyla_status status = hy_collective_schedule(op->cube, variant, what,
                                              (uint32_t)hy_own_number(op->cube, what), &schedule);
  if (status == HYLA_OK) {
    *cost = cost_of(what, variant, &schedule);
    cost->steps = schedule.steps;
    cost->flops = 0;
  }
  hy_schedule_free(&schedule);
  return status;
}

/* Rows have no state; the schedules of the chosen row belong to the operation. */
static hyla_status price(void *arg, const struct hy_variant *row, void **state, hyla_cost *cost) {
  const struct hy_subcube_op *op = arg;
  (void)state;
  const struct hy_collective what = hy_collective_on(row, &op->what);
  if (what.network != NULL) return price_mine(op, hy_collective_variant_of(row), &what, cost);
  if (!op->varies) return price_planned(op, hy_collective_variant_of(row), cost);
  *cost = price_group(op, hy_collective_variant_of(row));
  return HYLA_OK;
}

/* The option `collective', unless it asks for a row that only cubes have. */
static const char *asked_of(const hyla_cube *cube, const struct hy_family *family) {
  char name[HY_NAME_MAX];
  hy_forced_variant(cube->session.collective, family->name, name, sizeof name);
  return cube->sides.count > 0 && hy_family_find(family, name) == NULL ? NULL
                                                                       : cube->session.collective;
}

/* The reason why a row is not chosen unasked: the plans of all nodes are too long.  Each message
 * that crosses a link takes two packets there, over a hundred bytes. */
static const char *is_long(const struct hy_collective_variant *row,
                           const struct hy_collective *what) {
  const int64_t most = INT64_C(1) << 26;
  const int64_t nodes = hy_members(what);
  const int64_t senders = what->active != NULL ? hy_active_count(what) : nodes;
  if (!row->by_message || hy_network_distances(what->network) / nodes * senders <= most)
    return NULL;
  return "too many messages would cross links one by one; take exchange, variant axes, or fewer "
         "active nodes, or ask for it by name";
}

/* Lists the rows with the reasons against them, and prices them. */
static hyla_status list(struct hy_subcube_op *op, const char *wanted, struct hy_choice *choice) {
  hyla_cube *cube = op->cube;
  const struct hy_family *family = hy_family_for(&op->what);
  const char *forced = asked_of(cube, family);
  struct hy_family *own = NULL;
  if (hy_takes_all(op)) {
    TRY(hy_all_family(cube, op->what.task, &wanted, &own));
    family = own;
    forced = NULL; /* it is in `wanted' */
  }
  hyla_status status = hy_choice_list(&cube->base, family, &op->what, forced, wanted, choice);
  choice->own = own;
  if (status != HYLA_OK) return status;
  for (int i = 0; i < choice->count; i++) {
    const struct hy_collective what = hy_collective_on(family->rows[i], &op->what);
    const struct hy_collective_variant *row = hy_collective_variant_of(family->rows[i]);
    choice->candidates[i].reason = hy_variant_refuses(row, &what);
    if (choice->candidates[i].reason == NULL && choice->why == HY_PREDICTED)
      choice->candidates[i].reason = is_long(row, &what);
  }
  return hy_choice_price(choice, &op->what, price, op);
}

/* Turns costs into seconds.  beside: as for hy_collective_choose. */
static void find_seconds(const struct hy_subcube_op *op, int64_t beside, struct hy_choice *choice) {
  for (int i = 0; i < choice->count; i++) {
    struct hy_candidate *row = &choice->candidates[i];
    row->cost.memory += beside;
    row->seconds = hy_machine_seconds(&op->cube->session.machine, &row->cost, op->what.size, false);
  }
}

/* On a simulated network whose nodes use all ports at once, steps take the time, and a node's
 * messages go beside each other.  So a row has the time of its form there. */
static hyla_status find_seconds_by_forms(const struct hy_subcube_op *op, struct hy_choice *choice) {
  const hyla_machine *machine = &op->cube->session.machine;
  const int64_t words = op->what.blocks.words;
  if (!hy_shares_tables(op->cube) || machine->ports != HYLA_ALL_PORTS) return HYLA_OK;
  for (int i = 0; i < choice->count; i++) {
    struct hy_candidate *candidate = &choice->candidates[i];
    const struct hy_variant *row = choice->family->rows[i];
    const struct hy_collective what = hy_collective_on(row, &op->what);
    struct hy_form form;
    if (candidate->reason != NULL || candidate->unpriced) continue;
    if (what.network == NULL || what.blocks.offsets != NULL) continue;
    TRY(hy_variant_form_on(op->cube, hy_collective_variant_of(row), &what, &form));
    candidate->seconds = (double)form.steps * machine->alpha +
                         (double)form.words.num * (double)words / (double)form.words.den *
                             machine->beta * (double)what.size;
  }
  return HYLA_OK;
}

/* On networks that are no cubes ranks differ in their costs: the busiest one's count. */
static hyla_status find_busiest(hyla_cube *cube, struct hy_choice *choice) {
  for (int i = 0; i < choice->count; i++) {
    hyla_cost *cost = &choice->candidates[i].cost;
    int64_t most[] = {cost->steps, cost->messages, cost->words, cost->memory};
    TRY(hy_cube_max(cube, most, sizeof most / sizeof *most));
    *cost = (hyla_cost){.steps = most[0], .messages = most[1], .words = most[2], .memory = most[3]};
  }
  return HYLA_OK;
}

static double seconds_of(const struct hy_subcube_op *op,
                         const struct hy_collective_variant *variant, int64_t words) {
  struct hy_subcube_op shorter = *op;
  shorter.words = shorter.what.blocks.words = words;
  const hyla_cost cost = price_group(&shorter, variant);
  return hy_machine_seconds(&op->cube->session.machine, &cost, op->what.size, false);
}

/* The first length at which an all-reduction by halving is faster than one by recursive doubling,
 * where halving was chosen for the longest message.  On cubes one variant serves all lengths, as in
 * the published counts. */
static int64_t halved_from(const struct hy_subcube_op *op) {
  if (!op->varies || op->variant != &hy_any_allreduce_halving || op->choice.why != HY_PREDICTED)
    return 0;
  int64_t slower = 0, faster = op->words;
  while (faster - slower > 1) {
    const int64_t words = slower + (faster - slower) / 2;
    const bool halves = seconds_of(op, &hy_any_allreduce_halving, words) <
                        seconds_of(op, &hy_any_allreduce_doubling, words);
    if (halves)
      faster = words;
    else
      slower = words;
  }
  return faster;
}

static hyla_status choose(struct hy_subcube_op *op, const char *wanted) {
  TRY(list(op, wanted, &op->choice));
  find_seconds(op, 0, &op->choice);
  TRY(hy_choice_pick(&op->choice));
  op->variant = hy_collective_variant_of(hy_choice_variant(&op->choice));
  op->halved_from = halved_from(op);
  return HYLA_OK;
}

/* Rehearses a row.  Rehearsals have no data, so the contents of `data' do not matter. */
static hyla_status rehearse(void *arg, const struct hy_variant *row, hyla_cube *rehearsal) {
  const struct hy_collective it = hy_collective_on(row, arg), *what = &it;
  struct hy_subcube_op op;
  void *data = NULL;
  hyla_status status = hy_subcube_plan(NULL, rehearsal, what, hy_plain_name(row), &op);
  if (status == HYLA_OK) status = hy_subcube_allocate(&op);
  if (status == HYLA_OK) status = hy_alloc_data(&rehearsal->base, op.words, what->size, &data);
  if (status == HYLA_OK) status = hy_subcube_run(&op, data);
  hy_free(&rehearsal->base, &data);
  hy_subcube_free(&op);
  return status;
}

hyla_status hy_collective_choose(hyla_plan *plan, const struct hy_collective *what,
                                 const char *wanted, int64_t beside, bool rehearsed) {
  hyla_cube *cube = plan->cube;
  struct hy_choice *choice = &plan->choice;
  struct hy_subcube_op asked = {.cube = cube, .what = hy_collective_priced(cube, what)};
  const struct hy_pricing pricing = {.rehearse = rehearse, .arg = &asked.what};
  TRY(hy_agree(cube, list(&asked, wanted, choice)));
  if (hy_takes_all(&asked)) TRY(hy_agree(cube, find_busiest(cube, choice)));
  find_seconds(&asked, beside, choice);
  if (hy_takes_all(&asked)) TRY(hy_agree(cube, find_seconds_by_forms(&asked, choice)));
  if (rehearsed)
    TRY(hy_choice_rehearse(cube, hy_cube_kernels(cube, HYLA_DOUBLE), &pricing, choice));
  hyla_status status = hy_agree(cube, hy_choice_pick(choice));
  choice->wanted = ""; /* it points at the caller's text */
  return status;
}

hyla_status hy_collective_busiest(hyla_plan *plan, const struct hy_subcube_op *op, int64_t beside) {
  struct hy_candidate *chosen = &plan->choice.candidates[plan->choice.chosen];
  const hyla_cost mine = hy_subcube_cost_mine(op);
  int64_t most[] = {mine.steps, mine.messages, mine.words, mine.flops, mine.memory};
  TRY(hyla_cube_max(plan->cube, most, sizeof most / sizeof *most));
  chosen->mine = mine;
  chosen->cost = (hyla_cost){.steps = most[0],
                             .messages = most[1],
                             .words = most[2],
                             .flops = most[3],
                             .memory = most[4] + beside};
  return HYLA_OK;
}

/* ------------------------------------------------------------ schedules -- */

static uint32_t own_number(const struct hy_subcube_op *op) {
  return (uint32_t)hy_own_number(op->cube, &op->what);
}

static bool is_member(const struct hy_subcube_op *op) {
  return hy_own_number(op->cube, &op->what) >= 0;
}

/* Are schedules kept?  Otherwise they are made on the stack. */
static bool keeps(const struct hy_subcube_op *op, const struct hy_collective_variant *variant) {
  return !op->varies || !variant->on_stack || op->place != NULL;
}

/* Makes a member's schedule.  Free it also after a failure. */
static hyla_status make_schedule(const struct hy_subcube_op *op, uint32_t number,
                                 struct hy_schedule *schedule) {
  TRY(hy_collective_schedule(op->cube, op->variant, &op->what, number, schedule));
  if (op->place != NULL) TRY(hy_schedule_place(schedule, op->place));
  const bool fixed = !op->varies && !op->variant->asynchronous;
  return fixed ? hy_schedule_trim(schedule, &op->what.blocks) : HYLA_OK;
}

static void forget(void *thing) { (void)thing; }

/* Simulated nodes keep their schedules in one memory.  If all nodes do alike, the first one finds
 * whether there is room for all, and leaves a note if there is not. */
static hyla_status find_room(const struct hy_subcube_op *op, uint64_t note) {
  const struct hy_schedule *own = op->schedules;
  const int64_t bytes = own->packet_count * (int64_t)sizeof *own->packets +
                        own->piece_count * (int64_t)sizeof *own->pieces;
  const enum hy_task task = op->what.task;
  if (hy_task_rooted(task) || hy_task_chooses(task) || task == HY_TASK_PERMUTE) return HYLA_OK;
  const hyla_status status =
      hy_afford(&op->cube->base, bytes, (double)bytes * (double)members_of(op));
  if (status != HYLA_OK)
    (void)hy_shared_table_keep(op->cube, note, (void *)(uintptr_t)op->variant, forget);
  return status;
}

static hyla_status make_schedules(struct hy_subcube_op *op) {
  struct hy_base *base = &op->cube->base;
  bool rooted = is_rooted(op);
  if (!keeps(op, op->variant) || (!rooted && !is_member(op))) return HYLA_OK;
  uint32_t count = rooted ? members_of(op) : 1;
  const bool shares = op->what.network != NULL && hy_shares_tables(op->cube);
  const uint64_t note = shares ? hy_recipe_number(op->variant, &op->what) + 1 : 0;
  CHECK(base, !shares || hy_shared_table(op->cube, note) == NULL, MEMORY,
        "out of memory for the schedules of all nodes");
  TRY(hy_alloc(base, count, sizeof *op->schedules, &op->schedules));
  for (uint32_t i = 0; i < count; i++) {
    op->schedule_count++;
    TRY(make_schedule(op, rooted ? i : own_number(op), &op->schedules[i]));
  }
  return shares && own_number(op) == 0 ? find_room(op, note) : HYLA_OK;
}

hyla_status hy_subcube_schedule(const struct hy_subcube_op *op,
                                const struct hy_collective_variant *variant, uint32_t number,
                                struct hy_stack_schedule *room,
                                const struct hy_schedule **schedule) {
  if (keeps(op, variant)) {
    *schedule = &op->schedules[is_rooted(op) ? number : 0];
    return HYLA_OK;
  }
  struct hy_schedule *made = hy_schedule_in(room, &op->cube->base);
  const struct hy_generator generator = {.dims = op->what.dims, .members = op->what.members};
  TRY(variant->make(&generator, number, made));
  if (op->what.task != variant->task) hy_schedule_reverse(made, HY_ADD);
  *schedule = made;
  return HYLA_OK;
}

/* ---------------------------------------------------------------- making -- */

static void release(struct hy_release *self) { hy_subcube_free((struct hy_subcube_op *)self); }

hyla_status hy_subcube_plan(void *owner, hyla_cube *cube, const struct hy_collective *what,
                            const char *variant, struct hy_subcube_op *op) {
  const struct hy_collective it = *what; /* what may lie in *op */
  bool named = variant != NULL && *variant != '\0';
  *op = (struct hy_subcube_op){
      .release = {.release = release}, .cube = cube, .what = it, .words = hy_contract_words(&it)};
  if (owner != NULL) hy_on_free(owner, &op->release);
  if (!is_member(op)) return HYLA_OK;
  CHECK(&cube->base, it.network != NULL || it.dims == hy_popcount(it.within), ARGUMENT,
        "a collective of %d dimensions cannot run on a subcube of %d", it.dims,
        hy_popcount(it.within));
  if (named && it.network != NULL) op->variant = hy_network_variant_find(it.task, variant);
  if (named && it.network == NULL) op->variant = hy_variant_find(it.task, variant);
  if (op->variant == NULL || hy_variant_refuses(op->variant, &it) != NULL) TRY(choose(op, variant));
  return make_schedules(op);
}

/* A group without a variant. */
static struct hy_subcube_op group_of(hyla_cube *cube, uint32_t dims, enum hy_task task,
                                     int64_t words, size_t size) {
  const int64_t members = hy_members_in(cube, dims);
  const bool even = hy_sides_even(&cube->sides, dims);
  const struct hy_blocks blocks = {.words =
                                       is_numbered(task) ? hy_ceil_div(words, members) : words};
  return (struct hy_subcube_op){.release = {.release = release},
                                .cube = cube,
                                .what = {.task = task,
                                         .dims = hy_popcount(dims),
                                         .within = dims,
                                         .members = even ? 0 : (uint32_t)members,
                                         .blocks = blocks,
                                         .size = size},
                                .varies = true,
                                .words = words};
}

hyla_status hy_subcube_make_for(void *owner, hyla_cube *cube, uint32_t dims, enum hy_task task,
                                int64_t words, size_t size, const uint32_t *place,
                                struct hy_subcube_op *op) {
  *op = group_of(cube, dims, task, words, size);
  if (owner != NULL) hy_on_free(owner, &op->release);
  if (place != NULL) {
    TRY(hy_alloc(&cube->base, members_of(op), sizeof *place, &op->place));
    memcpy(op->place, place, members_of(op) * sizeof *place);
  }
  TRY(choose(op, NULL));
  return make_schedules(op);
}

hyla_status hy_subcube_make(hyla_cube *cube, uint32_t dims, enum hy_task task, int64_t words,
                            size_t size, struct hy_subcube_op *op) {
  return hy_subcube_make_for(NULL, cube, dims, task, words, size, NULL, op);
}

struct hy_subcube_op hy_subcube_plain(hyla_cube *cube, uint32_t dims, enum hy_task task,
                                      size_t size, void *work) {
  struct hy_subcube_op op = group_of(cube, dims, task, INT64_MAX, size);
  if (task != HY_TASK_ALLREDUCE)
    op.variant = hy_collective_variant_of(hy_family_for(&op.what)->rows[0]);
  op.work = work;
  return op;
}

hyla_status hy_subcube_once(hyla_cube *cube, uint32_t dims, enum hy_task task, int64_t words,
                            size_t size, void *work, struct hy_subcube_op *op) {
  char name[HY_NAME_MAX];
  *op = hy_subcube_plain(cube, dims, task, size, work);
  hy_forced_variant(cube->session.collective, hy_task_name(task), name, sizeof name);
  const struct hy_collective_variant *wanted =
      hy_collective_variant_of(hy_family_find(hy_family_for(&op->what), name));
  if (wanted == NULL) return HYLA_OK;
  op->variant = wanted;
  if (wanted->on_stack) return HYLA_OK;
  hyla_status status = hy_subcube_make(cube, dims, task, words, size, op);
  if (status == HYLA_OK) status = hy_subcube_allocate(op);
  status = hy_agree(cube, status);
  if (status != HYLA_OK) hy_subcube_free(op);
  return status;
}

/* --------------------------------------------------------------- memory -- */

/* The most workspace, in words, that the schedule needs for blocks of op->words words in all,
 * however these are distributed.  Apart from rounding, that is the need when one block has all
 * words, or a mixture of such needs. */
static hyla_status work_of_blocks(const struct hy_subcube_op *op,
                                  const struct hy_schedule *schedule, int64_t *most) {
  struct hy_base *base = &op->cube->base;
  uint32_t members = members_of(op);
  int64_t *offsets = NULL;
  *most = 0;
  if (hy_schedule_work(schedule, &(struct hy_blocks){.words = 1}) == 0) return HYLA_OK;
  TRY(hy_alloc(base, (int64_t)members + 1, sizeof *offsets, &offsets));
  for (uint32_t full = members; full-- > 0;) {
    offsets[full + 1] = op->words;
    for (uint32_t x = full + 2; x <= members; x++) offsets[x] = op->words;
    *most = hy_max(*most, hy_schedule_work(schedule, &(struct hy_blocks){.offsets = offsets}));
    offsets[full + 1] = 0;
  }
  *most += 2 * schedule->piece_count;
  hy_free(base, &offsets);
  return HYLA_OK;
}

/* A group's workspace is for its longest message, rounded up to a multiple of the parts; shorter
 * messages need no more. */
static hyla_status work_of(const struct hy_subcube_op *op, const struct hy_schedule *schedule,
                           int64_t *most) {
  if (op->varies && is_numbered(op->what.task)) return work_of_blocks(op, schedule, most);
  if (op->varies) {
    int64_t words = hy_ceil_div(op->words, schedule->parts) * schedule->parts;
    *most = hy_schedule_work(schedule, &(struct hy_blocks){.words = words});
  } else {
    *most = planned_work(op->variant, schedule, &op->what.blocks);
  }
  return HYLA_OK;
}

hyla_status hy_subcube_work(const struct hy_subcube_op *op, int64_t *words) {
  *words = 0;
  if (!is_member(op)) return HYLA_OK;
  const bool kept = keeps(op, op->variant);
  const uint32_t count = kept ? op->schedule_count : 1;
  for (uint32_t i = 0; i < count; i++) {
    struct hy_stack_schedule room;
    const struct hy_schedule *schedule = NULL;
    int64_t most = 0;
    /* Where parts wrap round, members need different room. */
    const uint32_t number = kept || is_rooted(op) ? i : own_number(op);
    TRY(hy_subcube_schedule(op, op->variant, number, &room, &schedule));
    TRY(work_of(op, schedule, &most));
    *words = hy_max(*words, most);
  }
  if (op->halved_from > 0) {
    struct hy_stack_schedule room;
    const struct hy_schedule *schedule = NULL;
    TRY(hy_subcube_schedule(op, &hy_any_allreduce_doubling, own_number(op), &room, &schedule));
    const struct hy_blocks blocks = {.words = op->halved_from - 1};
    *words = hy_max(*words, hy_schedule_work(schedule, &blocks));
  }
  return HYLA_OK;
}

/* Takes `words' words of workspace, and the state of a run that a group does in pieces or a planned
 * operation without steps. */
static hyla_status allocate(struct hy_subcube_op *op, int64_t words) {
  struct hy_base *base = &op->cube->base;
  const struct hy_collective *what = &op->what;
  if (words > 0) TRY(hy_alloc_data(base, words, what->size, &op->owned));
  op->work = op->owned;
  if (op->schedules == NULL) return HYLA_OK;
  if (op->varies) return hy_alloc(base, 1, sizeof *op->pending, &op->pending);
  const int64_t scratch = op->schedules->scratch * what->blocks.words;
  if (scratch > 0) TRY(hy_alloc_data(base, scratch, what->size, &op->scratch));
  return op->variant->asynchronous ? hy_flow_create(op->schedules, &what->blocks, &op->flow)
                                   : HYLA_OK;
}

hyla_status hy_subcube_allocate(struct hy_subcube_op *op) {
  int64_t words = 0;
  TRY(hy_subcube_work(op, &words));
  return allocate(op, words);
}

hyla_status hy_subcube_allocate_blocks(struct hy_subcube_op *op, const int64_t *offsets) {
  const struct hy_blocks blocks = {.offsets = offsets};
  if (op->cube->address < 0) return HYLA_OK;
  return allocate(op, hy_schedule_work(&op->schedules[0], &blocks));
}

void hy_subcube_free(struct hy_subcube_op *op) {
  if (op->cube == NULL) return;
  struct hy_base *base = &op->cube->base;
  hy_flow_destroy(&op->flow);
  for (uint32_t i = 0; i < op->schedule_count; i++) hy_schedule_free(&op->schedules[i]);
  op->schedule_count = 0;
  hy_free(base, &op->schedules);
  hy_free(base, &op->place);
  hy_free(base, &op->pending);
  hy_free(base, &op->owned);
  hy_free(base, &op->scratch);
  if (op->choice.base != NULL) hy_choice_free(&op->choice);
}

/* ----------------------------------------------------------------- cost -- */

hyla_cost hy_subcube_cost(const struct hy_subcube_op *op, uint32_t number, int64_t words) {
  struct hy_stack_schedule room;
  const struct hy_schedule *schedule = NULL;
  (void)hy_subcube_schedule(op, op->variant, number, &room, &schedule); /* never fails */
  return hy_schedule_cost(schedule, &(struct hy_blocks){.words = words});
}

hyla_status hy_subcube_cost_blocks(const struct hy_subcube_op *op, uint32_t number,
                                   const int64_t *offsets, hyla_cost *cost) {
  const struct hy_blocks blocks = {.offsets = offsets};
  struct hy_stack_schedule room;
  const struct hy_schedule *schedule = NULL;
  bool own = op->cube->address >= 0 && number == own_number(op);
  if (own || !keeps(op, op->variant)) {
    TRY(hy_subcube_schedule(op, op->variant, number, &room, &schedule));
    *cost = hy_schedule_cost(schedule, &blocks);
    return HYLA_OK;
  }
  struct hy_schedule other;
  hyla_status status = make_schedule(op, number, &other);
  if (status == HYLA_OK) *cost = hy_schedule_cost(&other, &blocks);
  hy_schedule_free(&other);
  return status;
}

hyla_cost hy_subcube_cost_mine(const struct hy_subcube_op *op) {
  if (op->schedules == NULL) return (hyla_cost){0}; /* a guest's */
  return cost_of(&op->what, op->variant, op->schedules);
}

void hy_subcube_explain(const struct hy_subcube_op *op, const char *what, struct hy_text *text) {
  const struct hy_choice *choice = &op->choice;
  int64_t members = members_of(op);
  if (choice->base == NULL || members == 1 || op->words == 0) return;
  hy_text_add(text, "  %s: %s over %lld nodes, at most %lld word%s, by %s, %s\n", what,
              choice->family->name, (long long)members, (long long)op->words,
              op->words == 1 ? "" : "s", op->variant->base.name,
              choice->why == HY_ASKED ? "because it was asked for" : "predicted to be the fastest");
  if (op->halved_from > 1)
    hy_text_add(text, "    up to %lld words by doubling\n", (long long)op->halved_from - 1);
}
