/* What a redistribution costs one node, counted from the layouts alone: the
 * choice between variants needs it before there is a matrix to move to. */
#include "matrix/move.h"

/* The lists of all trades, for as long as it takes to count. */
static hyla_status count_trades(struct hy_base *base, struct hy_trade *trades, int count,
                                hyla_cost *cost) {
  uint64_t *marks = NULL;
  hyla_status status = hy_alloc(base, hy_trade_marks(trades[0].dims), sizeof *marks, &marks);
  for (int x = 0; x < count && status == HYLA_OK; x++) status = hy_trade_create(base, &trades[x]);
  if (status == HYLA_OK) hy_trades_cost(trades, count, marks, cost);
  hy_free(base, &marks);
  for (int x = 0; x < count; x++) hy_trade_destroy(base, &trades[x]);
  return status;
}

hyla_status hy_move_cost(struct hy_base *base, int dims, const struct hy_move_ends *ends, int count,
                         int node, hyla_cost *cost) {
  struct hy_trade *trades = NULL;
  if (count == 0 || node < 0) return HYLA_OK;
  TRY(hy_alloc(base, count, sizeof *trades, &trades));
  for (int x = 0; x < count; x++)
    trades[x] = (struct hy_trade){.dims = dims,
                                  .part = ends[x].part,
                                  .node = node,
                                  .from = *ends[x].from,
                                  .to = *ends[x].to,
                                  .size = ends[x].size};
  hyla_status status = count_trades(base, trades, count, cost);
  hy_free(base, &trades);
  return status;
}

hyla_status hy_move_expect(hyla_cube *cube, const hyla_transfer *transfers, int count,
                           hyla_cost *cost) {
  struct hy_trade *trades = NULL;
  if (count == 0 || cube->address < 0) return HYLA_OK;
  TRY(hy_alloc(&cube->base, count, sizeof *trades, &trades));
  for (int x = 0; x < count; x++) trades[x] = hy_trade_of(&transfers[x]);
  hyla_status status = count_trades(&cube->base, trades, count, cost);
  hy_free(&cube->base, &trades);
  return status;
}
