/* The families of the collectives, one line for each row, and generators made from the rows. */
#include "collective/variant.h"

static const struct hy_variant *const BROADCAST[] = {
    &hy_broadcast_doubling.base, &hy_broadcast_sw90_2.base, &hy_broadcast_sw90_3a.base,
    &hy_broadcast_sw90_3b.base,  &hy_broadcast_sw90_4.base, NULL};

static const struct hy_variant *const ALLREDUCE[] = {&hy_allreduce_doubling.base,
                                                     &hy_allreduce_halving.base, NULL};

static const struct hy_variant *const SCATTER[] = {
    &hy_scatter_doubling.base, &hy_scatter_sw90_1.base,  &hy_scatter_b91.base,
    &hy_scatter_sw90_2.base,   &hy_scatter_b91_cut.base, NULL};

static const struct hy_variant *const ALLGATHER[] = {
    &hy_allgather_doubling.base, &hy_allgather_sw90.base,       &hy_allgather_b91.base,
    &hy_allgather_v92.base,      &hy_allgather_successive.base, NULL};

static const struct hy_variant *const PARTIAL[] = {&hy_partial_v92_1.base, &hy_partial_v92_2.base,
                                                   &hy_partial_v92_3.base, NULL};

static const struct hy_variant *const EXCHANGE[] = {&hy_exchange_direct.base,
                                                    &hy_exchange_standard.base,
                                                    &hy_exchange_multiphase.base,
                                                    &hy_exchange_sw90.base,
                                                    &hy_exchange_sw90_sym.base,
                                                    &hy_exchange_b91.base,
                                                    &hy_exchange_v92.base,
                                                    &hy_exchange_pipelined.base,
                                                    &hy_exchange_v92_band.base,
                                                    &hy_exchange_b91_older.base,
                                                    NULL};

static const struct hy_variant *const PERMUTE[] = {&hy_permute_inversion.base,
                                                   &hy_permute_sw90.base,
                                                   &hy_permute_corner_1.base,
                                                   &hy_permute_corner_2.base,
                                                   &hy_permute_corner_3.base,
                                                   &hy_permute_corner_4.base,
                                                   &hy_permute_arbitrary_1.base,
                                                   &hy_permute_arbitrary_2.base,
                                                   &hy_permute_arbitrary_2b.base,
                                                   &hy_permute_arbitrary_3.base,
                                                   &hy_permute_paths.base,
                                                   &hy_permute_transpose.base,
                                                   &hy_permute_transpose_stages.base,
                                                   &hy_permute_gray.base,
                                                   &hy_permute_recursive.base,
                                                   &hy_permute_torus.base,
                                                   &hy_permute_torus_paths.base,
                                                   &hy_permute_mesh.base,
                                                   &hy_permute_turn_rings.base,
                                                   &hy_permute_turn_pairs.base,
                                                   &hy_permute_rotate_powers.base,
                                                   &hy_permute_rotate_reflect.base,
                                                   &hy_permute_rotate_disjoint.base,
                                                   NULL};

static const struct hy_variant *const PARTIAL_EXCHANGE[] = {
    &hy_partial_exchange_v92.base, &hy_partial_exchange_matched.base,
    &hy_partial_exchange_corners.base, NULL};

static const struct hy_variant *const BAND_EXCHANGE[] = {&hy_band_exchange_matched.base,
                                                         &hy_band_exchange_negotiated.base, NULL};

static const struct hy_variant *const BAND_BROADCAST[] = {&hy_band_broadcast_wanted.base,
                                                          &hy_band_broadcast_negotiated.base, NULL};

static const struct hy_variant *const WINDOW[] = {&hy_window_v92.base, NULL};

/* The rows on networks that are no cubes. */
static const struct hy_variant *const NETWORK_BROADCAST[] = {&hy_broadcast_tree.base, NULL};

static const struct hy_variant *const NETWORK_ALLREDUCE[] = {&hy_allreduce_tree.base,
                                                             &hy_allreduce_halves.base, NULL};

static const struct hy_variant *const NETWORK_SCATTER[] = {&hy_scatter_balanced.base, NULL};

