/* Collectives of users: describes a request as a collective of the variants, chooses the variant
 * and takes the memory. */
#include "collective/planned.h"

#include <string.h>

/* ---------------------------------------------------------- description -- */

/* The library's own combination of its numbers, or the caller's, which counts as one operation on
 * each element. */
static void describe_reduction(const struct hy_request *r, struct hy_planned *t) {
  const hyla_reduction *how = r->reduction;
  struct hy_collective *what = &t->op.what;
  const struct hy_number *number = how->combine == NULL ? hy_number_of(how->number) : NULL;
  what->combining = (struct hy_combining){
      .combine = number == NULL ? how->combine : hy_combine_of(how->number, how->by),
      .arg = how->arg,
      .flops = 1,
      .entry = number != NULL ? number->size : sizeof(double),
      .complex_type = number != NULL && number->complex_type};
  const bool scatters = r->what.task == HY_TASK_REDUCE_SCATTER;
  what->ordered = how->ordered;
  if (!how->ordered) return;
  if (scatters) what->blocks = (struct hy_blocks){.words = hy_planned_start(t, t->members)};
  if (scatters) what->task = HY_TASK_ALLREDUCE; /* no other task keeps the order */
  if (what->network == NULL) return;
  t->combines = true; /* no row keeps the order on other networks */
  what->ordered = false;
  what->task = what->task == HY_TASK_REDUCE ? HY_TASK_GATHER : HY_TASK_ALLGATHER;
}

static int32_t target_of(const struct hy_request *r, uint32_t members, uint32_t x) {
  if (r->extra == HY_TARGETS) return r->what.to[x];
  const int64_t places = (r->places % members + members) % members;
  if (r->code == HYLA_GRAY)
    return (int32_t)hy_rotation_target(hy_log2_floor(members), (uint32_t)places, x);
  return (int32_t)((x + places) % members);
}

/* Does the variant that was asked for, or else any variant, serve the collective?  On networks that
 * are no cubes permutations stay as they are. */
static bool is_served(const hyla_cube *cube, const char *variant,
                      const struct hy_collective *what) {
  if (cube->ranks.shapes.count > 0) return true;
  const struct hy_family *family = hy_collective_family(what->task);
  char forced[HY_NAME_MAX];
  hy_forced_variant(cube->session.collective, family->name, forced, sizeof forced);
  const char *wanted = variant != NULL && *variant != '\0' ? variant : forced;
  for (int i = 0; family->rows[i] != NULL; i++) {
    bool other = *wanted != '\0' && strcmp(family->rows[i]->name, wanted) != 0;
    if (!other && hy_variant_refuses(hy_collective_variant_of(family->rows[i]), what) == NULL)
      return true;
  }
  return false;
}

/* Completes a permutation: ranks that send to nobody get targets that nobody sends to.  The length
 * is rounded up to a multiple of the number of ranks. */
static void complete_permutation(struct hy_planned *t) {
  int32_t *whole = t->to + t->members;
  uint32_t free = 0;
  for (uint32_t x = 0; x < t->members; x++) {
    whole[x] = t->to[x];
    if (whole[x] >= 0) continue;
    while (t->sent_to[free] != 0) free++;
    whole[x] = (int32_t)free++;
  }
  t->op.what.to = whole;
  t->op.what.blocks.words = hy_ceil_div(t->count, t->members) * t->members;
}

static hyla_status describe_permutation(hyla_cube *cube, const struct hy_request *r,
                                        struct hy_planned *t) {
  struct hy_base *base = &cube->base;
  struct hy_collective *what = &t->op.what;
  if (r->extra == HY_TARGETS) TRY(hy_request_targets(base, r, t->members));
  TRY(hy_alloc_for(base, t, 2 * (int64_t)t->members, sizeof *t->to, &t->to));
  TRY(hy_alloc_for(base, t, t->members, 1, &t->sent_to));
  for (uint32_t x = t->members; x-- > 0;) {
    t->to[x] = target_of(r, t->members, x);
    if (t->to[x] >= 0) what->root = x; /* the first rank that sends, whose cost counts */
  }
  for (uint32_t x = 0; x < t->members; x++)
    if (t->to[x] >= 0) t->sent_to[t->to[x]] = 1;
  what->to = t->to;
  if (!is_served(cube, r->message->variant, what)) complete_permutation(t);
  return HYLA_OK;
}

