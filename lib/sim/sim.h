/* Private to this room: the simulator.
 *
 * The nodes of a cube, or of another network, are coroutines that take turns in the caller's
 * thread.  A node runs until it waits for a message that has not come.  Then the node that has been
 * ready longest runs.  Messages take links and ports in the order of the turns, which does not
 * depend on the history.  A run depends on the program alone and is the same every time.  When no
 * node is ready, the program is deadlocked, and all nodes learn that at once. */
#ifndef HY_SIM_H
#define HY_SIM_H 1

#include "cube/link.h"
#include "hyla_lab.h"
#include "sim/coroutine.h"

static inline double hy_later(double a, double b) { return a > b ? a : b; }

/* A message under way. */
struct hy_sim_message {
  struct hy_sim_message *next;
  int from;
  int tag;
  int64_t bytes;
  int64_t number;   /* among those of its sender, receiver and stream, from 1 */
  int64_t event_id; /* its number for the observer, from 1; 0: the observer does not get it */
  uint64_t checksum;
  double start; /* when its first byte leaves */
  double end;   /* when its last byte arrives */
  char data[];
};

/* Messages between a node and one peer on one stream: the number sent to the peer, the number taken
 * from it, and those that have arrived from it and are not taken. */
struct hy_sim_lane {
  int64_t key; /* -1: free */
  int64_t sent, taken;
  struct hy_sim_message *first, *last;
};

/* A period in which a port or a link is taken. */
struct hy_period {
  double start;
  double end;
};

/* All periods, in order.  Most calendars hold one or two. */
enum { HY_PERIODS_FEW = 2 };
struct hy_calendar {
  struct hy_period *many; /* NULL: they are in `few' */
  int32_t count, capacity;
  struct hy_period few[HY_PERIODS_FEW];
};

/* An outgoing link: when it is taken.  own: when the node's own last message has left it; its next
 * message over that link follows. */
struct hy_sim_way {
  struct hy_calendar taken;
  double own;
};

/* The times at which a node's outgoing port, incoming port and outgoing links are free. */
struct hy_link_times {
  double out_free;
  struct hy_calendar in;
  struct hy_sim_way link[HY_NETWORK_PORTS];
};

enum hy_sim_state { HY_SIM_READY, HY_SIM_WAITING, HY_SIM_DONE };

/* What has become of the collective that a node has come for, see party.c. */
enum hy_sim_joined { HY_SIM_GATHERING, HY_SIM_PLAYED, HY_SIM_APART };
struct hy_sim_party;

/* Fields that each message touches stand together. */
struct hy_sim_node {
  struct hy_link link; /* first: a link is cast to its node */
  struct hy_simulator *simulator;
  enum hy_sim_state state;
  struct hy_sim_node *next_ready;
  struct hy_sim_lane *lanes; /* open addressing; capacity a power of two */
  int64_t lane_count, lane_capacity;
  int missing_from; /* the sender of the last receive that found nothing; -1: in a meeting */
  double clock;
  enum hy_sim_joined joined;
  int place; /* in its last party */
  struct hy_link_times link_times;
  struct hy_sim_party *parties; /* those that it leads */
  int rehearses;                /* rehearsals under way; messages then carry no data */
  struct hy_coroutine coroutine;
  struct hy_base books;
  hyla_status status;
};

/* Memory that is reused. */
struct hy_sim_piece {
  struct hy_sim_piece *next;
};

/* Times of rehearsals, by their numbers. */
enum { HY_SIM_MEMORIES = 1 << 12 };
struct hy_sim_memory {
  uint64_t number; /* 0: free */
  double seconds;
};

/* Objects that all nodes share, by their numbers. */
enum { HY_SIM_SHARED_TABLES = 64 };
struct hy_sim_shared_table {
  uint64_t number;
  void *thing;
  hy_end *end;
};

/* A meeting of all nodes.  They leave it at the time of the last one to come. */
struct hy_sim_meeting {
  int come;
  int64_t bytes;
  hy_merge *merge;
  double clock;
  int64_t merged[HY_MERGE_BYTES / sizeof(int64_t)];
};

