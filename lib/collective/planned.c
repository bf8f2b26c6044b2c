/* Planned collectives of users: describes a request as a collective of the variants, chooses the
 * variant and takes the memory. */
#include "collective/planned.h"

#include <string.h>

/* The library's own combination of its numbers, or the caller's, which counts as one operation on
 * each element. */
static void describe_reduction(hyla_cube *cube, const struct hy_request *r, struct hy_planned *t) {
  t->combining = (struct hy_combining){.cube = cube};
  if (!r->reduces) return;
  const hyla_reduction *how = r->reduction;
  const struct hy_number *number = how->combine == NULL ? hy_number_of(how->number) : NULL;
  t->combining.combine = how->combine != NULL ? how->combine : hy_combine_of(how->number, how->by);
  t->combining.arg = how->arg;
  t->combining.flops = 1;
  t->combining.entry = number != NULL ? number->size : sizeof(double);
  t->combining.complex_type = number != NULL && number->complex_type;
  t->collective.ordered = how->ordered;
  if (!how->ordered || r->task != HY_TASK_REDUCE_SCATTER) return;
  t->collective.task = HY_TASK_ALLREDUCE; /* no other task keeps the order */
  t->collective.blocks = (struct hy_blocks){.words = hy_planned_start(t, t->members)};
}

static int32_t target_of(const struct hy_request *r, int dims, uint32_t x) {
  uint32_t last = (1u << dims) - 1, places = (uint32_t)((uint64_t)r->places & last);
  if (r->permutes) return r->to[x];
  return (int32_t)(r->code == HYLA_GRAY ? hy_rotation_target(dims, places, x)
                                        : (x + places) & last);
}