static const struct hy_variant *const NETWORK_ALLGATHER[] = {&hy_allgather_line.base,
                                                             &hy_allgather_axes.base,
                                                             &hy_allgather_split.base,
                                                             &hy_allgather_translated.base,
                                                             &hy_allgather_whole.base,
                                                             &hy_allgather_folded.base,
                                                             NULL};

static const struct hy_variant *const NETWORK_EXCHANGE[] = {
    &hy_exchange_queued.base, &hy_exchange_isotropic.base,     &hy_exchange_axes.base,
    &hy_exchange_folded.base, &hy_exchange_folded_greedy.base, NULL};

static const struct hy_variant *const NETWORK_PARTIAL_EXCHANGE[] = {
    &hy_partial_exchange_queued.base, NULL};

static const struct hy_variant *const NETWORK_PERMUTE[] = {&hy_permute_queued.base,
                                                           &hy_permute_monotone.base, NULL};

static const struct hy_variant *const NETWORK_PARTIAL[] = {
    &hy_partial_axes.base, &hy_partial_split.base, &hy_partial_whole.base, &hy_partial_full.base,
    NULL};

/* The rows of groups of any number of members. */
static const struct hy_variant *const ANY_BROADCAST[] = {&hy_any_broadcast_doubling.base,
                                                         &hy_any_broadcast_chain.base, NULL};

static const struct hy_variant *const ANY_ALLREDUCE[] = {&hy_any_allreduce_doubling.base,
                                                         &hy_any_allreduce_halving.base, NULL};

static const struct hy_variant *const ANY_ALLGATHER[] = {&hy_any_allgather_doubling.base, NULL};

/* A task that is another one with time reversed has the rows of that one. */
static const struct hy_family FAMILIES[] = {
    [HY_TASK_BROADCAST] = {.name = "broadcast", .rows = BROADCAST},
    [HY_TASK_REDUCE] = {.name = "reduce", .rows = BROADCAST},
    [HY_TASK_ALLREDUCE] = {.name = "allreduce", .rows = ALLREDUCE},
    [HY_TASK_SCATTER] = {.name = "scatter", .rows = SCATTER},
    [HY_TASK_GATHER] = {.name = "gather", .rows = SCATTER},
    [HY_TASK_ALLGATHER] = {.name = "allgather", .rows = ALLGATHER},
    [HY_TASK_REDUCE_SCATTER] = {.name = "reduce-scatter", .rows = ALLGATHER},
    [HY_TASK_PARTIAL] = {.name = "partial", .rows = PARTIAL},
    [HY_TASK_EXCHANGE] = {.name = "exchange", .rows = EXCHANGE},
    [HY_TASK_PERMUTE] = {.name = "permute", .rows = PERMUTE},
    [HY_TASK_PARTIAL_EXCHANGE] = {.name = "partial-exchange", .rows = PARTIAL_EXCHANGE},
    [HY_TASK_PARTIAL_GATHER] = {.name = "partial-gather", .rows = PARTIAL_EXCHANGE},
    [HY_TASK_WINDOW] = {.name = "window", .rows = WINDOW},
    [HY_TASK_BAND_EXCHANGE] = {.name = "band-exchange", .rows = BAND_EXCHANGE},
    [HY_TASK_BAND_BROADCAST] = {.name = "band-broadcast", .rows = BAND_BROADCAST},
};
enum { TASKS = sizeof FAMILIES / sizeof *FAMILIES };

/* The families on networks that are no cubes; a task without rows there has none. */
static const struct hy_family NETWORK_FAMILIES[TASKS] = {
    [HY_TASK_BROADCAST] = {.name = "broadcast", .rows = NETWORK_BROADCAST},
    [HY_TASK_REDUCE] = {.name = "reduce", .rows = NETWORK_BROADCAST},
    [HY_TASK_ALLREDUCE] = {.name = "allreduce", .rows = NETWORK_ALLREDUCE},
    [HY_TASK_SCATTER] = {.name = "scatter", .rows = NETWORK_SCATTER},
    [HY_TASK_GATHER] = {.name = "gather", .rows = NETWORK_SCATTER},
    [HY_TASK_ALLGATHER] = {.name = "allgather", .rows = NETWORK_ALLGATHER},
    [HY_TASK_REDUCE_SCATTER] = {.name = "reduce-scatter", .rows = NETWORK_ALLGATHER},
    [HY_TASK_PARTIAL] = {.name = "partial", .rows = NETWORK_PARTIAL},
    [HY_TASK_EXCHANGE] = {.name = "exchange", .rows = NETWORK_EXCHANGE},
    [HY_TASK_PERMUTE] = {.name = "permute", .rows = NETWORK_PERMUTE},
    [HY_TASK_PARTIAL_EXCHANGE] = {.name = "partial-exchange", .rows = NETWORK_PARTIAL_EXCHANGE},
    [HY_TASK_PARTIAL_GATHER] = {.name = "partial-gather", .rows = NETWORK_PARTIAL_EXCHANGE},
};

