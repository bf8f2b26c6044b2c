/* Lengths of partial broadcasts on networks of equal sides, as periods of dynamic broadcasting.
 *
 * M active nodes broadcast a packet each, on a cube (side 2), array or torus.  They learn their
 * ranks by a parallel prefix, are packed on the first M nodes, and broadcast axis by axis.  Packets
 * are split into parts that use different axes at the same time, or are whole and in as many
 * classes, which takes a prefix more.  The paper bounds the length by V + M X, with prefixes that
 * go there and back; the library's go one way.
 *
 * Before l more of the axes a node holds ceil(M / side^l) packets of its class at most.  It sends
 * all that it holds along the next axis, and each takes as many slots as a line or ring needs to
 * bring a packet of each node to the others.
 * Reference: Varvarigos 1992, 3.4.1, 3.4.2, 3.6.2, 3.6.3, 4.4, 4.5. */
#include "machine/machine.h"

/* Slots in which a line or ring brings a packet of each node to the others. */
static double line_slots(const struct hy_broadcasts *b) {
  const int64_t links = b->side - 1;
  return b->whole ? (double)((links + b->ways - 1) / b->ways) : (double)links / b->ways;
}

/* The axes that a packet's parts use at the same time. */
static int parts(const struct hy_broadcasts *b) { return b->whole ? 1 : b->axes; }

static double nodes_of(const struct hy_broadcasts *b) {
  double nodes = 1;
  for (int axis = 0; axis < b->axes; axis++) nodes *= (double)b->side;
  return nodes;
}

hyla_reservations hy_broadcasts_bound(const struct hy_broadcasts *b) {
  const double nodes = nodes_of(b), links = (double)(b->side - 1), axes = b->axes;
  const double passes = b->whole ? 4 : 2;
  const double prefixes = passes * axes * links * b->prefix;
  const double service = line_slots(b) / links * (nodes - 1) / (axes * nodes);
  const double reservation = prefixes + axes / parts(b) * (links + line_slots(b));
  return (hyla_reservations){.users = (int64_t)nodes,
                             .service = service,
                             .service_square = service * service,
                             .reservation = reservation,
                             .reservation_square = reservation * reservation};
}

/* Is there anything to pack?  Not where all nodes are active and all ranks are places.  A cube's
 * schedules keep the time. */
static bool packs(const struct hy_broadcasts *b, int64_t active) {
  return (double)active < nodes_of(b) || b->side == 2 || (b->whole && b->axes > 1);
}

double hy_broadcasts_length(const struct hy_broadcasts *b, int64_t active) {
  const double links = (double)(b->side - 1);
  const double prefixes = (b->whole ? 2 : 1) * b->axes * links * b->prefix;
  const int64_t packets = b->whole ? (active + b->axes - 1) / b->axes : active;
  int64_t held = packets, sum = 0;
  for (int axis = 0; axis < b->axes; axis++) {
    held = (held + b->side - 1) / b->side;
    sum += held;
  }
  if (active == 0) return prefixes;
  const double packing = packs(b, active) ? b->axes * links : 0;
  return prefixes + (packing + (double)sum * line_slots(b)) / parts(b);
}
