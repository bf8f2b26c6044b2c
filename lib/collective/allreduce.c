/* Reduction to all nodes.
 *
 *   variant   steps  words               method
 *   doubling  d      d m                 recursive doubling
 *   halving   2 d    2 (1 - 2^-d) m      halves are combined, then gathered
 * References: Stout and Wagar 1990, section 8 (one dimension at a time); HISTOGRAM and then
 * COMPLETE BROADCAST, both without their rotated copies.
 * One port.  Any length.  Memory: the message twice.
 *
 * Both variants add in the same tree (schedule/doubling.c), so their sums have the same bits on all
 * nodes. */
#include "collective/variant.h"

static struct hy_form form_doubling(const struct hy_collective *c) {
  int64_t d = c->dims;
  return (struct hy_form){d, {d, 1}, d << d, 1};
}

static struct hy_form form_halving(const struct hy_collective *c) {
  int64_t d = c->dims, nodes = (int64_t)1 << d;
  return (struct hy_form){2 * d, {2 * (nodes - 1), nodes}, 2 * d * nodes, nodes};
}

const struct hy_collective_variant hy_allreduce_doubling = {
    .base = {.name = "doubling",
             .reference = "stout-wagar-1990, section 8 (one dimension at a time)"},
    .task = HY_TASK_ALLREDUCE,
    .formula = "d tau m + d beta",
    .machine = {.one_port = true},
    .ordered = true,
    .make = hy_doubling_allreduce,
    .form = form_doubling,
    .on_stack = true,
    .lines = hy_doubling_lines,
};

const struct hy_collective_variant hy_allreduce_halving = {
    .base = {.name = "halving",
             .reference = "stout-wagar-1990, HISTOGRAM and COMPLETE BROADCAST on one port"},
    .task = HY_TASK_ALLREDUCE,
    .formula = "2 (1-2^-d) tau m + 2d beta",
    .machine = {.one_port = true},
    .ordered = true,
    .make = hy_halving_allreduce,
    .form = form_halving,
    .on_stack = true,
    .lines = hy_halving_lines,
};
