/* Groups: a collective over a subcube whose variant is chosen once and then serves any root and
 * length.
 *
 * The choice.  Roots take turns, so the variant is chosen by the average over all roots of what a
 * member sends.  Each word reaches each member once under every variant, so the words are the same.
 * The packets and the steps differ; the closed forms give them.
 *
 * Schedules.  Another root means an XOR of all numbers, so one schedule for each number relative to
 * the root serves all roots.  Recursive doubling keeps no schedules: each call makes one on the
 * stack, which costs less than one message's start. */
#include "collective/variant.h"

#include <string.h>

static uint32_t members_of(const struct hy_subcube_op *group) {
  return 1u << hy_popcount(group->dims);
}

static bool is_rooted(enum hy_task task) { return hy_task_forward(task) == HY_TASK_BROADCAST; }

static bool is_numbered(enum hy_task task) { return hy_task_forward(task) == HY_TASK_ALLGATHER; }

/* The longest collective of the group, by which the variant is chosen. */
static struct hy_collective longest_of(const struct hy_subcube_op *group) {
  struct hy_collective collective = {.task = group->task, .dims = hy_popcount(group->dims)};
  collective.blocks.words =
      is_numbered(group->task) ? hy_ceil_div(group->words, members_of(group)) : group->words;
  return hy_collective_priced(group->cube, &collective, group->size);
}

/* --------------------------------------------------------------- choice -- */

/* A member's cost, on average over all roots. */
static hyla_status price(void *arg, const struct hy_variant *row, void **state, hyla_cost *cost) {
  const struct hy_subcube_op *group = arg;
  const struct hy_collective longest = longest_of(group);
  const struct hy_form form = hy_collective_variant_of(row)->form(&longest);
  int64_t members = members_of(group), words = (members - 1) * group->words;
  (void)state;
  if (group->task == HY_TASK_ALLREDUCE)
    words = hy_ceil_div(form.words.num * group->words * members, form.words.den);
  *cost = (hyla_cost){.steps = form.steps,
                      .messages = hy_ceil_div(form.packets, members),
                      .words = hy_ceil_div(words, members)};
  return HYLA_OK;
}

static hyla_status choose(struct hy_subcube_op *group) {
  hyla_cube *cube = group->cube;
  struct hy_choice *choice = &group->choice;
  const struct hy_collective longest = longest_of(group);
  TRY(hy_choice_list(&cube->base, hy_collective_family(group->task), &longest,
                     cube->session.collective, NULL, choice));
  TRY(hy_choice_price(choice, &longest, price, group));
  for (int i = 0; i < choice->count; i++)
    choice->candidates[i].seconds =
        hy_machine_seconds(&cube->session.machine, &choice->candidates[i].cost, group->size, false);
  TRY(hy_choice_pick(choice));
  group->variant = hy_collective_variant_of(hy_choice_variant(choice));
  return HYLA_OK;
}

/* ------------------------------------------------------------ schedules -- */

static uint32_t own_number(const struct hy_subcube_op *group) {
  return hy_extract((uint32_t)group->cube->address, group->dims);
}

/* Are schedules kept?  Otherwise they are made on the stack. */
static bool keeps(const struct hy_subcube_op *group, const struct hy_collective_variant *variant) {
  return variant->stack_schedule == NULL || group->place != NULL;
}

/* Makes a member's schedule.  Free it also after a failure. */
static hyla_status make_schedule(const struct hy_subcube_op *group, uint32_t number,
                                 struct hy_schedule *schedule) {
  const struct hy_collective longest = longest_of(group);
  TRY(hy_collective_schedule(group->cube, group->variant, &longest, number, schedule));
  return group->place == NULL ? HYLA_OK : hy_schedule_place(schedule, group->place);
}

static hyla_status make_schedules(struct hy_subcube_op *group) {
  struct hy_base *base = &group->cube->base;
  bool rooted = is_rooted(group->task);
  if (!keeps(group, group->variant) || (!rooted && group->cube->address < 0)) return HYLA_OK;
  uint32_t count = rooted ? members_of(group) : 1;
  TRY(hy_alloc(base, count, sizeof *group->schedules, &group->schedules));
  for (uint32_t i = 0; i < count; i++) {
    group->schedule_count++;
    TRY(make_schedule(group, rooted ? i : own_number(group), &group->schedules[i]));
  }
  return HYLA_OK;
}

