/* Recipes: stacks of generators, each made from those below it. */
#include "collective/variant.h"

#include <string.h>

const struct hy_generator *hy_recipe_top(const struct hy_recipe *recipe) {
  return &recipe->stage[recipe->stages - 1];
}

const struct hy_generator *hy_recipe_push(struct hy_recipe *recipe, struct hy_generator generator) {
  recipe->stage[recipe->stages++] = generator;
  return hy_recipe_top(recipe);
}

const struct hy_generator *hy_recipe_add(struct hy_recipe *recipe, const struct hy_collective *c,
                                         hy_make_schedule *make, const void *table) {
  const enum hy_task task = hy_task_forward(c->task);
  const bool whole =
      task == HY_TASK_BROADCAST || task == HY_TASK_ALLREDUCE || task == HY_TASK_PERMUTE;
  return hy_recipe_push(recipe,
                        (struct hy_generator){make, c->dims, .numbered = !whole, .table = table,
                                              .network = c->network, .members = c->members});
}

void hy_recipe_keep(struct hy_recipe *recipe, void *table) {
  if (table != NULL) recipe->tables[recipe->table_count++] = table;
}

hyla_status hy_recipe_table(struct hy_recipe *recipe, int64_t count, size_t size, void *table) {
  void **kept = &recipe->tables[recipe->table_count];
  TRY(hy_alloc(recipe->base, count, size, kept));
  memcpy(table, kept, sizeof *kept);
  recipe->table_count++;
  return HYLA_OK;
}

void hy_recipe_free(struct hy_recipe *recipe) {
  while (recipe->table_count > 0) hy_free(recipe->base, &recipe->tables[--recipe->table_count]);
}

/* A recipe that all nodes share, with its memory counted apart. */
struct common {
  struct hy_base base;
  struct hy_recipe recipe;
};

static void end_common(void *thing) {
  struct common *common = thing;
  struct hy_base base = common->base;
  common->recipe.base = &base;
  hy_recipe_free(&common->recipe);
  hy_free(&base, &common);
}

/* All that a recipe on a network that is no cube depends on, besides what every recipe does. */
static uint64_t add_network(uint64_t number, const struct hy_collective *c) {
  const int64_t *offsets = c->blocks.offsets;
  const size_t members = hy_members(c);
  const int64_t what[] = {c->network->kind, c->root, c->blocks.words, c->groups,
                          c->tau,           c->beta, c->to != NULL,   offsets != NULL};
  number = hy_fingerprint(number, what, sizeof what);
  number = hy_fingerprint(number, c->network->side, (size_t)c->dims * sizeof *c->network->side);
  if (offsets != NULL) number = hy_fingerprint(number, offsets, (members + 1) * sizeof *offsets);
  return c->to == NULL ? number : hy_fingerprint(number, c->to, members * sizeof *c->to);
}

uint64_t hy_recipe_number(const struct hy_collective_variant *variant,
                          const struct hy_collective *c) {
  const char *name = hy_plain_name(&variant->base);
  const int64_t what[] = {c->task, c->dims, c->band, c->matrices, c->active != NULL};
  uint64_t number = hy_fingerprint(0, name, strlen(name));
  number = hy_fingerprint(number, what, sizeof what);
  if (c->network != NULL) number = add_network(number, c);
  if (c->active == NULL) return number;
  return hy_fingerprint(number, c->active, hy_members(c));
}

/* Makes a shared recipe.  NULL: there is no room for it, or each rank must make its own. */
static const struct hy_recipe *make_common(hyla_cube *cube, uint64_t number,
                                           const struct hy_collective_variant *variant,
                                           const struct hy_collective *c) {
  struct hy_base base = {0};
  struct common *common = NULL;
  if (hy_alloc(&base, 1, sizeof *common, &common) != HYLA_OK) return NULL;
  common->base = base;
  if (hy_recipe_make(&common->recipe, &common->base, variant, c) == HYLA_OK &&
      hy_shared_table_keep(cube, number, common, end_common))
    return &common->recipe;
  end_common(common);
  return NULL;
}

hyla_status hy_recipe_find(hyla_cube *cube, const struct hy_collective_variant *variant,
                           const struct hy_collective *c, struct hy_recipe *own,
                           const struct hy_recipe **recipe) {
  *own = (struct hy_recipe){.base = &cube->base};
  *recipe = NULL;
  const bool common = (variant->common || c->network != NULL) && hy_shares_tables(cube);
  if (common && hy_variant_refuses(variant, c) == NULL) {
    const uint64_t number = hy_recipe_number(variant, c);
    const struct common *made = hy_shared_table(cube, number);
    *recipe = made != NULL ? &made->recipe : make_common(cube, number, variant, c);
  }
  if (*recipe != NULL) return HYLA_OK;
  *recipe = own;
  return hy_recipe_make(own, &cube->base, variant, c);
}
