/* The exchange on arrays and tori one axis after the other, in few long packets.
 *
 * Method: the standard exchange of cubes, with an axis in place of a dimension.  On each line of
 * the axis the nodes exchange bundles: all messages for the nodes with one coordinate there.  A
 * bundle goes the shorter way round the ring, a link a step, together with all that go the same
 * way.  So a node sends one packet each way in a step.
 *   axes  exchange; on an array the torus' schedule, folded (schedule/fold.c)
 * A bundle on its way lies in the blocks of the node that is its displacement away, which the
 * bundle of the same displacement has left in the same step.  At its end it lies in those of its
 * source: upward and downward bundles of one displacement arrive together and change places.
 * Example, ring:4, node 0: it sends the blocks of nodes 1 and 2 up and those of node 3 down.  The
 * blocks from nodes 3 and 1 for it have then arrived.  It passes on those from node 3 for node 1.
 * Reference: Nicol and Bokhari 1994, 2.3, on cubes; with rings in place of dimensions ours.
 * Steps: the sum of floor(side / 2), twice that on an array.
 * Restriction: messages of equal length.
 * Memory: the blocks; on an array also those that pass through. */
#include "collective/mesh.h"

/* A line along the axis: blocks whose coordinates differ on this axis alone are `inner' apart. */
struct axis {
  const struct hy_network *torus;
  int axis;
  int64_t side, inner, outer;
};

static struct axis axis_of(const struct hy_network *torus, int axis) {
  struct axis line = {.torus = torus, .axis = axis, .side = torus->side[axis], .inner = 1};
  for (int a = axis + 1; a < torus->axes; a++) line.inner *= torus->side[a];
  line.outer = torus->nodes / (line.side * line.inner);
  return line;
}

/* The longest way of a bundle up or down. */
static int64_t reach_of(const struct axis *line, bool up) {
  return (up ? line->side : line->side - 1) / 2;
}

/* Coordinates on the axis, one after the other round the ring. */
struct range {
  int64_t from, count;
};

/* Adds to a packet the blocks with these coordinates, and any on the axes before. */
static hyla_status add_blocks(const struct axis *line, int64_t before, struct range range, int step,
                              uint32_t across, enum hy_action action, struct hy_schedule *out) {
  for (int64_t at = range.from, left = range.count, run; left > 0; at += run, left -= run) {
    at = (at + line->side) % line->side;
    run = hy_min(left, line->side - at);
    const struct hy_piece piece = {.block = (uint32_t)((before * line->side + at) * line->inner),
                                   .run = (uint32_t)(run * line->inner),
                                   .from = 0,
                                   .to = 1};
    TRY(hy_schedule_add(out, step, across, action, piece));
  }
  return HYLA_OK;
}

/* Adds the packets of a step in one direction.  x: the node's coordinate; done: the steps of the
 * axis before, in which nearer bundles have arrived.  Bundles go in the order of their blocks, and
 * the one that arrives is the first or the last. */
static hyla_status add_step(const struct axis *line, int64_t x, int64_t done, bool up, int step,
                            struct hy_schedule *out) {
  const int64_t left = reach_of(line, up) - done;
  const uint32_t to = hy_line_across(line->torus, line->axis, up);
  const uint32_t from = hy_line_across(line->torus, line->axis, !up);
  const struct range sent = {up ? x + done + 1 : x - done - left, left};
  const struct range passes = {up ? sent.from + 1 : sent.from, left - 1};
  const struct range ends = {up ? x - done - 1 : x + done + 1, 1};
  for (int64_t before = 0; before < line->outer && left > 0; before++)
    TRY(add_blocks(line, before, sent, step, to, HY_OUT, out));
  for (int64_t before = 0; before < line->outer && left > 0; before++) {
    TRY(add_blocks(line, before, up ? ends : passes, step, from, HY_IN, out));
    TRY(add_blocks(line, before, up ? passes : ends, step, from, HY_IN, out));
  }
  return HYLA_OK;
}

static hyla_status make(const struct hy_generator *generator, uint32_t node,
                        struct hy_schedule *out) {
  const struct hy_network *torus = generator->network;
  uint32_t point[HY_NETWORK_AXES];
  int step = 0;
  hy_network_point(torus, node, point);
  for (int a = 0; a < torus->axes; a++) {
    const struct axis line = axis_of(torus, a);
    for (int64_t done = 0; done < reach_of(&line, true); done++, step++) {
      TRY(add_step(&line, point[a], done, true, step, out));
      TRY(add_step(&line, point[a], done, false, step, out));
    }
  }
  out->steps = step;
  return HYLA_OK;
}

static hyla_status build(const struct hy_collective *c, struct hy_recipe *recipe) {
  struct hy_network *torus = NULL;
  TRY(hy_recipe_table(recipe, 1, sizeof *torus, &torus));
  *torus = *c->network;
  torus->kind = HY_TORUS;
  hy_recipe_push(recipe, (struct hy_generator){make, c->dims, .numbered = true, .network = torus});
  return HYLA_OK;
}

static struct hy_form form(const struct hy_collective *c) {
  const int64_t each = c->network->kind == HY_ARRAY ? 2 : 1, nodes = c->network->nodes;
  int64_t steps = 0, blocks = 0, packets = 0;
  for (int a = 0; a < c->network->axes; a++) {
    const struct axis line = axis_of(c->network, a);
    const int64_t up = reach_of(&line, true);
    steps += up;
    blocks += up * (up + 1) / 2 * (nodes / line.side);
    packets += (up + reach_of(&line, false)) * nodes;
  }
  return (struct hy_form){each * steps, {each * blocks, 1}, each == 1 ? packets : 0, 1};
}

const struct hy_collective_variant hy_exchange_axes = {
    .base = {.name = "axes", .reference = "nicol-bokhari-1994, section 2.3 (the rings are ours)"},
    .applies = hy_exchanges_all,
    .task = HY_TASK_EXCHANGE,
    .networks = HY_ON_MESHES,
    .folds = true,
    .formula = "sum over the axes of h ((h+1)/2 N/p tau m + beta) on a torus, twice that on an "
               "array, h = floor(p/2)",
    .build = build,
    .form = form,
    .letters = hy_mesh_letters,
};