hyla_status hy_subcube_schedule(const struct hy_subcube_op *group,
                                const struct hy_collective_variant *variant, uint32_t number,
                                struct hy_stack_schedule *room,
                                const struct hy_schedule **schedule) {
  if (keeps(group, variant)) {
    *schedule = &group->schedules[is_rooted(group->task) ? number : 0];
    return HYLA_OK;
  }
  struct hy_schedule *made = hy_schedule_in(room, &group->cube->base);
  const struct hy_generator generator = {.dims = hy_popcount(group->dims)};
  TRY(variant->stack_schedule(&generator, number, made));
  if (group->task != variant->task) hy_schedule_reverse(made, HY_ADD);
  *schedule = made;
  return HYLA_OK;
}

static void release(struct hy_release *self) { hy_subcube_free((struct hy_subcube_op *)self); }

hyla_status hy_subcube_make_for(void *owner, hyla_cube *cube, uint32_t dims, enum hy_task task,
                                int64_t words, size_t size, const uint32_t *place,
                                struct hy_subcube_op *group) {
  int64_t members = INT64_C(1) << hy_popcount(dims);
  *group = (struct hy_subcube_op){.release = {.release = release},
                                  .cube = cube,
                                  .dims = dims,
                                  .task = task,
                                  .words = words,
                                  .size = size};
  if (owner != NULL) hy_on_free(owner, &group->release);
  if (place != NULL) {
    TRY(hy_alloc(&cube->base, members, sizeof *place, &group->place));
    memcpy(group->place, place, (size_t)members * sizeof *place);
  }
  TRY(choose(group));
  return make_schedules(group);
}

hyla_status hy_subcube_make(hyla_cube *cube, uint32_t dims, enum hy_task task, int64_t words,
                            size_t size, struct hy_subcube_op *group) {
  return hy_subcube_make_for(NULL, cube, dims, task, words, size, NULL, group);
}

struct hy_subcube_op hy_subcube_plain(hyla_cube *cube, uint32_t dims, enum hy_task task,
                                      size_t size, void *work) {
  const struct hy_variant *first = hy_collective_family(task)->rows[0];
  return (struct hy_subcube_op){
      .cube = cube,
      .dims = dims,
      .task = task,
      .words = INT64_MAX,
      .size = size,
      .variant = task == HY_TASK_ALLREDUCE ? NULL : hy_collective_variant_of(first),
      .work = work};
}

hyla_status hy_subcube_once(hyla_cube *cube, uint32_t dims, enum hy_task task, int64_t words,
                            size_t size, void *work, struct hy_subcube_op *group) {
  char name[HY_NAME_MAX];
  *group = hy_subcube_plain(cube, dims, task, size, work);
  hy_forced_variant(cube->session.collective, hy_task_name(task), name, sizeof name);
  const struct hy_collective_variant *wanted = hy_variant_find(task, name);
  if (wanted == NULL) return HYLA_OK;
  group->variant = wanted;
  if (wanted->stack_schedule != NULL) return HYLA_OK;
  hyla_status status = hy_subcube_make(cube, dims, task, words, size, group);
  if (status == HYLA_OK) status = hy_subcube_allocate(group);
  status = hy_agree(cube, status);
  if (status != HYLA_OK) hy_subcube_free(group);
  return status;
}

/* The most workspace, in words, that the schedule needs for blocks of group->words words in all,
 * however these are distributed.  Apart from rounding, that is the need when one block has all
 * words, or a mixture of such needs. */
static hyla_status work_of_blocks(const struct hy_subcube_op *group,
                                  const struct hy_schedule *schedule, int64_t *most) {
  struct hy_base *base = &group->cube->base;
  uint32_t members = members_of(group);
  int64_t *offsets = NULL;
  *most = 0;
  if (hy_schedule_work(schedule, &(struct hy_blocks){.words = 1}) == 0) return HYLA_OK;
  TRY(hy_alloc(base, (int64_t)members + 1, sizeof *offsets, &offsets));
  for (uint32_t full = members; full-- > 0;) {
    offsets[full + 1] = group->words;
    for (uint32_t x = full + 2; x <= members; x++) offsets[x] = group->words;
    *most = hy_max(*most, hy_schedule_work(schedule, &(struct hy_blocks){.offsets = offsets}));
    offsets[full + 1] = 0;
  }
  *most += 2 * schedule->piece_count;
  hy_free(base, &offsets);
  return HYLA_OK;
}

/* Workspace for the group's longest message, rounded up to a multiple of the parts; shorter
 * messages need no more. */
static hyla_status work_of(const struct hy_subcube_op *group, const struct hy_schedule *schedule,
                           int64_t *most) {
  if (is_numbered(group->task)) return work_of_blocks(group, schedule, most);
  int64_t words = hy_ceil_div(group->words, schedule->parts) * schedule->parts;
  *most = hy_schedule_work(schedule, &(struct hy_blocks){.words = words});
  return HYLA_OK;
}

