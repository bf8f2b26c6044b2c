/* Redistributions by one collective over the whole cube: its plan and the buffer. */
#include "redistribute/whole_block.h"

static hyla_status start(const struct hy_redistribution *problem, struct hy_whole_block *whole) {
  struct hy_base *base = &problem->cube->base;
  whole->problem = problem;
  TRY(hy_alloc_for(base, whole, problem->cube->nodes, sizeof *whole->sources, &whole->sources));
  return hy_alloc_for(base, whole, problem->cube->nodes, sizeof *whole->targets, &whole->targets);
}

hyla_status hy_whole_block_create(const struct hy_redistribution *problem, size_t size,
                                  hy_whole_block_prepare *prepare, const char *variant,
                                  void **state) {
  hyla_status status = hy_alloc(&problem->cube->base, 1, size, state);
  if (status == HYLA_OK) status = start(problem, *state);
  if (status == HYLA_OK) status = prepare(*state, variant);
  return hy_agree(problem->cube, status);
}

hyla_status hy_whole_block_plan(struct hy_whole_block *whole, struct hy_collective collective,
                                const char *variant) {
  hyla_cube *cube = whole->problem->cube;
  collective.dims = cube->dims;
  collective.within = (1u << cube->dims) - 1;
  collective.size = whole->problem->k->size;
  return hy_subcube_plan(whole, cube, &collective, variant, &whole->op);
}

const char *hy_whole_block_refuses(int nodes, bool moves) {
  if (!moves && nodes > 1) return "no block leaves its node";
  return nodes > HY_PERMUTED_NODES ? "it serves 512 nodes at most" : NULL;
}

hyla_status hy_whole_block_permute(struct hy_whole_block *whole, bool alike, const char *variant) {
  int64_t nodes = whole->problem->cube->nodes;
  if (alike) whole->padding = hy_ceil_div(whole->words, nodes) * nodes - whole->words;
  const struct hy_collective permute = {
      .task = HY_TASK_PERMUTE,
      .blocks = {.words = whole->words + whole->padding, .sources = alike ? NULL : whole->sources},
      .to = whole->to};
  return hy_whole_block_plan(whole, permute, variant);
}

/* The buffer's length in words. */
static int64_t room_of(const struct hy_whole_block *whole) { return whole->words + whole->padding; }

hyla_cost hy_whole_block_cost(const struct hy_whole_block *whole) {
  hyla_cost cost = hy_subcube_cost_mine(&whole->op);
  if (whole->problem->cube->address >= 0)
    cost.memory += room_of(whole) * (int64_t)whole->problem->k->size;
  return cost;
}

hyla_status hy_whole_block_allocate(void *state) {
  struct hy_whole_block *whole = state;
  hyla_cube *cube = whole->problem->cube;
  size_t size = whole->problem->k->size;
  if (cube->address < 0) return HYLA_OK;
  TRY(hy_subcube_allocate(&whole->op));
  TRY(hy_alloc_data_for(&cube->base, whole, whole->tiles, size, &whole->scratch));
  return hy_alloc_data_for(&cube->base, whole, room_of(whole), size, &whole->data);
}

hyla_status hy_whole_block_run(const struct hy_whole_block *whole) {
  return hy_subcube_run(&whole->op, whole->data);
}

hyla_cost hy_whole_block_cost_of_all(const void *state) {
  const struct hy_whole_block *whole = state;
  hyla_cost cost = hy_whole_block_cost(whole);
  if (whole->problem->cube->address >= 0) cost.copied += 2 * whole->words;
  return cost;
}

void hy_whole_block_put(const struct hy_whole_block *whole) {
  const struct hy_kernels *k = whole->problem->k;
  const char *data = whole->data;
  for (int x = 0; x < whole->problem->count; x++) {
    const hyla_matrix *to = whole->problem->transfers[x].to;
    int rows = (int)to->local_rows, cols = (int)to->local_cols;
    if (rows == 0 || cols == 0) continue;
    k->copy(HYLA_NONE, rows, cols, 1, data, rows, to->local, (int)to->ld);
    data += (size_t)rows * (size_t)cols * k->size;
  }
}