static hyla_status describe_counts(hyla_cube *cube, const int64_t *counts, struct hy_planned *t) {
  TRY(hy_alloc_for(&cube->base, t, t->members + 1, sizeof *t->offsets, &t->offsets));
  for (uint32_t x = 0; x < t->members; x++) t->offsets[x + 1] = t->offsets[x] + counts[x];
  t->count = 0;
  t->op.what.blocks = (struct hy_blocks){.offsets = t->offsets};
  return HYLA_OK;
}

/* Replaces a flag for each rank by the plan's copy; NULL: there are none. */
static hyla_status keep(hyla_cube *cube, struct hy_planned *t, const uint8_t **flags) {
  uint8_t *copy = NULL;
  if (*flags == NULL) return HYLA_OK;
  TRY(hy_alloc_for(&cube->base, t, t->members, 1, &copy));
  memcpy(copy, *flags, t->members);
  *flags = copy;
  return HYLA_OK;
}

static hyla_status describe(hyla_cube *cube, const struct hy_request *r, struct hy_planned *t) {
  const hyla_message *m = r->message;
  struct hy_collective *what = &t->op.what;
  const bool banded = r->extra == HY_BAND || r->extra == HY_BANDS;
  uint8_t *phases = NULL;
  *what = r->what;
  hy_request_place(cube, m->apart, what);
  what->blocks.words = m->count;
  what->size = hy_request_size(r);
  if (banded) what->band = what->dims > 0 ? r->what.band + 1 : 0;
  if (what->nearest == 0 && what->farthest >= what->dims) what->farthest = 0;
  t->asked = what->task;
  const int number = hy_request_number(cube, m->apart);
  t->members = hy_request_members(cube, m->apart);
  t->takes_part = number >= 0;
  t->me = number >= 0 ? (uint32_t)number : 0;
  t->count = m->count;
  if (m->counts != NULL) TRY(describe_counts(cube, m->counts, t));
  if (r->reduction != NULL) describe_reduction(r, t);
  TRY(keep(cube, t, &what->active));
  TRY(keep(cube, t, &what->tags));
  TRY(hy_alloc_for(&cube->base, t, what->phase_count, 1, &phases));
  for (int i = 0; i < what->phase_count; i++) phases[i] = (uint8_t)r->phases[i];
  what->phases = phases;
  return what->task == HY_TASK_PERMUTE ? describe_permutation(cube, r, t) : HYLA_OK;
}

/* --------------------------------------------------------------- shares -- */

/* The data that a rank gives and gets: nothing, its block, or all blocks; and their place. */
enum amount { NONE, ONE, ALL };
struct share {
  enum amount gives, gets;
  enum hy_data_place place;
};

/* The shares of a task.  first: those of the root, of an active rank, of a rank in the window; of
 * all ranks where a task tells none apart.  beside: the extra memory; alone: also on one rank. */
