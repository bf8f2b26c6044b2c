/* Private to lib/comm: the simulator.
 *
 * The nodes of a cube are fibers that take turns in the caller's thread.  A node
 * runs until it waits for something that has not come; then the node
 * that has been ready longest goes on.  So a run depends on the program alone
 * and is the same every time, and when no node is ready the program is
 * dead-locked, which all nodes learn at once.
 */
#ifndef HY_SIM_H
#define HY_SIM_H 1

#include "comm/fiber.h"
#include "comm/link.h"

/* A message under way. */
struct hy_parcel {
  struct hy_parcel *next;
  int from;
  int tag;
  int64_t bytes;
  int64_t number; /* among those of its sender, receiver and stream, from 1 */
  uint64_t checksum;
  double start; /* when its first byte leaves */
  double end;   /* when its last byte is there */
  char data[];
};

/* How many messages went to, or came from, one peer on one stream. */
struct hy_tally {
  int64_t key; /* -1: free */
  int64_t count;
};

/* A time in which a port is taken. */
struct hy_period {
  double start;
  double end;
};

enum hy_sim_state { HY_SIM_READY, HY_SIM_WAITING, HY_SIM_DONE };

struct hy_sim_node {
  struct hy_link link; /* first: a link is cast to its node */
  struct hy_simulator *simulator;
  struct hy_base books;
  struct hy_fiber fiber;
  enum hy_sim_state state;
  struct hy_sim_node *next_ready;
  bool fresh; /* something came since this node last found nothing to do */
  struct hy_parcel *first;
  struct hy_tally *tallies; /* open addressing; capacity a power of two */
  int64_t tally_count, tally_capacity;
  int missing_from; /* the sender and the tag of the last receive that found nothing; -1: all,
                       in a meeting */
  int missing_tag;
  double clock;
  double link_free[HYLA_DIMS_MAX]; /* when each link out is free, and the port out */
  double out_free;
  struct hy_period *busy; /* of the port in: apart, in order */
  int64_t busy_count, busy_capacity;
  hyla_status status;
};

/* All nodes at once; they leave it at the time of the last to come. */
struct hy_sim_meeting {
  int come;
  int64_t bytes;
  hy_merge *merge;
  double clock;
  int64_t merged[HY_MERGE_BYTES / sizeof(int64_t)];
};

struct hy_simulator {
  const hyla_simulation *model;
  hyla_body *body;
  void *arg;
  int nodes;
  struct hy_sim_node *node;
  struct hy_sim_node *ready, **ready_end;
  int64_t sent;                     /* messages of matrix data so far */
  int64_t met;                      /* meetings so far */
  struct hy_sim_meeting meeting[2]; /* the last, which some may not have left yet, and the next */
  bool stuck;
  char who_waits[HY_MESSAGE_MAX]; /* for whom, once it is stuck */
  struct hy_fibers fibers;
  char *nowhere; /* addresses for the data of a dry simulation, the same on all nodes */
  int64_t nowhere_bytes;
  hyla_report *report;
};

/* A node's link; its books must be set. */
void hy_link_sim_init(struct hy_sim_node *node, struct hy_simulator *simulator, int rank);
void hy_link_sim_clear(struct hy_sim_node *node);

/* Puts a node at the end of the queue; lets the others run until something comes
 * for this node, or all stand still. */
void hy_simulator_make_ready(struct hy_sim_node *node);
void hy_simulator_wait(struct hy_sim_node *node);

#endif
