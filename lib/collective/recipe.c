/* Recipes: stacks of generators, each made from those below it. */
#include "collective/variant.h"

const struct hy_generator *hy_recipe_top(const struct hy_recipe *recipe) {
  return &recipe->stage[recipe->stages - 1];
}

const struct hy_generator *hy_recipe_push(struct hy_recipe *recipe, struct hy_generator generator) {
  recipe->stage[recipe->stages++] = generator;
  return hy_recipe_top(recipe);
}

void hy_recipe_free(struct hy_recipe *recipe) {
  for (int i = 0; i < HY_TABLES; i++) hy_free(recipe->base, &recipe->tables[i]);
}