static const struct {
  struct share first, others;
  enum amount beside;
  bool alone;
} SHARES[] = {
    [HY_TASK_BROADCAST] = {{ONE, NONE, HY_GIVEN}, {NONE, ONE, HY_GOTTEN}, NONE, false},
    [HY_TASK_REDUCE] = {{ONE, ONE, HY_GOTTEN}, {ONE, NONE, HY_OWN}, ONE, false},
    [HY_TASK_ALLREDUCE] = {{ONE, ONE, HY_GOTTEN}, {NONE}, NONE, false},
    [HY_TASK_SCATTER] = {{ALL, ONE, HY_GIVEN}, {NONE, ONE, HY_OWN}, ALL, false},
    [HY_TASK_GATHER] = {{ONE, ALL, HY_GOTTEN}, {ONE, NONE, HY_OWN}, ALL, false},
    [HY_TASK_ALLGATHER] = {{ONE, ALL, HY_GOTTEN}, {NONE}, NONE, false},
    [HY_TASK_REDUCE_SCATTER] = {{ALL, ONE, HY_OWN}, {NONE}, ALL, true},
    [HY_TASK_PARTIAL] = {{ONE, ALL, HY_GOTTEN}, {NONE, ALL, HY_GOTTEN}, NONE, false},
    [HY_TASK_EXCHANGE] = {{ALL, ALL, HY_GOTTEN}, {NONE}, NONE, false},
    /* HY_OWN: blocks that this rank does not get stay as they are. */
    [HY_TASK_PARTIAL_EXCHANGE] = {{ALL, ALL, HY_OWN}, {NONE, ALL, HY_OWN}, ALL, true},
    [HY_TASK_PARTIAL_GATHER] = {{ALL, ALL, HY_OWN}, {ALL, NONE, HY_OWN}, ALL, true},
    [HY_TASK_WINDOW] = {{ONE, ALL, HY_GOTTEN}, {NONE, NONE, HY_OWN}, ALL, false},
    [HY_TASK_BAND_EXCHANGE] = {{ALL, ALL, HY_GOTTEN}, {NONE}, NONE, false},
    [HY_TASK_BAND_BROADCAST] = {{ONE, ALL, HY_GOTTEN}, {NONE}, NONE, false},
};

/* In a permutation who is sent to may receive in place, unless the length is rounded up. */
static void share_permutation(struct hy_planned *t) {
  const bool exact = t->op.what.blocks.words == t->count;
  bool sent_to = true;
  for (uint32_t x = 0; x < t->members; x++) sent_to = sent_to && t->sent_to[x] != 0;
  t->gives = t->to[t->me] >= 0 ? t->count : 0;
  t->gets = t->sent_to[t->me] != 0 ? t->count : 0;
  t->place = exact && t->gets > 0 ? HY_GOTTEN : HY_OWN;
  t->beside = exact && sent_to ? 0 : t->op.what.blocks.words;
}

static bool is_first(const struct hy_planned *t) {
  const struct hy_collective *what = &t->op.what;
  if (hy_task_rooted(t->asked)) return t->me == what->root;
  if (hy_task_chooses(t->asked)) return what->active[t->me] != 0;
  return t->asked != HY_TASK_WINDOW || t->me >> what->window == 0;
}

/* The elements that this rank gives and gets, the place of its data, and its extra memory, which is
 * the same on all ranks. */
static void share(struct hy_planned *t) {
  const struct hy_collective *what = &t->op.what;
  const int64_t one = hy_planned_start(t, t->me + 1) - hy_planned_start(t, t->me);
  const uint32_t sharing = t->asked == HY_TASK_WINDOW ? 1u << what->window : t->members;
  const int64_t matrices = hy_max(1, what->matrices);
  const int64_t amounts[] = {
      [ONE] = one * matrices, [ALL] = hy_planned_start(t, sharing) * matrices};
  if (t->asked == HY_TASK_PERMUTE) {
    share_permutation(t);
    return;
  }
  const struct share mine = is_first(t) ? SHARES[t->asked].first : SHARES[t->asked].others;
  t->gives = amounts[mine.gives];
  t->gets = amounts[mine.gets];
  t->place = mine.place;
  if (t->combines) {
    t->place = HY_OWN;
    t->beside = t->members * what->blocks.words;
    return;
  }
  const bool others = t->asked == HY_TASK_WINDOW ? t->members > sharing : t->members > 1;
  t->beside = others || SHARES[t->asked].alone ? amounts[SHARES[t->asked].beside] : 0;
}

/* ----------------------------------------------------------------- plan -- */

