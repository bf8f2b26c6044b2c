/* Schedules of explain collective --network. */
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

/* As hyla_text_writer: the schedule, see hyla-schedule(5); a picture. */
bool network_schedule_write(const void *packets, FILE *file);
bool network_draw(const void *packets, FILE *file);

/* Can it be drawn: is it an array or torus of one or two axes? */
bool network_drawn(const char *network);
/* Writes what the options ask for; an exit code. */
int network_write(const struct run *run, const hyla_collective *collective, const int64_t *counts,
                  const char *variant, int nodes);

#endif
