/* The cost of a redistribution for one node, counted from the layouts alone: variants are chosen
 * before the target exists. */
#include "redistribute/direct.h"

/* Makes all lists and counts.  The block of the lists owns the rest. */
static hyla_status count_lists(struct hy_base *base, struct hy_exchange_list *lists, int count,
                               hyla_cost *cost) {
  uint64_t *marks = NULL;
  TRY(hy_alloc_for(base, lists, hy_exchange_list_marks(lists[0].dims), sizeof *marks, &marks));
  for (int x = 0; x < count; x++) TRY(hy_exchange_list_create(base, lists, &lists[x]));
  hy_exchange_lists_cost(lists, count, marks, cost);
  return HYLA_OK;
}

hyla_status hy_direct_cost(struct hy_base *base, int dims, const struct hy_direct_ends *ends,
                           int count, int node, hyla_cost *cost) {
  struct hy_exchange_list *lists = NULL;
  if (count == 0 || node < 0) return HYLA_OK;
  TRY(hy_alloc(base, count, sizeof *lists, &lists));
  for (int x = 0; x < count; x++)
    lists[x] = (struct hy_exchange_list){.dims = dims,
                                         .part = ends[x].part,
                                         .node = node,
                                         .from = *ends[x].from,
                                         .to = *ends[x].to,
                                         .size = ends[x].size};
  hyla_status status = count_lists(base, lists, count, cost);
  hy_free(base, &lists);
  return status;
}

hyla_status hy_direct_expect(hyla_cube *cube, const hyla_transfer *transfers,
                             const enum hy_part *parts, int count, hyla_cost *cost) {
  struct hy_exchange_list *lists = NULL;
  if (count == 0 || cube->address < 0) return HYLA_OK;
  TRY(hy_alloc(&cube->base, count, sizeof *lists, &lists));
  for (int x = 0; x < count; x++) {
    lists[x] = hy_exchange_list_of(&transfers[x]);
    if (parts != NULL) lists[x].part = parts[x];
  }
  hyla_status status = count_lists(&cube->base, lists, count, cost);
  cost->memory += hy_direct_scratch(transfers, count);
  hy_free(&cube->base, &lists);
  return status;
}