struct hy_simulator {
  const hyla_simulation *model;
  hy_array_chooser *choose;
  hyla_body *body;
  void *arg;
  int nodes;
  struct hy_network network;
  const char *name;         /* of a network that is no cube */
  bool cube;                /* the network is a cube */
  bool switched;            /* it has no links */
  int32_t *peer;            /* by node and port, -1: no link; NULL: a cube, or no links */
  struct hy_calendar **way; /* the links on the way of the message that is booked */
  struct hy_sim_node *node;
  struct hy_sim_node *ready, **ready_end;
  struct hy_sim_piece *transfers, *messages; /* memory to reuse; messages: those without data */
  int64_t sent;                              /* messages of matrix data so far */
  int64_t events;                            /* messages that the observer got */
  int64_t met;                               /* meetings so far */
  double past;    /* no message that starts from now on leaves before it; 0: not known */
  int64_t booked; /* messages that have taken links and ports */
  bool timed;     /* some leave before their senders' clocks, so only meetings give `past' */
  struct hy_sim_meeting meeting[2]; /* the last meeting, which some may still be in, and the next */
  struct hy_sim_memory *memories;   /* HY_SIM_MEMORIES entries, open addressing */
  int64_t remembered;
  struct hy_sim_shared_table shared_table[HY_SIM_SHARED_TABLES];
  int shared_tables;
  bool stuck;
  char who_waits[HY_MESSAGE_MAX]; /* which nodes wait for which, once it is stuck */
  struct hy_coroutines coroutines;
  char *no_data; /* addresses for the data of a dry simulation, the same on all nodes */
  int64_t no_data_bytes;
  hyla_report *report;
};

/* hyla_simulate without the checks of options that higher rooms make.  choose: see hy_cube_over. */
hyla_status hy_simulate(const hyla_simulation *model, hy_array_chooser *choose, hyla_body *body,
                        void *arg, hyla_report *report);

/* init: makes a node's link and books.  end: called when all nodes have ended. */
void hy_link_sim_init(struct hy_sim_node *node, struct hy_simulator *simulator, int rank);
void hy_link_sim_end(struct hy_simulator *simulator);

/* is_switch: has the network no links to wait for?
 * learn_past: some messages more are about to be booked; at times it looks which time is over.  All
 * that are booked and not taken must lie in lanes.
 * port: the port over which a message to another node leaves.
 * book: gives a message its start and end, and takes the links and the outgoing port for it.
 * arrival: when the receiver has the whole message; with one port it takes the incoming port for
 * the same time. */
bool hy_sim_is_switch(const struct hy_simulator *simulator);
void hy_sim_learn_past(struct hy_simulator *simulator, int64_t messages);
int hy_sim_port(const struct hy_sim_node *from, const struct hy_sim_node *to);
hyla_status hy_sim_book(struct hy_sim_node *from, struct hy_sim_node *to, struct hy_sim_message *p);
hyla_status hy_sim_arrival(struct hy_sim_node *node, const struct hy_sim_message *p, double *end);
void hy_link_times_clear(struct hy_link_times *link_times);

/* Events for the simulation's observer, if there is one: a node's action; the start of a message,
 * which gets its number; the taking of a message, which arrived at `end'; the link's notes. */
void hy_sim_tell(const struct hy_sim_node *node, const hyla_event *event);
void hy_sim_tell_start(struct hy_sim_node *node, int peer, struct hy_sim_message *p);
void hy_sim_tell_message(const struct hy_sim_node *node, const struct hy_sim_message *p,
                         double end);
int64_t hy_sim_observe(struct hy_link *link, int64_t packet, int64_t message, int64_t bytes);

/* A member's part in a collective that all members play together, for the link's table; the end of
 * the parties that a node leads. */
hyla_status hy_sim_play(struct hy_link *link, const struct hy_script *script, bool *played);
void hy_sim_parties_free(struct hy_sim_node *node);

/* A node's part in rehearsals, for the link's table. */
bool hy_sim_rehearses(const struct hy_link *link, int64_t messages);
bool hy_sim_rehearsal_begin(struct hy_link *link, void **kept);
void hy_sim_rehearsal_end(struct hy_link *link, void *kept);
const double *hy_sim_rehearsed(const struct hy_link *link, uint64_t number);
void hy_sim_rehearsal_keep(struct hy_link *link, uint64_t number, double seconds);

/* Objects that all nodes share, for the link's table; their end. */
void *hy_sim_shared_table(struct hy_link *link, uint64_t number);
bool hy_sim_shared_table_keep(struct hy_link *link, uint64_t number, void *thing, hy_end *end);
void hy_sim_shared_table_end(struct hy_simulator *simulator);

/* make_ready: gives a node a turn.  wait: lets the others run until something comes for this node,
 * or all stand still. */
void hy_simulator_make_ready(struct hy_sim_node *node);
void hy_simulator_wait(struct hy_sim_node *node);

#endif
