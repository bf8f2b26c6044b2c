/* hyla_plan_run_on: a planned collective on the caller's buffers.
 *
 * The variants work in place, on blocks that all lie in one buffer.  That is the caller's own
 * buffer if it has the room, otherwise memory of the plan.  Given elements are copied to their
 * places there before the run, and elements to get are copied from there after it. */
#include "collective/planned.h"

#include <string.h>

/* The caller's buffers. */
struct hands {
  const void *send;
  void *receive;
  bool in_place; /* the given elements lie in receive */
};

static bool is_root(const struct hy_planned *t) { return t->me == t->op.what.root; }

/* ---------------------------------------------------------------- checks -- */

/* May this rank pass its data in the receive buffer?  Only if it owns that buffer: not in a
 * scatter, and in reduce and gather only on the root. */
static bool may_stand_in_receive(const struct hy_planned *t) {
  if (t->asked == HY_TASK_SCATTER) return false;
  return is_root(t) || (t->asked != HY_TASK_REDUCE && t->asked != HY_TASK_GATHER);
}

static bool overlap(const struct hy_planned *t, const void *send, const void *receive) {
  uintptr_t from = (uintptr_t)send, into = (uintptr_t)receive;
  uintptr_t given = (uintptr_t)t->gives * t->op.what.size,
            gotten = (uintptr_t)t->gets * t->op.what.size;
  return given > 0 && gotten > 0 && from < into + gotten && into < from + given;
}

static hyla_status check_hands(struct hy_base *base, const struct hy_planned *t, const void *send,
                               const void *receive) {
  const char *name = hy_task_name(t->asked);
  bool given_there = t->gives > 0 && send == MPI_IN_PLACE;
  bool stays = t->gets > 0 && receive == MPI_IN_PLACE;
  CHECK(base, !given_there || may_stand_in_receive(t), ARGUMENT,
        "%s: send is MPI_IN_PLACE, but receive has no place for what this rank gives", name);
  CHECK(base, !stays || (t->asked == HY_TASK_SCATTER && is_root(t)), ARGUMENT,
        "%s: receive is MPI_IN_PLACE; only a scatter's root may give that", name);
  CHECK(base, t->gives == 0 || send != NULL, ARGUMENT,
        "%s: send is NULL, but this rank gives %lld elements", name, (long long)t->gives);
  int64_t wanted = given_there ? hy_max(t->gives, t->gets) : t->gets;
  CHECK(base, wanted == 0 || receive != NULL, ARGUMENT,
        "%s: receive is NULL, but needs room for %lld elements here", name, (long long)wanted);
  CHECK(base, given_there || stays || !overlap(t, send, receive), ARGUMENT,
        "%s: send and receive overlap; give MPI_IN_PLACE for one of them", name);
  return HYLA_OK;
}

static hyla_status check(hyla_cube *cube, const hyla_plan *plan, const void *send,
                         const void *receive) {
  struct hy_base *base = &cube->base;
  CHECK(base, plan != NULL, ARGUMENT, "hyla_plan_run_on: plan is NULL");
  CHECK(base, plan->cube == cube, ARGUMENT, "hyla_plan_run_on: the plan belongs to another cube");
  CHECK(base, plan->kind == &hy_planned_kind, ARGUMENT,
        "hyla_plan_run_on: such a plan is run by %s",
        plan->runs_by == NULL ? "hyla_plan_run" : plan->runs_by);
  return check_hands(base, plan->state, send, receive);
}

/* ---------------------------------------------------------------- copies -- */

static char *element(const struct hy_planned *t, void *buffer, int64_t index) {
  return (char *)buffer + (size_t)index * t->op.what.size;
}

static void copy(const struct hy_planned *t, void *to, const void *from, int64_t elements) {
  hyla_cube *cube = t->op.cube;
  if (elements == 0 || to == from) return;
  hy_count_copied(cube, elements);
  if (!hy_cube_dry(cube)) memmove(to, from, (size_t)elements * t->op.what.size);
}

static void *data_of(const struct hy_planned *t, const struct hands *hands) {
  if (t->asked == HY_TASK_REDUCE_SCATTER && hands->in_place && !t->combines) return hands->receive;
  if (t->place == HY_OWN) return t->own;
  if (t->place == HY_GOTTEN || hands->in_place) return hands->receive;
  return (void *)(uintptr_t)hands->send; /* the run sends from it and does not write to it */
}

/* An exchange loads only blocks that have a receiver; other blocks of receive stay as they are. */
static void load_partners(const struct hy_planned *t, char *data, const char *from) {
  const size_t bytes = (size_t)t->count * t->op.what.size;
  for (uint32_t x = 0; x < t->members; x++)
    if (hy_partners(&t->op.what, t->me, x)) copy(t, data + x * bytes, from + x * bytes, t->count);
}