/* Does some variant serve the collective, or the one that was asked for? */
static bool is_served(const hyla_cube *cube, const struct hy_request *r,
                      const struct hy_planned *t) {
  const struct hy_family *family = hy_collective_family(t->collective.task);
  char forced[HY_NAME_MAX];
  hy_forced_variant(cube->session.collective, family->name, forced, sizeof forced);
  const char *variant = r->message->variant;
  const char *wanted = variant != NULL && *variant != '\0' ? variant : forced;
  for (int i = 0; family->rows[i] != NULL; i++) {
    bool other = *wanted != '\0' && strcmp(family->rows[i]->name, wanted) != 0;
    const struct hy_collective_variant *row = hy_collective_variant_of(family->rows[i]);
    if (!other && hy_variant_refuses(row, &t->collective) == NULL) return true;
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
  t->collective.to = whole;
  t->collective.blocks.words = hy_ceil_div(t->count, t->members) * t->members;
}

static hyla_status describe_permutation(hyla_cube *cube, const struct hy_request *r,
                                        struct hy_planned *t) {
  struct hy_base *base = &cube->base;
  if (r->permutes) TRY(hy_request_targets(base, r, t->members));
  TRY(hy_alloc_for(base, t, 2 * (int64_t)t->members, sizeof *t->to, &t->to));
  TRY(hy_alloc_for(base, t, t->members, 1, &t->sent_to));
  for (uint32_t x = t->members; x-- > 0;) {
    t->to[x] = target_of(r, t->collective.dims, x);
    if (t->to[x] >= 0) t->collective.root = x; /* the first rank that sends, whose cost counts */
  }
  for (uint32_t x = 0; x < t->members; x++)
    if (t->to[x] >= 0) t->sent_to[t->to[x]] = 1;
  t->collective.to = t->to;
  if (!is_served(cube, r, t)) complete_permutation(t);
  return HYLA_OK;
}

static hyla_status describe_active(hyla_cube *cube, const struct hy_request *r,
                                   struct hy_planned *t) {
  TRY(hy_alloc_for(&cube->base, t, t->members, 1, &t->active));
  for (uint32_t x = 0; x < t->members; x++) t->active[x] = r->active[x];
  t->collective.active = t->active;
  return HYLA_OK;
}

static hyla_status describe_tags(hyla_cube *cube, const struct hy_request *r,
                                 struct hy_planned *t) {
  TRY(hy_alloc_for(&cube->base, t, t->members, 1, &t->active));
  for (uint32_t tag = 0; tag < t->members; tag++) t->active[tag] = r->tags[tag];
  t->collective.tags = t->active;
  return HYLA_OK;
}

static hyla_status describe_phases(hyla_cube *cube, const struct hy_request *r,
                                   struct hy_planned *t) {
  TRY(hy_alloc_for(&cube->base, t, r->phase_count, 1, &t->phases));
  for (int i = 0; i < r->phase_count; i++) t->phases[i] = (uint8_t)r->phases[i];
  t->collective.phases = t->phases;
  t->collective.phase_count = r->phase_count;
  return HYLA_OK;
}

static hyla_status describe_counts(hyla_cube *cube, const int64_t *counts, struct hy_planned *t) {
  TRY(hy_alloc_for(&cube->base, t, t->members + 1, sizeof *t->offsets, &t->offsets));
  for (uint32_t x = 0; x < t->members; x++) t->offsets[x + 1] = t->offsets[x] + counts[x];
  t->count = 0;
  t->collective.blocks = (struct hy_blocks){.offsets = t->offsets};
  return HYLA_OK;
}

static hyla_status describe(hyla_cube *cube, const struct hy_request *r, struct hy_planned *t) {
  const hyla_message *m = r->message;
  t->asked = r->task;
  t->dims = hy_request_dims(cube, m->apart);
  t->members = 1u << hy_popcount(t->dims);
  t->me = cube->address < 0 ? 0 : hy_extract((uint32_t)cube->address, t->dims);
  t->size = hy_request_size(r);
  t->count = m->count;
  t->collective = (struct hy_collective){.task = r->task,
                                         .dims = hy_popcount(t->dims),
                                         .root = (uint32_t)r->root,
                                         .blocks = {.words = m->count},
                                         .window = r->window,
                                         .matrices = r->matrices,
                                         .nearest = r->nearest,
                                         .farthest = r->farthest,
                                         .band = r->banded && t->dims != 0 ? r->b + 1 : 0};
  if (m->counts != NULL) TRY(describe_counts(cube, m->counts, t));
  if (r->near && r->nearest == 0 && r->farthest >= t->collective.dims) t->collective.farthest = 0;
  describe_reduction(cube, r, t);
  if (r->chooses) TRY(describe_active(cube, r, t));
  if (r->tagged) TRY(describe_tags(cube, r, t));
  if (r->phase_count > 0) TRY(describe_phases(cube, r, t));
  return r->task == HY_TASK_PERMUTE ? describe_permutation(cube, r, t) : HYLA_OK;
}

/* The shares in operations of some ranks or of several matrices; other operations set nothing. */
static void share_parts(struct hy_planned *t, int64_t all, int64_t one) {
  const bool inside = t->me >> t->collective.window == 0;
  switch (t->asked) {
  case HY_TASK_PARTIAL_EXCHANGE:
  case HY_TASK_PARTIAL_GATHER:
    t->gives = t->asked == HY_TASK_PARTIAL_GATHER || t->active[t->me] != 0 ? all : 0;
    t->gets = t->asked == HY_TASK_PARTIAL_EXCHANGE || t->active[t->me] != 0 ? all : 0;
    t->place = HY_OWN; /* blocks that this rank does not get stay as they are */
    t->beside = all;
    return;
  case HY_TASK_BAND_EXCHANGE:
  case HY_TASK_BAND_BROADCAST:
    t->gets = all * t->collective.matrices;
    t->gives = t->asked == HY_TASK_BAND_EXCHANGE ? t->gets : one * t->collective.matrices;
    t->place = HY_GOTTEN;
    return;
  case HY_TASK_WINDOW:
    t->gives = inside ? one : 0;
    t->gets = inside ? one << t->collective.window : 0;
    t->place = inside ? HY_GOTTEN : HY_OWN;
    t->beside = t->members >> t->collective.window > 1 ? one << t->collective.window : 0;
    return;
  default: return;
  }
}

/* The elements that this rank gives and gets, the place of its data, and its extra memory, which is
 * the same on all ranks. */
static void share(struct hy_planned *t) {
  const int64_t all = hy_planned_start(t, t->members);
  const int64_t one = hy_planned_start(t, t->me + 1) - hy_planned_start(t, t->me);
  const bool root = t->me == t->collective.root;
  bool sent_to = true, exact = t->collective.blocks.words == one;
  switch (t->asked) {
  case HY_TASK_BROADCAST:
    t->gives = root ? one : 0;
    t->gets = root ? 0 : one;
    t->place = root ? HY_GIVEN : HY_GOTTEN;
    return;
  case HY_TASK_REDUCE:
    t->gives = one;
    t->gets = root ? one : 0;
    t->place = root ? HY_GOTTEN : HY_OWN;
    t->beside = t->members > 1 ? one : 0;
    return;
  case HY_TASK_SCATTER:
    t->gives = root ? all : 0;
    t->gets = one;
    t->place = root ? HY_GIVEN : HY_OWN;
    t->beside = t->members > 1 ? all : 0;
    return;
  case HY_TASK_GATHER:
    t->gives = one;
    t->gets = root ? all : 0;
    t->place = root ? HY_GOTTEN : HY_OWN;
    t->beside = t->members > 1 ? all : 0;
    return;
  case HY_TASK_PERMUTE:
    for (uint32_t x = 0; x < t->members; x++) sent_to = sent_to && t->sent_to[x] != 0;
    t->gives = t->to[t->me] >= 0 ? one : 0;
    t->gets = t->sent_to[t->me] != 0 ? one : 0;
    t->place = exact && t->gets > 0 ? HY_GOTTEN : HY_OWN;
    t->beside = exact && sent_to ? 0 : t->collective.blocks.words;
    return;
  case HY_TASK_PARTIAL_EXCHANGE:
  case HY_TASK_PARTIAL_GATHER:
  case HY_TASK_WINDOW:
  case HY_TASK_BAND_EXCHANGE:
  case HY_TASK_BAND_BROADCAST: share_parts(t, all, one); return;
  default:
    t->gives = t->asked == HY_TASK_REDUCE_SCATTER || t->asked == HY_TASK_EXCHANGE ? all : one;
    if (t->asked == HY_TASK_PARTIAL && t->active[t->me] == 0) t->gives = 0;
    t->gets = t->asked == HY_TASK_REDUCE_SCATTER || t->asked == HY_TASK_ALLREDUCE ? one : all;
    t->place = t->asked == HY_TASK_REDUCE_SCATTER ? HY_OWN : HY_GOTTEN;
    t->beside = t->place == HY_OWN ? all : 0;
    return;
  }
}

static void explain(const hyla_plan *plan, struct hy_text *text) {
  const struct hy_planned *t = plan->state;
  const struct hy_variant *row = hy_choice_variant(&plan->choice);
  if (t->offsets != NULL)
    hy_text_add(text, "  %lld elements in all", (long long)t->offsets[t->members]);
  else
    hy_text_add(text, "  %lld elements", (long long)t->count);
  hy_text_add(text, " of %zu bytes%s, subcubes of %u ranks; reference: %s\n", t->size,
              t->offsets != NULL ? "" : " a message", t->members, row->reference);
}

const struct hy_plan_kind hy_planned_kind = {
    .size = sizeof(struct hy_planned), .runs_by = "hyla_plan_run_on", .explain = explain};

static hyla_status allocate(hyla_cube *cube, const char *variant, struct hy_planned *t) {
  TRY(hy_collective_create(cube, t->dims, &t->collective, t->size, variant, &t->plan));
  hy_own(t, t->plan);
  if (t->plan == NULL || t->place != HY_OWN) return HYLA_OK;
  return hy_alloc_data_for(&cube->base, t, t->beside, t->size, &t->own);
}

/* Chooses the variant and takes the memory of a run. */
static hyla_status choose(hyla_cube *cube, const struct hy_request *r, hyla_plan *plan) {
  struct hy_planned *t = plan->state;
  const int64_t beside = t->beside * (int64_t)t->size;
  const struct hy_wish wish = {.dims = t->dims,
                               .collective = &t->collective,
                               .size = t->size,
                               .variant = r->phase_count > 0 ? "multiphase" : r->message->variant,
                               .combining = t->combining,
                               .beside = beside,
                               .rehearsed = true};
  TRY(hy_agree(cube, hy_collective_choose(cube, &wish, &plan->choice)));
  TRY(hy_agree(cube, allocate(cube, hy_choice_variant(&plan->choice)->name, t)));
  struct hy_candidate *chosen = &plan->choice.candidates[plan->choice.chosen];
  TRY(hy_collective_busiest(cube, t->plan, &chosen->cost));
  chosen->cost.memory += beside;
  chosen->mine = hy_collective_cost(t->plan);
  chosen->mine.memory += t->place == HY_OWN ? beside : 0;
  plan->choice.wanted = ""; /* it points at the caller's text */
  return HYLA_OK;
}

static hyla_status make(hyla_cube *cube, const struct hy_request *r, uint64_t fingerprint,
                        hyla_plan **plan) {
  TRY(hy_agree(cube, hy_plan_create(cube, &hy_planned_kind, plan)));
  struct hy_planned *t = (*plan)->state;
  TRY(hy_agree(cube, describe(cube, r, t)));
  share(t);
  if (cube->address < 0) t->gives = t->gets = 0; /* a guest */
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