hyla_status hy_subcube_work(const struct hy_subcube_op *group, int64_t *words) {
  *words = 0;
  if (group->cube->address < 0) return HYLA_OK;
  uint32_t count = keeps(group, group->variant) ? group->schedule_count : 1;
  for (uint32_t i = 0; i < count; i++) {
    struct hy_stack_schedule room;
    const struct hy_schedule *schedule = NULL;
    int64_t most = 0;
    TRY(hy_subcube_schedule(group, group->variant, i, &room, &schedule));
    TRY(work_of(group, schedule, &most));
    *words = hy_max(*words, most);
  }
  return HYLA_OK;
}

void hy_subcube_counted(struct hy_subcube_op *group, hyla_cube *counting) {
  group->cube = counting;
  group->work = counting->base.no_data;
}

hyla_status hy_subcube_ops_memory(const struct hy_subcube_op *const groups[], int count,
                                  int64_t *bytes) {
  for (int i = 0; i < count; i++) {
    int64_t words = 0;
    TRY(hy_subcube_work(groups[i], &words));
    *bytes += words * (int64_t)groups[i]->size;
  }
  return HYLA_OK;
}

/* Takes `words' words of workspace, and the state of a run in pieces. */
static hyla_status allocate(struct hy_subcube_op *group, int64_t words) {
  struct hy_base *base = &group->cube->base;
  if (words > 0) TRY(hy_alloc_data(base, words, group->size, &group->owned));
  group->work = group->owned;
  if (group->schedules == NULL) return HYLA_OK;
  return hy_alloc(base, 1, sizeof *group->pending, &group->pending);
}

hyla_status hy_subcube_allocate(struct hy_subcube_op *group) {
  int64_t words = 0;
  TRY(hy_subcube_work(group, &words));
  return allocate(group, words);
}

hyla_status hy_subcube_allocate_blocks(struct hy_subcube_op *group, const int64_t *offsets) {
  const struct hy_blocks blocks = {.offsets = offsets};
  if (group->cube->address < 0) return HYLA_OK;
  return allocate(group, hy_schedule_work(&group->schedules[0], &blocks));
}

void hy_subcube_free(struct hy_subcube_op *group) {
  if (group->cube == NULL) return;
  struct hy_base *base = &group->cube->base;
  for (uint32_t i = 0; i < group->schedule_count; i++) hy_schedule_free(&group->schedules[i]);
  group->schedule_count = 0;
  hy_free(base, &group->schedules);
  hy_free(base, &group->place);
  hy_free(base, &group->pending);
  hy_free(base, &group->owned);
  if (group->choice.base != NULL) hy_choice_free(&group->choice);
}

/* ----------------------------------------------------------------- cost -- */

hyla_cost hy_subcube_cost(const struct hy_subcube_op *group, uint32_t number, int64_t words) {
  struct hy_stack_schedule room;
  const struct hy_schedule *schedule = NULL;
  (void)hy_subcube_schedule(group, group->variant, number, &room, &schedule); /* never fails */
  return hy_schedule_cost(schedule, &(struct hy_blocks){.words = words});
}

hyla_status hy_subcube_cost_blocks(const struct hy_subcube_op *group, uint32_t number,
                                   const int64_t *offsets, hyla_cost *cost) {
  const struct hy_blocks blocks = {.offsets = offsets};
  struct hy_stack_schedule room;
  const struct hy_schedule *schedule = NULL;
  bool own = group->cube->address >= 0 && number == own_number(group);
  if (own || !keeps(group, group->variant)) {
    TRY(hy_subcube_schedule(group, group->variant, number, &room, &schedule));
    *cost = hy_schedule_cost(schedule, &blocks);
    return HYLA_OK;
  }
  struct hy_schedule other;
  hyla_status status = make_schedule(group, number, &other);
  if (status == HYLA_OK) *cost = hy_schedule_cost(&other, &blocks);
  hy_schedule_free(&other);
  return status;
}

void hy_subcube_explain(const struct hy_subcube_op *group, const char *what, struct hy_text *text) {
  const struct hy_choice *choice = &group->choice;
  int64_t members = members_of(group);
  if (choice->base == NULL || members == 1 || group->words == 0) return;
  hy_text_add(text, "  %s: %s over %lld nodes, at most %lld word%s, by %s, %s\n", what,
              choice->family->name, (long long)members, (long long)group->words,
              group->words == 1 ? "" : "s", group->variant->base.name,
              choice->why == HY_ASKED ? "because it was asked for" : "predicted to be the fastest");
}
