/* Redistributions by one collective over the whole cube: its plan and the buffer. */
#include "redistribute/whole_block.h"

static hyla_status make(const struct hy_redistribution *problem,
                        const struct hy_whole_block_traits *traits, void **state) {
  struct hy_base *base = &problem->cube->base;
  TRY(hy_alloc(base, 1, traits->size, state));
  struct hy_whole_block *whole = *state;
  whole->problem = problem;
  TRY(hy_alloc_for(base, whole, problem->cube->nodes, sizeof *whole->sources, &whole->sources));
  TRY(hy_alloc_for(base, whole, problem->cube->nodes, sizeof *whole->targets, &whole->targets));
  return traits->prepare(whole, traits);
}

hyla_status hy_whole_block_create(const struct hy_variant *variant, const void *problem,
                                  void **state) {
  const struct hy_redistribution *it = problem;
  return hy_agree(it->cube, make(it, variant->traits, state));
}

hyla_status hy_whole_block_plan(struct hy_whole_block *whole, struct hy_collective collective,
                                const struct hy_whole_block_traits *traits) {
  hyla_cube *cube = whole->problem->cube;
  collective.dims = cube->dims;
  collective.within = (1u << cube->dims) - 1;
  collective.size = whole->problem->k->size;
  return hy_subcube_plan(whole, cube, &collective, traits->collective, &whole->op);
}

hyla_cost hy_whole_block_cost(const struct hy_whole_block *whole) {
  hyla_cost cost = hy_subcube_cost_mine(&whole->op);
  if (whole->problem->cube->address >= 0)
    cost.memory += whole->room * (int64_t)whole->problem->k->size;
  return cost;
}

hyla_status hy_whole_block_allocate(void *state) {
  struct hy_whole_block *whole = state;
  hyla_cube *cube = whole->problem->cube;
  size_t size = whole->problem->k->size;
  if (cube->address < 0) return HYLA_OK;
  TRY(hy_subcube_allocate(&whole->op));
  TRY(hy_alloc_data_for(&cube->base, whole, whole->tiles, size, &whole->scratch));
  return hy_alloc_data_for(&cube->base, whole, whole->room, size, &whole->data);
}