static const struct hy_family ANY_FAMILIES[TASKS] = {
    [HY_TASK_BROADCAST] = {.name = "broadcast", .rows = ANY_BROADCAST},
    [HY_TASK_REDUCE] = {.name = "reduce", .rows = ANY_BROADCAST},
    [HY_TASK_ALLREDUCE] = {.name = "allreduce", .rows = ANY_ALLREDUCE},
    [HY_TASK_ALLGATHER] = {.name = "allgather", .rows = ANY_ALLGATHER},
    [HY_TASK_REDUCE_SCATTER] = {.name = "reduce-scatter", .rows = ANY_ALLGATHER},
};

const struct hy_family *hy_family_for(const struct hy_collective *c) {
  return c->members > 0 && ANY_FAMILIES[c->task].rows != NULL ? &ANY_FAMILIES[c->task]
                                                              : &FAMILIES[c->task];
}

const struct hy_family *hy_collective_family(int task) {
  return task >= 0 && task < TASKS ? &FAMILIES[task] : NULL;
}

enum hy_task hy_task_forward(enum hy_task task) {
  if (task == HY_TASK_REDUCE) return HY_TASK_BROADCAST;
  if (task == HY_TASK_GATHER) return HY_TASK_SCATTER;
  if (task == HY_TASK_PARTIAL_GATHER) return HY_TASK_PARTIAL_EXCHANGE;
  return task == HY_TASK_REDUCE_SCATTER ? HY_TASK_ALLGATHER : task;
}

bool hy_task_rooted(enum hy_task task) {
  return hy_task_forward(task) == HY_TASK_BROADCAST || hy_task_forward(task) == HY_TASK_SCATTER;
}

bool hy_task_chooses(enum hy_task task) {
  return task == HY_TASK_PARTIAL || hy_task_forward(task) == HY_TASK_PARTIAL_EXCHANGE;
}

const struct hy_family *hy_network_family(enum hy_task task) {
  return NETWORK_FAMILIES[task].rows != NULL ? &NETWORK_FAMILIES[task] : NULL;
}

static const struct hy_collective_variant *row_at(const struct hy_family *families, int index) {
  for (enum hy_task task = 0; (int)task < TASKS; task++) {
    if (hy_task_forward(task) != task || families[task].rows == NULL) continue;
    int count = hy_family_count(&families[task]);
    if (index < count) return hy_collective_variant_of(families[task].rows[index]);
    index -= count;
  }
  return NULL;
}

const struct hy_collective_variant *hy_variant_at(int index) { return row_at(FAMILIES, index); }

const struct hy_collective_variant *hy_network_variant_at(int index) {
  return row_at(NETWORK_FAMILIES, index);
}

const struct hy_collective_variant *hy_variant_find(enum hy_task task, const char *name) {
  return hy_collective_variant_of(hy_family_find(&FAMILIES[task], name));
}

const struct hy_collective_variant *hy_network_variant_find(enum hy_task task, const char *name) {
  const struct hy_family *family = hy_network_family(task);
  return family == NULL ? NULL : hy_collective_variant_of(hy_family_find(family, name));
}

bool hy_collective_on_networks(int task, const char *name) {
  return hy_network_variant_find((enum hy_task)task, name) != NULL;
}

/* The reason why a row for these kinds of networks does not serve the network; NULL: it does. */
static const char *other_network(uint32_t kinds, const struct hy_network *network) {
  const uint32_t kind = network == NULL ? 0 : 1u << network->kind;
  if (kinds == 0) return kind == 0 ? NULL : "it needs a cube";
  if ((kinds & kind) != 0) return NULL;
  if (kinds == HY_ON_TORI) return "it needs a torus";
  return kinds == HY_ON_MESHES ? "it needs an array or a torus" : "it needs a folded cube";
}