static void explain(const hyla_plan *plan, struct hy_text *text) {
  const struct hy_planned *t = plan->state;
  const struct hy_variant *row = hy_choice_variant(&plan->choice);
  if (t->offsets != NULL)
    hy_text_add(text, "  %lld elements in all", (long long)t->offsets[t->members]);
  else
    hy_text_add(text, "  %lld elements", (long long)t->count);
  hy_text_add(text, " of %zu bytes%s, %s%u ranks; reference: %s\n", t->op.what.size,
              t->offsets != NULL ? "" : " a message",
              plan->cube->ranks.shapes.given ? "all " : "subcubes of ", t->members, row->reference);
}

const struct hy_plan_kind hy_planned_kind = {
    .size = sizeof(struct hy_planned), .runs_by = "hyla_plan_run_on", .explain = explain};

static hyla_status allocate(hyla_cube *cube, const struct hy_variant *row, struct hy_planned *t) {
  const struct hy_collective what = hy_collective_on(row, &t->op.what);
  TRY(hy_subcube_plan(t, cube, &what, hy_plain_name(row), &t->op));
  TRY(hy_subcube_allocate(&t->op));
  if (!t->takes_part || t->place != HY_OWN) return HYLA_OK;
  return hy_alloc_data_for(&cube->base, t, t->beside, t->op.what.size, &t->own);
}

/* Counts the operations of a rank that combines what it has gathered. */
static void count_combining(const struct hy_planned *t, struct hy_candidate *chosen) {
  int64_t most = 0;
  for (uint32_t x = 0; x < t->members; x++)
    most = hy_max(most, hy_planned_start(t, x + 1) - hy_planned_start(t, x));
  chosen->mine.flops += t->gets * (t->members - 1);
  chosen->cost.flops += most * (t->members - 1);
}

/* Chooses the variant and takes the memory of a run. */
static hyla_status choose(hyla_cube *cube, const struct hy_request *r, hyla_plan *plan) {
  struct hy_planned *t = plan->state;
  const int64_t beside = t->beside * (int64_t)t->op.what.size;
  const char *wanted = r->what.phase_count > 0 ? "multiphase" : r->message->variant;
  TRY(hy_collective_choose(plan, &t->op.what, wanted, beside, true));
  TRY(hy_agree(cube, allocate(cube, hy_choice_variant(&plan->choice), t)));
  TRY(hy_collective_busiest(plan, &t->op, beside));
  if (t->place == HY_OWN) plan->choice.candidates[plan->choice.chosen].mine.memory += beside;
  if (t->combines) count_combining(t, &plan->choice.candidates[plan->choice.chosen]);
  return HYLA_OK;
}

static hyla_status make(hyla_cube *cube, const struct hy_request *r, uint64_t fingerprint,
                        hyla_plan **plan) {
  TRY(hy_agree(cube, hy_plan_create(cube, &hy_planned_kind, plan)));
  struct hy_planned *t = (*plan)->state;
  TRY(hy_agree(cube, describe(cube, r, t)));
  share(t);
  if (!t->takes_part) t->gives = t->gets = 0;
  TRY(choose(cube, r, *plan));
  const char *variant = hyla_plan_variant(*plan);
  (*plan)->fingerprint = hy_fingerprint(fingerprint, variant, strlen(variant));
  return HYLA_OK;
}

hyla_status hy_plan_request(hyla_cube *cube, const struct hy_request *r, hyla_plan **plan) {
  CHECK(NULL, cube != NULL, ARGUMENT, "cube is NULL");
  if (plan != NULL) *plan = NULL;
  hyla_status mine = hy_request_check(cube, r, plan);
  uint64_t fingerprint = mine == HYLA_OK ? hy_request_fingerprint(cube, r) : 0;
  TRY(hy_enter(cube, mine, fingerprint, r->call));
  hyla_status status = make(cube, r, fingerprint, plan);
  if (status != HYLA_OK) (void)hyla_plan_destroy(plan);
  return status;
}
