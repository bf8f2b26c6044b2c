/* The list of variants, and generators made from it. */
#include "collective/variant.h"

#include <string.h>

static const struct hy_collective_variant *const lists[] = {hy_broadcast_rows,
                                                            hy_scatter_rows,
                                                            hy_scatter_waves_rows,
                                                            hy_allgather_rows,
                                                            hy_partial_rows,
                                                            hy_exchange_rows,
                                                            hy_permute_rows,
                                                            hy_send_rows,
                                                            hy_send_far_rows,
                                                            hy_invert_blocks_rows,
                                                            hy_exchange_pipelined_rows,
                                                            hy_convert_gray_rows,
                                                            hy_exchange_banded_rows,
                                                            hy_transpose_recursive_rows,
                                                            hy_transpose_torus_rows,
                                                            hy_rotate_rows};
enum { LISTS = sizeof lists / sizeof *lists };

const struct hy_collective_variant *hy_variant_at(int index) {
  for (int i = 0; i < LISTS; i++)
    for (const struct hy_collective_variant *row = lists[i]; row->name != NULL; row++)
      if (index-- == 0) return row;
  return NULL;
}

const char *hy_variant_refuses(const struct hy_collective_variant *variant,
                               const struct hy_collective *collective) {
  if (collective->blocks.sources != NULL && !variant->rooms)
    return "it wants messages of equal length";
  if (collective->band > 0 && !variant->banded) return "it exchanges with all nodes";
  return variant->applies(collective);
}

const char *hy_task_name(enum hy_task task) {
  static const char *const names[] = {[HY_TASK_BROADCAST] = "broadcast",
                                      [HY_TASK_REDUCE] = "reduce",
                                      [HY_TASK_ALLREDUCE] = "allreduce",
                                      [HY_TASK_SCATTER] = "scatter",
                                      [HY_TASK_GATHER] = "gather",
                                      [HY_TASK_ALLGATHER] = "allgather",
                                      [HY_TASK_REDUCE_SCATTER] = "reduce-scatter",
                                      [HY_TASK_PARTIAL] = "partial",
                                      [HY_TASK_EXCHANGE] = "exchange",
                                      [HY_TASK_PERMUTE] = "permute"};
  return names[task];
}

enum hy_task hy_task_forward(enum hy_task task) {
  if (task == HY_TASK_REDUCE) return HY_TASK_BROADCAST;
  if (task == HY_TASK_GATHER) return HY_TASK_SCATTER;
  return task == HY_TASK_REDUCE_SCATTER ? HY_TASK_ALLGATHER : task;
}

const struct hy_collective_variant *hy_variant_find(enum hy_task task, const char *name) {
  const struct hy_collective_variant *row = NULL;
  for (int i = 0; (row = hy_variant_at(i)) != NULL; i++)
    if (row->task == hy_task_forward(task) && strcmp(row->name, name) == 0) return row;
  return NULL;
}

const struct hy_generator *hy_recipe_top(const struct hy_recipe *recipe) {
  return &recipe->stage[recipe->stages - 1];
}

const struct hy_generator *hy_recipe_push(struct hy_recipe *recipe, struct hy_generator generator) {
  recipe->stage[recipe->stages++] = generator;
  return hy_recipe_top(recipe);
}

hyla_status hy_recipe_make(struct hy_recipe *recipe, struct hy_base *base,
                           const struct hy_collective_variant *variant,
                           const struct hy_collective *collective) {
  *recipe = (struct hy_recipe){.base = base};
  const char *reason = hy_variant_refuses(variant, collective);
  CHECK(base, reason == NULL, UNSUPPORTED, "%s %s: %s", hy_task_name(collective->task),
        variant->name, reason);
  TRY(variant->build(collective, recipe));
  uint32_t root = collective->task == HY_TASK_PERMUTE ? 0 : collective->root;
  if (variant->root != NULL) root = variant->root(collective);
  if (root != 0) hy_recipe_push(recipe, hy_reroot(hy_recipe_top(recipe), root));
  if (collective->task != variant->task)
    hy_recipe_push(recipe, hy_reverse(hy_recipe_top(recipe),
                                      collective->task == HY_TASK_GATHER ? HY_IN : HY_ADD));
  return HYLA_OK;
}

void hy_recipe_free(struct hy_recipe *recipe) {
  for (int i = 0; i < HY_TABLES; i++) hy_free(recipe->base, &recipe->tables[i]);
}
