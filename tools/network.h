/* Collectives on networks that are no cubes: their variants' names, schedules of explain. */
#ifndef NETWORK_H
#define NETWORK_H 1

#include "options.h"

/* The packets of a variant, in the order of their steps. */
struct packets {
  const char *network, *name, *variant;
  int nodes, root;
  int axes, side[2]; /* for the picture */
  double alpha, beta, time;
  hyla_network_packet *packet;
  int64_t count, capacity;
  bool full; /* memory ran out */
};

/* As hyla_network_visit, into a struct packets. */
void packets_take(const hyla_network_packet *packet, void *packets);

/* The i-th variant of a collective, on a network or, where network is NULL, on a cube; NULL beyond
 * the last.  All networks that are no cubes have the same list.  room: has name and reference on a
 * network. */
const char *network_variant(const char *network, const char *name, int i,
                            hyla_network_variant *room);

#endif
