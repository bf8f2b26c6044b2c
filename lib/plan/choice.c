/* The choose loop of all families: which rows apply, what they cost, and which one is taken. */
#include "plan/plan.h"

#include <string.h>

int hy_family_count(const struct hy_family *family) {
  int count = 0;
  while (family->rows[count] != NULL) count++;
  return count;
}

const struct hy_variant *hy_family_find(const struct hy_family *family, const char *name) {
  for (int i = 0; family->rows[i] != NULL; i++)
    if (strcmp(family->rows[i]->name, name) == 0) return family->rows[i];
  return NULL;
}

hyla_status hy_choice_list(struct hy_base *base, const struct hy_family *family,
                           const void *problem, const char *forced, const char *wanted,
                           struct hy_choice *choice) {
  *choice = (struct hy_choice){
      .family = family, .base = base, .count = hy_family_count(family), .chosen = -1};
  TRY(hy_alloc(base, choice->count, sizeof *choice->candidates, &choice->candidates));
  TRY(hy_alloc(base, choice->count, sizeof *choice->states, &choice->states));
  hy_forced_variant(forced, family->name, choice->forced, sizeof choice->forced);
  choice->wanted = wanted != NULL && wanted[0] != '\0' ? wanted : choice->forced;
  bool asked = choice->wanted[0] != '\0';
  choice->why = asked ? HY_ASKED : HY_PREDICTED;
  for (int i = 0; i < choice->count; i++) {
    const struct hy_variant *row = family->rows[i];
    bool other = asked && strcmp(row->name, choice->wanted) != 0;
    const char *reason = row->applies != NULL ? row->applies(problem) : NULL;
    if (!asked && row->asked != NULL) reason = row->asked;
    choice->candidates[i] =
        (struct hy_candidate){.name = row->name, .reason = reason, .unpriced = other};
  }
  return HYLA_OK;
}

hyla_status hy_choice_price(struct hy_choice *choice, const void *problem, hy_price *price,
                            void *arg) {
  for (int i = 0; i < choice->count; i++) {
    const struct hy_variant *row = choice->family->rows[i];
    struct hy_candidate *candidate = &choice->candidates[i];
    if (candidate->reason != NULL || candidate->unpriced) continue;
    if (price != NULL) {
      TRY(price(arg, row, &choice->states[i], &candidate->cost));
    } else {
      TRY(row->create(row, problem, &choice->states[i]));
      candidate->cost = row->cost(choice->states[i]);
    }
  }
  return HYLA_OK;
}

void hy_variant_destroy(const struct hy_variant *variant, struct hy_base *base, void **state) {
  if (*state == NULL) return;
  if (variant->destroy != NULL) variant->destroy(state);
  hy_free(base, state);
}

static void drop(struct hy_choice *choice, int row) {
  hy_variant_destroy(choice->family->rows[row], choice->base, &choice->states[row]);
}

hyla_status hy_choice_pick(struct hy_choice *choice) {
  TRY(hy_choose(choice));
  for (int i = 0; i < choice->count; i++)
    if (i != choice->chosen) drop(choice, i);
  return HYLA_OK;
}

void hy_choice_free(struct hy_choice *choice) {
  for (int i = 0; i < choice->count && choice->states != NULL; i++) drop(choice, i);
  hy_free(choice->base, &choice->states);
  hy_free(choice->base, &choice->candidates);
  hy_free(choice->base, &choice->own);
}

static hyla_status play(hyla_cube *cube, const struct hy_pricing *pricing,
                        const struct hy_variant *row, double *seconds) {
  hyla_cube rehearsal;
  void *kept = NULL;
  TRY(hy_rehearsal_begin(cube, &rehearsal, &kept));
  hyla_status status = pricing->rehearse(pricing->arg, row, &rehearsal);
  return hy_rehearsal_end(cube, &rehearsal, kept, status, seconds);
}

/* A rehearsal does not time copies.  On a machine where copies take time, those of the busiest node
 * are added. */
static hyla_status rehearse(hyla_cube *cube, const struct hy_kernels *k,
                            const struct hy_pricing *pricing, const struct hy_variant *row,
                            struct hy_candidate *candidate) {
  uint64_t number = pricing->problem;
  if (number != 0) number = hy_fingerprint(number, row->name, strlen(row->name));
  if (!hy_rehearsal_known(cube, number, &candidate->seconds)) {
    TRY(play(cube, pricing, row, &candidate->seconds));
    hy_rehearsal_keep(cube, number, candidate->seconds);
  }
  candidate->rehearsed = true;
  candidate->seconds +=
      cube->session.machine.rho * (double)candidate->cost.copied * (double)k->size;
  return HYLA_OK;
}

/* Was the stage made to rehearse this choice? */
static bool is_rehearsed(const hyla_cube *cube, const struct hy_choice *choice) {
  return cube->session.rehearsal && choice->why == HY_ASKED;
}

/* The caller that rehearses a row knows its cost, so the row is not priced on the stage; only a
 * memory limit needs the cost there. */
static hyla_status price_all(hyla_cube *cube, const void *problem, const struct hy_pricing *pricing,
                             struct hy_choice *choice) {
  bool outer = cube->session.unpriced;
  cube->session.unpriced =
      is_rehearsed(cube, choice) && !hy_cube_counts(cube) && cube->base.memory_limit == 0;
  hyla_status status = hy_choice_price(choice, problem, pricing->price, pricing->arg);
  cube->session.unpriced = outer;
  return status;
}

