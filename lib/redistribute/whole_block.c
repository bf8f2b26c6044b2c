/* Redistributions by one collective over the whole cube: the plan of that and the buffer. */
#include "redistribute/whole_block.h"

static hyla_status start(const struct hy_redistribution *problem, struct hy_whole_block *carry) {
  struct hy_base *base = &problem->cube->base;
  carry->problem = problem;
  TRY(hy_alloc(base, problem->cube->nodes, sizeof *carry->sources, &carry->sources));
  return hy_alloc(base, problem->cube->nodes, sizeof *carry->targets, &carry->targets);
}

hyla_status hy_whole_block_create(const struct hy_redistribution *problem, size_t size,
                                  hy_whole_block_prepare *prepare, const char *variant,
                                  void **state) {
  hyla_status status = hy_alloc(&problem->cube->base, 1, size, state);
  if (status == HYLA_OK) status = start(problem, *state);
  if (status == HYLA_OK) status = prepare(*state, variant);
  return hy_agree(problem->cube, status);
}

hyla_status hy_whole_block_plan(struct hy_whole_block *carry, struct hy_collective *collective,
                                const char *variant) {
  hyla_cube *cube = carry->problem->cube;
  collective->dims = cube->dims;
  collective->blocks.sources = carry->sources;
  return hy_collective_make(cube, (1u << cube->dims) - 1, collective, carry->problem->k->size,
                            variant, &carry->plan);
}

void hy_whole_block_end(struct hy_whole_block *carry) {
  if (carry->problem == NULL) return; /* nothing was made */
  hyla_cube *cube = carry->problem->cube;
  hy_collective_destroy(cube, &carry->plan);
  hy_free(&cube->base, &carry->sources);
  hy_free(&cube->base, &carry->targets);
  hy_free(&cube->base, &carry->data);
  hy_free(&cube->base, &carry->scratch);
}

hyla_cost hy_whole_block_cost(const struct hy_whole_block *carry) {
  hyla_cost cost = hy_collective_cost(carry->plan);
  if (carry->plan != NULL) cost.memory += carry->words * (int64_t)carry->problem->k->size;
  return cost;
}

hyla_status hy_whole_block_take(void *state) {
  struct hy_whole_block *carry = state;
  hyla_cube *cube = carry->problem->cube;
  size_t size = carry->problem->k->size;
  if (carry->plan == NULL) return HYLA_OK;
  TRY(hy_collective_take(cube, carry->plan));
  TRY(hy_alloc_data(&cube->base, carry->tiles, size, &carry->scratch));
  return hy_alloc_data(&cube->base, carry->words, size, &carry->data);
}

hyla_status hy_whole_block_run(const struct hy_whole_block *carry) {
  return hy_collective_run(carry->problem->cube, carry->plan, carry->data, NULL, NULL);
}