const char *hy_variant_refuses(const struct hy_collective_variant *variant,
                               const struct hy_collective *c) {
  if (c->members > 0 && !variant->any) return "it needs a cube";
  const char *elsewhere = other_network(variant->networks, c->network);
  if (elsewhere != NULL) return elsewhere;
  if (hy_task_chooses(c->task) && c->active == NULL) return "it needs the list of active nodes";
  if (c->blocks.sources != NULL && !variant->ragged) return "it needs messages of equal length";
  if (c->band > 0 && !variant->banded) return "it exchanges with all nodes";
  if (c->lost_count > 0 && !variant->detours) return "it does not go round lost links";
  if (c->ordered && !variant->ordered) return "it does not combine in the nodes' order";
  return variant->applies != NULL ? variant->applies(c) : NULL;
}

static struct hy_form form_of(const struct hy_found *found) {
  return (struct hy_form){found->steps, {found->steps, 1}, found->packets, 1};
}

struct hy_form hy_variant_form(const struct hy_collective_variant *variant,
                               const struct hy_collective *c) {
  if (hy_members(c) == 1) return (struct hy_form){0, {0, 1}, 0, 1};
  if (variant->find == NULL) return variant->form(c);
  struct hy_base base = {0};
  struct hy_found *found = NULL;
  struct hy_form form = {-1, {-1, 1}, 0, 0};
  if (variant->find(&base, c, &found) == HYLA_OK) form = form_of(found);
  hy_free(&base, &found);
  return form;
}

hyla_status hy_variant_form_on(hyla_cube *cube, const struct hy_collective_variant *variant,
                               const struct hy_collective *c, struct hy_form *form) {
  if (variant->find == NULL || hy_members(c) == 1) {
    *form = hy_variant_form(variant, c);
    return HYLA_OK;
  }
  const struct hy_collective priced = hy_collective_priced(cube, c);
  const struct hy_recipe *recipe = NULL;
  struct hy_recipe own;
  const hyla_status status = hy_recipe_find(cube, variant, &priced, &own, &recipe);
  if (status == HYLA_OK)
    *form = recipe->found != NULL ? form_of(recipe->found) : hy_variant_form(variant, c);
  hy_recipe_free(&own);
  return status;
}

const char *hy_variant_closed_form(const struct hy_collective_variant *variant,
                                   const struct hy_collective *c) {
  if (c->tags != NULL) return variant->formula_tags;
  return c->farthest > 0 ? variant->formula_near : variant->formula;
}

const char *hy_task_name(enum hy_task task) { return FAMILIES[task].name; }

hyla_status hy_recipe_make(struct hy_recipe *recipe, struct hy_base *base,
                           const struct hy_collective_variant *variant,
                           const struct hy_collective *c) {
  *recipe = (struct hy_recipe){.base = base};
  const char *reason = hy_variant_refuses(variant, c);
  CHECK(base, reason == NULL, UNSUPPORTED, "%s %s: %s", hy_task_name(c->task), variant->base.name,
        reason);
  if (variant->build != NULL) {
    TRY(variant->build(c, recipe));
  } else {
    struct hy_found *found = NULL;
    if (variant->find != NULL) {
      hyla_status status = variant->find(base, c, &found);
      hy_recipe_keep(recipe, found);
      TRY(status);
      recipe->found = found;
    }
    hy_recipe_add(recipe, c, variant->make, found);
  }
  uint32_t root = hy_task_rooted(c->task) ? c->root : 0;
  if (variant->root != NULL) root = variant->root(c);
  if (root != 0 && c->network == NULL && c->members == 0)
    hy_recipe_push(recipe, hy_reroot(hy_recipe_top(recipe), root));
  bool gathers = c->task == HY_TASK_GATHER || c->task == HY_TASK_PARTIAL_GATHER;
  if (c->task != variant->task)
    hy_recipe_push(recipe, hy_reverse(hy_recipe_top(recipe), gathers ? HY_IN : HY_ADD));
  if (variant->folds && c->network->kind == HY_ARRAY)
    hy_recipe_push(recipe, hy_fold(hy_recipe_top(recipe), c->network));
  return HYLA_OK;
}
