/* What a redistribution costs one node, counted from the two layouts alone: the
 * choice between variants needs it before there is a matrix to move to. */
#include "matrix/move.h"

static int part_at(const struct hy_axis *axis, int node) {
  return (int)hy_axis_part(&axis->code, (uint32_t)node);
}

static int64_t shared(const struct hy_shares *shares, const struct hy_axis *other, int node) {
  int part = part_at(other, node);
  return shares->start[part + 1] - shares->start[part];
}

/* The node's shares of the axes x[0], x[1] with the axes of `other`. */
static hyla_status shares_of(struct hy_base *base, const struct hy_axis *const own[2],
                             const struct hy_axis *const other[2], int node,
                             struct hy_shares shares[2]) {
  for (int x = 0; x < 2; x++)
    TRY(hy_shares_create(base, own[x], part_at(own[x], node), other[x], &shares[x]));
  return HYLA_OK;
}

static void count(const struct hy_axis *const axes[4], const struct hy_shares shares[4],
                  bool in_place, size_t size, int node, hyla_cost *cost) {
  int nodes = axes[0]->parts * axes[1]->parts;
  int64_t most_out = 0, most_in = 0;
  for (int peer = 0; peer < nodes; peer++) {
    if (peer == node) continue;
    int64_t out = shared(&shares[0], axes[2], peer) * shared(&shares[1], axes[3], peer);
    int64_t in = shared(&shares[2], axes[0], peer) * shared(&shares[3], axes[1], peer);
    cost->steps += out > 0 || in > 0;
    cost->messages += out > 0;
    cost->words += out;
    most_out = hy_max(most_out, out);
    most_in = hy_max(most_in, in);
  }
  if (!in_place) cost->memory += (most_out + most_in) * (int64_t)size;
}

hyla_status hy_move_cost(struct hy_base *base, const struct hy_axis *const axes[4], bool in_place,
                         size_t size, int node, hyla_cost *cost) {
  struct hy_shares shares[4] = {0};
  hyla_status status = shares_of(base, axes, axes + 2, node, shares);
  if (status == HYLA_OK) status = shares_of(base, axes + 2, axes, node, shares + 2);
  if (status == HYLA_OK) count(axes, shares, in_place, size, node, cost);
  for (int x = 0; x < 4; x++) hy_shares_destroy(base, &shares[x]);
  return status;
}