/* May this candidate be rehearsed? */
static bool can_play(const struct hy_choice *choice, const struct hy_pricing *pricing, int i) {
  const struct hy_candidate *candidate = &choice->candidates[i];
  bool plays = pricing->plays == NULL || pricing->plays(pricing->arg, choice->family->rows[i]);
  return plays && candidate->reason == NULL && !candidate->unpriced &&
         hy_within_memory(choice->base, candidate);
}

hyla_status hy_choice_rehearse(hyla_cube *cube, const struct hy_kernels *k,
                               const struct hy_pricing *pricing, struct hy_choice *choice) {
  if (pricing->rehearse == NULL || is_rehearsed(cube, choice)) return HYLA_OK;
  int64_t messages = 0;
  for (int i = 0; i < choice->count; i++)
    if (can_play(choice, pricing, i)) messages += choice->candidates[i].cost.messages * cube->nodes;
  if (!hy_can_rehearse(cube, messages)) return HYLA_OK;
  for (int i = 0; i < choice->count; i++)
    if (can_play(choice, pricing, i))
      TRY(rehearse(cube, k, pricing, choice->family->rows[i], &choice->candidates[i]));
  return HYLA_OK;
}

const struct hy_variant *hy_choice_fixed(const hyla_cube *cube, const struct hy_family *family,
                                         const char *wanted) {
  char forced[HY_NAME_MAX];
  hy_forced_variant(cube->session.forced, family->name, forced, sizeof forced);
  const char *name = wanted != NULL && wanted[0] != '\0' ? wanted : forced;
  for (int i = 0; family->rows[i] != NULL; i++) {
    const struct hy_variant *row = family->rows[i];
    bool taken = name[0] == '\0' ? cube->session.reproducible : strcmp(row->name, name) == 0;
    if (row->fixed && taken) return row;
  }
  return NULL;
}

/* On the cube of a rehearsal nobody asks for the cost of rows that are not taken.  If no memory
 * limit and no price of copies needs the costs either, rows are rehearsed unpriced, and only the
 * chosen one is made. */
static bool rehearsed_first(const hyla_cube *cube, const struct hy_pricing *pricing,
                            const struct hy_choice *choice) {
  return cube->session.rehearsal && !hy_cube_counts(cube) && choice->why == HY_PREDICTED &&
         pricing->rehearse != NULL && pricing->plays == NULL && cube->base.memory_limit == 0 &&
         cube->session.machine.rho == 0 && hy_can_rehearse(cube, INT64_MAX);
}

static hyla_status pick_rehearsed(hyla_cube *cube, const void *problem, const struct hy_kernels *k,
                                  const struct hy_pricing *pricing, struct hy_choice *choice) {
  TRY(hy_choice_rehearse(cube, k, pricing, choice));
  TRY(hy_choice_pick(choice));
  for (int i = 0; i < choice->count; i++) choice->candidates[i].unpriced |= i != choice->chosen;
  TRY(hy_agree(cube, price_all(cube, problem, pricing, choice)));
  return hy_plan_busiest(cube, k, choice->candidates, choice->count);
}

/* Leaves only the fixed rows as candidates; they may then be chosen unasked. */
static hyla_status keep_fixed(hyla_cube *cube, const void *problem, struct hy_choice *choice) {
  const struct hy_family *family = choice->family;
  int fixed = 0;
  for (int i = 0; i < choice->count; i++) {
    const struct hy_variant *row = family->rows[i];
    const char *reason = row->applies != NULL ? row->applies(problem) : NULL;
    fixed += row->fixed;
    choice->candidates[i].reason =
        row->fixed ? reason
                   : "its bits depend on the number of ranks, which reproducible rules out";
  }
  CHECK(&cube->base, fixed > 0, UNSUPPORTED,
        "%s: results that do not depend on the number of ranks were asked for (reproducible), and "
        "no variant of this operation gives them",
        family->name);
  return HYLA_OK;
}

/* Asks for all memory of a run, and of the objects made for it, before any of it is taken.  A small
 * need is not checked, because the check takes an agreement. */
static hyla_status ask_for_memory(hyla_cube *cube, const struct hy_choice *choice) {
  enum { LITTLE = 1 << 20 };
  const struct hy_candidate *chosen = &choice->candidates[choice->chosen];
  if (hy_cube_dry(cube) || chosen->unpriced || chosen->cost.memory < LITTLE) return HYLA_OK;
  return hy_cube_afford(cube, chosen->mine.memory);
}

/* Rows that need a cube are left out on other arrays. */
static void keep_arrays(const hyla_cube *cube, struct hy_choice *choice) {
  if (cube->sides.count == 0) return;
  for (int i = 0; i < choice->count; i++)
    if (!choice->family->rows[i]->arrays && choice->candidates[i].reason == NULL)
      choice->candidates[i].reason = "it needs a cube, whose sides are powers of two";
}

hyla_status hy_choice_make(hyla_cube *cube, const struct hy_family *family, const void *problem,
                           const struct hy_kernels *k, const char *wanted,
                           const struct hy_pricing *pricing, struct hy_choice *choice) {
  TRY(hy_agree(cube,
               hy_choice_list(&cube->base, family, problem, cube->session.forced, wanted, choice)));
  choice->entry = k->size;
  if (cube->session.reproducible && !family->exact) TRY(keep_fixed(cube, problem, choice));
  keep_arrays(cube, choice);
  if (rehearsed_first(cube, pricing, choice))
    return pick_rehearsed(cube, problem, k, pricing, choice);
  TRY(hy_agree(cube, price_all(cube, problem, pricing, choice)));
  TRY(hy_plan_busiest(cube, k, choice->candidates, choice->count));
  TRY(hy_choice_rehearse(cube, k, pricing, choice));
  TRY(hy_choice_pick(choice));
  return ask_for_memory(cube, choice);
}
