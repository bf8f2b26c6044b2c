/* A matrix by a vector, vectors from neighbour to neighbour: the column sweep.
 *
 * Reference: Johnsson 1987, 6.4.1: a row or column of the array passes on the elements that it
 *   received and added to, one by one; in Gray code to its neighbour.
 * Layout: as in `tree' (gemv_tree.c), in A's codes; Gray codes join neighbours.
 * Method: the spread vector's part goes from the line that has it to the next line, and so on round
 *   the ring of the lines.  The sums begin after the line that is to have them: each node adds its
 *   own sum to the one that arrives and passes it on.  Parts are cut into packets, which follow one
 *   another.  Their number makes the sweep shortest by the machine's prices.
 * Example on 4 nodes, 2 x 2, x on row 0, y on column 0: x(0) and x(1) go from row 0 to row 1.  Node
 *   (i, 1) sends A(i, 1) x(1) to node (i, 0), which adds A(i, 0) x(0).  On 4 x 4 nodes the sum of
 *   row i begins at (i, 1) and goes over (i, 2) and (i, 3) to (i, 0).
 * Steps: s + P - 2 for s packets along P lines, each way.
 * Words: a node sends its part once.
 * Memory: one part of each vector, and a packet.
 * Restriction: none. */
#include "gemm/gemv.h"
#include "gemm/panel.h"
#include "gemm/step.h"

#include <math.h>

static double seconds(const struct hy_carrier *c, int64_t packets) {
  const hyla_machine *machine = &c->task->problem.cube->session.machine;
  double bytes = (double)hy_ceil_div(c->length, packets) * (double)c->task->problem.kernels->size;
  return (double)(packets + c->across->parts - 2) * (machine->alpha + machine->beta * bytes);
}

/* The number of packets, near the zero of the derivative that holds if packets could be cut
 * anywhere. */
static int64_t packets_of(const struct hy_carrier *c) {
  const hyla_machine *machine = &c->task->problem.cube->session.machine;
  double bytes = (double)c->length * (double)c->task->problem.kernels->size;
  double hops = c->across->parts - 2, best = (double)c->length;
  if (machine->alpha > 0) best = fmin(best, sqrt(hops * machine->beta * bytes / machine->alpha));
  int64_t low = hy_max(1, (int64_t)best), high = hy_min(c->length, low + 1);
  if (hops == 0) return 1;
  return seconds(c, high) < seconds(c, low) ? high : low;
}

static hyla_status allocate(struct hy_carrier *c) {
  const struct hy_gemv_problem *problem = &c->task->problem;
  c->packet_length = hy_ceil_div(c->length, packets_of(c));
  c->packets = hy_ceil_div(c->length, c->packet_length);
  if (!c->end->sum) return HYLA_OK;
  return hy_alloc_data_for(&problem->cube->base, c->owner, c->packet_length, problem->kernels->size,
                           &c->packet);
}

/* A vector's way along a line of nodes with places 0 ... last. */
struct way {
  int place, last;
  int before, behind; /* the node that sends to this one; the node that this one sends to */
};

/* first: the part of the axis across where the way begins. */
static struct way way_from(const struct hy_carrier *c, int first) {
  int parts = c->across->parts, part = hy_part_of(c->across, c->node);
  return (struct way){.place = (part - first + parts) % parts,
                      .last = parts - 1,
                      .before = hy_node_along(c->across, c->node, (part + parts - 1) % parts),
                      .behind = hy_node_along(c->across, c->node, (part + 1) % parts)};
}

static char *packet_at(const struct hy_carrier *c, int64_t packet) {
  return c->data + packet * c->packet_length * (int64_t)c->task->problem.kernels->size;
}

static int64_t packet_words(const struct hy_carrier *c, int64_t packet) {
  return hy_min(c->packet_length, c->length - packet * c->packet_length);
}

/* Passes packets on.  Received packets are written to their places or, for a sum, added there. */
static hyla_status pass(struct hy_carrier *c, const struct way *way) {
  int64_t size = (int64_t)c->task->problem.kernels->size;
  struct hy_step step;
  hy_step_make(c->task->problem.cube, &step);
  for (int64_t next = way->place == 0 ? 0 : -1; next < c->packets; next++) {
    int64_t comes = next + 1, words = comes < c->packets ? packet_words(c, comes) : 0;
    bool takes = way->place > 0 && comes < c->packets, sends = way->place < way->last && next >= 0;
    char *to = c->end->sum ? c->packet : packet_at(c, comes);
    if (takes) hy_step_add(&step, HY_RECV, way->before, to, words * size);
    if (sends)
      hy_step_add(&step, HY_SEND, way->behind, packet_at(c, next), packet_words(c, next) * size);
    if (takes || sends) TRY(hy_step_run(&step));
    if (takes && c->end->sum) hy_carrier_combine(packet_at(c, comes), to, words, c);
  }
  return HYLA_OK;
}

static hyla_status spread(struct hy_carrier *c) {
  int root = hy_carrier_root(c);
  const struct way way = way_from(c, hy_part_of(c->across, root));
  c->data = c->node == root ? c->vector->local : c->room;
  return pass(c, &way);
}

static hyla_status sum(struct hy_carrier *c) {
  int root = hy_carrier_root(c);
  const struct way way = way_from(c, (hy_part_of(c->across, root) + 1) % c->across->parts);
  TRY(pass(c, &way));
  if (c->node == root) hy_carrier_put(c, c->data, c->length);
  return HYLA_OK;
}

/* Goes from line to line, element after element. */
static int64_t figure(const struct hy_carrier *c) { return c->across->parts + c->length - 2; }

static const struct hy_gemv_traits TRAITS = {.lay_out = hy_gemv_lay_out_on_line,
                                             .allocate = allocate,
                                             .spread = spread,
                                             .sum = sum,
                                             .figure = figure,
                                             .source = "Johnsson 1987, 6.4.1"};

const struct hy_variant hy_gemv_sweep = {
    .name = "sweep",
    .arrays = true,
    .reference = "johnsson-1987, 6.4.1",
    .traits = &TRAITS,
    HY_GEMV_OPERATIONS,
};