/* Loads for each matrix the messages to the ranks within its band, or the one message for all of
 * them. */
static void load_bands(const struct hy_planned *t, char *data, const char *from) {
  const size_t bytes = (size_t)t->count * t->op.what.size;
  for (int j = 0; j < t->op.what.matrices; j++)
    for (uint32_t x = 0; x < t->members; x++) {
      const size_t block = (size_t)j * t->members + x;
      bool spread = t->asked == HY_TASK_BAND_BROADCAST;
      if (spread ? x == t->me : hy_partners_of(&t->op.what, j, t->me, x))
        copy(t, data + block * bytes, from + (spread ? (size_t)j : block) * bytes, t->count);
    }
}

/* Copies the blocks of the active ranks. */
static void copy_active(const struct hy_planned *t, char *to, const char *from) {
  const size_t bytes = (size_t)t->count * t->op.what.size;
  for (uint32_t x = 0; x < t->members; x++)
    if (t->op.what.active[x] != 0) copy(t, to + x * bytes, from + x * bytes, t->count);
}

/* Combines the gathered blocks in the order of the ranks' numbers, neighbours first: in block 0 the
 * elements that this rank gets, which begin at its own place if all are combined for all. */
static void combine(const struct hy_planned *t, void *data) {
  const int64_t length = t->op.what.blocks.words;
  const int64_t first = t->asked == HY_TASK_REDUCE_SCATTER ? hy_planned_start(t, t->me) : 0;
  if (t->gets == 0) return;
  for (uint32_t apart = 1; apart < t->members; apart *= 2)
    for (uint32_t x = 0; x + apart < t->members; x += 2 * apart)
      hy_subcube_combine(&t->op, element(t, data, x * length + first),
                         element(t, data, (x + apart) * length + first), t->gets);
}

/* Copies the elements that this rank gives to their places. */
static void load(const struct hy_planned *t, const struct hands *hands, void *data) {
  const void *from = hands->in_place ? hands->receive : hands->send;
  const int64_t own = hy_planned_start(t, t->me);
  if (t->combines) {
    copy(t, element(t, data, t->me * t->op.what.blocks.words), from, t->gives);
    return;
  }
  switch (t->asked) {
  case HY_TASK_BROADCAST:
  case HY_TASK_SCATTER: return; /* sent from where the data lie */
  case HY_TASK_EXCHANGE: load_partners(t, data, from); return;
  case HY_TASK_BAND_EXCHANGE:
  case HY_TASK_BAND_BROADCAST:
    if (!hands->in_place) load_bands(t, data, from);
    return;
  case HY_TASK_PARTIAL_EXCHANGE: copy(t, data, from, t->gives); return;
  case HY_TASK_PARTIAL_GATHER: copy_active(t, data, from); return;
  case HY_TASK_WINDOW:
  case HY_TASK_GATHER:
  case HY_TASK_ALLGATHER:
  case HY_TASK_PARTIAL:
    if (!hands->in_place) copy(t, element(t, data, own), from, t->gives);
    return;
  default: copy(t, data, from, t->gives); return;
  }
}

/* Copies the elements that this rank gets from their places. */
static void store(const struct hy_planned *t, const struct hands *hands, void *data) {
  const int64_t own = hy_planned_start(t, t->me);
  if (t->asked == HY_TASK_SCATTER && hands->receive == MPI_IN_PLACE) return;
  if (t->asked == HY_TASK_SCATTER || t->asked == HY_TASK_REDUCE_SCATTER)
    copy(t, hands->receive, element(t, data, own), t->gets);
  else if (t->asked == HY_TASK_PARTIAL_EXCHANGE)
    copy_active(t, hands->receive, data);
  else if (t->asked == HY_TASK_PERMUTE || t->asked == HY_TASK_PARTIAL_GATHER || t->combines)
    copy(t, hands->receive, data, t->gets);
}

static hyla_status run(const struct hy_planned *t, const struct hands *hands) {
  if (!t->takes_part || hy_planned_start(t, t->members) == 0) return HYLA_OK;
  void *data = data_of(t, hands);
  load(t, hands, data);
  TRY(hy_subcube_run(&t->op, data));
  if (t->combines) combine(t, data);
  store(t, hands, data);
  return HYLA_OK;
}

hyla_status hyla_plan_run_on(hyla_cube *cube, hyla_plan *plan, const void *send, void *receive) {
  if (cube == NULL) return HYLA_ARGUMENT;
  hyla_status mine = check(cube, plan, send, receive);
  TRY(hy_enter(cube, mine, mine == HYLA_OK ? plan->fingerprint : 0, "hyla_plan_run_on"));
  const struct hy_planned *t = plan->state;
  const struct hands hands = {send, receive, t->gives > 0 && send == MPI_IN_PLACE};
  return hy_agree(cube, run(t, &hands));
}
